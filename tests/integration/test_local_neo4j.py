import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from neo4j import GraphDatabase, Record
from neo4j.exceptions import ClientError

from papergraph.errors import LocalNeo4jError
from papergraph.local_neo4j import Memory, RunningNeo4j, log_path, server, start, status, stop
from papergraph.local_neo4j.config import Ports
from papergraph.progress import Silent
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address

pytestmark = [pytest.mark.slow, pytest.mark.stores]

ONE = Statement("one", "RETURN 1 AS one")
SMALL = Memory(heap_mb=512, page_cache_mb=64)
START_ELSEWHERE = """
import sys, time
from pathlib import Path
from papergraph.local_neo4j import Memory, start
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address
home, owner = Path(sys.argv[1]), sys.argv[2] == "owner"
print(start(Settings(home=home), memory=Memory(512, 64), owner=owner).pid, flush=True)
time.sleep(300 if owner else 0)
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(home=tmp_path_factory.mktemp("papergraph is at home"))


@pytest.fixture(scope="module")
def running(settings: Settings) -> Iterator[RunningNeo4j]:
    with ThreadPoolExecutor(1) as thread:  # it has to outlive the thread that starts it
        running = thread.submit(start, settings, memory=SMALL, owner=True).result()
    yield running
    stop(settings.home)


@pytest.fixture
def other_settings(tmp_path: Path) -> Iterator[Settings]:
    """A second home, whose server is stopped at the end."""
    settings = Settings(home=tmp_path / "höme")
    yield settings
    stop(settings.home)


def query(running: RunningNeo4j, text: str) -> Any:
    """Return the first value of the first row."""
    with GraphDatabase.driver(running.uri, auth=(running.user, running.password)) as driver:
        records, _, _ = driver.execute_query(text, database_="neo4j")
    return records[0][0] if records else None


def start_elsewhere(settings: Settings, *, owner: bool) -> tuple[subprocess.Popen[str], int]:
    """Start the server from another process; return that process and the server's process id."""
    command = [sys.executable, "-c", START_ELSEWHERE, str(settings.home), "owner" if owner else "daemon"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        return process, int(process.stdout.readline())


def test_it_answers_queries_and_has_the_graph_algorithms(running):
    assert query(running, "RETURN gds.version()") == "2.26.0"
    assert running.started_here


def test_it_maps_the_archive_of_classes_or_makes_one(running, settings):
    options = (settings.home / "neo4j" / "run" / "java.args").read_text()
    mapped = [region.path for region in psutil.Process(running.pid).memory_maps() if "/classes-" in region.path]

    assert mapped or "-XX:DumpLoadedClassList=" in options


def test_the_http_interface_answers_on_its_port(running):
    assert httpx.get(running.http_url, timeout=10).json()["neo4j_version"] == running.version


class Steps(Silent):
    """Progress that keeps what it is shown."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def step(self, message: str) -> None:
        self.messages.append(message)


def test_a_second_start_finds_the_running_server(running, settings):
    steps = Steps()
    again = start(settings, progress=steps)

    assert steps.messages == []  # nothing is waited for, so no line of Neo4j's log is shown either
    assert not again.started_here
    assert (again.pid, again.uri, again.password) == (running.pid, running.uri, running.password)


def test_the_status_describes_the_running_server(running, settings):
    found = status(settings.home)

    assert found.running
    assert (found.pid, found.bolt_port, found.http_port) == (running.pid, running.bolt_port, running.http_port)
    assert found.owner_pid == os.getpid()
    assert found.uptime_s is not None
    assert 0 < found.uptime_s < 3600
    assert found.store_bytes > 0
    assert "Started." in log_path(settings.home).read_text()


def test_the_password_is_readable_by_its_owner_only_and_on_no_command_line(running, settings):
    home = settings.home / "neo4j"

    assert stat.S_IMODE((home / "password").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert running.password not in " ".join(psutil.Process(running.pid).cmdline())
    assert running.password not in repr(running)
    kept_in = [file for folder in ("conf", "run", "logs") for file in (home / folder).iterdir()]
    assert not [file for file in kept_in if running.password in file.read_text(errors="replace")]


def test_only_this_machine_can_connect(running):
    connections = psutil.Process(running.pid).net_connections("inet")

    listening = {connection.laddr.ip for connection in connections if connection.status == psutil.CONN_LISTEN}
    assert listening <= {"127.0.0.1", "::ffff:127.0.0.1"}
    assert not [connection for connection in connections if connection.type.name == "SOCK_DGRAM"]  # no broadcasts


@pytest.mark.parametrize("address", ["file:///etc/hostname", "http://127.0.0.1:7474/", "https://example.org/"])
def test_cypher_reads_neither_files_nor_the_web(running, address):
    with pytest.raises(ClientError) as caught:
        query(running, f"LOAD CSV FROM '{address}' AS line RETURN line")

    assert caught.value.code == "Neo.ClientError.Statement.ExternalResourceFailed"


def test_a_store_that_is_in_use_without_our_knowledge_is_refused(running, settings):
    record = settings.home / "neo4j" / "run" / "server.json"
    kept = record.read_text()
    record.unlink()
    try:
        with pytest.raises(LocalNeo4jError, match="another Neo4j that this papergraph did not start"):
            start(settings)
    finally:
        record.write_text(kept)


def test_a_server_that_cannot_start_says_why(other_settings):
    with pytest.raises(LocalNeo4jError, match=r"ended before it was ready(.|\n)*Too small maximum heap"):
        start(other_settings, memory=Memory(heap_mb=1, page_cache_mb=64))

    assert not status(other_settings.home).running


def test_a_port_that_another_program_takes_during_the_start_is_given_up(running, other_settings, monkeypatch):
    taken = Ports(bolt=running.bolt_port, http=running.http_port)
    choices = iter([nullcontext(taken)])
    reserved = server.reserved_ports
    monkeypatch.setattr(server, "reserved_ports", lambda last, first: next(choices, None) or reserved(None, first))

    other = start(other_settings, memory=SMALL, owner=True)

    assert other.started_here
    assert {other.bolt_port, other.http_port}.isdisjoint({taken.bolt, taken.http})
    assert query(other, "RETURN 1") == query(running, "RETURN 1") == 1


def test_a_server_outlives_the_process_that_started_it_and_a_crash_keeps_its_data(other_settings):
    starter, pid = start_elsewhere(other_settings, owner=False)
    starter.wait(30)
    found = start(other_settings)
    assert (found.pid, found.started_here) == (pid, False)
    query(found, "CREATE (:Paper {id: 'p1'})")

    os.kill(pid, signal.SIGSTOP)  # it is there, does not answer, and dies while it is being waited for
    threading.Timer(1.0, os.kill, (pid, signal.SIGKILL)).start()
    again = start(other_settings, memory=SMALL, owner=True)

    assert again.started_here
    assert again.pid != pid
    assert query(again, "MATCH (paper:Paper) RETURN paper.id") == "p1"
    assert stop(other_settings.home)
    assert not psutil.pid_exists(again.pid)
    assert not stop(other_settings.home)


def test_an_owned_server_ends_cleanly_with_its_owner_even_when_that_is_killed(other_settings):
    owner, pid = start_elsewhere(other_settings, owner=True)
    query(start(other_settings), "CREATE (:Paper {id: 'p1'})")

    owner.kill()
    owner.wait()
    again = start(other_settings, memory=SMALL, owner=True)  # while the first one may still be stopping

    assert not psutil.pid_exists(pid)
    assert again.started_here
    assert query(again, "MATCH (paper:Paper) RETURN paper.id") == "p1"
    _, first, *_ = log_path(other_settings.home).read_text().split("Starting...")
    assert first.count("Stopped.") == 1


async def test_a_store_that_comes_back_on_another_port_is_followed(other_settings):
    first = start(other_settings, memory=SMALL, owner=True)
    address = Address(first.uri, first.user, first.password, "neo4j", 8.0, home=str(other_settings.home))
    async with await address.connect() as database:
        assert await database.read(ONE) == [Record({"one": 1})]
        stop(other_settings.home)
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", first.bolt_port))
            taken.listen()
            second = start(other_settings, memory=SMALL, owner=True)
            assert second.bolt_port != first.bolt_port
            assert await database.read(ONE) == [Record({"one": 1})]
            assert database.login is not None
            assert database.login.uri == second.uri


def test_a_store_keeps_its_ports_over_a_restart(other_settings):
    first = start(other_settings, memory=SMALL, owner=True)
    stop(other_settings.home)
    second = start(other_settings, memory=SMALL, owner=True)

    assert (second.bolt_port, second.http_port) == (first.bolt_port, first.http_port)
