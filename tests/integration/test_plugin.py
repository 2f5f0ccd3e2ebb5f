"""The pytest plugin: clean data for every test, no data of others lost, and any project can use it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from tests.pytest_neo4j import Neo4jServer

pytestmark = [pytest.mark.slow, pytest.mark.stores]

ROOT = Path(__file__).parents[2]

INI = """
[pytest]
asyncio_mode = auto
neo4j_keep_labels = Kept SchemaVersion EmbeddingModel
"""

ONE_TEST = """
async def test_a_node_is_counted(neo4j_driver):
    await neo4j_driver.execute_query("CREATE (:Thing)")
    records, _, _ = await neo4j_driver.execute_query("MATCH (thing:Thing) RETURN count(thing) AS n")
    assert records[0]["n"] == 1
"""

TWO_TESTS = """
async def names(driver):
    records, _, _ = await driver.execute_query("MATCH (n:Thing|Kept) RETURN n.name AS name ORDER BY name")
    return [record["name"] for record in records]

async def test_one_writes(neo4j_driver):
    assert await names(neo4j_driver) == []
    await neo4j_driver.execute_query("CREATE (:Thing {name: 'a'})-[:NEAR]->(:Thing:Kept {name: 'b'})")
    await neo4j_driver.execute_query("CREATE CONSTRAINT thing_name FOR (n:Thing) REQUIRE n.name IS UNIQUE")
    assert await names(neo4j_driver) == ["a", "b"]

async def test_two_finds_only_what_is_kept(neo4j_driver):
    assert await names(neo4j_driver) == ["b"]
    records, _, _ = await neo4j_driver.execute_query("SHOW CONSTRAINTS YIELD name WHERE name = 'thing_name'")
    assert len(records) == 1

def test_a_test_without_the_fixture_leaves_the_data():
    pass

async def test_the_server_says_where_it_is(neo4j_server, neo4j_driver):
    assert neo4j_server.uri.startswith("bolt://")
    assert neo4j_server.password not in repr(neo4j_server)
    await neo4j_driver.verify_authentication(auth=(neo4j_server.user, neo4j_server.password))
"""

CLEAN_UP = "MATCH (n:Thing|Kept|Precious) DETACH DELETE n"


@pytest.fixture
def query(neo4j_server: Neo4jServer) -> Iterator[object]:
    """A function that runs a query on the session's server and returns its rows."""
    with GraphDatabase.driver(neo4j_server.uri, auth=(neo4j_server.user, neo4j_server.password)) as driver:

        def run(text: str) -> list[list[object]]:
            records, _, _ = driver.execute_query(text, database_=neo4j_server.database)
            return [record.values() for record in records]

        run(CLEAN_UP)
        yield run
        run("DROP CONSTRAINT thing_name IF EXISTS")
        run(CLEAN_UP)


def run_pytest(
    folder: Path, server: Neo4jServer, *options: str, tests: str, wipe: bool, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run the tests of another project, in ``folder``, against a server of its own choice."""
    (folder / "pytest.ini").write_text(INI)
    (folder / "test_things.py").write_text(tests)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PAPERGRAPH_", "PYTEST"))}
    environment |= {
        "PYTHONPATH": str(ROOT),
        "PAPERGRAPH_TEST_NEO4J_URI": server.uri,
        "PAPERGRAPH_TEST_NEO4J_USER": server.user,
        "PAPERGRAPH_TEST_NEO4J_PASSWORD": server.password,
        "PAPERGRAPH_TEST_NEO4J_DATABASE": server.database,
        **({"PAPERGRAPH_TEST_NEO4J_WIPE": "yes"} if wipe else {}),
        **settings,
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.pytest_neo4j", "-p", "no:cacheprovider", "-v", *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_data_is_gone_between_tests_and_kept_labels_and_constraints_stay(
    neo4j_server: Neo4jServer, query, tmp_path: Path
):
    ended = run_pytest(tmp_path, neo4j_server, tests=TWO_TESTS, wipe=True)

    assert (ended.returncode, "4 passed" in ended.stdout) == (0, True), ended.stdout
    assert query("MATCH (n:Thing|Kept) RETURN n.name") == [["b"]]


def test_a_server_with_data_is_refused_and_the_data_stays(neo4j_server: Neo4jServer, query, tmp_path: Path):
    query("CREATE (:Precious)")

    ended = run_pytest(tmp_path, neo4j_server, tests=ONE_TEST, wipe=False)

    assert ended.returncode == 3
    assert f"the Neo4j at {neo4j_server.uri} holds " in ended.stdout + ended.stderr
    assert "set PAPERGRAPH_TEST_NEO4J_WIPE=yes" in ended.stdout + ended.stderr
    assert neo4j_server.password not in ended.stdout + ended.stderr
    assert query("MATCH (n:Precious) RETURN count(n)") == [[1]]


def test_a_server_with_data_is_used_when_the_data_may_go(neo4j_server: Neo4jServer, query, tmp_path: Path):
    query("CREATE (:Precious)")

    ended = run_pytest(tmp_path, neo4j_server, tests=ONE_TEST, wipe=True)

    assert (ended.returncode, "1 passed" in ended.stdout) == (0, True), ended.stdout
    assert query("MATCH (n:Precious) RETURN count(n)") == [[0]]


def test_only_yes_lets_the_data_go(neo4j_server: Neo4jServer, query, tmp_path: Path):
    query("CREATE (:Precious)")

    ended = run_pytest(tmp_path, neo4j_server, tests=ONE_TEST, wipe=False, PAPERGRAPH_TEST_NEO4J_WIPE="no")

    assert ended.returncode == 3
    assert query("MATCH (n:Precious) RETURN count(n)") == [[1]]


def test_without_a_neo4j_tests_fail_and_are_not_skipped(
    neo4j_server: Neo4jServer, tmp_path: Path, unused_tcp_port: int
):
    nowhere = Neo4jServer(f"bolt://127.0.0.1:{unused_tcp_port}", "", "neo4j", "x")

    ended = run_pytest(tmp_path, nowhere, tests=ONE_TEST, wipe=True)

    assert (ended.returncode, "1 error" in ended.stdout) == (1, True), ended.stdout
    assert "skipped" not in ended.stdout


def test_processes_that_would_delete_each_others_data_are_refused(neo4j_server: Neo4jServer, query, tmp_path: Path):
    query("CREATE (:Precious)")

    ended = run_pytest(tmp_path, neo4j_server, "-n", "2", tests=ONE_TEST, wipe=True)

    assert (ended.returncode, "use -n 0" in ended.stdout) == (1, True), ended.stdout
    assert query("MATCH (n:Precious) RETURN count(n)") == [[1]]


def test_tests_that_need_no_neo4j_start_none(neo4j_server: Neo4jServer, tmp_path: Path, unused_tcp_port: int):
    nowhere = Neo4jServer(f"bolt://127.0.0.1:{unused_tcp_port}", "", "neo4j", "x")

    ended = run_pytest(tmp_path, nowhere, tests="def test_nothing():\n    pass\n", wipe=False)

    assert (ended.returncode, "1 passed" in ended.stdout) == (0, True), ended.stdout
