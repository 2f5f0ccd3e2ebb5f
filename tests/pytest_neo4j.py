"""Pytest fixtures over a real Neo4j, as a plugin: a server for the session, clean data for every test.

Any project can use it: install papergraph, and name the plugin on the command line or in ``addopts``::

    pytest -p tests.pytest_neo4j

neo4j_server  (session)   where a Neo4j listens: ``uri``, ``http_url``, ``user``, ``password``, ``database``
neo4j_driver  (function)  an open AsyncDriver on it, all data deleted before the test
neo4j_store   (session)   None; a project may return the folder of a store of its own that the server begins with

The server is a local Neo4j Community of this session's own: in a temporary home, on free ports, with little memory, and
gone when pytest is gone, even by kill -9. Its jars are fetched once per machine. Each process of pytest-xdist has a
server of its own. With ``PAPERGRAPH_TEST_NEO4J_URI`` (``_USER``, ``_PASSWORD``, ``_DATABASE``, ``_HTTP_URL``) another
server is used; one that holds data is refused unless ``PAPERGRAPH_TEST_NEO4J_WIPE=yes`` says that the data may go.
Without any Neo4j tests fail, they are not skipped.

Data is deleted, constraints and indexes stay, and so do nodes with a label of the ini option ``neo4j_keep_labels``.
"""

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j import AsyncDriver, AsyncGraphDatabase, GraphDatabase

from papergraph import local_neo4j
from papergraph.local_neo4j import Memory
from papergraph.progress import Silent
from papergraph.settings import Settings

PREFIX = "PAPERGRAPH_TEST_NEO4J_"
MEMORY = Memory(heap_mb=1100, page_cache_mb=128)
KEEP_PLANS = {
    "dbms.cypher.min_replan_interval": "24h",
    "dbms.cypher.statistics_divergence_threshold": "1.0",
    "server.memory.query_cache.per_db_cache_num_entries": "5000",
}
"""Settings of Neo4j: tests change the graph from nothing to something all the time, and plans would be made anew."""

QUICKLY = "-XX:TieredStopAtLevel=1"
"""How Java compiles for a Neo4j of a minute; without, that of the session answers in two thirds of the time."""

WIPE = """
CYPHER 25
MATCH (node)
WHERE none(label IN labels(node) WHERE label IN $keep)
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 5000 ROWS
"""


@dataclass(frozen=True)
class Neo4jServer:
    """Where a Neo4j for tests listens."""

    uri: str
    http_url: str
    user: str
    password: str = field(repr=False)
    database: str = "neo4j"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("neo4j_keep_labels", "labels of nodes that stay when a test's data is deleted", "args", [])


@pytest.fixture(scope="session")
def neo4j_store() -> Path | None:
    """What the server begins with: nothing, or a copy of the folders ``data`` and the file ``password`` of a store."""
    return None


@pytest.fixture(scope="session")
def neo4j_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    """A running Neo4j for the whole session."""
    if uri := os.environ.get(f"{PREFIX}URI"):
        server = Neo4jServer(
            uri,
            os.environ.get(f"{PREFIX}HTTP_URL", ""),
            os.environ.get(f"{PREFIX}USER", "neo4j"),
            os.environ.get(f"{PREFIX}PASSWORD", ""),
            os.environ.get(f"{PREFIX}DATABASE", "neo4j"),
        )
        _refuse_company(request.config)
        _refuse_data(server)
        yield server
        return
    store: Path | None = request.getfixturevalue("neo4j_store")  # made only where it is needed
    settings, steps = Settings(home=tmp_path_factory.mktemp("neo4j-home")), _TerminalSteps(request.config)
    if store is not None:
        (settings.home / "neo4j").mkdir(mode=0o700)
        shutil.copytree(store, settings.home / "neo4j", dirs_exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", os.environ.get("JDK_JAVA_OPTIONS", "").replace(QUICKLY, ""))
        running = local_neo4j.start(settings, memory=MEMORY, owner=True, more=KEEP_PLANS, progress=steps)
    try:
        yield Neo4jServer(running.uri, running.http_url, running.user, running.password)
    finally:
        local_neo4j.stop(settings.home)


@pytest_asyncio.fixture
async def neo4j_driver(neo4j_server: Neo4jServer, request: pytest.FixtureRequest) -> AsyncIterator[AsyncDriver]:
    """An open driver on a database without data."""
    auth = (neo4j_server.user, neo4j_server.password)
    async with AsyncGraphDatabase.driver(neo4j_server.uri, auth=auth, notifications_min_severity="OFF") as driver:
        await wipe(driver, database=neo4j_server.database, keep=request.config.getini("neo4j_keep_labels"))
        yield driver


async def wipe(driver: AsyncDriver, *, database: str = "neo4j", keep: list[str] | None = None) -> None:
    """Delete all nodes but those with a label to keep; constraints and indexes stay."""
    async with driver.session(database=database) as session:
        await (await session.run(WIPE, keep=keep or [])).consume()


def _refuse_company(config: pytest.Config) -> None:
    n_workers = getattr(config, "workerinput", {}).get("workercount", 1)  # of pytest-xdist
    if n_workers > 1:
        raise pytest.UsageError(
            f"{n_workers} test processes would delete each other's data in the one Neo4j of {PREFIX}URI: use -n 0"
        )


def _refuse_data(server: Neo4jServer) -> None:
    if os.environ.get(f"{PREFIX}WIPE") == "yes":
        return
    with GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        records, _, _ = driver.execute_query("MATCH (n) RETURN count(n) AS n", database_=server.database)
    if records[0]["n"]:
        pytest.exit(
            f"the Neo4j at {server.uri} holds {records[0]['n']} nodes, and tests delete all data: "
            f"name an empty one, or set {PREFIX}WIPE=yes",
            returncode=3,
        )


class _TerminalSteps(Silent):
    """Tells in the terminal what the session waits for, the first time it may be a download."""

    def __init__(self, config: pytest.Config) -> None:
        self._reporter = config.pluginmanager.getplugin("terminalreporter")

    def step(self, message: str) -> None:
        if self._reporter is not None:
            self._reporter.write_line(message)

    def advance(self, message: str, done: int, total: int) -> None:
        if done == total:
            self.step(f"{message}: {done} of {total}")
