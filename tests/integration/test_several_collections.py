"""One search of several collections, on a real Neo4j with sample papers."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.schema.migrate import prepare
from papergraph.server.retrieval.filters import parse_filter
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.saved_run import replay, saved
from papergraph.server.retrieval.search import search
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

KEEP = ["SchemaVersion", "EmbeddingModel"]
SAMPLES = Path("ingest/samples")
PAPERS = [
    SAMPLES / name
    for name in (
        "leiden-topic-maps.md",
        "knowledge-graphs-from-papers.md",
        "annealing-and-tabu-search.txt",
        "surface-code-logical-error-rates.md",
    )
]


@pytest_asyncio.fixture(scope="module")
async def halves(neo4j_server: Neo4jServer, embedder: Embedder) -> AsyncIterator[Resources]:
    """Four papers in ``whole``, and two of them each in ``one`` and ``two``."""
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, embedder.card)
        await wipe(database.driver, database=database.name, keep=KEEP)
        for collection, papers in (("whole", PAPERS), ("one", PAPERS[::2]), ("two", PAPERS[1::2])):
            await ingest(database, embedder, papers, collection=collection)
        yield Resources.of(database, embedder)
        await wipe(database.driver, database=database.name, keep=KEEP)


@pytest.mark.parametrize("pipeline", ["default", "fulltext", "vector", "diverse"])
async def test_collections_that_are_searched_together_rank_as_one_that_holds_all(halves: Resources, pipeline: str):
    query = "surface codes, quantum annealing and graphs"

    together = await search(halves, SearchRequest(query, pipeline=pipeline, collections=("one", "two"), k=10))
    whole = await search(halves, SearchRequest(query, pipeline=pipeline, collection="whole", k=10))

    assert [hit.chunk.text for hit in together.hits] == [hit.chunk.text for hit in whole.hits]
    assert [hit.score for hit in together.hits] == pytest.approx([hit.score for hit in whole.hits], rel=0.01)
    assert {hit.paper.collection for hit in together.hits} <= {"one", "two"}


async def test_a_filter_counts_in_every_collection(halves: Resources):
    chosen = [
        (await search(halves, SearchRequest("graphs", collection=collection, k=1))).hits[0].paper
        for collection in ("one", "two")
    ]
    filter = parse_filter({"papers": [paper.id for paper in chosen]})

    found = await search(halves, SearchRequest("graphs", collections=("two", "one"), filter=filter, k=20))
    others = await search(
        halves, SearchRequest("graphs", collections=("two", "one"), filter=parse_filter({"not": filter.data()}), k=50)
    )

    assert {hit.paper.id for hit in found.hits} == {paper.id for paper in chosen}
    assert {hit.paper.collection for hit in others.hits} == {"one", "two"}
    assert {hit.paper.id for hit in others.hits}.isdisjoint({paper.id for paper in chosen})
    assert found.applied is not None
    assert not found.applied.unknown


async def test_a_passage_of_several_collections_is_found_once_in_the_one_named_first(halves: Resources):
    for collections in (("one", "two", "whole"), ("whole", "two", "one")):
        found = await search(halves, SearchRequest("error rates of codes", collections=collections, k=20))

        assert len({hit.chunk.text for hit in found.hits}) == len(found.hits)
        first = {"whole"} if collections[0] == "whole" else {"one", "two"}
        assert {hit.paper.collection for hit in found.hits} == first


async def test_a_run_over_collections_is_repeated_over_them(halves: Resources):
    found = await search(halves, SearchRequest("error rates of codes", collections=("one", "two")))

    again, differences = await replay(halves, saved(halves, found))

    assert not differences
    assert again.outcome.scope.collections == ("one", "two")


async def test_of_several_collections_none_may_be_unknown_or_out_of_reach(halves: Resources):
    request = SearchRequest("error rates of codes", collections=("one", "two"))

    with pytest.raises(NotFoundError, match="'two'"):
        await search(halves, request, collections=("one",))
    with pytest.raises(NotFoundError, match="nowhere"):
        await search(halves, replace(request, collections=("one", "nowhere")))


async def test_a_pipeline_lacks_an_enrichment_if_one_of_the_collections_does(halves: Resources):
    with pytest.raises(InputError, match="collection 'one' has none"):
        await search(halves, SearchRequest("codes", pipeline="quim", collections=("one", "two")))


async def test_a_plan_is_made_for_one_collection(halves: Resources):
    with pytest.raises(InputError, match="papers of one collection") as caught:
        await search(halves, SearchRequest("codes", pipeline="pr3", collections=("one", "two")))

    assert caught.value.field == "collections"
