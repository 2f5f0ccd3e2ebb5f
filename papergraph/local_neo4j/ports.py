"""Ports of the local Neo4j: those of a store's last server where they are free, and locked until Java listens on them.

A lock is a file in the user's cache folder, so that two servers which start at once never choose the same port.
"""

import fcntl
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO

from platformdirs import user_cache_path

from papergraph.errors import LocalNeo4jError
from papergraph.local_neo4j.config import Ports

HOST = "127.0.0.1"
FIRST_PORTS = Ports(bolt=7687, http=7474)
PORTS_TO_TRY = 200


@contextmanager
def reserved_ports(last: Ports | None, first: Ports = FIRST_PORTS) -> Iterator[Ports]:
    """Give ports that nobody listens on and that no other papergraph chooses while the context is open.

    Args:
        last: Ports to take if they are free; programs know the store by them.
        first: Otherwise the first ports to try.

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
    """Return the ports of the last server of the store with this ``run`` folder; None if there was none."""
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
        lock: IO[str] | None = None
        with suppress(OSError):  # a cache folder that cannot be written: a start repeats if another takes the port
            folder = user_cache_path("papergraph") / "ports"
            folder.mkdir(parents=True, exist_ok=True)
            lock = opened.enter_context((folder / f"{port}.lock").open("a"))
        yield (lock is None or _has_locked(lock)) and _is_free(port)


def _has_locked(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of an ended server may linger
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
