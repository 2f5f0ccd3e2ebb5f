"""Replica: a read-only copy of the local store for researchers, in a second Neo4j with its own password.

In Neo4j Community every user has all rights, and a query can end those of others. A separate read-only server lets
people use Cypher without a risk for the store.

    <home>/replicas/<time>/   papergraph home of one replica: its store, and ``replica.json`` with its time and ports
    <home>/replica            link to the active replica, replaced atomically when the next one is complete

A failed or killed creation leaves the previous replica unchanged; the next creation removes its remains.
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from papergraph.errors import LocalNeo4jError, NotFoundError
from papergraph.file_lock import locked
from papergraph.local_neo4j.config import Memory, Ports, memory_of
from papergraph.local_neo4j.home import Home, write_secret
from papergraph.local_neo4j.process import Record, UncleanStoreError, dump, end, find_process, load
from papergraph.local_neo4j.readiness import FIRST_PORTS, PORTS_TO_TRY, note_ports
from papergraph.local_neo4j.server import (
    STOP_TIMEOUT_S,
    Installation,
    Manner,
    RunningNeo4j,
    held,
    installation,
    prepare,
    running_record,
    start,
    start_held,
    stop,
)
from papergraph.progress import Progress, silent
from papergraph.settings import Settings

FIRST_REPLICA_PORTS = Ports(bolt=FIRST_PORTS.bolt + PORTS_TO_TRY, http=FIRST_PORTS.http + PORTS_TO_TRY)
"""Lowest ports of a replica; outside the range of the store, so that neither takes the other's ports."""

SHARE = 4
"""Divisor of the memory: a replica takes a quarter of that of the store's Neo4j."""

ROOM = 2.2
"""Free disk space that creating a replica needs, in sizes of the store: the dump and the new store."""

OTHER_REPLICA_TIMEOUT_S = 7200.0

Finish = Callable[[RunningNeo4j, datetime], list[str]]
"""Deletes excluded data from a new replica, records its time, and returns its collections."""


@dataclass(frozen=True)
class Note:
    """Content of ``replica.json``."""

    copied_at: datetime
    """Time of the content: the store was stopped then."""

    collections: tuple[str, ...]
    ports: Ports

    @property
    def age_s(self) -> float:
        """Age in seconds."""
        return (datetime.now(UTC) - self.copied_at).total_seconds()

    def write(self, folder: Path) -> None:
        """Write ``replica.json`` atomically."""
        new = folder / "replica.new"
        new.write_text(json.dumps(asdict(self), indent=2, default=datetime.isoformat) + "\n")
        new.replace(folder / "replica.json")

    @classmethod
    def read(cls, folder: Path) -> "Note | None":
        """Return the note in ``folder``; None if it is missing or damaged."""
        try:
            fields = json.loads((folder / "replica.json").read_text())
            copied_at = datetime.fromisoformat(fields["copied_at"])
            return cls(copied_at, tuple(fields["collections"]), Ports(**fields["ports"]))
        except (OSError, ValueError, TypeError, KeyError):
            return None


@dataclass(frozen=True)
class Replica:
    """A new replica, running."""

    running: RunningNeo4j
    note: Note
    away_s: float | None
    """Downtime of the store's own server in seconds; None if it was stopped."""


def replica_home(settings: Settings) -> Path:
    """Return the papergraph home of the active replica."""
    return _root(settings) / "replica"


def replica_note(settings: Settings) -> Note | None:
    """Return the note of the active replica, or None."""
    return Note.read(replica_home(settings))


def start_replica(settings: Settings, *, memory: Memory | None = None, progress: Progress = silent) -> RunningNeo4j:
    """Start the Neo4j of the active replica unless it runs; it runs until it is stopped.

    Raises:
        NotFoundError: There is no replica.
        LocalNeo4jError: Neo4j could not be started.
    """
    home, note = replica_home(settings), replica_note(settings)
    if note is None:
        raise NotFoundError("replica of the store; papergraph db replica creates one:", str(home), field="home")
    memory = memory or memory_of(settings, share=SHARE)
    running = start(_below(settings, home), memory=memory, ports=note.ports, read_only=True, progress=progress)
    ports = Ports(running.bolt_port, running.http_port)
    if ports != note.ports:  # others have taken them meanwhile
        replace(note, ports=ports).write(home)
    return running


def create_replica(
    settings: Settings, finish: Finish, *, memory: Memory | None = None, progress: Progress = silent
) -> Replica:
    """Copy the local store and start the replica in place of an earlier one, with its password and ports.

    A running server of the store is stopped during the dump and started again on its ports. Call it from a thread that
    lives until it returns.

    Args:
        settings: Settings with the ``home`` of the store.
        finish: Last change to the replica before it becomes read-only.
        memory: Memory of the replica's server; None for a quarter of the store's.
        progress: Receives the steps.

    Raises:
        NotFoundError: The store is missing.
        LocalNeo4jError: The disk is full, or Neo4j failed; an earlier replica is unchanged.
        PapergraphError: ``finish`` failed; an earlier replica is unchanged.
    """
    home = Home.below(settings.home)
    if not home.has_store:
        raise NotFoundError("store to copy yet; ingest papers first:", str(home.root), field="home")
    replicas = _root(settings) / "replicas"
    memory = memory or memory_of(settings, share=SHARE)
    try:
        replicas.mkdir(mode=0o700, exist_ok=True)
        waiting = "another papergraph is copying the store"
        with locked(replicas / "lock", waiting=waiting, timeout_s=OTHER_REPLICA_TIMEOUT_S, progress=progress):
            _clear(replicas, keep=_in_use(settings))
            _check_room(home, replicas)
            with _being_made(settings, replicas) as folder:
                copied_at, away_s = _take(settings, home, folder, memory=memory, progress=progress)
                note = _finish(settings, folder, finish, copied_at, memory=memory, progress=progress)
                note.write(folder)
                _exchange(settings, folder)
            running = start_replica(settings, memory=memory, progress=progress)
            _clear(replicas, keep=folder)
            return Replica(running, replica_note(settings) or note, away_s)
    except OSError as error:
        raise LocalNeo4jError(f"cannot copy the store to {replicas}: {error}; make room there") from error


