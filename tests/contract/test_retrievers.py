"""Contract of retrievers: one file each, scores in the declared range, best first, within the scope."""

from pathlib import Path

import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.candidates import RetrieverName
from papergraph.server.retrieval.retrievers import retrievers
from papergraph.server.retrieval.retrievers.base import Context
from papergraph.server.retrieval.scope import Scope
from tests.support.ingestion import ingest

FOLDER = Path("server/retrieval/retrievers")
PAPERS = ["surface-code-logical-error-rates.md", "annealing-and-tabu-search.txt"]
QUERY = "How many physical qubits does a surface code patch need?"
K = 5


@pytest_asyncio.fixture
async def on(database: Database, embedder: Embedder) -> Context:
    """A store with two papers, in which no enrichment is made."""
    await ingest(database, embedder, [Path("ingest/samples") / name for name in PAPERS])
    return Context(database, ActiveModel(embedder), nprobe=4)


def test_each_name_is_that_of_one_file_in_the_order_in_which_they_are_listed():
    assert list(retrievers()) == [name.value for name in RetrieverName]
    for name, retriever in retrievers().items():
        assert retriever.retrieve.__module__ == f"papergraph.server.retrieval.retrievers.{name}"
        assert (FOLDER / f"{name}.py").exists()


async def test_each_ranks_chunks_of_the_scope_best_first_with_scores_in_its_range(on: Context):
    found = {name: await one.retrieve(on, QUERY, Scope(("main",)), K) for name, one in retrievers().items()}

    for name, candidates in found.items():
        low, high = retrievers()[name].score
        scores = [candidate.score for candidate in candidates]
        assert scores == sorted(scores, reverse=True), name
        assert all(low <= score <= high for score in scores), name
        assert len({candidate.chunk_id for candidate in candidates}) == len(candidates) <= K, name
    without_enrichments = {name for name, one in retrievers().items() if not one.needs}
    assert {name for name, candidates in found.items() if candidates} <= without_enrichments | {"pagerank"}
    assert len(found["vector"]) == len(found["fulltext"]) == K


async def test_each_finds_nothing_in_an_empty_collection(on: Context):
    for name, one in retrievers().items():
        assert not await one.retrieve(on, QUERY, Scope(("empty",)), K), name


async def test_each_keeps_to_the_papers_of_the_scope(on: Context):
    everywhere = await retrievers()["vector"].retrieve(on, QUERY, Scope(("main",)), 200)
    papers = sorted({candidate.paper_id for candidate in everywhere})

    for name, one in retrievers().items():
        found = await one.retrieve(on, QUERY, Scope(("main",), paper_ids=(papers[0],)), K)
        assert {candidate.paper_id for candidate in found} <= {papers[0]}, name
    assert len(papers) == len(PAPERS)
