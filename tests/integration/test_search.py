"""Search on a real Neo4j with the sample papers."""

from pathlib import Path

import pytest

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.server.retrieval.candidates import RetrieverName
from papergraph.server.retrieval.lucene import fulltext_query
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import SEARCHED_KINDS
from papergraph.server.retrieval.search import search
from papergraph.server.retrieval.word_counts import WordCounts
from tests.support.ingestion import ingest

SAMPLES = Path("ingest/samples")


@pytest.mark.slow
async def test_a_question_finds_the_passage_that_answers_it(database: Database, embedder: Embedder):
    await ingest(database, embedder, [SAMPLES])

    best, *_ = (
        await search(
            Resources.of(database, embedder),
            SearchRequest("How many physical qubits does a distance-7 surface code patch need?"),
        )
    ).hits

    assert best.chunk.text.startswith("A patch of distance 7 uses 97 physical qubits")
    assert best.paper.title == "Surface Codes and Their Logical Error Rates"
    assert best.section.path == ("Results", "Overhead")
    assert {retriever.retriever for retriever in best.retrievers} == {RetrieverName.VECTOR, RetrieverName.FULLTEXT}


async def test_neighbours_are_the_chunks_before_and_after(database: Database, embedder: Embedder):
    await ingest(database, embedder, [SAMPLES / "hnsw-nearest-neighbour-search.md"])

    hits = (await search(Resources.of(database, embedder), SearchRequest("choice of neighbours", k=20))).hits

    for hit in hits:
        assert hit.previous is None or hit.previous.ordinal == hit.chunk.ordinal - 1
        assert hit.next is None or hit.next.ordinal == hit.chunk.ordinal + 1
    assert max(len(hit.section.path) for hit in hits) == 4


async def test_a_word_that_no_passage_has_is_named(database: Database, embedder: Embedder):
    await ingest(database, embedder, [SAMPLES / "hnsw-nearest-neighbour-search.md"])
    resources = Resources.of(database, embedder)

    strange = await search(resources, SearchRequest("xyzzyqwrt of neighbours"))
    known = await search(resources, SearchRequest("choice of neighbours"))
    by_words = await search(resources, SearchRequest("xyzzyqwrt", pipeline="fulltext"))

    assert strange.outcome.warnings == ["No passage of the collection has “xyzzyqwrt”."]
    assert len(strange.hits) == 10
    assert known.outcome.warnings == by_words.outcome.warnings == []


async def test_words_are_looked_for_together_and_those_found_not_again(database: Database, embedder: Embedder):
    await ingest(database, embedder, [SAMPLES / "hnsw-nearest-neighbour-search.md"])
    words = WordCounts()

    found = await words.found(database, ["neighbours", "xyzzyqwrt", "graph"], ("main",))
    await ingest(database, embedder, [SAMPLES / "annealing-and-tabu-search.txt"], collection="other")

    assert found == {"neighbours", "graph"}
    assert await words.found(None, ["graph", "neighbours"], ("main",)) == found
    assert await words.found(database, ["annealing", "graph"], ("main",)) == {"graph"}
    assert await words.found(database, ["annealing"], ("other",)) == {"annealing"}


async def test_words_are_counted_again_only_when_the_store_has_grown(database: Database, embedder: Embedder):
    await ingest(database, embedder, [SAMPLES / "hnsw-nearest-neighbour-search.md"])
    words, asked = WordCounts(), ["neighbours", "the", "xyzzyqwrt"]

    first = await words.count(database, asked, ("main",))
    query = fulltext_query("neighbours", collections=("main",), kinds=SEARCHED_KINDS)
    before = {"word": "neighbours", "fulltext_query": query, "n_chunks": 1000}
    counted = await database.read(
        cypher.load("retrieval/chunks_with_words"),
        words=[before | {"n_in_store": n} for n in (first.n_all, first.n_all + 1, None)],
        n_most=1000,
    )
    await ingest(database, embedder, [SAMPLES / "hnsw-nearest-neighbour-search.md"], collection="other")
    grown = [await words.count(database, asked, (name,)) for name in ("main", "other")]

    assert first.of["neighbours"] > 5 and first.of["the"] == first.of["xyzzyqwrt"] == 0
    assert [one["n_chunks"] for one in counted] == [1000, first.of["neighbours"], first.of["neighbours"]]
    assert grown == [first, first]


@pytest.mark.slow
async def test_a_small_collection_is_not_starved_by_a_large_one(database: Database, embedder: Embedder, tmp_path: Path):
    await ingest(database, embedder, [SAMPLES], collection="large")
    (tmp_path / "small.md").write_text("# Qubits\n\nPhysical qubits are counted here as well.\n")
    await ingest(database, embedder, [tmp_path], collection="small")

    (only,) = (
        await search(Resources.of(database, embedder), SearchRequest("physical qubits", collection="small", k=5))
    ).hits

    assert only.paper.collection == "small"
    assert [retriever.rank for retriever in only.retrievers] == [1, 1]


@pytest.mark.slow
async def test_one_paper_can_stand_in_two_collections(database: Database, embedder: Embedder):
    paper = SAMPLES / "leiden-topic-maps.md"
    for collection in ("one", "two"):
        await ingest(database, embedder, [paper], collection=collection)

    (one, *_), (two, *_) = [
        (await search(Resources.of(database, embedder), SearchRequest("modularity", collection=collection))).hits
        for collection in ("one", "two")
    ]

    assert one.chunk.text == two.chunk.text
    assert one.chunk.id != two.chunk.id


@pytest.mark.slow
async def test_lists_of_references_are_not_searched(database: Database, embedder: Embedder):
    await ingest(database, embedder, [SAMPLES])

    hits = (
        await search(
            Resources.of(database, embedder),
            SearchRequest("Topic Maps of Citation Graphs with the Leiden Method", k=50),
        )
    ).hits

    assert hits
    assert {"references", "acknowledgements"}.isdisjoint(hit.chunk.kind for hit in hits)


@pytest.mark.parametrize(
    "query", ["AND OR NOT", "a:b^2 (c", '"unclosed', "*:*", "[* TO *]", "\\", "text:x", "né~2 +-&&||!{}"]
)
async def test_whatever_is_typed_is_words_not_syntax(database: Database, embedder: Embedder, query: str):
    await ingest(database, embedder, [SAMPLES / "leiden-topic-maps.md"])

    assert (await search(Resources.of(database, embedder), SearchRequest(query))).hits


async def test_no_hits_are_an_empty_list(database: Database, embedder: Embedder):
    assert (await search(Resources.of(database, embedder), SearchRequest("anything"))).hits == ()


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"query": " "}, "query"),
        ({"query": "x" * 4001}, "query"),
        ({"query": "x", "k": 0}, "k"),
        ({"query": "x", "k": 101}, "k"),
        ({"query": "x", "collection": "Not a name"}, "collection"),
        ({"query": "x", "collections": ("main", "Not a name")}, "collections.1"),
        ({"query": "x", "collection": "main", "collections": ("main",)}, "collections"),
        ({"query": "x", "collections": tuple("abcdefghi")}, "collections"),
    ],
)
def test_bad_input_names_the_field(arguments: dict[str, object], field: str):
    with pytest.raises(InputError) as caught:
        SearchRequest(**arguments)  # type: ignore[arg-type]

    assert caught.value.field == field


async def test_an_unknown_collection_is_told(database: Database, embedder: Embedder):
    with pytest.raises(NotFoundError, match="nowhere"):
        await search(Resources.of(database, embedder), SearchRequest("anything", collection="nowhere"))
