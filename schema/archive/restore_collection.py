"""Restore one collection of a snapshot, under another name too, into a store that holds others.

The store's own notes say how far this is, as those of a whole snapshot do (:mod:`schema.archive.restore`), and beside
them ``OLD=NEW``. Before a restore begins, the store holds nothing under the new name: all of it can be deleted again.
"""

from dataclasses import dataclass
from pathlib import Path

import cypher
from papergraph.database import Database
from papergraph.errors import ArchiveError, ConflictError, NotFoundError
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from papergraph.vector_slots import VectorSlot
from schema.archive.backup import PARTS_OF_PAPERS, paper_parts, shared_parts
from schema.archive.manifest import Manifest
from schema.archive.objects import Objects
from schema.archive.renaming import LABELS, Renaming, Tally, of_collection
from schema.archive.restore import RestoreState, card_of, refuse_later, write_part
from schema.archive.restore_over import refuse_damaged
from schema.embedding_models import stored_models
from schema.ids import check_collection
from schema.indexes import wait_until_built
from schema.migrate import latest, prepare, version_of

DELETION_S = 6 * 3600.0


@dataclass(frozen=True)
class RestoredCollection:
    """A collection that was restored.

    Attributes:
        name: Its name in the store.
        n_papers: Its papers.
        n_nodes: Its nodes, papers among them.
        n_relationships: Their relationships.
        n_left_out: Reviews that are about something that the snapshot does not hold any more.
    """

    name: str
    n_papers: int
    n_nodes: int
    n_relationships: int
    n_left_out: int


async def restore_collection(
    database: Database, folder: Path, manifest: Manifest, old: str, new: str, *, progress: Progress = silent
) -> RestoredCollection:
    """Write a collection of a snapshot into a store that has none of its new name, and compare what then stands there.

    Ingestion, enrichments and whoever opens the store are refused meanwhile. A call that was cut off goes on when it is
    repeated. If anything is wrong, all of it is deleted again. So is what an unfinished call for another collection or
    snapshot has written under the same name.

    Args:
        database: The store; one that was never used gets the embedding model of the snapshot.
        folder: The archive.
        manifest: The snapshot.
        old: Name of the collection in the snapshot.
        new: Its name in the store; the same one keeps all ids.
        progress: Hears how far it is.

    Raises:
        InputError: A name is not valid.
        NotFoundError: The snapshot holds no papers of the collection.
        ConflictError: The store has such a collection or an earlier schema, or another snapshot is being restored.
        OtherModelError: The store's embedding model is not that of the snapshot.
        SchemaTooNewError: The snapshot is of a later version.
        ArchiveError: The snapshot is damaged or of an earlier version, or the store does not hold afterwards what it
            says; nothing of the collection is left then.
        DatabaseError: Neo4j failed; repeat the call.
    """
    renaming = f"{check_collection(old)}={check_collection(new)}"
    _refuse_other_version(manifest)
    done = await _done(database, manifest, renaming, new, progress)
    if done is None:
        await _open(database, manifest)
        await refuse_damaged(folder, manifest, progress)
    try:
        parts = await _renaming(database, folder, manifest, old, new)
        if done is None:
            await _begin(database, manifest, renaming, new)
        await _write(database, parts, manifest, done or 0, progress)
        tally = await _compared(database, parts, new, progress)
    except ArchiveError:
        if (await RestoreState.of(database)).renaming == renaming:
            await _take_back(database, new)
        raise
    await wait_until_built(database)
    await database.run_alone(cypher.load("archive/end_restore"))
    return RestoredCollection(new, parts.n_papers, tally.n_nodes, tally.n_relationships, parts.n_left_out)


def _refuse_other_version(manifest: Manifest) -> None:
    refuse_later(manifest)
    if manifest.schema_version != latest():
        raise ArchiveError(
            f"the snapshot of papergraph {manifest.version} has schema version {manifest.schema_version}, and this one "
            f"{latest()}: restore it into an empty store, which migrates it, back that up, and restore the collection "
            "from there"
        )


