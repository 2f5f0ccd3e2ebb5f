"""A backup before a migration, so that there is a way back."""

from pathlib import Path

import cypher
from papergraph.database import Database
from papergraph.progress import Progress
from schema.archive.backup import BackedUp, BackupOptions, back_up
from schema.archive.schedule import archive_lock
from schema.migrate import Migrations, latest, version_of

WAIT_S = 600.0
EVERYTHING = BackupOptions(keys=True, jobs=True)


async def take_restore_point(
    database: Database, folder: Path, *, progress: Progress, known: Migrations | None = None
) -> BackedUp | None:
    """Back a store up, with keys and jobs, if it holds papers and lacks a migration.

    Args:
        database: The store.
        folder: The archive.
        progress: Hears how far it is.
        known: The migrations, those of ``schema/migrations`` by default.

    Returns:
        The backup; None where none is needed.

    Raises:
        ArchiveError: The folder cannot be written, or another process uses it for ten minutes.
        SchemaError: The store is newer, or damaged.
        DatabaseError: Neo4j failed.
    """

    async def is_needed() -> bool:
        version = await version_of(database, known)
        (state,) = await database.read(cypher.load("archive/restore_state"))
        return version not in (None, latest(known)) and not state["is_empty"] and state["root"] is None

    if not await is_needed():
        return None
    with archive_lock(folder, timeout_s=WAIT_S):
        if not await is_needed():  # another process was faster
            return None
        progress.step(f"backing up to {folder} before a migration")
        return await back_up(database, folder, EVERYTHING, progress=progress)
