"""What tests of faults share: seeds, papers, the graph that they should become, and a worker to kill."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.schema.checksum import graph_checksum
from tests.pytest_neo4j import Neo4jServer
from tests.support.faults import SEEDS, Papers, assert_same_graph, empty, write_papers
from tests.support.ingest_worker import HashEmbedder
from tests.support.ingestion import ingest


@pytest.fixture(params=SEEDS, ids="seed {}".format)
def seed(request: pytest.FixtureRequest) -> int:
    """The number that decides when the fault comes."""
    return int(request.param)


@pytest.fixture(scope="session")
def hashed() -> HashEmbedder:
    """Vectors as the worker makes them."""
    return HashEmbedder()


@pytest_asyncio.fixture(scope="session")
async def papers(neo4j_server: Neo4jServer, hashed: HashEmbedder, tmp_path_factory: pytest.TempPathFactory) -> Papers:
    """Papers, and their graph without any fault."""
    folder = write_papers(tmp_path_factory.mktemp("faults") / "papers")
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await empty(database)
        report = await ingest(database, hashed, [folder])
        assert not report.failed
        checksum = await graph_checksum(database)
        await empty(database)
    return Papers(tuple(sorted(folder.iterdir())), checksum)


@pytest_asyncio.fixture
async def empty_store(neo4j_server: Neo4jServer) -> AsyncIterator[Database]:
    """A prepared store without papers."""
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await empty(database)
        yield database
        await empty(database)


@pytest_asyncio.fixture
async def store(papers: Papers, empty_store: Database) -> AsyncIterator[Database]:
    """A prepared store without papers; at the end it must hold all of them, as if nothing had happened."""
    await empty(empty_store)  # the papers may have been tried out there
    yield empty_store
    await assert_same_graph(empty_store, papers)