async def _done(database: Database, manifest: Manifest, renaming: str, new: str, progress: Progress) -> int | None:
    """Return how many steps an earlier call has done; None if none began, or one for something else, taken back now."""
    state = await RestoreState.of(database)
    if state.root is None:
        return None
    if state.renaming is None:
        raise ConflictError("a snapshot is being restored into this store; finish that first", field="folder")
    if (state.root, state.renaming) == (manifest.root, renaming):
        return state.done
    if state.renaming.partition("=")[2] != new:
        state.refuse_collection()
    progress.step(f"deleting what an unfinished restore has written of {new}")
    await _take_back(database, new)
    return None


async def _renaming(database: Database, folder: Path, manifest: Manifest, old: str, new: str) -> Renaming:
    active = (await stored_models(database)).active
    slot = VectorSlot.FIRST if active is None else active.slot
    parts = Renaming(Objects(folder), manifest, old, new, slot=slot)
    if not parts.n_papers:
        raise NotFoundError("collection in the snapshot:", old, field="collection")
    return parts


async def _open(database: Database, manifest: Manifest) -> None:
    """Make a new store ready, or refuse one that holds papers of another version or model."""
    if not (await RestoreState.of(database)).is_empty and await version_of(database) != latest():
        raise ConflictError(
            "the store was written by an earlier version; run papergraph serve once, which migrates it", field="folder"
        )
    await prepare(database, card_of(manifest), restoring=True)


async def _begin(database: Database, manifest: Manifest, renaming: str, new: str) -> None:
    """Note what is to be restored, in a transaction that finds the name free while nobody writes papers."""

    async def work(transaction: Transaction) -> int:
        await transaction.run(cypher.load("reembed/close_gates"))
        (noted,) = await transaction.run(
            cypher.load("archive/note_restore_collection"), collection=new, renaming=renaming
        )
        if noted["n"]:
            await transaction.run(cypher.load("archive/note_restore"), root=manifest.root, done="0")
        return int(noted["n"])

    if not await database.transact("begin a restore", work):
        raise ConflictError(f"the store has a collection {new!r}; choose another name", field="collection")


async def _write(database: Database, parts: Renaming, manifest: Manifest, done: int, progress: Progress) -> None:
    """Write the nodes of all parts, then the relationships of all; a part is a transaction."""
    n = len(parts.entries)
    for step in range(done, 2 * n):
        is_second, number = divmod(step, n)
        part = parts.part(parts.entries[number])
        statement = cypher.load("archive/write_relationships" if is_second else "archive/write_nodes")
        rows = list(part.relationship_rows() if is_second else part.node_rows())
        await write_part(database, statement, rows, {"root": manifest.root, "done": str(step + 1)})
        progress.step(f"{step + 1:,} of {2 * n:,} steps")


async def _compared(database: Database, parts: Renaming, new: str, progress: Progress) -> Tally:
    """Return what the store holds of the collection, which must be what the snapshot says."""
    expected, found = Tally(), Tally()
    for entry in parts.entries:
        expected.add(parts.part(entry))
    async for _, part in paper_parts(database, collection=new, progress=progress):
        found.add(part)
    for label in LABELS:
        progress.step(f"reading nodes of {label}")
        async for part in shared_parts(database, label):
            found.add(of_collection(part, new))
    if found != expected:
        raise ArchiveError(
            f"the store held {found.n_nodes:,} nodes and {found.n_relationships:,} relationships of {new} after the "
            f"restore, other than the {expected.n_nodes:,} and {expected.n_relationships:,} of the snapshot; they were "
            "deleted again. Report this."
        )
    return found


async def _take_back(database: Database, collection: str) -> None:
    """Delete all that a restore has written."""
    labels = [*PARTS_OF_PAPERS, *LABELS]
    await database.run_alone(
        cypher.load("collections/delete_rest"), collection=collection, labels=labels, deadline_s=DELETION_S
    )
    await database.run_alone(cypher.load("archive/end_restore"))
