"""``papergraph demo``: everything set up from nothing, with a Neo4j of its own that never outlives it."""

import re
import signal
import time
from pathlib import Path

import httpx
import pytest

from papergraph.server.process.server_file import find_server
from tests.support.command import Papergraph
from tests.support.library import N_SAMPLES
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.stores]

START_TIMEOUT_S = 240
COUNT = {"query": "{ papers { totalCount } }"}


@pytest.fixture(scope="module")
def papergraph(tmp_path_factory: pytest.TempPathFactory) -> Papergraph:
    """The command line with nothing set but a home that is empty at first."""
    return Papergraph(tmp_path_factory.mktemp("new") / "home")


def run_once(papergraph: Papergraph) -> str:
    start = time.monotonic()
    result = papergraph.process("demo", "--once", timeout_s=START_TIMEOUT_S)
    print(f"papergraph demo --once: {time.monotonic() - start:.1f} s")
    assert result.returncode == 0, result.stderr
    assert not papergraph.neo4j_processes()
    return result.stdout


def url_in(output: str) -> str:
    found = re.search(r"GraphQL +(http://\S+)/graphql", output)
    assert found, output
    return found[1]


@pytest.mark.timeout(600)
def test_from_nothing_to_a_passage(papergraph):
    first = run_once(papergraph)

    assert f"{N_SAMPLES} documents in" in first
    assert f"{N_SAMPLES} added" in first
    assert url_in(first).startswith("http://127.0.0.1:")
    assert "Neo4j    bolt://127.0.0.1:" in first
    assert f"password in {papergraph.home / 'neo4j' / 'password'}" in first
    assert "Surface Codes and Their Logical Error Rates > Results > Overhead" in first
    assert "A patch of distance 7 uses 97 physical qubits" in first


@pytest.mark.timeout(600)
def test_where_keys_are_required_it_makes_one_and_shows_it(papergraph):
    with papergraph.started("demo", shows_key=True, PAPERGRAPH_SERVER_REQUIRE_API_KEY="true") as started:
        shown = started.wait_for("serving; Ctrl-C stops", timeout_s=START_TIMEOUT_S)
        url, key = url_in(shown), re.search(r"API key +(\S+)", shown)[1]
        refused = httpx.post(f"{url}/graphql", json=COUNT, timeout=30)
        answered = httpx.post(f"{url}/graphql", json=COUNT, headers={"Authorization": f"Bearer {key}"}, timeout=30)

    assert "A patch of distance 7 uses 97 physical qubits" in shown
    assert refused.status_code == 401
    assert answered.json()["data"]["papers"]["totalCount"] == N_SAMPLES


def test_it_serves_until_ctrl_c_and_takes_neo4j_with_it(papergraph):
    with papergraph.started("demo") as started:
        url = url_in(started.wait_for("serving; Ctrl-C stops", timeout_s=START_TIMEOUT_S))
        assert len(papergraph.neo4j_processes()) == 1
        assert httpx.post(f"{url}/graphql", json=COUNT, timeout=30).json()["data"]["papers"]["totalCount"] == N_SAMPLES
        assert httpx.get(f"{url}/readyz", timeout=30).status_code == 200
        assert papergraph.process("search", "qubits").returncode == 0

        status = started.send(signal.SIGINT, timeout_s=60)

    assert status == 0
    assert "Traceback" not in started.output.read_text()
    assert not papergraph.neo4j_processes()
    assert not (papergraph.home / "serve.json").exists()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/healthz", timeout=5)


@pytest.mark.timeout(600)
def test_killed_it_leaves_nothing_that_runs_and_nothing_that_misleads(papergraph):
    with papergraph.started("demo") as started:
        started.wait_for("serving; Ctrl-C stops", timeout_s=START_TIMEOUT_S)
        assert find_server(papergraph.home, neo4j_uri=None)

        started.send(signal.SIGKILL, timeout_s=10)
        elapsed_s = wait_until(lambda: not papergraph.neo4j_processes(), timeout_s=30)

    print(f"Neo4j is gone {elapsed_s:.1f} s after its owner was killed")
    assert Path(papergraph.home, "serve.json").exists()
    assert find_server(papergraph.home, neo4j_uri=None) is None
    assert f"{N_SAMPLES} unchanged" in run_once(papergraph)


def test_interrupted_while_neo4j_starts_it_leaves_nothing(papergraph):
    with papergraph.started("demo") as started:
        started.wait_for("waiting for", timeout_s=START_TIMEOUT_S)

        status = started.send(signal.SIGINT, timeout_s=90)

    assert status == 130
    assert not papergraph.neo4j_processes()
