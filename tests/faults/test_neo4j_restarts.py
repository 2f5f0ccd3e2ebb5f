"""A running server starts its Neo4j, and the replica's, again when they die, and lets those be that were stopped."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from papergraph import local_neo4j
from tests.support.command import Papergraph, Started
from tests.support.faults import longest_recovery_s
from tests.support.files import write
from tests.support.store_template import begin_with
from tests.support.waiting import free_port, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.faults]

START_S = 240
BOMB = "RETURN size([x IN range(0, 999999) | toUpper($s)]) AS n"
COUNT = {"query": "MATCH (p:Paper) RETURN count(p) AS n"}


@pytest.fixture(scope="module")
def papergraph(neo4j_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Papergraph]:
    """The command line with a store of its own, which holds a paper."""
    folder = tmp_path_factory.mktemp("restarted")
    papergraph = Papergraph(folder / "home")
    begin_with(neo4j_store, papergraph.home)
    made = papergraph.process("ingest", write(folder / "a.md", "# A paper\n\nAnnealing anneals.\n"), "--quiet")
    assert made.returncode == 0, made.stderr
    yield papergraph
    for home in (papergraph.home / "replica", papergraph.home):
        local_neo4j.stop(home)


def answer(client: httpx.Client, path: str, **given: Any) -> httpx.Response | None:
    try:
        return client.request("POST" if given else "GET", path, **given)
    except httpx.TransportError:
        return None


def is_ready(client: httpx.Client) -> bool:
    response = answer(client, "/readyz")
    return response is not None and response.status_code == 200 and response.json()["faults"] == []


def killed(home: Path) -> int:
    """Kill the Neo4j of a home, and return the process that it was."""
    pid = local_neo4j.status(home).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


def seconds_until(condition: Callable[[], bool], started: Started) -> float:
    try:
        return wait_until(condition, timeout_s=longest_recovery_s())
    except AssertionError as error:
        raise AssertionError(started.output.read_text()[-3000:]) from error


@pytest.mark.timeout(900)
def test_what_dies_is_started_again_and_what_is_stopped_is_not(papergraph: Papergraph):
    def checksum() -> str:
        result = papergraph.process("db", "checksum", "--quiet")
        assert result.returncode == 0, result.stderr
        return result.stdout

    made = papergraph.process("keys", "create", "--name", "researcher", "--scope", "cypher", "--quiet")
    admin = papergraph.process("keys", "create", "--name", "admin", "--scope", "admin", "--quiet")
    key, admins = ({"X-API-Key": result.stdout.strip()} for result in (made, admin))
    assert "one query can end its Neo4j" in made.stderr
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = {"PAPERGRAPH_SERVER_REQUIRE_API_KEY": "true"}
    with papergraph.started("serve", "--port", str(port), **settings) as started, httpx.Client(base_url=url) as client:
        started.wait_for("serving; Ctrl-C stops", timeout_s=START_S)
        before = checksum()
        first = killed(papergraph.home)
        away_s = time.monotonic()
        seconds_until(lambda: local_neo4j.status(papergraph.home).pid not in (None, first), started)
        store_s = seconds_until(lambda: is_ready(client), started) + time.monotonic() - away_s
        assert checksum() == before

        without = answer(client, "/v1/cypher", json=COUNT, headers=key)
        replica = papergraph.process("db", "replica", "--quiet")
        assert replica.returncode == 0, replica.stderr
        folder = papergraph.home / "replica"
        assert (found := answer(client, "/v1/cypher", json=COUNT, headers=key)) is not None
        killed(folder)
        seconds_until(lambda: client.get("/readyz").json()["faults"] == ["replica"], started)
        assert client.get("/readyz").status_code == 200
        replica_s = seconds_until(lambda: is_ready(client), started)
        again = answer(client, "/v1/cypher", json=COUNT, headers=key, timeout=60)
        metrics = client.get("/metrics", headers=admins).text

        assert papergraph.process("db", "stop", "--replica").returncode == 0
        time.sleep(5)
        assert not local_neo4j.status(folder).running, started.output.read_text()[-5000:]
    log = started.output.read_text()

    print(f"store ready {store_s:.1f} s after it was killed, replica after {replica_s:.1f} s")
    assert without is not None and without.status_code == 403 and "db replica" in without.json()["detail"]
    assert found.status_code == 200 and found.json()["rows"] == [[1]] and found.json()["asOf"]
    assert again is not None and again.json().get("rows") == [[1]], again and again.text
    assert 'papergraph_neo4j_restarts{kind="store"} 1.0' in metrics
    assert 'papergraph_neo4j_restarts{kind="replica"} 1.0' in metrics
    assert "the Neo4j of the store (process" in log and "the Neo4j of the replica runs again" in log


@pytest.mark.timeout(900)
def test_a_neo4j_without_memory_ends_and_is_back_soon_after_an_idle_start(papergraph: Papergraph):
    local_neo4j.stop(papergraph.home)
    start = time.monotonic()
    begun = papergraph.process("db", "start", "--quiet")
    idle_s = time.monotonic() - start
    assert begun.returncode == 0, begun.stderr
    port = free_port()
    with (
        papergraph.started("serve", "--port", str(port)) as started,
        httpx.Client(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        started.wait_for("serving; Ctrl-C stops", timeout_s=START_S)
        uri, password = local_neo4j.current_uri(papergraph.home), local_neo4j.password_path(papergraph.home)
        ended = local_neo4j.status(papergraph.home).pid
        assert uri and ended
        with (
            GraphDatabase.driver(uri, auth=("neo4j", password.read_text().strip())) as driver,
            driver.session() as session,
            pytest.raises((DriverError, Neo4jError, OSError)),
        ):
            session.run(BOMB, s="x" * 190_000).consume()
        seconds_until(lambda: local_neo4j.status(papergraph.home).pid != ended, started)
        away_s = time.monotonic()
        seconds_until(lambda: local_neo4j.status(papergraph.home).pid not in (None, ended), started)
        seconds_until(lambda: is_ready(client), started)
        back_s = time.monotonic() - away_s
    print(f"idle start {idle_s:.1f} s, ready {back_s:.1f} s after the end of a Neo4j without memory")
    assert back_s <= 10 + 2 * idle_s
