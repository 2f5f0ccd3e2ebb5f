"""Restoration of an archive, and its verification."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.embedding import ModelCard
from papergraph.errors import (
    ArchiveError,
    ConflictError,
    DatabaseUnavailableError,
    DeadlineError,
    PapergraphError,
    SchemaError,
    UnknownOutcomeError,
)
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from papergraph.schema.archive.backup import EVERYTHING, PARTS_OF_PAPERS, WAIT_S, BackupOptions, back_up, state_of
from papergraph.schema.archive.manifest import Manifest, chosen_manifest, failed_probes, read_part
from papergraph.schema.archive.objects import Objects, Part, key_of
from papergraph.schema.archive.schedule import archive_lock
from papergraph.schema.embedding_models import stored_models
from papergraph.schema.fulltext import switch_analyzer
from papergraph.schema.migrate import drop_schema, latest, make_vector_indexes, migrations, prepare
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot

# Verification of a snapshot: every object exists with the right checksum, and every relationship has both ends


MOST_FAULTS = 1000


@dataclass(frozen=True)
class Verified:
    """Result of verifying a snapshot.

    Attributes:
        n_objects: Number of objects.
        faults: Messages about faults with their files, at most 1,000.
    """

    n_objects: int
    faults: tuple[str, ...]


def verify(folder: Path, manifest: Manifest, *, progress: Progress = silent) -> Verified:
    """Read every object of a snapshot, and return what is wrong with them; nothing is changed.

    Memory is in proportion to the number of nodes, 16 bytes each.

    Args:
        folder: The archive.
        manifest: The snapshot.
        progress: Hears how far it is.
    """
    objects = Objects(folder)
    faults: list[str] = []
    nodes: set[bytes] = set()
    n_objects = 0
    for number, (entry, part) in enumerate(_readable(objects, manifest, faults)):
        n_objects += len(entry)
        if part is not None:
            nodes |= {_short(key_of(node["label"], node["id"])) for node in part.nodes}
        progress.step(f"{number + 1:,} of {len(manifest.entries):,} parts")
    if not faults:
        for _, part in _readable(objects, manifest, faults):
            faults += _loose_ends(part, nodes) if part is not None else []
    return Verified(n_objects, tuple(faults[:MOST_FAULTS]))


def _readable(objects: Objects, manifest: Manifest, faults: list[str]) -> Iterator[tuple[tuple[str, ...], Part | None]]:
    for entry in manifest.entries:
        try:
            part = read_part(objects, entry)
        except ArchiveError as error:
            faults.append(f"{entry.kind} {entry.name}: {error}")
            yield entry.objects, None
            continue
        if (len(part.nodes), len(part.relationships)) != (entry.n_nodes, entry.n_relationships):
            faults.append(f"{entry.kind} {entry.name}: its object holds another number of nodes or relationships")
        yield entry.objects, part


def _loose_ends(part: Part, nodes: set[bytes]) -> list[str]:
    return [
        f"an end of {one['type']} from {' '.join(one['start'])} to {' '.join(one['end'])} is not there"
        for one in part.relationships
        if not {_short(key_of(*one["start"])), _short(key_of(*one["end"]))} <= nodes
    ]


def _short(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()[:16]


# Restore a snapshot into an empty store, or over the content of a store.
#
# A restore over a store takes a restore point first, and goes back to it if anything is wrong. A restore that was cut
# off goes on when it is repeated: ``restore`` notes the root of the snapshot that is written and the number of steps
# done, ``restore point`` the root of the former content, which lies in an archive and was verified.


DEADLINE_S = 300.0
ROWS_AT_ONCE = 500
EMPTYING = "emptying"


@dataclass(frozen=True)
class RestoreState:
    """Progress of restoring a snapshot into a store.

    Attributes:
        is_empty: True if the store has no papers.
        root: Root of the snapshot; None without a restore.
        done: Number of finished steps; None while the old content is being deleted.
        point: Root of the restore point; None if the store was empty.
    """

    is_empty: bool
    root: str | None
    done: int | None
    point: str | None

    @classmethod
    async def of(cls, database: Database) -> "RestoreState":
        """Read it."""
        (found,) = await database.read(cypher.load("archive/restore_state"))
        done = None if found["done"] == EMPTYING else int(found["done"] or 0)
        return cls(found["is_empty"], found["root"], done, found["point"])


async def restore_archive(database: Database, folder: Path, manifest: Manifest, *, progress: Progress = silent) -> None:
    """Write a snapshot into an empty store, and compare the store with it.

    A repeated call with the same snapshot continues an interrupted restore. A snapshot of an earlier schema is written
    unchanged and then migrated.

    Args:
        database: The store, without papers except those of the same restore.
        folder: The archive.
        manifest: The snapshot.
        progress: Hears how far it is.

    Raises:
        ArchiveError: An object is missing or damaged, or the restored store differs from the snapshot.
        ConflictError: The store has papers, or another snapshot is being restored into it.
        SchemaError: The snapshot has a later version.
        DatabaseError: Neo4j failed.
    """
    refuse_later(manifest)
    state = await RestoreState.of(database)
    if state.point is not None or state.done is None:
        raise ConflictError(
            "a snapshot is being restored over what this store held; repeat papergraph restore with --over",
            field="folder",
        )
    if state.root not in (None, manifest.root):
        raise ConflictError(
            "another snapshot is being restored into this store; finish that one, or take an empty store",
            field="folder",
        )
    if state.root is None and not state.is_empty:
        raise ConflictError(
            "the store holds papers; replace them with --over, or name an empty store with PAPERGRAPH_HOME or "
            "PAPERGRAPH_NEO4J_URI",
            field="folder",
        )
    await write_snapshot(database, folder, manifest, state.done, progress=progress)
    await database.run_alone(cypher.load("archive/end_restore"))


def refuse_later(manifest: Manifest) -> None:
    """Refuse a snapshot that this version cannot restore.

    Raises:
        SchemaError: It is of a later version.
        ArchiveError: It names no embedding model.
    """
    if (found := manifest.schema_version or 0) > latest():
        raise SchemaError.too_new(found=found, known=latest())
    card_of(manifest)


async def write_snapshot(
    database: Database, folder: Path, manifest: Manifest, done: int, *, progress: Progress = silent
) -> None:
    """Write a snapshot from a step on, compare its root with that of the store, migrate that, and try the probes.

    Args:
        database: The store; of content, it holds that of the steps that are done.
        folder: The archive.
        manifest: The snapshot.
        done: How many steps are done.
        progress: Hears how far it is.

    Raises:
        ArchiveError: An object is missing or damaged, or the store does not hold or find what the snapshot says.
        DatabaseError: Neo4j failed.
    """
    card = card_of(manifest)
    compared = 2 * len(manifest.entries) + 1
    if done < compared:
        await _write_as_it_was(database, folder, manifest, card, done, progress)
        await database.run_alone(cypher.load("archive/note_restore"), root=manifest.root, done=str(compared))
    await prepare(database, card, restoring=True)
    if faults := await failed_probes(database, manifest.probes):
        raise ArchiveError(f"the store holds what the snapshot says, but {'; '.join(faults)}", path=folder)


async def _write_as_it_was(
    database: Database, folder: Path, manifest: Manifest, card: ModelCard, done: int, progress: Progress
) -> None:
    """Write a snapshot into a store that notes the snapshot's version of the schema, and compare the roots."""
    earlier = tuple(one for one in migrations() if one.version <= (manifest.schema_version or 0))
    if not done and latest(earlier) < latest():
        await drop_schema(database)  # the empty store notes a later version
    if manifest.analyzer is not None:
        await switch_analyzer(database, manifest.analyzer, progress=progress)
    await prepare(database, card, known=earlier, restoring=True)
    for model in manifest.models:
        if model.slot == VectorSlot.SECOND:
            await make_vector_indexes(database, VectorSlot.SECOND, dimension=model.dimension)
    await _write(database, folder, manifest, done, progress)
    found = await back_up(database, None, options_of(manifest), progress=progress)
    if found.manifest.root != manifest.root:
        raise ArchiveError(
            f"the store holds {found.manifest.counts} with root {found.manifest.root[:12]} after the restore, and the "
            f"snapshot {manifest.counts} with root {manifest.root[:12]}; report this, and restore into an empty store",
            path=folder,
        )


