"""Indexes are built again one after the other; searches, starts and repeated calls do not mind."""

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

import cypher
from ingest import compact as module
from ingest.compact import Compaction, compact
from ingest.doctor.check import Patient, query_find
from ingest.doctor.examine import examine
from ingest.reembed import lease
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import ConflictError, DeadlineError, IndexUnavailableError, ReembedError
from papergraph.local_neo4j import IndexFiles
from papergraph.neo4j_errors import Transaction
from papergraph.progress import silent
from papergraph.statement import Statement
from papergraph.store import Address
from papergraph.vector_slots import VectorSlot
from schema import migrate, model
from schema.digest import graph_digest
from schema.embedding_models import stored_models
from schema.indexes import quantization_of, waiting_indexes
from schema.migrate import check, drift, prepare, restore
from schema.reset import drop_schema
from schema.snapshot import finish
from server import store_operations
from server.answers.answer import answer
from server.answers.highlights import Highlighter
from server.answers.records import Answer
from server.answers.request import AskRequest, Mode
from server.graph.suggestions import suggest
from server.retrieval.request import SearchRequest
from server.retrieval.resources import Resources
from server.retrieval.search import SearchResult, search
from tests.support.command import Papergraph
from tests.support.embedders import QuickEmbedder
from tests.support.files import write
from tests.support.graphs import assert_healthy
from tests.support.ingestion import ingest, paper

pytestmark = pytest.mark.slow

FORGET = Statement(
    "test/forget", "MATCH (chosen:SchemaVersion) WHERE chosen.id IN ['vectors', 'compaction', 'reembed'] DELETE chosen"
)
NAMES = [index.name for index in (*model.FULLTEXT_INDEXES, *model.VECTOR_INDEXES)]


@pytest.fixture
def quick(embedder: Embedder) -> QuickEmbedder:
    return QuickEmbedder(embedder)


@pytest_asyncio.fixture
async def store(database: Database, quick: QuickEmbedder, tmp_path: Path) -> AsyncIterator[Database]:
    """Two papers; afterwards the indexes are what other tests expect."""
    await ingest(database, quick, [write(tmp_path / f"{name}.md", paper(name)) for name in ("Tides", "Winds")])
    yield database
    await database.run_alone(FORGET)
    broken = await drift(database, {VectorSlot.FIRST: quick.card.dimension})
    for name in broken:
        await database.run_alone(cypher.load("schema/drop_index"), name=name)
    if broken:
        await restore(database, {VectorSlot.FIRST: quick.card.dimension})


async def drop(database: Database, *names: str) -> None:
    """Do what a compaction has done when it is killed between the two statements of an index."""
    await database.run_alone(cypher.load("schema/note_compaction"), waiting=list(names))
    for name in names:
        await database.run_alone(cypher.load("schema/drop_index"), name=name)


async def ids(database: Database) -> dict[str, int]:
    return {record["name"]: record["id"] for record in await database.read(cypher.load("schema/indexes"))}


async def asked(database: Database, quick: QuickEmbedder, pipeline: str = "default") -> SearchResult:
    return await search(Resources.of(database, quick), SearchRequest("tides", pipeline=pipeline, k=10))


async def test_without_their_files_all_indexes_are_built_again_and_find_what_they_found(
    store: Database, quick: QuickEmbedder
):
    before, clean, found = await ids(store), await graph_digest(store), await asked(store, quick)

    report = await compact(store)

    after = await ids(store)
    assert sorted(one.name for one in report.indexes) == sorted(NAMES)
    assert all(after[name] != before[name] for name in NAMES)
    assert {name: after[name] for name in after.keys() - NAMES} == {
        name: before[name] for name in before.keys() - NAMES
    }
    assert (report.n_left, report.quantization) == (0, "none")
    assert {(one.segments_before, one.bytes_after) for one in report.indexes} == {(None, None)}
    assert (await graph_digest(store)).same_graph(clean)
    assert [hit.chunk.id for hit in (await asked(store, quick)).hits] == [hit.chunk.id for hit in found.hits] != []
    assert await waiting_indexes(store) == frozenset()
    await assert_healthy(store)


