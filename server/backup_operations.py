"""What the commands do with archives of the store."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.doctor.examine import examine
from papergraph.progress import Progress
from papergraph.settings import Settings
from papergraph.store import Address, open_store
from schema.archive.backup import BackedUp, BackupOptions, back_up, prune
from schema.archive.manifest import Manifest, chosen_manifest, manifest_paths
from schema.archive.restore import restore_archive
from schema.archive.retention import kept_snapshots
from schema.archive.verification import verify

FAULTS_TOLD = 20


@dataclass(frozen=True)
class Verification:
    """What was found of a snapshot.

    Attributes:
        snapshot: Its file.
        root: Its root.
        n_objects: Objects that were read.
        is_restorable: Whether a temporary Neo4j held the same after a restore; None if that was not tried.
        faults: What is wrong, in words.
    """

    snapshot: Path
    root: str
    n_objects: int
    is_restorable: bool | None
    faults: Sequence[str]


async def back_up_store(address: Address, folder: Path, options: BackupOptions, *, progress: Progress) -> BackedUp:
    """Add a snapshot of the store to an archive; see :func:`schema.archive.backup.back_up`."""
    async with await address.connect() as database:
        return await back_up(database, folder, options, progress=progress)


async def restore_store(address: Address, folder: Path, snapshot: str | None, *, progress: Progress) -> Manifest:
    """Restore a snapshot into the store; see :func:`schema.archive.restore.restore_archive`."""
    manifest = Manifest.read(chosen_manifest(folder, snapshot))
    async with await address.connect() as database:
        await restore_archive(database, folder, manifest, progress=progress)
    return manifest


def verify_snapshot(folder: Path, snapshot: str | None, *, progress: Progress) -> Verification:
    """Read every object of a snapshot; see :func:`schema.archive.verification.verify`."""
    path = chosen_manifest(folder, snapshot)
    manifest = Manifest.read(path)
    found = verify(folder, manifest, progress=progress)
    return Verification(path, manifest.root, found.n_objects, None, found.faults)


async def verify_by_restore(
    address: Address, folder: Path, checked: Verification, *, progress: Progress
) -> Verification:
    """Restore a snapshot into an empty store, compare the roots, and let the doctor examine it."""
    manifest = Manifest.read(checked.snapshot)
    async with await address.connect() as database:
        await restore_archive(database, folder, manifest, progress=progress)
        report = await examine(database)
    faults = [f"{finding.check}: {finding.n} {finding.means}" for finding in report.findings]
    return Verification(checked.snapshot, checked.root, checked.n_objects, not faults, faults[:FAULTS_TOLD])


def temporary_store(settings: Settings, folder: str) -> Settings:
    """Return settings of a local store of its own below a folder."""
    return settings.model_copy(update={"home": Path(folder), "neo4j": settings.neo4j.model_copy(update={"uri": None})})


def deep_verification(settings: Settings, folder: Path, checked: Verification, *, progress: Progress) -> Verification:
    """Do :func:`verify_by_restore` in a Neo4j that is started for it and deleted afterwards."""
    import asyncio

    with (
        tempfile.TemporaryDirectory(prefix="papergraph-verify-") as place,
        open_store(temporary_store(settings, place), progress=progress) as address,
    ):
        return asyncio.run(verify_by_restore(address, folder, checked, progress=progress))


def prune_archive(folder: Path, rule: str, *, progress: Progress) -> tuple[int, int, int]:
    """Delete snapshots by a rule; see :func:`schema.archive.retention.kept_snapshots`."""
    return prune(folder, kept_snapshots(manifest_paths(folder), rule), progress=progress)


def list_snapshots(folder: Path) -> list[tuple[Path, Manifest]]:
    """Return the snapshots of an archive, the oldest first."""
    return [(path, Manifest.read(path)) for path in manifest_paths(folder)]
