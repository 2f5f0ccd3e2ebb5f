"""Restore a snapshot of an archive into an empty store, of this or a later version of papergraph."""

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
from schema.archive.records import Part
from schema.fulltext import switch_analyzer
from schema.migrate import make_vector_indexes, migrations, prepare

DEADLINE_S = 300.0
ROWS_AT_ONCE = 500


async def restore_archive(database: Database, folder: Path, manifest: Manifest, *, progress: Progress = silent) -> None:
    """Write a snapshot into an empty store, and compare what then stands there with it.

    A restore that was cut off goes on when it is called again with the same snapshot. A snapshot of an earlier version
    is written as it was, and then migrated.

    Args:
        database: The store; it may hold no papers, except those of the same restore.
        folder: The archive.
        manifest: The snapshot.
        progress: Hears how far it is.

    Raises:
        ArchiveError: An object is missing or damaged, or the store does not hold afterwards what the snapshot says.
        ConflictError: The store holds papers, or another archive is being restored into it.
        SchemaTooNewError: The snapshot is of a later version.
        DatabaseError: Neo4j failed.
    """
    known = migrations()
    names = [migration.name for migration in known]
    unknown = sorted(set(manifest.migrations) - set(names))
    if unknown:
        raise SchemaTooNewError(found=unknown[-1], known=names[-1])
    (state,) = await database.read(cypher.load("archive/is_empty"))
    if state["root"] not in (None, manifest.root):
        raise ConflictError(
            "another archive is being restored into this store; finish that one, or take an empty store",
            field="folder",
        )
    if state["root"] is None and not state["is_empty"]:
        raise ConflictError(
            "the store holds papers, and an archive is restored into an empty store only; name another one with "
            "PAPERGRAPH_HOME or PAPERGRAPH_NEO4J_URI",
            field="folder",
        )
    card = _card(manifest)
    if manifest.analyzer is not None:
        await switch_analyzer(database, manifest.analyzer, progress=progress)
    before = tuple(migration for migration in known if migration.name in manifest.migrations)
    await prepare(database, card, known=before, is_last=before == known)
    for model in manifest.models:
        if model.slot == VectorSlot.SECOND:
            await make_vector_indexes(database, VectorSlot.SECOND, dimension=model.dimension)
    await _write(database, folder, manifest, int(state["done"] or 0), progress)
    await database.run_alone(cypher.load("archive/end_restore"))
    found = await back_up(database, None, options_of(manifest), progress=progress)
    if found.manifest.root != manifest.root:
        raise ArchiveError(
            f"the store holds {found.manifest.counts} with root {found.manifest.root[:12]} after the restore, and the "
            f"snapshot {manifest.counts} with root {manifest.root[:12]}; report this, and restore into an empty store",
            path=folder,
        )
    if before != known:
        await prepare(database, card)


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
        await _write_part(database, statement, list(rows), {"root": manifest.root, "done": str(step + 1)})
        progress.step(f"{step + 1:,} of {n_steps:,} steps")


async def _write_part(
    database: Database, statement: Statement, rows: list[dict[str, Any]], note: dict[str, str]
) -> None:
    async def work(transaction: Transaction) -> None:
        for batch in batches(rows, ROWS_AT_ONCE):
            await transaction.run(statement, rows=list(batch))
        await transaction.run(cypher.load("archive/note_restore"), **note)

    await database.transact("restore", work, deadline_s=DEADLINE_S)


def _card(manifest: Manifest) -> ModelCard:
    if not manifest.models:
        raise ArchiveError("the snapshot names no embedding model; it is of a store that was never used")
    active = manifest.models[0]
    return ModelCard(active.name, active.sha256, active.dimension, 0)
