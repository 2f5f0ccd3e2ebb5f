"""Restore a snapshot of an archive into an empty store, by this or a later version of papergraph."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.embedding import ModelCard
from papergraph.errors import ArchiveError, ConflictError, SchemaTooNewError
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot
from schema.archive.backup import BackupOptions, back_up
from schema.archive.manifest import Entry, Manifest
from schema.archive.objects import Objects
from schema.archive.probes import failed_probes
from schema.archive.records import Part
from schema.fulltext import switch_analyzer
from schema.migrate import latest, make_vector_indexes, migrations, prepare
from schema.reset import drop_schema

DEADLINE_S = 300.0
ROWS_AT_ONCE = 500
EMPTYING = "emptying"


@dataclass(frozen=True)
class RestoreState:
    """How far a snapshot is restored into a store.

    Attributes:
        is_empty: Whether the store holds no papers.
        root: Root of the snapshot; None if none is being restored.
        done: How many of its steps are done; None while what stood there before is being deleted.
        point: Root of the snapshot of what stood there before; None if nothing did.
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
    """Write a snapshot into an empty store, and compare what then stands there with it.

    A restore that was cut off goes on when it is called again with the same snapshot. A snapshot whose schema has
    an earlier version is written as it was, and then migrated.

    Args:
        database: The store; it may hold no papers, except those of the same restore.
        folder: The archive.
        manifest: The snapshot.
        progress: Hears how far it is.

    Raises:
        ArchiveError: An object is missing or damaged, or the store does not hold or find afterwards what the snapshot
            says.
        ConflictError: The store holds papers, or another snapshot is being restored into it.
        SchemaTooNewError: The snapshot is of a later version.
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
        SchemaTooNewError: It is of a later version.
        ArchiveError: It names no embedding model.
    """
    if (found := manifest.schema_version or 0) > latest():
        raise SchemaTooNewError(found=found, known=latest())
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


def read_part(objects: Objects, entry: Entry) -> Part:
    """Return a part of a snapshot.

    Raises:
        ArchiveError: An object is missing or damaged.
    """
    numbers = None if entry.numbers is None else objects.get(entry.numbers)
    return Part.read(objects.get(entry.lines), numbers)


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