async def test_an_index_with_many_segments_is_built_again_and_the_others_are_left(store: Database):
    numbers = await ids(store)
    many, few = IndexFiles(4000, module.MOST_SEGMENTS + 1), IndexFiles(1000, module.MOST_SEGMENTS)

    def files() -> dict[int, IndexFiles]:
        return {number: many if name == "chunk_text" else few for name, number in numbers.items()}

    report = await compact(store, files=files)
    again = await compact(store, files=files)

    (built,) = report.indexes
    assert (built.name, built.segments_before, built.bytes_before, built.bytes_after) == (
        "chunk_text",
        module.MOST_SEGMENTS + 1,
        4000,
        None,
    )
    assert (report.n_left, again.n_left, again.indexes) == (len(NAMES) - 1, len(NAMES), ())
    assert len((await compact(store, files=files, force=True)).indexes) == len(NAMES)


async def test_a_quantization_is_remembered_by_the_store_and_builds_vector_indexes_alone(
    store: Database, quick: QuickEmbedder
):
    dimension = quick.card.dimension

    report = await compact(store, files=dict, quantization="scalar")

    assert sorted(one.name for one in report.indexes) == sorted(index.name for index in model.VECTOR_INDEXES)
    records = await store.read(cypher.load("schema/indexes"))
    assert {one["options"]["vector.quantization.type"] for one in records if one["type"] == "VECTOR"} == {"SCALAR"}
    assert await prepare(store, quick.card) == []
    assert (await asked(store, quick, "vector")).hits
    await store.run_alone(cypher.load("schema/drop_index"), name="entity")
    await restore(store, {VectorSlot.FIRST: dimension})
    assert await drift(store, {VectorSlot.FIRST: dimension}) == {}
    back = await compact(store, files=dict, quantization="none")
    assert (len(back.indexes), await quantization_of(store)) == (len(model.VECTOR_INDEXES), "none")
    assert (await compact(store, files=dict)).indexes == ()


async def test_a_quantization_can_be_chosen_before_the_first_ingestion(store: Database, quick: QuickEmbedder):
    await store.run_alone(Statement("test/all", "MATCH (n) DETACH DELETE n"))
    await drop_schema(store)

    await compact(store, files=dict, quantization="scalar")
    applied = await prepare(store, quick.card)

    assert applied == []
    records = await store.read(cypher.load("schema/indexes"))
    assert {one["options"]["vector.quantization.type"] for one in records if one["type"] == "VECTOR"} == {"SCALAR"}


async def test_an_unknown_quantization_is_refused(store: Database):
    with pytest.raises(ValueError, match="no quantization half: one of none, scalar, binary"):
        await compact(store, quantization="half")


@pytest.mark.writes_by_hand
async def test_what_was_interrupted_lets_processes_start_is_told_by_the_doctor_and_is_completed(
    store: Database, quick: QuickEmbedder
):
    await drop(store, "chunk_embedding", "name_text")

    assert await prepare(store, quick.card) == []
    await check(store, dimension=quick.card.dimension)
    (finding,) = (await examine(store)).findings
    assert (finding.check, [one.id for one in finding.examples]) == ("schema", ["name_text", "chunk_embedding"])
    assert "papergraph db compact is building it again, or was interrupted" in finding.examples[0].problem

    with pytest.raises(ConflictError, match=r"indexes chunk_embedding, name_text are .* run papergraph db compact"):
        await finish(store, collection=None, copied_at=datetime.now(UTC))

    report = await compact(store, files=dict)

    assert sorted(one.name for one in report.indexes) == ["chunk_embedding", "name_text"]
    await assert_healthy(store)


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

    asking = AskRequest("Who wrote the paper on tides?", SearchRequest(k=3), Mode.EXTRACTIVE, min_answerability=0.0)
    found = await answer(Resources.of(store, quick), asking)
    marked = await Highlighter(store, "tides").highlights("We study tides.", collection="main")

    assert isinstance(found, Answer)
    assert [one for one in found.warnings if "without the retrievers fulltext" in one]
    assert marked
    assert await suggest(store, "tid", collection="main") == []
    patient = Patient(store, models, None, is_new=False, drift={}, sample_from="")
    assert await query_find("fulltext_unreachable")(patient) == []