def options_of(manifest: Manifest) -> BackupOptions:
    """Return what a snapshot was asked to take, as far as its entries tell."""
    labels = {entry.name.partition(" ")[0] for entry in manifest.entries if entry.kind == "shared"}
    return BackupOptions(
        keys=bool(labels & {"ApiKey", "Invitation", "Spending"}), jobs=bool(labels & {"IngestJob", "IngestTask"})
    )


async def _write(database: Database, folder: Path, manifest: Manifest, done: int, progress: Progress) -> None:
    """Write the nodes of all parts, then the relationships of all: each finds its ends. A part is a transaction.

    Args:
        database: The store.
        folder: The archive.
        manifest: The snapshot.
        done: How many of these transactions were committed before.
        progress: Hears how far it is.
    """
    n_steps = 2 * len(manifest.entries)
    nodes, relationships = cypher.load("archive/write_nodes"), cypher.load("archive/write_relationships")
    objects = Objects(folder)
    for step in range(done, n_steps):
        is_second, number = divmod(step, len(manifest.entries))
        part = read_part(objects, manifest.entries[number])
        statement, rows = (relationships, part.relationship_rows()) if is_second else (nodes, part.node_rows())
        await write_part(database, statement, list(rows), {"root": manifest.root, "done": str(step + 1)})
        progress.step(f"{step + 1:,} of {n_steps:,} steps")


