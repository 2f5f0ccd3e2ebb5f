"""Fixtures of papergraph's own tests, over those of ``tests.pytest_neo4j``."""

import logging
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.settings import Settings
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.command import Papergraph, settings_for
from tests.support.fake_llm import FakeLLM
from tests.support.graphs import assert_healthy
from tests.support.leaks import Leaks
from tests.support.prepared_store import PreparedStore
from tests.support.remembered_model import RememberedModel
from tests.support.store_template import store_with_schema
from tests.support.tiers import EXAMINED
from tests.support.waiting import PATIENCE_S, free_port

NO_DATA = "PAPERGRAPH_DATA is not set"


@pytest.fixture(autouse=True, scope="session")
def only_our_own_settings() -> Iterator[None]:
    """Tests do not depend on what the person who runs them has set."""
    with pytest.MonkeyPatch.context() as patch:
        kept = (
            "PAPERGRAPH_TEST_",
            "PAPERGRAPH_DATA",
            "PAPERGRAPH_CACHE",
            "PAPERGRAPH_NEO4J_JAVA",
        )
        for name in os.environ:
            if name.startswith("PAPERGRAPH_") and not name.startswith(kept):
                patch.delenv(name)
        patch.setenv("PAPERGRAPH_WORKERS", "0")  # those that want workers beside a server say so
        yield


@pytest.fixture(autouse=True, scope="session")
def no_key_is_logged() -> Iterator[None]:
    """Whatever the tests do, no record of any logger holds a key; xdist's processes look after their own."""
    leaks = Leaks()
    logging.getLogger().addHandler(leaks)
    yield
    logging.getLogger().removeHandler(leaks)
    assert not leaks.loggers, f"these loggers were handed a key: {leaks.loggers}"


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The default embedding model."""
    return RememberedModel()


@pytest.fixture(scope="session")
def neo4j_store(embedder: Embedder) -> Path:
    """A store with the schema, which the session's Neo4j begins with, and others that `begin_with` it."""
    return store_with_schema(Settings().cache.expanduser().resolve(), embedder.card)


@pytest.fixture
def fake_llm() -> Iterator[FakeLLM]:
    """A scripted language model on a real socket; all of its script must be used up, and nothing else be asked."""
    with FakeLLM() as llm:
        yield llm
    assert not llm.unexpected, [request.prompt[:200] for request in llm.unexpected]
    assert llm.left_over == 0, f"{llm.left_over} answers of the script were not asked for"


@pytest.fixture(scope="session")
def prepared_store(embedder: Embedder) -> PreparedStore:
    return PreparedStore(embedder.card)


@pytest_asyncio.fixture
async def database(
    neo4j_server: Neo4jServer, prepared_store: PreparedStore, request: pytest.FixtureRequest
) -> AsyncIterator[Database]:
    """A prepared store without papers; what a test leaves there must be a healthy graph.

    Tests that write to the graph by hand are marked ``writes_by_hand``; their graphs need not be healthy. Of fast tests
    only the first one of each module is examined.
    """
    async with await Database.connect(
        neo4j_server.uri,
        user=neo4j_server.user,
        password=neo4j_server.password,
        name=neo4j_server.database,
        deadline_s=PATIENCE_S,
    ) as database:
        await wipe(database.driver, database=database.name, keep=request.config.getini("neo4j_keep_labels"))
        await prepared_store.see_to(database)
        yield database
        if request.node.stash[EXAMINED]:
            await assert_healthy(database)


@pytest.fixture
def papergraph(neo4j_server: Neo4jServer, tmp_path: Path) -> Papergraph:
    """The command line on the session's Neo4j, in a home of its own, where no server runs."""
    return Papergraph(tmp_path / "home", settings_for(neo4j_server))


@pytest.fixture
def dead_end() -> str:
    """The address of a Neo4j that is not there."""
    return f"bolt://127.0.0.1:{free_port()}"


@pytest.fixture(scope="session")
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
