"""Local servers as their users see them: whether each runs, whether it has crashed, and how often it was restarted."""

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from papergraph.local_neo4j.home import Home
from papergraph.local_neo4j.process import Record, end, find_process, record_file, stopping_file
from papergraph.local_neo4j.replica import replica_home, replica_note
from papergraph.settings import Settings

Kind = Literal["store", "replica"]
KILLED_AFTER_S = 10.0
"""Seconds that a hanging server has to end by itself."""

LISTENS_WITHIN_S = 0.5


@dataclass(frozen=True)
class ServerState:
    """A local server.

    Attributes:
        kind: What it serves.
        is_running: Whether its process lives and takes connections.
        restarts: How often it was started again after a crash.
    """

    kind: Kind
    is_running: bool
    restarts: int


def kept_homes(settings: Settings) -> dict[Kind, Path]:
    """Return the papergraph homes of the local servers that the settings use: the store, and a replica for Cypher."""
    homes: dict[Kind, Path] = {}
    if settings.neo4j.uri is None:
        homes["store"] = settings.home
    if replica_is_used(settings) and replica_note(settings) is not None:
        homes["replica"] = replica_home(settings)
    return homes


def replica_is_used(settings: Settings) -> bool:
    """Say whether Cypher of some users runs on the local replica, if there is one."""
    if settings.cypher.uri is None:
        return settings.neo4j.uri is None
    return not settings.cypher.password.get_secret_value()  # which is known for the local replica only


def states(settings: Settings) -> list[ServerState]:
    """Return how the local servers are that the settings use."""
    return [_state(kind, Home.below(home)) for kind, home in kept_homes(settings).items()]


def crashed_record(home: Path) -> Record | None:
    """Return the record of a server that ended without having been stopped; None if it runs, or was or is stopped.

    A process that a command ends has lost its command line for a while before it has ended: Linux frees its memory.
    """
    store = Home.below(home)
    record = Record.read(record_file(store))
    if record is None or find_process(store, record) is not None:
        return None
    stopping = stopping_file(store)
    return None if stopping.exists() and stopping.read_text() == str(record.pid) else record


def count_restart(home: Path) -> None:
    """Count a start after a crash."""
    store = Home.below(home)
    new = store.run / "restarts.new"
    new.write_text(f"{_restarts(store) + 1}\n")
    new.replace(store.run / "restarts")


def kill_hanging(home: Path) -> bool:
    """End the hanging server of a papergraph home, whichever command started it; return whether one was found.

    Its keeper restarts it.
    """
    store = Home.below(home)
    record = Record.read(record_file(store))
    process = find_process(store, record) if record else None
    if process is None:
        return False
    end(process, timeout_s=KILLED_AFTER_S)
    return True


def _state(kind: Kind, store: Home) -> ServerState:
    record = Record.read(record_file(store))
    lives = record is not None and find_process(store, record) is not None and _listens(record.ports.bolt)
    return ServerState(kind, lives, _restarts(store))


def _listens(port: int) -> bool:
    """Say whether a server of this machine takes connections: Neo4j does so once it can answer."""
    with socket.socket() as probe:
        probe.settimeout(LISTENS_WITHIN_S)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _restarts(store: Home) -> int:
    try:
        return int((store.run / "restarts").read_text())
    except (OSError, ValueError):
        return 0
