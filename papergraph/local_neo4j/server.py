"""The local Neo4j as a whole: start it or find it running, say how it is, stop it."""

import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from papergraph.errors import LocalNeo4jError
from papergraph.file_lock import locked
from papergraph.local_neo4j.config import LOGGING, Memory, Ports, memory_of, render_config
from papergraph.local_neo4j.home import Home, distribution
from papergraph.local_neo4j.java import Java, find_java, forget_archive, note_archive, write_archive
from papergraph.local_neo4j.process import (
    Record,
    end,
    find_process,
    lost_its_owner,
    record_file,
    set_initial_password,
    spawn,
    stopping_file,
)
from papergraph.local_neo4j.readiness import (
    FIRST_PORTS,
    HOST,
    USER,
    EndedError,
    are_free,
    last_ports,
    note_ports,
    reserved_ports,
    uri_of,
    wait_until_ready,
)
from papergraph.maven import fetch, maven_central_url
from papergraph.progress import Progress, silent
from papergraph.settings import Settings

STARTS = 5
"""Most starts if other programs take the chosen port before Neo4j."""
TAKEN = "PortBindException"
"""Neo4j's log message for a taken port, which may be free again after Neo4j has ended."""
LEAST_FREE_MB, LEAST_FREE_AGAIN_MB = 256, 32
"""Free space for the first start of a store, which allocates two transaction logs of 64 MB, and for later starts."""
STOP_TIMEOUT_S = 60.0
OTHER_START_TIMEOUT_S = 1800.0
"""Another process may be fetching all jars over a slow line."""


@dataclass(frozen=True)
class RunningNeo4j:
    """A server that has answered a query, and how to reach it."""

    uri: str
    user: str
    password: str = field(repr=False)
    http_url: str
    pid: int
    bolt_port: int
    http_port: int
    version: str
    started_here: bool
    """True if this call started it."""
    owner_pid: int | None
    """The process that it ends with; None if it runs until it is stopped."""


@dataclass(frozen=True)
class Status:
    """Status of the local server; some fields are None if it is stopped."""

    running: bool
    home: Path
    store_bytes: int
    pid: int | None = None
    version: str | None = None
    java: str | None = None
    bolt_port: int | None = None
    http_port: int | None = None
    uptime_s: float | None = None
    owner_pid: int | None = None
    heap_mb: int | None = None
    page_cache_mb: int | None = None


@dataclass(frozen=True)
class Installation:
    """Files of a server."""

    java: Java
    version: str
    class_path: tuple[Path, ...]
    plugins: Path


@dataclass(frozen=True)
class Manner:
    """Mode of a server: memory, read-only, and whether it ends with this process."""

    memory: Memory
    read_only: bool = False
    owner: bool = False
    more: Mapping[str, str] = field(default_factory=dict)
    """Settings of Neo4j beside ours."""
    meanwhile: Callable[[], object] | None = None
    """Called in a thread while a server that is started now is not ready yet, for example to import modules."""


def start(
    settings: Settings,
    *,
    memory: Memory | None = None,
    ports: Ports = FIRST_PORTS,
    read_only: bool = False,
    owner: bool = False,
    more: Mapping[str, str] = MappingProxyType({}),
    progress: Progress = silent,
) -> RunningNeo4j:
    """Return the server of ``settings.home``; start it if it is stopped.

    Args:
        settings: Settings with ``home``, ``cache``, ``java`` and ``maven_url``.
        memory: Memory of the server; None for the settings' or this machine's default.
        ports: First ports to try after those of the store's last server.
        read_only: True to start a read-only server.
        owner: True to end the started server with this process; else it runs until `stop`.
        more: Further settings of Neo4j for a started server.
        progress: Receives the steps.

    Raises:
        LocalNeo4jError: The server cannot be fetched or started; the message has the last lines of its log.
    """
    manner = Manner(memory or memory_of(settings), read_only=read_only, owner=owner, more=more)
    return start_as(settings, manner, ports=ports, progress=progress)