async def test_an_index_that_another_process_drops_meanwhile_is_an_error(store: Database, monkeypatch):
    async def lose(self: Compaction, name: str) -> None:
        await store.run_alone(cypher.load("schema/drop_index"), name=name)

    monkeypatch.setattr(Compaction, "_make", lose)

    with pytest.raises(ConflictError, match="was dropped while it was built; run papergraph db compact again"):
        await compact(store)

    assert await waiting_indexes(store) == frozenset(NAMES)


async def test_an_index_that_cannot_be_made_in_time_is_not_told_as_papers_that_are_written(
    store: Database, monkeypatch
):
    monkeypatch.setattr(migrate, "DDL_DEADLINE_S", 1e-6)

    with pytest.raises(DeadlineError):
        await compact(store)


async def test_the_analyzer_is_not_switched_meanwhile(store: Database, monkeypatch):
    monkeypatch.setattr(lease, "LEASE_WAIT_S", 0.0)
    login = store.login
    assert login is not None
    address = Address(login.uri, login.user, login.password, login.database, 8.0)

    async with lease.model_lease(store):
        with pytest.raises(ReembedError, match="fulltext switch or db compact works on this store"):
            await store_operations.switch_analyzer(address, "german", progress=silent)

    await store_operations.switch_analyzer(address, await migrate.analyzer_of(store), progress=silent)


async def test_papers_that_are_being_written_are_waited_for_and_not_for_ever(store: Database, monkeypatch):
    monkeypatch.setattr(module, "WRITERS_DEADLINE_S", 0.5)
    numbers = await ids(store)
    holding, release = asyncio.Event(), asyncio.Event()

    async def write_papers(transaction: Transaction) -> None:
        await transaction.run(cypher.load("ingest/hold_model"), gate="writers 3")
        holding.set()
        await release.wait()

    writer = asyncio.create_task(store.transact("test/writer", write_papers, deadline_s=60))
    await holding.wait()
    with pytest.raises(ConflictError, match=r"papers were written for 0\.5 s without a pause"):
        await compact(store)
    assert await ids(store) == numbers
    release.set()
    await writer

    monkeypatch.setattr(module, "WRITERS_DEADLINE_S", 60.0)
    assert len((await compact(store)).indexes) == len(NAMES)


async def test_papers_come_in_while_indexes_are_built_and_are_found(
    store: Database, quick: QuickEmbedder, tmp_path: Path
):
    later = [write(tmp_path / f"later/{n}.md", paper(f"Marmalade {n}")) for n in range(4)]

    report, brought = await asyncio.gather(compact(store), ingest(store, quick, later))

    assert (len(report.indexes), brought.failed) == (len(NAMES), ())
    found = await search(Resources.of(store, quick), SearchRequest("marmalade", pipeline="fulltext", k=10))
    assert {hit.paper.title for hit in found.hits} == {f"Marmalade {n}" for n in range(4)}
    await assert_healthy(store)


async def test_the_command_is_completed_after_kill_9(store: Database, papergraph: Papergraph):
    with papergraph.started("db", "compact", "--force") as started:
        while not await waiting_indexes(store):  # noqa: ASYNC110 another process writes them
            await asyncio.sleep(0.01)
        started.process.send_signal(signal.SIGKILL)
        started.process.wait()
    left = await waiting_indexes(store)

    done: subprocess.CompletedProcess[str] = await asyncio.to_thread(papergraph.process, "db", "compact", "--json")

    report = json.loads(done.stdout)
    assert (done.returncode, report["quantization"]) == (0, "none")
    assert left <= {one["name"] for one in report["indexes"]}
    assert await waiting_indexes(store) == frozenset()
    await assert_healthy(store)
