"""A store's texts and titles are indexed by an analyzer of choice; the doctor and restored indexes know which one."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, SchemaError
from papergraph.progress import silent
from papergraph.schema.fulltext import ANALYZERS, switch_analyzer
from papergraph.schema.ids import collection_term, paper_id
from papergraph.schema.indexes import TEXT_INDEXES
from papergraph.schema.migrate import analyzer_of, check, drift, prepare, restore
from papergraph.schema.model import DEFAULT_ANALYZER
from papergraph.server.answers.quotes import index_term, index_terms
from papergraph.server.retrieval.filters import Filter, Ids, resolve
from papergraph.server.retrieval.lucene import fulltext_query
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot

pytestmark = [pytest.mark.writes_by_hand, pytest.mark.slow, pytest.mark.stores]
WRITE = Statement(
    "test/write",
    "UNWIND $rows AS row CREATE (:Chunk {id: 'test' + row.text, text: row.text, paperId: row.paper, kind: 'text', "
    "collectionTerm: $term})",
)
CLEAR = Statement("test/clear", "MATCH (n:Chunk) WHERE n.id STARTS WITH 'test' DETACH DELETE n")
FORGET = Statement("test/forget", "MATCH (n:SchemaVersion {id: 'fulltext'}) DELETE n")
TITLED = Statement(
    "test/titled",
    "CREATE (:Paper {id: 'titled', collection: 'books', collectionTerm: $term, title: $title, abstract: ''})",
)
UNTITLED = Statement("test/untitled", "MATCH (paper:Paper {id: 'titled'}) DELETE paper")
AVAILABLE = Statement(
    "test/available", "CALL db.index.fulltext.listAvailableAnalyzers() YIELD analyzer RETURN analyzer"
)
TEXTS = ["Die Häuser der Stadt", "Ein Haus am Meer", "Quantum annealing of 12 qubits"]
ID_ENDINGS = ("ed", "ee", "e", "de", "a", "aa", "dd", "acea", "0", "12")
"""Of ids of papers: what stemmers of some languages take for endings."""


def id_of(number: int) -> str:
    ending = ID_ENDINGS[number]
    return paper_id("books", str(number))[: -len(ending)] + ending


async def ranked(database: Database, words: str, *, collection: str = "books", papers: Sequence[str] = ()) -> list[Any]:
    query = fulltext_query(words, collections=[collection], kinds=["text"], paper_ids=papers)
    return await database.rows(cypher.load("retrieval/fulltext_top_k"), fulltext_query=query, k=100)


async def found(database: Database, words: str, *, collection: str = "books") -> set[str]:
    rows = await ranked(database, words, collection=collection)
    return {str(row[0]).removeprefix("test") for row in rows}


@pytest_asyncio.fixture
async def store(database: Database, embedder: Embedder) -> AsyncIterator[Database]:
    await prepare(database, embedder.card)
    rows = [{"text": text, "paper": "0a9f"} for text in TEXTS]
    rows += [{"text": f"barnacle {'reef ' * n}", "paper": id_of(n)} for n in range(len(ID_ENDINGS))]
    await database.run_alone(WRITE, rows=rows, term=collection_term("books"))
    yield database
    await database.run_alone(CLEAR)
    await switch_analyzer(database, DEFAULT_ANALYZER, progress=silent)
    await database.run_alone(FORGET)


async def test_german_words_are_found_in_other_forms_by_the_german_analyzer_only(store: Database):
    assert await found(store, "Häusern") == set()

    await switch_analyzer(store, "german", progress=silent)

    assert await found(store, "Häusern") == {"Die Häuser der Stadt", "Ein Haus am Meer"}
    assert await found(store, "Häusern", collection="other") == set()


@pytest.mark.parametrize(("analyzer", "words"), [("english", "To be, or not to be"), ("german", "die der und")])
async def test_a_query_of_stop_words_only_finds_nothing(store: Database, analyzer: str, words: str):
    await switch_analyzer(store, analyzer, progress=silent)

    assert await found(store, words) == set()


async def test_every_analyzer_keeps_collections_apart_and_finds_whole_words(store: Database):
    available = {record["analyzer"] for record in await store.read(AVAILABLE)}
    assert set(ANALYZERS) <= available

    for analyzer in ANALYZERS:
        await switch_analyzer(store, analyzer, progress=silent)
        assert await found(store, "annealing") == {"Quantum annealing of 12 qubits"}, analyzer
        assert await found(store, "annealing", collection="other") == set(), analyzer


async def test_by_every_analyzer_a_paper_is_found_by_its_title_and_by_parts_of_its_words(store: Database):
    title = "Was zwischen Häusern während der Zeit nicht mit dem Quantencomputer geschah (0.9)"
    await store.run_alone(TITLED, title=title, term=collection_term("books"))
    missed = []
    for analyzer in ANALYZERS:
        await switch_analyzer(store, analyzer, progress=silent)
        for words, is_found in ((title, True), ("quanten 0.9", True), ("COMPUTER", True), ("quanten tide", False)):
            resolved = await resolve(store, Filter(words=(words,)), ("books",))
            if (resolved.passing.papers == Ids(frozenset(["titled"]))) is not is_found:
                missed.append((analyzer, words))
    await store.run_alone(UNTITLED)

    assert missed == []


async def test_every_analyzer_tells_papers_apart_and_gives_the_scores_that_it_gives_without_them(store: Database):
    for analyzer in ANALYZERS:
        await switch_analyzer(store, analyzer, progress=silent)
        every = await ranked(store, "barnacle reef")
        assert len(every) == len(ID_ENDINGS), analyzer
        for papers in ([id_of(0)], [id_of(1), id_of(2)], [id_of(n) for n in range(1, len(ID_ENDINGS))]):
            among = await ranked(store, "barnacle reef", papers=papers)
            assert among == [row for row in every if row[1] in papers], analyzer
        assert await ranked(store, id_of(0)) == [], analyzer


async def test_an_index_that_was_made_by_hand_with_another_analyzer_is_refused_and_mended_by_the_command(
    store: Database, embedder: Embedder
):
    dimension = embedder.card.dimension
    await switch_analyzer(store, "german", progress=silent)
    await check(store, dimension=dimension)
    for name in TEXT_INDEXES:
        await store.run_alone(cypher.load("schema/drop_index"), name=name)

    await restore(store, {VectorSlot.FIRST: dimension})

    assert await drift(store, {VectorSlot.FIRST: dimension}) == {}
    assert await analyzer_of(store) == "german"
    await store.run_alone(FORGET)
    with pytest.raises(SchemaError, match=r"chunk_text has options .*german"):
        await check(store, dimension=dimension)
    await switch_analyzer(store, "german", progress=silent)
    await check(store, dimension=dimension)


async def test_an_unknown_analyzer_is_refused_and_nothing_changes(store: Database):
    with pytest.raises(InputError, match="no analyzer keyword: choose one of arabic"):
        await switch_analyzer(store, "keyword", progress=silent)

    assert await analyzer_of(store) == DEFAULT_ANALYZER


async def test_german_highlights_mark_what_the_index_finds(store: Database):
    await switch_analyzer(store, "german", progress=silent)

    for word in ("Häusern", "Stadt", "Städte"):
        marked = {
            text for text in TEXTS if index_term(word, "german") in {term for *_, term in index_terms(text, "german")}
        }
        assert marked == await found(store, word), word
