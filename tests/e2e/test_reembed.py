"""``papergraph embeddings switch`` with a real second model, while a server answers."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.migrate import check, prepare
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.command import Papergraph
from tests.support.embedders import save_projected_model
from tests.support.graphs import assert_healthy
from tests.support.ingestion import ingest
from tests.support.library import KEEP
from tests.support.pages import blocks
from tests.support.servers import RunningServer, connect

SAMPLE = Path("ingest/samples/leiden-topic-maps.md")
SEARCH = """query { search(input: {query: "modularity of communities", k: 3}) {
  hits { chunk { text } retrievers { retriever rank } } } }"""


@pytest.fixture(scope="module")
def projected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_projected_model(tmp_path_factory.mktemp("models") / "projected", dimension=96)


@pytest_asyncio.fixture
async def store(neo4j_server: Neo4jServer, embedder: Embedder) -> AsyncIterator[Database]:
    """A store without papers."""
    async with await connect(neo4j_server) as database:
        await prepare(database, embedder.card)
        await wipe(database.driver, database=database.name, keep=KEEP)
        yield database
        await wipe(database.driver, database=database.name, keep=KEEP)


@pytest.mark.slow
@pytest.mark.release
async def test_models_are_changed_to_and_fro_as_the_readme_says_while_a_server_answers(
    papergraph: Papergraph, server: RunningServer, store: Database, embedder: Embedder, projected: Path
):
    to, back, drop = readme_commands(model=projected)
    await ingest(store, embedder, [SAMPLE])
    before, answer = await graph_checksum(store), server.ask(SEARCH)

    done = papergraph(*to, "--duty-cycle", "1", "--json")

    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["switched"], report["status"]["n_missing"]) == (True, 0)
    assert report["n_made"] == len(before.vectors)
    assert (report["status"]["active"]["slot"], report["status"]["active"]["dimension"]) == ("second", 96)
    hits = server.ask(SEARCH)["search"]["hits"]
    assert {retriever["retriever"] for hit in hits for retriever in hit["retrievers"]} == {"VECTOR", "FULLTEXT"}
    await assert_healthy(store)
    refused = papergraph("ingest", SAMPLE, PAPERGRAPH_EMBEDDING_MODEL="bge-small-en-v1.5")
    assert refused.returncode == 5
    assert "papergraph embeddings switch bge-small-en-v1.5" in refused.stderr

    returned = papergraph(*back, "--duty-cycle", "1")
    assert "in use: bge-small-en-v1.5 (384 dimensions" in returned.stdout, returned.stderr
    assert f"kept: {projected} (96 dimensions" in returned.stdout
    dropped = papergraph(*drop, "--duty-cycle", "1")

    assert f"{len(before.vectors)} deleted" in dropped.stdout
    assert (await graph_checksum(store)).same_graph(before)
    await check(store, dimension=384)
    assert server.ask(SEARCH) == answer


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.by_hand
async def test_commands_work_with_the_model_of_the_store(
    papergraph: Papergraph, server: RunningServer, store: Database, embedder: Embedder, projected: Path
):
    await ingest(store, embedder, [SAMPLE])
    assert papergraph("embeddings", "switch", projected, "--duty-cycle", "1").returncode == 0

    told = papergraph("embeddings", "status")
    assert f"in use: {projected} (96 dimensions" in told.stdout
    assert "kept: bge-small-en-v1.5 (384 dimensions" in told.stdout
    again = papergraph("ingest", SAMPLE)
    assert "1 unchanged" in again.stdout, again.stderr
    assert papergraph("doctor").returncode == 0
    assert "nothing to do" in papergraph("embeddings", "switch", projected).stdout

    assert papergraph("embeddings", "rollback", "--duty-cycle", "1").returncode == 0
    assert papergraph("embeddings", "prune", "--duty-cycle", "1").returncode == 0
    nothing_kept = papergraph("embeddings", "rollback")
    assert nothing_kept.returncode == 5
    assert "no vectors are kept" in nothing_kept.stderr


def readme_commands(*, model: Path) -> list[list[str]]:
    """Return the arguments of the page's commands, with a model that is there."""
    (block,) = (one.text for one in blocks("docs/models.md") if "embeddings rollback" in one.text)
    lines = block.replace("~/models/larger", str(model)).splitlines()
    return [line.removeprefix("papergraph ").split() for line in lines]


def test_two_wishes_at_once_are_refused(papergraph: Papergraph):
    done = papergraph("embeddings", "rollback", "prune")

    assert (done.returncode, done.stdout) == (2, "")
    assert "unexpected extra argument" in done.stderr