def _take(
    settings: Settings, home: Home, folder: Path, *, memory: Memory, progress: Progress
) -> tuple[datetime, float | None]:
    """Copy the store to ``folder``; return the time of its content and the downtime in seconds, if any."""
    neo4j = installation(settings, progress=progress)
    new, dumped = Home.below(folder), folder / "dump"
    new.make_folders()
    dumped.mkdir()
    prepare(new, neo4j, Manner(memory), ports=FIRST_REPLICA_PORTS)
    with held(home, progress=progress):
        record = running_record(home, progress=progress)
        began = time.monotonic()
        with _at_rest(settings, neo4j, record, progress=progress):
            copied_at = datetime.now(UTC)
            progress.step("dumping the store")
            home.check_nobody_uses_the_store()
            try:
                dump(home, neo4j.java, neo4j.class_path, dumped)
            except UncleanStoreError:
                progress.step("its server was killed the last time: bringing the store into order first")
                manner = Manner(memory, owner=True)
                start_held(home, neo4j, manner, ports=FIRST_PORTS, progress=progress)
                stop(_root(settings))
                dump(home, neo4j.java, neo4j.class_path, dumped)
        away_s = time.monotonic() - began if record else None
    if away_s is not None:
        progress.step(f"Neo4j answers again; it was away for {away_s:.0f} s")
    progress.step("loading the dump into the replica")
    load(new, neo4j.java, neo4j.class_path, dumped)
    shutil.rmtree(dumped)
    return copied_at, away_s


@contextmanager
def _at_rest(settings: Settings, neo4j: Installation, record: Record | None, *, progress: Progress) -> Iterator[None]:
    """Stop the server of ``record`` while the context is open, if there is one; the caller holds the home.

    Its record stays: should this process be killed, the next start takes the same ports. A server that was to end with
    another process cannot be tied to that one again, which stops it at its own end all the same; where that one has
    ended meanwhile, the server stays stopped.
    """
    home = Home.below(settings.home)
    process = find_process(home, record) if record else None
    if record is None or process is None:
        yield
        return
    progress.step("stopping Neo4j while it is copied: until it is back, servers answer 503 and other commands wait")
    try:
        end(process, timeout_s=STOP_TIMEOUT_S)
        yield
    finally:
        if _is_wanted(record):
            memory = record.memory or memory_of(settings)
            manner = Manner(memory, owner=record.owner_pid == os.getpid())
            start_held(home, neo4j, manner, ports=record.ports, progress=progress)
            if not _is_wanted(record):
                stop(_root(settings))


def _is_wanted(record: Record) -> bool:
    import psutil

    return record.owner_pid is None or psutil.pid_exists(record.owner_pid)


def _finish(
    settings: Settings, folder: Path, finish: Finish, copied_at: datetime, *, memory: Memory, progress: Progress
) -> Note:
    """Delete excluded data in a temporary server, and return the note of the new replica."""
    earlier, old = replica_note(settings), Home.below(replica_home(settings))
    if earlier and old.password_file.exists():  # people and servers know it
        write_secret(Home.below(folder).password_file, old.password() + "\n")
    running = start(_below(settings, folder), memory=memory, ports=FIRST_REPLICA_PORTS, owner=True, progress=progress)
    progress.step("deleting excluded data from the replica")
    collections = finish(running, copied_at)
    stop(folder)
    ports = earlier.ports if earlier else Ports(running.bolt_port, running.http_port)
    note_ports(Home.below(folder).run, ports)  # the earlier replica held its ports while the temporary server ran
    return Note(copied_at, tuple(collections), ports)


@contextmanager
def _being_made(settings: Settings, replicas: Path) -> Iterator[Path]:
    """Create a folder; remove it if the context fails."""
    folder = replicas / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    except BaseException:
        if _in_use(settings) != folder:
            with suppress(OSError):
                _remove(folder)
        raise


def _exchange(settings: Settings, folder: Path) -> None:
    """Make ``folder`` the active replica, atomically."""
    link = replica_home(settings)
    stop(link)
    new = folder / "link"
    new.symlink_to(folder.relative_to(link.parent), target_is_directory=True)
    new.replace(link)


def _in_use(settings: Settings) -> Path | None:
    link = replica_home(settings)
    return link.resolve() if link.is_symlink() else None


def _clear(replicas: Path, *, keep: Path | None) -> None:
    """Remove all replicas but the one to keep."""
    for folder in replicas.iterdir():
        if folder.is_dir() and folder != keep:
            _remove(folder)


def _remove(folder: Path) -> None:
    stop(folder)
    shutil.rmtree(folder)


def _check_room(home: Home, replicas: Path) -> None:
    needed, free = int(ROOM * home.size_bytes()), shutil.disk_usage(replicas).free
    if free < needed:
        raise LocalNeo4jError(
            f"a replica of the store takes about {needed:,} bytes in {replicas}, and {free:,} are free; make room there"
        )


def _root(settings: Settings) -> Path:
    return Home.below(settings.home).root.parent


def _below(settings: Settings, home: Path) -> Settings:
    return settings.model_copy(update={"home": home})