async def write_part(
    database: Database, statement: Statement, rows: list[dict[str, Any]], note: dict[str, str]
) -> None:
    """Write rows and the note of how far the restore is in one transaction.

    Raises:
        DatabaseError: Neo4j failed.
    """

    async def work(transaction: Transaction) -> None:
        for batch in batches(rows, ROWS_AT_ONCE):
            await transaction.run(statement, rows=list(batch))
        await transaction.run(cypher.load("archive/note_restore"), **note)

    await database.transact("restore", work, deadline_s=DEADLINE_S)


def card_of(manifest: Manifest) -> ModelCard:
    """Return what a snapshot says of its embedding model.

    Raises:
        ArchiveError: It names none.
    """
    if not manifest.models:
        raise ArchiveError("the snapshot names no embedding model; it is of a store that was never used")
    active = manifest.models[0]
    return ModelCard(active.name, active.sha256, active.dimension, 0)


ATTEMPTS = 3
"""Most attempts to take a restore point; a commit during an attempt makes it fail."""

DELETION_S = 6 * 3600.0

Examine = Callable[[Database], Awaitable[Sequence[str]]]
"""Returns what is wrong with a store, in words."""


async def restore_over(
    database: Database,
    folder: Path,
    manifest: Manifest,
    points: Path,
    *,
    examine: Examine,
    progress: Progress = silent,
) -> Path | None:
    """Replace the content of a store by a snapshot; after a fault the old content is restored.

    The snapshot is verified first, then the whole store is backed up as a verified restore point. Only then the store
    is emptied and the snapshot written. If its root, its probes or the examination show a fault, the restore point is
    written back. API keys and jobs of the store stay if the snapshot lacks them; sessions stay.

    A repeated call continues an interrupted one. A call with the restore point reverts it.

    Args:
        database: The store, which is closed for ingestion, enrichments and new connections meanwhile.
        folder: The archive.
        manifest: The snapshot.
        points: The archive of restore points, created if missing.
        examine: Further check of the restored store.
        progress: Hears how far it is.

    Returns:
        The restore point's manifest; None if the store was empty.

    Raises:
        ArchiveError: The snapshot or the restore point is damaged and nothing was changed, or the restored store had
            faults and the old content is back.
        ConflictError: The store is changing, or another snapshot is being restored into it.
        SchemaError: The snapshot has a later version.
        DatabaseError: Neo4j does not answer; repeat the call.
    """
    refuse_later(manifest)
    state = await _begun(database, folder, manifest, points, progress)
    faults: Sequence[str] = ["an earlier call found something wrong"]
    if state.root != state.point:
        faults = await _faults(database, folder, manifest, examine, progress)
        if faults:
            progress.step("something is wrong with what was restored")
            await _note(database, state.point or manifest.root)
            if state.point is None:
                raise ArchiveError(f"{'; '.join(faults)}; the store held nothing before, restore another", path=folder)
    point = chosen_manifest(points, state.point) if state.point is not None else None
    if faults and point is not None:
        before = Manifest.read(point)
        await _put(database, points, replace(before, probes=()), EVERYTHING, progress)
    await database.run_alone(cypher.load("archive/end_restore"))
    if faults and manifest.root != state.point:
        raise ArchiveError(
            f"the snapshot was not restored, and the store is again as it was: {'; '.join(faults)}", path=folder
        )
    return point