def start_as(
    settings: Settings, manner: Manner, *, ports: Ports = FIRST_PORTS, progress: Progress = silent
) -> RunningNeo4j:
    """Return the running server of ``settings.home``, started now in a manner if it is not running; see `start`."""
    home = Home.below(settings.home)
    try:
        home.make_folders()
        with held(home, progress=progress):
            if record := running_record(home, progress=progress):
                try:
                    wait_until_ready(home, record, progress=progress)
                    return _describe(home, record, started_here=False)
                except EndedError:  # it was ending already: a killed process takes a moment to go
                    progress.step("the server that ran has ended, starting it again")
                    record_file(home).unlink(missing_ok=True)
            neo4j = installation(settings, progress=progress)
            return start_held(home, neo4j, manner, ports=ports, progress=progress)
    except OSError as error:
        raise LocalNeo4jError(
            f"cannot keep Neo4j in {home.root}: {error}; make room there, or set PAPERGRAPH_HOME to a folder of yours"
        ) from error


def held(home: Home, *, progress: Progress) -> AbstractContextManager[None]:
    """Keep all others from starting the server of ``home`` while the context is open."""
    return locked(
        home.run / "start.lock",
        waiting="another papergraph is starting Neo4j",
        timeout_s=OTHER_START_TIMEOUT_S,
        progress=progress,
    )


def stop(home: Path, *, timeout_s: float = STOP_TIMEOUT_S) -> bool:
    """Stop the server of the papergraph home ``home``, killing it after ``timeout_s`` seconds; say whether one ran."""
    store = Home.below(home)
    record = Record.read(record_file(store))
    process = find_process(store, record) if record else None
    if record is not None and process is not None:
        stopping_file(store).write_text(str(record.pid))
        end(process, timeout_s=timeout_s)
    if Record.read(record_file(store)) == record:  # else another process has started a new one by now
        record_file(store).unlink(missing_ok=True)
        write_archive(store.run)
    stopping_file(store).unlink(missing_ok=True)
    return process is not None


def status(home: Path) -> Status:
    """Return how the server of the papergraph home ``home`` is."""
    store = Home.below(home)
    record = Record.read(record_file(store))
    process = find_process(store, record) if record else None
    if record is None or process is None:
        return Status(running=False, home=store.root, store_bytes=store.size_bytes())
    return Status(
        running=True,
        home=store.root,
        store_bytes=store.size_bytes(),
        pid=record.pid,
        version=record.version,
        java=record.java,
        bolt_port=record.ports.bolt,
        http_port=record.ports.http,
        uptime_s=time.time() - process.create_time(),
        owner_pid=record.owner_pid,
        heap_mb=record.memory.heap_mb if record.memory else None,
        page_cache_mb=record.memory.page_cache_mb if record.memory else None,
    )


def current_uri(home: Path) -> str | None:
    """Return the URI of the server that was started last in the papergraph home ``home``; None if it was stopped."""
    record = Record.read(record_file(Home.below(home)))
    return uri_of(record) if record else None


def log_path(home: Path) -> Path:
    """Return where the server of the papergraph home ``home`` writes its log."""
    return Home.below(home).logs / "neo4j.log"


def password_path(home: Path) -> Path:
    """Return where the password of the server of the papergraph home ``home`` lies, by the path that lasts."""
    return home.expanduser() / "neo4j" / "password"


def running_record(home: Home, *, progress: Progress) -> Record | None:
    """Return the record of the server that runs, after clearing away one that crashed or is ending with its owner.

    The caller holds the home.
    """
    record = Record.read(record_file(home))
    process = find_process(home, record) if record else None
    if record and process and not lost_its_owner(process, record):
        return record
    if process:
        progress.step("waiting for the server of a process that has ended to stop")
        end(process, timeout_s=STOP_TIMEOUT_S)
    record_file(home).unlink(missing_ok=True)
    return None


def installation(settings: Settings, *, progress: Progress) -> Installation:
    """Return what servers are run from, fetched now as far as it is missing."""
    java = find_java(settings.neo4j.java)
    neo4j = distribution()
    folder = neo4j.folder(settings.cache.expanduser()).resolve()
    fetch(neo4j.jars, folder, base_url=settings.mirrors.maven or maven_central_url(), progress=progress)
    return Installation(
        java=java,
        version=neo4j.version,
        class_path=tuple(folder / jar.name for jar in neo4j.class_path),
        plugins=folder / "plugins",
    )


