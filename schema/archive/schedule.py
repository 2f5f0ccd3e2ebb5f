"""Backups over time: the snapshots that stay, the pruning of others, and when the next backup is due."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from papergraph.errors import ArchiveError, InputError, LocalNeo4jError
from papergraph.file_lock import locked
from papergraph.progress import Progress, silent
from papergraph.schema.archive.manifest import Manifest, manifest_paths, taken_at
from papergraph.schema.archive.objects import Objects, write_whole

_RULE = re.compile(r"(\d{1,4})([dwm])")
_PERIODS = {"d": "%Y-%m-%d", "w": "%G-%V", "m": "%Y-%m"}


def kept_snapshots(paths: Sequence[Path], rule: str) -> list[Path]:
    """Return which manifests stay by a rule such as ``7d,4w,12m``; the last one stays always.

    Args:
        paths: Manifests, the oldest first, by whose names their time is known.
        rule: How many days, weeks and months keep their last snapshot.

    Raises:
        InputError: The rule has another form.
    """
    staying = set(paths[-1:])
    for part in map(_RULE.fullmatch, rule.replace(" ", "").split(",")):
        if part is None:
            raise InputError(
                f"--keep {rule!r} is no rule: write 7d,4w,12m for 7 days, 4 weeks and 12 months", field="keep"
            )
        last = {taken_at(path).strftime(_PERIODS[part[2]]): path for path in paths}
        periods = sorted(last)[max(0, len(last) - int(part[1])) :] if int(part[1]) else []
        staying |= {last[period] for period in periods}
    return [path for path in paths if path in staying]


def prune(folder: Path, keep: Iterable[Path], *, progress: Progress = silent) -> tuple[int, int, int]:
    """Delete all snapshots except those to keep, then unused objects.

    Args:
        folder: The archive, locked by :func:`papergraph.schema.archive.schedule.archive_lock`.
        keep: Manifests to keep.
        progress: Receives the progress.

    Returns:
        Numbers of deleted snapshots and objects, and of freed bytes.

    Raises:
        ArchiveError: A manifest to keep is damaged; nothing was deleted.
    """
    staying = set(keep)
    used = {name for path in staying for entry in Manifest.read(path).entries for name in entry.objects}
    going = [path for path in manifest_paths(folder) if path not in staying]
    for path in going:
        path.unlink()
    objects = Objects(folder)
    objects.clear_unfinished()
    n_objects = n_bytes = 0
    for name in list(objects.names()):
        if name not in used:
            n_bytes += objects.delete(name)
            n_objects += 1
            progress.step(f"{n_objects:,} objects deleted")
    return len(going), n_objects, n_bytes


NOTE = "verified.json"
OLDEST = timedelta(days=2)
"""A daily backup whose last verified snapshot is older has failed at least once."""


FULL_EVERY = timedelta(days=7)
"""Largest age of the last reading of all papers."""


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
    """Return the last verified snapshot; None if it is missing or its note is unreadable."""
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
    """Return whether a backup is due: the last verified one is older than the last occurrence of the time of day.

    Args:
        now: Current time with the time zone of ``at``.
        at: Time of day, such as ``03:00``.
        last: Last verified snapshot; one in the future (the clock was set back) is ignored.
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
