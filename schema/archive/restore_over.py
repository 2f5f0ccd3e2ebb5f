"""Restore a snapshot over what a store holds: with a restore point before it, and back to that if anything is wrong.

The store's own notes say how far this is, each in the transaction that it is about, so that a call that was cut off
goes on when it is repeated: ``restore`` has the root of the snapshot being written and the number of steps done, and
``restore point`` the root of what stood there before, which lies in an archive and was verified.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import cypher
from papergraph.database import Database
from papergraph.errors import (
    ArchiveError,
    ConflictError,
    DatabaseUnavailableError,
    DeadlineError,
    PapergraphError,
    UnknownOutcomeError,
)
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from schema.archive.backup import PARTS_OF_PAPERS, BackupOptions, back_up, state_of
from schema.archive.manifest import Manifest, chosen_manifest
from schema.archive.restore import EMPTYING, RestoreState, options_of, refuse_later, write_snapshot
from schema.archive.restore_point import EVERYTHING, WAIT_S
from schema.archive.schedule import archive_lock
from schema.archive.verification import verify
from schema.embedding_models import stored_models
from schema.reset import drop_schema

ATTEMPTS = 3
"""How often a restore point is taken, at most, until nothing was committed after it."""

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
    """Replace what a store holds by a snapshot; it stays as it was if anything is wrong with that.

    The snapshot is verified first, then everything in the store is backed up as a restore point, and that is verified.
    Only then the store is emptied and the snapshot written. If its root, its probes or the examination do not agree,
    the restore point is written back. API keys and jobs of the store stay if the snapshot has none; sessions stay.

    A call that was cut off goes on when it is repeated. Repeated with the restore point instead, it goes back.

    Args:
        database: The store; ingestion and enrichments are refused meanwhile, and whoever opens it.
        folder: The archive.
        manifest: The snapshot.
        points: The archive of restore points; made if missing.
        examine: What else must find nothing wrong.
        progress: Hears how far it is.

    Returns:
        The restore point's manifest; None where the store held nothing before.

    Raises:
        ArchiveError: The snapshot or the restore point is damaged, and nothing was changed; or something was wrong with
            what was restored, and the store is again as it was.
        ConflictError: The store is being changed, or another snapshot is being restored into it.
        SchemaTooNewError: The snapshot is of a later version.
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
    """Put a snapshot in the place of what the store holds, and return what is wrong then.

    Raises:
        DatabaseError: Neo4j does not answer, so that nothing can be written back either.
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
    """Delete what the store holds of what a snapshot has, and write the snapshot; go on where that was cut off."""
    done = (await RestoreState.of(database)).done
    if done is None:
        await drop_schema(database)  # with it, deleting is fast; the snapshot's version may have had another one
        for label in (*PARTS_OF_PAPERS, *options.labels):
            progress.step(f"deleting nodes of {label}")
            await database.run_alone(cypher.load("archive/delete_nodes"), label=label, deadline_s=DELETION_S)
        done = 0
        await database.run_alone(cypher.load("archive/note_restore"), root=manifest.root, done=str(done))
    await write_snapshot(database, folder, manifest, done, progress=progress)
