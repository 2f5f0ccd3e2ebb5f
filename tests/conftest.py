"""Fixtures of papergraph's own tests, over those of ``tests.pytest_neo4j``."""

import logging
import os
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from ingest.doctor import examine
from papergraph.database import Database
from papergraph.embedding import SentenceTransformerModel, load_model
from schema.migrate import prepare
from tests.fake_llm import FakeLLM
from tests.pytest_neo4j import Neo4jServer

NO_DATA = "PAPERGRAPH_DATA is not set"


@pytest.fixture(autouse=True, scope="session")
def only_our_own_settings() -> Iterator[None]:
    """Tests do not depend on what the person who runs them has set."""
    with pytest.MonkeyPatch.context() as patch:
        kept = ("PAPERGRAPH_TEST_", "PAPERGRAPH_DATA", "PAPERGRAPH_CACHE", "PAPERGRAPH_JAVA", "PAPERGRAPH_MAVEN_URL")
        for name in os.environ:
            if name.startswith("PAPERGRAPH_") and not name.startswith(kept):
                patch.delenv(name)
        yield


class Leaks(logging.Handler):
    """Notes which loggers were handed a key whole, at whatever level the tests have them."""

    KEY = re.compile(r"pg_[a-z0-9]{8}_[A-Za-z0-9_-]{43}")
    ON_PURPOSE = "server.test"

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.loggers: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        told = f"{record.msg} {record.args} {record.exc_info} {vars(record).get('key', '')}"
        if record.name != self.ON_PURPOSE and self.KEY.search(told):
            self.loggers.add(record.name)


@pytest.fixture(autouse=True, scope="session")
def no_key_is_logged() -> Iterator[None]:
    """Whatever the tests do, no record of any logger holds a key; xdist's processes look after their own."""
    leaks = Leaks()
    logging.getLogger().addHandler(leaks)
    yield
    logging.getLogger().removeHandler(leaks)
    assert not leaks.loggers, f"these loggers were handed a key: {leaks.loggers}"


@pytest.fixture(scope="session")
def embedder() -> SentenceTransformerModel:
    """The default embedding model."""
    return load_model("all-MiniLM-L6-v2")


@pytest.fixture
def fake_llm() -> Iterator[FakeLLM]:
    """A scripted language model on a real socket; all of its script must be used up, and nothing else be asked."""
    with FakeLLM() as llm:
        yield llm
    assert not llm.unexpected, [request.prompt[:200] for request in llm.unexpected]
    assert llm.left_over == 0, f"{llm.left_over} answers of the script were not asked for"


@pytest_asyncio.fixture
async def database(
    neo4j_driver: AsyncDriver,
    neo4j_server: Neo4jServer,
    embedder: SentenceTransformerModel,
    request: pytest.FixtureRequest,
) -> AsyncIterator[Database]:
    """A prepared store without papers; what a test leaves there must be a healthy graph.

    Tests that write to the graph by hand are marked ``writes_by_hand``; their graphs need not be healthy.
    """
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, embedder.card)
        yield database
        if request.node.get_closest_marker("writes_by_hand") is None:
            await assert_healthy(database)


async def assert_healthy(database: Database) -> None:
    """Assert that the doctor finds nothing wrong."""
    report = await examine(database)
    assert report.healthy, "\n".join(
        f"{finding.check}: {fault.id} {fault.problem}" for finding in report.findings for fault in finding.examples
    )


@pytest.fixture
def data_folder() -> Path:
    """Real papers, queries and judgements; such a test is skipped where they are not."""
    folder = os.environ.get("PAPERGRAPH_DATA")
    if not folder:
        pytest.skip(NO_DATA)
    return Path(folder)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if NO_DATA in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests on real data skipped: {NO_DATA}")
