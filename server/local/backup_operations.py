"""Operations of commands on archives of the store."""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from papergraph.database import Database
from papergraph.errors import ArchiveError
from papergraph.ingest.doctor import examine
from papergraph.progress import Progress
from papergraph.schema.archive.backup import BackedUp, BackupOptions, back_up
from papergraph.schema.archive.manifest import Manifest, chosen_manifest, manifest_paths
from papergraph.schema.archive.restore import RestoreState, restore_archive, restore_over, verify
from papergraph.schema.archive.schedule import archive_lock, kept_snapshots, note_verified, prune
from papergraph.schema.migrate import choose_quantization
from papergraph.settings import Settings
from papergraph.store import Address, open_store

FAULTS_TOLD = 20


@dataclass(frozen=True)
class Verification:
    """Result of verifying a snapshot.

    Attributes:
        snapshot: Its file.
        root: Its root.
        n_objects: Number of objects.
        is_restorable: True if a restore into a temporary Neo4j gave the same store; None if not tried.
        faults: Messages about faults.
    """

    snapshot: Path
    root: str
    n_objects: int
    is_restorable: bool | None
    faults: Sequence[str]


async def back_up_store(
    address: Address, folder: Path, options: BackupOptions, *, full: bool = False, progress: Progress
) -> BackedUp:
    """Add a snapshot of the store to an archive; see :func:`papergraph.schema.archive.backup.back_up`."""
    with archive_lock(folder):
        return await _back_up(address, folder, options, full=full, progress=progress)


async def _back_up(
    address: Address, folder: Path, options: BackupOptions, *, full: bool = False, progress: Progress
) -> BackedUp:
    async with await address.connect() as database:
        return await back_up(database, folder, options, full=full, progress=progress)


async def take_backup(address: Address, folder: Path, rule: str, *, progress: Progress) -> Verification:
    """Add a snapshot to an archive, verify it, and delete old ones by a rule: what a server does every day.

    Raises:
        ArchiveError: The folder cannot be written, another process works in it, or something is wrong with the
            snapshot; nothing is deleted then.
        DatabaseError: Neo4j failed.
    """
    with archive_lock(folder):
        done = await _back_up(address, folder, BackupOptions(), progress=progress)
        name = done.path.name if done.path is not None else None
        found = await asyncio.to_thread(verify_snapshot, folder, name, progress=progress)
        if found.faults:
            raise ArchiveError(
                f"the backup {name} has {len(found.faults):,} faults, the first: {found.faults[0]}; delete the objects "
                "that papergraph backups verify names as damaged, and the next backup writes them again",
                path=folder,
            )
        await asyncio.to_thread(prune, folder, kept_snapshots(manifest_paths(folder), rule), progress=progress)
    return found


async def restore_store(
    settings: Settings, address: Address, folder: Path, snapshot: str | None, *, progress: Progress
) -> Manifest:
    """Restore a snapshot into an empty store; see :func:`papergraph.schema.archive.restore.restore_archive`."""
    manifest = Manifest.read(chosen_manifest(folder, snapshot))
    async with await address.connect() as database:
        await choose_quantization(database, settings.neo4j.quantization)
        await restore_archive(database, folder, manifest, progress=progress)
    return manifest


async def replace_store(
    address: Address, folder: Path, snapshot: str | None, points: Path, *, progress: Progress
) -> tuple[Manifest, Path | None]:
    """Replace the store by a snapshot; see :func:`papergraph.schema.archive.restore.restore_over`.

    Args:
        address: The store.
        folder: The archive.
        snapshot: Prefix of the snapshot's name or root; None for that of an interrupted call, or else the last.
        points: The archive of restore points.
        progress: Receives the progress.

    Returns:
        The snapshot, and the manifest of the restore point (None if the store was empty).
    """
    async with await address.connect() as database:
        begun = (await RestoreState.of(database)).root
        paths = [path for path in manifest_paths(folder) if begun is not None and f"-{begun[:12]}" in path.stem]
        path = paths[-1] if paths and snapshot is None else chosen_manifest(folder, snapshot)
        manifest = Manifest.read(path)
        point = await restore_over(database, folder, manifest, points, examine=faults_of, progress=progress)
    return manifest, point


def verify_snapshot(folder: Path, snapshot: str | None, *, progress: Progress) -> Verification:
    """Read every object of a snapshot; see :func:`papergraph.schema.archive.restore.verify`."""
    path = chosen_manifest(folder, snapshot)
    manifest = Manifest.read(path)
    found = verify(folder, manifest, progress=progress)
    if not found.faults:
        note_verified(folder, path, manifest)
    return Verification(path, manifest.root, found.n_objects, None, found.faults)


async def verify_by_restore(
    address: Address, folder: Path, checked: Verification, *, progress: Progress
) -> Verification:
    """Restore a snapshot into an empty store, compare roots and probes, and let the doctor examine it."""
    manifest = Manifest.read(checked.snapshot)
    async with await address.connect() as database:
        try:
            await restore_archive(database, folder, manifest, progress=progress)
            faults = await faults_of(database)
        except ArchiveError as error:
            faults = [str(error)]
    return Verification(checked.snapshot, checked.root, checked.n_objects, not faults, faults[:FAULTS_TOLD])


async def faults_of(database: Database) -> list[str]:
    """Return what the doctor finds wrong with a store."""
    report = await examine(database)
    return [f"{finding.check}: {finding.n} {finding.means}" for finding in report.findings]


def temporary_store(settings: Settings, folder: str) -> Settings:
    """Return settings of a local store of its own below a folder."""
    return settings.model_copy(update={"home": Path(folder), "neo4j": settings.neo4j.model_copy(update={"uri": None})})


def deep_verification(settings: Settings, folder: Path, checked: Verification, *, progress: Progress) -> Verification:
    """Do :func:`verify_by_restore` in a Neo4j that is started for it and deleted afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="papergraph-verify-") as place,
        open_store(temporary_store(settings, place), progress=progress) as address,
    ):
        return asyncio.run(verify_by_restore(address, folder, checked, progress=progress))


def prune_archive(folder: Path, rule: str, *, progress: Progress) -> tuple[int, int, int]:
    """Delete snapshots by a rule; see :func:`papergraph.schema.archive.schedule.kept_snapshots`."""
    with archive_lock(folder):
        return prune(folder, kept_snapshots(manifest_paths(folder), rule), progress=progress)


def list_snapshots(folder: Path) -> list[tuple[Path, Manifest]]:
    """Return the snapshots of an archive, the oldest first."""
    return [(path, Manifest.read(path)) for path in manifest_paths(folder)]