def start_held(home: Home, neo4j: Installation, manner: Manner, *, ports: Ports, progress: Progress) -> RunningNeo4j:
    """Start the server of a home that the caller holds, on its last ports if they are free.

    Args:
        home: Its store.
        neo4j: What it is run from.
        manner: How it is run.
        ports: First ports to try where the last ones are taken, or there are none.
        progress: Reports what is being waited for.

    Raises:
        LocalNeo4jError: As of `start`.
    """
    home.check_nobody_uses_the_store()
    _check_room(home)
    for start in range(STARTS):
        with reserved_ports(last_ports(home.run), ports) as chosen:
            try:
                return _start(home, neo4j, manner, ports=chosen, progress=progress)
            except EndedError as error:
                if start == STARTS - 1 or (TAKEN not in str(error) and are_free(chosen)):
                    raise
        progress.step("another program has taken a port in the meantime, starting again")
        time.sleep(random.uniform(0.0, 1.0))  # noqa: S311 not in step with another start
    raise AssertionError("a start that is the last one returns or raises")


def _check_room(home: Home) -> None:
    """Refuse to start on a disk that is nearly full.

    Raises:
        LocalNeo4jError: There is less free space than Neo4j needs.
    """
    free_mb = shutil.disk_usage(home.root).free // 1024**2
    needed_mb = LEAST_FREE_AGAIN_MB if home.has_store else LEAST_FREE_MB
    if free_mb < needed_mb:
        raise LocalNeo4jError(
            f"the disk of {home.root} is full: Neo4j needs {needed_mb} MB to start, and {free_mb} MB are free; make "
            "room there, or set PAPERGRAPH_HOME to a folder on another disk"
        )


def prepare(home: Home, neo4j: Installation, manner: Manner, *, ports: Ports) -> None:
    """Write the configuration of Neo4j and its tools."""
    home.link_plugins(neo4j.plugins)
    config = render_config(ports=ports, memory=manner.memory, read_only=manner.read_only, more=manner.more)
    (home.conf / "neo4j.conf").write_text(config)
    (home.conf / "user-logs.xml").write_text(LOGGING)


def _start(home: Home, neo4j: Installation, manner: Manner, *, ports: Ports, progress: Progress) -> RunningNeo4j:
    prepare(home, neo4j, manner, ports=ports)
    password = home.password()
    if not home.has_store:
        progress.step("setting the password")
        set_initial_password(home, neo4j.java, neo4j.class_path, password)

    progress.step(f"starting Neo4j {neo4j.version} with Java {neo4j.java.version}")
    pid = spawn(home, neo4j.java, neo4j.class_path, memory=manner.memory, owned=manner.owner)
    record = Record(
        pid=pid,
        ports=ports,
        version=neo4j.version,
        java=str(neo4j.java.path),
        owner_pid=os.getpid() if manner.owner else None,
        memory=manner.memory,
    )
    try:
        record.write(record_file(home))
        note_ports(home.run, ports)
        if manner.meanwhile is not None:
            threading.Thread(target=manner.meanwhile, name="papergraph-meanwhile", daemon=True).start()
        wait_until_ready(home, record, progress=progress)
        note_archive(home.run)
    except BaseException:  # Ctrl-C too: stop a server that the caller does not know
        if process := find_process(home, record):
            end(process, timeout_s=STOP_TIMEOUT_S)
        record_file(home).unlink(missing_ok=True)
        forget_archive(home.run)
        raise
    return _describe(home, record, started_here=True)


def _describe(home: Home, record: Record, *, started_here: bool) -> RunningNeo4j:
    return RunningNeo4j(
        uri=uri_of(record),
        user=USER,
        password=home.password(),
        http_url=f"http://{HOST}:{record.ports.http}",
        pid=record.pid,
        bolt_port=record.ports.bolt,
        http_port=record.ports.http,
        version=record.version,
        started_here=started_here,
        owner_pid=record.owner_pid,
    )
