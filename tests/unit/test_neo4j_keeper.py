"""Local servers that have ended: which of them are started again, when, and what is told of them."""

import asyncio
import os
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from papergraph import local_neo4j
from papergraph.errors import LocalNeo4jError
from papergraph.local_neo4j.config import Memory, Ports
from papergraph.local_neo4j.home import Home
from papergraph.local_neo4j.process import Record, record_file, stopping_file
from papergraph.local_neo4j.replica import Note
from papergraph.local_neo4j.state import ServerState, crashed_record, kill_hanging, replica_is_used, states
from papergraph.server.process import kept_process
from papergraph.server.process.kept_process import Neo4jKeeper, keeping_neo4j
from papergraph.settings import Settings

NO_PROCESS = 2**22 + 1
"""More than Linux gives."""


def record(pid: int, *, owner_pid: int | None = None) -> Record:
    return Record(pid, Ports(1, 2), "2026.09.0", "java", owner_pid, Memory(512, 64))


def written(home: Path, one: Record) -> Record:
    store = Home.below(home)
    store.make_folders()
    one.write(record_file(store))
    return one


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_process, "POLL_S", 0.01)
    monkeypatch.setattr(kept_process, "FIRST_PAUSE_S", 0.01)


def test_the_pauses_grow_to_a_minute():
    keeper = Neo4jKeeper("store", Path(), lambda _: None)

    assert [keeper.pause_s(n) / kept_process.FIRST_PAUSE_S for n in (0, 1, 2, 3)] == [0, 1, 2, 4]
    assert keeper.pause_s(30) == kept_process.LONGEST_PAUSE_S


async def test_a_crashed_server_is_started_until_it_runs_and_counted(tmp_path: Path, caplog):
    crashed = written(tmp_path, record(NO_PROCESS))
    seen: list[Record] = []
    done = asyncio.Event()

    def start(one: Record) -> bool:
        seen.append(one)
        if len(seen) < 3:
            raise LocalNeo4jError("no room")
        record_file(Home.below(tmp_path)).unlink()
        loop.call_soon_threadsafe(done.set)
        return True

    loop = asyncio.get_running_loop()
    task = asyncio.create_task(Neo4jKeeper("store", tmp_path, start).keep())
    async with asyncio.timeout(30):
        await done.wait()
        while states(Settings(home=tmp_path))[0].restarts == 0:  # noqa: ASYNC110 a file
            await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert seen == [crashed] * 3
    assert "no room" in caplog.text
    assert states(Settings(home=tmp_path)) == [ServerState("store", False, 1)]


async def test_a_server_that_was_stopped_stays_so(tmp_path: Path):
    begun: list[Record] = []
    written(tmp_path, record(NO_PROCESS))
    task = asyncio.create_task(Neo4jKeeper("store", tmp_path, lambda one: begun.append(one) is None).keep())
    await asyncio.sleep(0)
    record_file(Home.below(tmp_path)).unlink()  # as a command does after the process has ended
    await asyncio.sleep(0.3)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert begun == []
    assert crashed_record(tmp_path) is None


def test_a_server_that_a_command_is_ending_has_not_crashed(tmp_path: Path):
    one = written(tmp_path, record(NO_PROCESS))
    stopping = stopping_file(Home.below(tmp_path))

    stopping.write_text(str(one.pid + 1))
    assert crashed_record(tmp_path) == one
    stopping.write_text(str(one.pid))
    assert crashed_record(tmp_path) is None
    assert not local_neo4j.stop(tmp_path)
    assert not stopping.exists()


def test_a_server_runs_once_it_takes_connections(tmp_path: Path):
    option = f"--home-dir={Home.below(tmp_path).root}"
    with (
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", option]) as process,
        socket.socket() as listener,
    ):
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        written(tmp_path, replace(record(process.pid), ports=Ports(port, 2)))
        settings = Settings(home=tmp_path)

        assert states(settings) == [ServerState("store", False, 0)]
        listener.listen()
        assert states(settings) == [ServerState("store", True, 0)]
        process.kill()


@pytest.mark.parametrize("owner", [None, NO_PROCESS, os.getpid()], ids=["nobody", "one that is gone", "this process"])
def test_a_server_that_hangs_is_ended_whichever_command_started_it(tmp_path: Path, owner: int | None):
    option = f"--home-dir={Home.below(tmp_path).root}"
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", option]) as process:
        written(tmp_path, record(process.pid, owner_pid=owner))

        assert kill_hanging(tmp_path)
        process.wait(30)

    assert crashed_record(tmp_path) is not None  # so that its keeper starts it again
    assert not kill_hanging(tmp_path)


@pytest.mark.parametrize(
    ("uri", "cypher", "is_used"),
    [
        (None, {}, True),
        ("bolt://db.example.org", {}, False),
        (None, {"uri": "bolt://127.0.0.1:7887"}, True),
        (None, {"uri": "bolt://db.example.org", "password": "x"}, False),
    ],
)
def test_the_replica_is_used_where_cypher_of_keys_runs_on_it(uri, cypher, is_used):
    assert replica_is_used(Settings(neo4j={"uri": uri}, cypher=cypher)) is is_used


async def test_a_replica_that_the_server_needs_is_started_with_it(tmp_path: Path, monkeypatch):
    home = tmp_path / "replica"
    home.mkdir()
    Note(datetime.now(UTC), ("main",), Ports(3, 4)).write(home)
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()
    monkeypatch.setattr("papergraph.local_neo4j.start_replica", lambda settings: loop.call_soon_threadsafe(begun.set))
    settings = Settings(home=tmp_path, server={"require_api_key": True})

    async with keeping_neo4j(settings), asyncio.timeout(30):
        await begun.wait()

    assert [state.kind for state in states(settings)] == ["store", "replica"]
