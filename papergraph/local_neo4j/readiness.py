"""Readiness of a Neo4j that was started, and its ports.

Ports are those of the last server where they are free; they are locked until Java listens on them.
"""

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from papergraph.errors import LocalNeo4jError
from papergraph.local_neo4j.config import Ports
from papergraph.local_neo4j.home import Home
from papergraph.local_neo4j.process import (
    Record,
    find_process,
    started_at,
)
from papergraph.progress import Progress

HOST = "127.0.0.1"
FIRST_PORTS: Ports = Ports(bolt=7687, http=7474)
PORTS_TO_TRY = 200


@contextmanager
def reserved_ports(last: Ports | None, first: Ports = FIRST_PORTS) -> Iterator[Ports]:
    """Reserve free ports while the context is open; other papergraph processes choose others.

    Args:
        last: Preferred ports, under which programs know the store.
        first: First ports to try otherwise.

    Raises:
        LocalNeo4jError: Two hundred ports in a row are taken.
    """
    with ExitStack() as locks:
        if last is not None and locks.enter_context(_reserved(last.bolt)) and locks.enter_context(_reserved(last.http)):
            yield last
        else:
            yield Ports(bolt=_reserve(first.bolt, locks), http=_reserve(first.http, locks))


def are_free(ports: Ports) -> bool:
    """Return whether no program listens on the ports."""
    return _is_free(ports.bolt) and _is_free(ports.http)


def last_ports(run: Path) -> Ports | None:
    """Return the ports of the store's last server, or None."""
    try:
        return Ports(**json.loads((run / "ports.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None


def note_ports(run: Path, ports: Ports) -> None:
    """Keep the ports of a store's server for its next start."""
    new = run / "ports.new"
    new.write_text(json.dumps(asdict(ports)))
    new.replace(run / "ports.json")


def _reserve(first: int, locks: ExitStack) -> int:
    for port in range(first, first + PORTS_TO_TRY):
        if locks.enter_context(_reserved(port)):
            return port
    raise LocalNeo4jError(f"all ports from {first} to {first + PORTS_TO_TRY - 1} are taken; end what listens on them")


@contextmanager
def _reserved(port: int) -> Iterator[bool]:
    """Lock a port while the context is open; gives False if another process has locked it or listens on it."""
    with ExitStack() as opened:
        is_reserved = True
        try:
            folder = user_cache_path("papergraph") / "ports"
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / f"{port}.lock", timeout=0, thread_local=False, fallback_to_soft=False)
            opened.enter_context(lock)
        except Timeout:
            is_reserved = False
        except OSError:
            pass  # a cache folder that cannot be written: a start repeats if another takes the port
        yield is_reserved and _is_free(port)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of an ended server may linger
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


if TYPE_CHECKING:
    import psutil


USER = "neo4j"
READY_TIMEOUT_S = 120.0
LOG_SHOWN_AFTER_S = 4.0
POLL_S = 0.2
QUERY_TIMEOUT_S = 5.0
TAIL_LINES, TAIL_OF_DEBUG = 20, 200
TAIL_BYTES = 16_384
NO_SPACE = "No space left on device"


class EndedError(LocalNeo4jError):
    """The process of a server ended while it was being waited for."""


def uri_of(record: Record) -> str:
    return f"bolt://{HOST}:{record.ports.bolt}"


def wait_until_ready(home: Home, record: Record, *, progress: Progress) -> None:
    """Return when the server of ``record`` has answered a query.

    Raises:
        EndedError: Its process has ended.
        LocalNeo4jError: It refuses the password, or is not ready in time.
    """
    import papergraph.neo4j_import  # noqa: F401 - it takes half a second, which Java needs for itself anyway

    begin = time.monotonic()
    shown = ""
    while True:
        process = find_process(home, record)
        if NO_SPACE in "\n".join(_last_lines(home, "debug.log", TAIL_OF_DEBUG)):
            raise LocalNeo4jError(
                f"the disk of {home.root} is full (Neo4j's log says: {NO_SPACE}); make room there, or set "
                "PAPERGRAPH_HOME to a folder on another disk"
            )
        if process is None:
            raise EndedError(f"Neo4j ended before it was ready{_log_tail(home)}")
        closed_port = _port_not_open(process, record.ports)
        if closed_port is None and _answers(home, uri_of(record)):
            return
        obstacle = closed_port or "the first query"
        waited_s = time.monotonic() - begin
        message = f"waiting for {obstacle}{_said_last(home) if waited_s > LOG_SHOWN_AFTER_S else ''}"
        if message != shown:
            progress.step(message)
            shown = message
        if waited_s > READY_TIMEOUT_S:
            raise LocalNeo4jError(
                f"Neo4j (process {record.pid}) was not ready after {READY_TIMEOUT_S:g} s, still waiting for {obstacle}"
                f"{_log_tail(home)}"
            )
        time.sleep(POLL_S)


def _port_not_open(process: "psutil.Process", ports: Ports) -> str | None:
    """Return the name of a port on which ``process`` does not listen yet, or None.

    A connection is no proof: another Neo4j could have taken the port.
    """
    import psutil

    try:
        connections = process.net_connections("tcp")
    except psutil.NoSuchProcess:
        return "its process"
    listening = {connection.laddr.port for connection in connections if connection.status == psutil.CONN_LISTEN}
    if ports.bolt not in listening:
        return f"Bolt on port {ports.bolt}"
    return None if ports.http in listening else f"HTTP on port {ports.http}"


def _answers(home: Home, uri: str) -> bool:
    import papergraph.neo4j_import  # noqa: F401 - before the driver

    # isort: split
    from neo4j import GraphDatabase
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    with GraphDatabase.driver(
        uri,
        auth=(USER, home.password()),
        connection_timeout=QUERY_TIMEOUT_S,
        connection_acquisition_timeout=QUERY_TIMEOUT_S,
        max_transaction_retry_time=0,
    ) as driver:
        try:
            driver.execute_query("RETURN 1", database_="neo4j")
        except AuthError as error:
            raise LocalNeo4jError(
                "the local Neo4j refuses its password; if it was changed, put the new one into the file "
                f"{home.password_file}"
            ) from error
        except (DriverError, Neo4jError):
            return False
    return True


def _said_last(home: Home) -> str:
    """Return what the server logged last, in brackets."""
    lines = _last_lines(home, "neo4j.log", 1)
    return f" ({lines[0]})" if lines else ""


def _log_tail(home: Home) -> str:
    """Return the end of the server's logs, to be put at the end of a message."""
    text = ""
    for name in ("neo4j.log", "console.log"):
        if lines := _last_lines(home, name, TAIL_LINES):
            text += "\n  ".join([f"\nThe end of {home.logs / name}:", *lines])
    return text or f"; its logs in {home.logs} say nothing"


def _last_lines(home: Home, name: str, n: int) -> list[str]:
    """Return the last lines that the last started server wrote to a log."""
    try:
        with (home.logs / name).open("rb") as log:
            if os.fstat(log.fileno()).st_mtime < started_at(home):
                return []
            log.seek(max(0, log.seek(0, os.SEEK_END) - TAIL_BYTES))
            return log.read().decode(errors="replace").splitlines()[-n:]
    except FileNotFoundError:
        return []