async def _begun(
    database: Database, folder: Path, manifest: Manifest, points: Path, progress: Progress
) -> RestoreState:
    """Begin, or find what an earlier call began with, turned round if it is to go back or had nothing to go back to."""
    state = await RestoreState.of(database)
    if state.root is None:
        await refuse_damaged(folder, manifest, progress)
        await _begin(database, manifest, points, progress)
    elif state.root != manifest.root and state.point in (None, manifest.root):
        await _note(database, manifest.root)
    elif state.root not in (manifest.root, state.point):
        raise ConflictError(
            f"another snapshot, {state.root[:12]}, is being restored into this store; repeat that one, or go back to "
            f"{state.point} of {points}",
            field="folder",
        )
    return await RestoreState.of(database)


async def _begin(database: Database, manifest: Manifest, points: Path, progress: Progress) -> None:
    """Take a restore point, and note it in a transaction that finds nothing committed since."""
    if (await stored_models(database)).active is None:
        await _note(database, manifest.root)
        return
    with archive_lock(points, timeout_s=WAIT_S):
        for _ in range(ATTEMPTS):
            progress.step(f"backing up to {points} what the store holds")
            point = (await back_up(database, points, EVERYTHING, progress=progress)).manifest
            await refuse_damaged(points, point, progress)
            if await _note_unless_changed(database, manifest, point):
                return
    raise ConflictError(
        "the store is changed all the time; stop its server and workers, and repeat the command", field="folder"
    )


async def _note_unless_changed(database: Database, manifest: Manifest, point: Manifest) -> bool:
    async def work(transaction: Transaction) -> bool:
        await transaction.run(cypher.load("reembed/close_gates"))
        if await state_of(database, EVERYTHING) != point.state:
            return False
        await transaction.run(cypher.load("archive/note_restore"), root=manifest.root, done=EMPTYING)
        await transaction.run(cypher.load("archive/note_restore_point"), root=point.root)
        return True

    return await database.transact("begin a restore", work)


async def _note(database: Database, root: str) -> None:
    await database.run_alone(cypher.load("archive/note_restore"), root=root, done=EMPTYING)


async def refuse_damaged(folder: Path, manifest: Manifest, progress: Progress) -> None:
    """Refuse a snapshot with which something is wrong.

    Raises:
        ArchiveError: Something is.
    """
    found = await asyncio.to_thread(verify, folder, manifest, progress=progress)
    if found.faults:
        raise ArchiveError(
            f"the store was not changed: snapshot {manifest.root[:12]} has {len(found.faults):,} faults, the first: "
            f"{found.faults[0]}",
            path=folder,
        )


async def _faults(
    database: Database, folder: Path, manifest: Manifest, examine: Examine, progress: Progress
) -> Sequence[str]:
    """Replace the content of the store by a snapshot, and return its faults.

    Raises:
        DatabaseError: Neo4j does not answer, so the restore point cannot be written back.
    """
    try:
        await _put(database, folder, manifest, options_of(manifest), progress)
        progress.step("examining the store")
        return await examine(database)
    except (DatabaseUnavailableError, DeadlineError, UnknownOutcomeError):
        raise
    except PapergraphError as error:
        return [str(error)]


async def _put(
    database: Database, folder: Path, manifest: Manifest, options: BackupOptions, progress: Progress
) -> None:
    """Delete the schema and all nodes that a backup covers, and write the snapshot; continue after an interruption."""
    done = (await RestoreState.of(database)).done
    if done is None:
        await drop_schema(database)  # with it, deleting is fast; the snapshot's version may have had another one
        for label in (*PARTS_OF_PAPERS, *options.labels):
            progress.step(f"deleting nodes of {label}")
            await database.run_alone(cypher.load("archive/delete_nodes"), label=label, deadline_s=DELETION_S)
        done = 0
        await database.run_alone(cypher.load("archive/note_restore"), root=manifest.root, done=str(done))
    await write_snapshot(database, folder, manifest, done, progress=progress)
