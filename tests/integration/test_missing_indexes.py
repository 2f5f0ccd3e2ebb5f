"""Searches, answers and pages while indexes are missing, as they are while they are built again."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import IndexUnavailableError, SchemaError
from papergraph.ingest import reembed
from papergraph.ingest.doctor import Patient, query_find
from papergraph.progress import silent
from papergraph.schema import migrate
from papergraph.schema.embedding_models import stored_models
from papergraph.schema.migrate import drift, restore
from papergraph.server.answers.answer import answer
from papergraph.server.answers.quotes import Highlighter
from papergraph.server.answers.records import Answer
from papergraph.server.answers.request import AskRequest, Mode
from papergraph.server.graph.suggestions import suggest
from papergraph.server.local import store_operations
from papergraph.server.papers.find import PaperQuery, find_papers
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import SearchResult, search
from papergraph.store import Address
from papergraph.vector_slots import VectorSlot
from tests.support.embedders import QuickEmbedder
from tests.support.files import write
from tests.support.ingestion import ingest, paper

pytestmark = [pytest.mark.slow, pytest.mark.stores]


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest_asyncio.fixture
async def store(database: Database, quick: QuickEmbedder, tmp_path: Path) -> AsyncIterator[Database]:
    """Two papers; afterwards the indexes are what other tests expect."""
    await ingest(database, quick, [write(tmp_path / f"{name}.md", paper(name)) for name in ("Tides", "Winds")])
    yield database
    if await drift(database, {VectorSlot.FIRST: quick.card.dimension}):
        await restore(database, {VectorSlot.FIRST: quick.card.dimension})


async def drop(database: Database, *names: str) -> None:
    for name in names:
        await database.run_alone(cypher.load("schema/drop_index"), name=name)


async def asked(database: Database, quick: QuickEmbedder, pipeline: str = "default") -> SearchResult:
    return await search(Resources.of(database, quick), SearchRequest("tides", pipeline=pipeline, k=10))


@pytest.mark.writes_by_hand
@pytest.mark.parametrize(
    ("pipeline", "dropped", "warning"),
    [
        ("default", ["chunk_embedding"], "without the retrievers vector, whose indexes are being built."),
        ("default", ["chunk_text"], "without the retrievers fulltext, whose indexes are being built."),
        ("vector", ["chunk_embedding"], "are being built; fulltext searched in their place."),
        ("fulltext", ["chunk_text"], "are being built; vector searched in their place."),
    ],
)
async def test_a_search_does_without_an_index_that_is_missing_and_says_so(
    store: Database, quick: QuickEmbedder, pipeline: str, dropped: list[str], warning: str
):
    await drop(store, *dropped)

    found = await asked(store, quick, pipeline)

    assert "Tides" in {hit.paper.title for hit in found.hits}
    assert [one for one in found.outcome.warnings if warning in one]


@pytest.mark.writes_by_hand
async def test_without_any_index_a_search_fails_as_unavailable(store: Database, quick: QuickEmbedder):
    await drop(store, "chunk_embedding", "chunk_text")

    with pytest.raises(IndexUnavailableError) as refused:
        await asked(store, quick, "fast")

    assert refused.value.code.value == "UNAVAILABLE"


@pytest.mark.writes_by_hand
async def test_answers_highlights_suggestions_and_the_doctor_do_without_full_text_indexes(
    store: Database, quick: QuickEmbedder
):
    models = await stored_models(store)
    await drop(store, "chunk_text", "name_text", "title_text")

    asking = AskRequest("Who wrote the paper on tides?", k=3, mode=Mode.EXTRACTIVE, min_answerability=0.0)
    found = await answer(Resources.of(store, quick), asking)
    marked = await Highlighter(store, "tides").highlights("We study tides.", collection="main")

    assert isinstance(found, Answer)
    assert [one for one in found.warnings if "without the retrievers fulltext" in one]
    assert marked
    assert await suggest(store, "tid", collection="main") == []
    with pytest.raises(IndexUnavailableError):
        await find_papers(store, PaperQuery("main", text="tides"))
    patient = Patient(store, models, None, is_new=False, drift={}, sample_from="")
    assert await query_find("fulltext_unreachable")(patient) == []


async def test_the_analyzer_is_not_switched_meanwhile(store: Database, monkeypatch):
    monkeypatch.setattr(reembed, "LEASE_WAIT_S", 0.0)
    login = store.login
    assert login is not None
    address = Address(login.uri, login.user, login.password, login.database, 8.0)

    async with reembed.model_lease(store):
        with pytest.raises(SchemaError, match="embeddings switch or fulltext switch works on this store"):
            await store_operations.switch_analyzer(address, "german", progress=silent)

    await store_operations.switch_analyzer(address, await migrate.analyzer_of(store), progress=silent)
