"""When an archive needs another backup: the snapshot of it that was verified last, and a time of day."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from papergraph.errors import ArchiveError, LocalNeo4jError
from papergraph.file_lock import locked
from schema.archive.manifest import Manifest, manifest_paths
from schema.archive.objects import write_whole
from schema.archive.retention import taken_at

NOTE = "verified.json"
OLDEST = timedelta(days=2)
"""A daily backup whose last verified snapshot is older has failed at least once."""


FULL_EVERY = timedelta(days=7)
"""How old the last reading of all papers may be."""


@dataclass(frozen=True)
class VerifiedSnapshot:
    """The snapshot of an archive that was verified last.

    Attributes:
        snapshot: Name of its file.
        created_at: When it was begun, in UTC, as ISO 8601.
        verified_at: When nothing was found wrong with it.
    """

    snapshot: str
    created_at: str
    verified_at: str

    @property
    def taken(self) -> datetime:
        """When it was begun."""
        return datetime.fromisoformat(self.created_at)


def last_verified(folder: Path) -> VerifiedSnapshot | None:
    """Return the snapshot that was verified last; None where none was, or its note cannot be read."""
    try:
        found = VerifiedSnapshot(**json.loads((folder / NOTE).read_bytes()))
        return found if found.taken.tzinfo is not None else None
    except (OSError, ValueError, TypeError):
        return None


def note_verified(folder: Path, path: Path, manifest: Manifest) -> None:
    """Note that nothing is wrong with a snapshot, unless a later one is noted; one of the future is no later one.

    Raises:
        ArchiveError: The folder cannot be written.
    """
    now, known = datetime.now(UTC), last_verified(folder)
    if known is not None and datetime.fromisoformat(manifest.created_at) < known.taken <= now:
        return
    note = VerifiedSnapshot(path.name, manifest.created_at, now.isoformat())
    try:
        write_whole(folder / NOTE, json.dumps(asdict(note)).encode(), folder / "unfinished")
    except OSError as error:
        raise ArchiveError(f"{folder / NOTE} cannot be written: {error.strerror or error}", path=folder) from error


def is_due(now: datetime, at: str, last: VerifiedSnapshot | None) -> bool:
    """Say whether a backup is due: none was verified that was taken since the time of day came last.

    Args:
        now: The time, with its zone, in which the time of day is told.
        at: Time of day, such as ``03:00``.
        last: The snapshot that was verified last; one of the future, before a clock was set back, does not count.
    """
    hour, minute = map(int, at.split(":"))
    due = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if due > now:
        due -= timedelta(days=1)
    return last is None or not due <= last.taken <= now


def is_full_due(last: Manifest, now: datetime) -> bool:
    """Say whether all papers are to be read again, for somebody may have changed some past papergraph.

    Args:
        last: The last snapshot of the archive.
        now: The time, with its zone.
    """
    return not now - FULL_EVERY < datetime.fromisoformat(last.full_at) <= now


def ages(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield the ages of the last snapshot, ``taken``, and of the one verified last, ``verified``, in seconds."""
    now = datetime.now(UTC)
    if paths := manifest_paths(folder):
        yield "taken", (now - taken_at(paths[-1])).total_seconds()
    if (last := last_verified(folder)) is not None:
        yield "verified", (now - last.taken).total_seconds()


@contextmanager
def archive_lock(folder: Path, *, timeout_s: float = 5.0) -> Iterator[None]:
    """Be the only process that takes or prunes backups in a folder; the kernel frees it when the process ends.

    Raises:
        ArchiveError: The folder cannot be written, or another process works in it for longer than ``timeout_s``.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lock").touch()
    except OSError as error:
        raise ArchiveError(f"{folder} cannot be written: {error.strerror or error}", path=folder) from error
    lock = locked(
        folder / "lock", waiting="another process takes or prunes backups in this folder", timeout_s=timeout_s
    )
    try:
        lock.__enter__()
    except LocalNeo4jError as error:
        raise ArchiveError(f"{folder}: {error}; or wait for it and try again", path=folder) from error
    try:
        yield
    finally:
        lock.__exit__(None, None, None)
