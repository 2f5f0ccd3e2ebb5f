"""One round each of what ``make faults`` does many times: killing the ingestion, and killing Neo4j under it."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from papergraph.embedding import SentenceTransformerModel
from tests.e2e.conftest import Papergraph, connect
from tests.faults.conftest import Papers, clean_papers, write_papers
from tests.faults.test_kill_ingest import kill_ingest
from tests.faults.test_kill_neo4j import kill_neo4j, local_papergraph
from tests.pytest_neo4j import Neo4jServer

SEED = 7


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def papers(
    neo4j_server: Neo4jServer, embedder: SentenceTransformerModel, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Papers]:
    async with await connect(neo4j_server) as database:
        yield await clean_papers(database, embedder, write_papers(tmp_path_factory.mktemp("kill") / "papers"))


@pytest.fixture
def at_home(tmp_path) -> Iterator[Papergraph]:
    yield from local_papergraph(tmp_path / "home")


@pytest.mark.timeout(600)
async def test_a_killed_ingestion_is_resumed_by_the_same_command(database, embedder, papergraph, papers):
    await kill_ingest(database, embedder, papergraph, papers, SEED)


@pytest.mark.timeout(600)
async def test_an_ingestion_goes_on_after_neo4j_was_killed(embedder, at_home, papers):
    await kill_neo4j(embedder, at_home, papers, SEED)
