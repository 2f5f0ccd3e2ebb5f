"""Another embedding model comes into use without a wrong answer on the way, and nothing is lost or left behind."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import EmbeddingError, ModelChangedError, QueryError, SchemaError
from papergraph.ingest import doctor
from papergraph.ingest import reembed as reembedding
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.doctor import examine, repair
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.prototypes.enrichment import Prototypes
from papergraph.ingest.enrichments.questions.enrichment import Questions
from papergraph.ingest.enrichments.questions.review import list_questions
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.reembed import drop_old, reembed, status
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.schema.embedding_models import State, StoredModel, stored_models
from papergraph.schema.migrate import check, drift, drop_vector_indexes, prepare
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.retrievers.prototype import questions_by_prototypes
from papergraph.server.retrieval.search import rank, search
from papergraph.statement import Statement
from papergraph.vector_slots import VECTOR_PROPERTIES, VectorSlot
from tests.pytest_neo4j import Neo4jServer
from tests.support.embedders import ToyModel
from tests.support.graphs import assert_healthy
from tests.support.ingestion import ingest
from tests.support.reembedding import FULL_SPEED, restore_first, without_models

pytestmark = pytest.mark.stores

SAMPLES = Path("ingest/samples")
THREE = ["leiden-topic-maps.md", "checkable-citations.md", "zero-noise-extrapolation.md"]
FORGET_MODELS = Statement("test/models", "MATCH (model:EmbeddingModel) DELETE model")
LEASE = Statement(
    "test/lease", "CREATE (:SchemaVersion {id: 'reembed', owner: 'dead', leaseUntil: datetime() + duration('PT1H')})"
)
END_LEASE = Statement("test/lease", "MATCH (lock:SchemaVersion {id: 'reembed'}) DELETE lock")
BESIDE = Statement(
    "test/beside",
    "MATCH (n) WHERE n.secondEmbedding IS NOT NULL OR n.secondEmbeddingModel IS NOT NULL OR "
    "n.secondEmbeddingHash IS NOT NULL RETURN count(n) AS n",
)
CHUNK_IDS = Statement(
    "test/chunks",
    "MATCH (chunk:Chunk) WHERE chunk.kind <> 'references' "  # those are not searched
    "RETURN chunk.id AS id, chunk.context AS context, chunk.text AS text",
)


@pytest.fixture(autouse=True)
def no_time_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else writes here, so there is nothing to wait for."""
    monkeypatch.setattr(doctor, "SECOND_LOOK_S", 0.0)
    monkeypatch.setattr(reembedding, "LEASE_WAIT_S", 0.3)
    monkeypatch.setattr(reembedding, "BARREN_PAUSE_S", 0.01)


@pytest.fixture
def small() -> ToyModel:
    return ToyModel("small", dimension=8)


@pytest.fixture
def large() -> ToyModel:
    return ToyModel("large", dimension=12)


@pytest_asyncio.fixture
async def store(
    neo4j_driver: AsyncDriver, neo4j_server: Neo4jServer, embedder: Embedder, small: ToyModel
) -> AsyncIterator[Database]:
    """A store of the small model with three papers; afterwards it is what other tests expect again."""
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await fill(database, small, THREE)
        yield database
        await without_models(database)
        await restore_first(database, embedder)


async def fill(database: Database, model: Embedder, names: Sequence[str]) -> GraphChecksum:
    """Make a store anew of sample papers, and return its checksum."""
    await without_models(database)
    await restore_first(database, model)
    await ingest(database, model, [SAMPLES / name for name in names])
    return await graph_checksum(database)


async def n_beside(database: Database) -> int:
    return int((await database.read(BESIDE))[0]["n"])


async def a_text(database: Database) -> tuple[str, str]:
    """Return a chunk's id and what its vector is made of: its own vector is the nearest to it in any toy model."""
    record = sorted(await database.read(CHUNK_IDS), key=lambda record: record["id"])[0]
    return record["id"], f"{record['context']}\n{record['text']}".lstrip("\n")


async def nearest(database: Database, model: Embedder | ActiveModel, text: str) -> tuple[str, float]:
    """Return the chunk that is nearest to a text, and its score."""
    best, *_ = await rank(Resources.of(database, model), text[:4000], pipeline="vector", k=3)
    return best.chunk_id, best.score


# The change


@pytest.mark.slow
async def test_a_store_with_another_model_is_what_one_ingested_with_it_would_be(
    store: Database, small: ToyModel, large: ToyModel
):
    report = await reembed(store, large, pace=FULL_SPEED)

    models = await stored_models(store)
    assert models.active is not None and models.other is not None
    assert (models.active.slot, models.active.dimension, models.active.name) == (VectorSlot.SECOND, 12, "large")
    assert (models.other.slot, models.other.state, models.other.name) == (VectorSlot.FIRST, State.KEPT, "small")
    assert (report.switched, report.n_made, report.status.n_missing) == (True, report.status.n_vectors, 0)
    beside = await graph_checksum(store)
    await assert_healthy(store)

    dropped = await drop_old(store, pace=FULL_SPEED)

    models = await stored_models(store)
    assert models.active is not None and models.other is None
    assert (models.active.slot, models.active.name) == (VectorSlot.FIRST, "large")
    assert dropped.n_deleted == 2 * report.n_made
    assert await n_beside(store) == 0
    await check(store, dimension=12)
    indexes = {record["name"] for record in await store.read(cypher.load("schema/indexes"))}
    assert not {name for name in indexes if name.startswith("second")}
    await assert_healthy(store)
    home = await graph_checksum(store)
    again = await ingest(store, large, [SAMPLES / name for name in THREE])
    assert [item.outcome for item in again.items] == [WriteOutcome.UNCHANGED] * 3

    clean = await fill(store, large, THREE)
    assert beside.same_graph(clean)
    assert home.same_graph(clean)


@pytest.mark.by_hand
async def test_what_enrichments_made_of_the_vectors_is_made_again_of_the_new_ones(
    store: Database, small: ToyModel, large: ToyModel
):
    enrichments = [Questions.of(None, generator="template"), Prototypes()]
    await enrich(store, enrichments, EnrichmentContext(small), collection="main")

    await reembed(store, large)
    unfit = await questions_by_prototypes(store, large, "What?", collections=("main",))
    report = await enrich(store, enrichments, EnrichmentContext(large), collection="main")

    question, *_ = await list_questions(store, "main")
    (hit,) = await questions_by_prototypes(store, large, question.text, collections=("main",), k=1, nprobe=1000)
    assert (unfit, report.n_due, hit.question_id) == ([], 0, question.id)
    assert report.counts["questions"]["n_compared"] == report.counts["questions"]["n_questions"] > 0
    assert report.counts["prototypes"]["question_trained"] == report.counts["prototypes"]["chunk_trained"] == 1


@pytest.mark.slow
async def test_searches_ask_for_the_new_vectors_only_once_they_are_in_use(
    store: Database, small: ToyModel, large: ToyModel
):
    id, text = await a_text(store)
    await reembed(store, large, pace=FULL_SPEED, switch=False)

    assert (await nearest(store, small, text)) == (id, pytest.approx(1.0, abs=1e-4))
    with pytest.raises(SchemaError, match="embeddings switch large"):
        await search(Resources.of(store, large), SearchRequest(text[:4000]))
    assert (await status(store)).n_missing == 0

    assert (await reembed(store, large, pace=FULL_SPEED)).n_made == 0
    assert (await nearest(store, large, text)) == (id, pytest.approx(1.0, abs=1e-4))
    with pytest.raises(SchemaError, match="embeddings switch small"):
        await search(Resources.of(store, small), SearchRequest(text[:4000]))
    with pytest.raises(SchemaError):
        await prepare(store, small.card)
    await prepare(store, large.card)


@pytest.mark.by_hand
async def test_texts_are_cleaned_and_read_as_their_papers_chunkers_say(
    store: Database, small: ToyModel, large: ToyModel, tmp_path: Path
):
    words = " ".join(f"word{number}" for number in range(400))
    (tmp_path / "long.md").write_text(f"# Long\n\nSee https://example.org/a. {words}.\n\n## More\n\n{words[::-1]}\n")
    options = ChunkOptions.choose("sentence", mask_urls=True)
    await ingest(store, small, [tmp_path], options=options)

    await reembed(store, large, pace=FULL_SPEED)

    checksum = await graph_checksum(store)
    await fill(store, large, THREE)
    await ingest(store, large, [tmp_path], options=options)
    assert checksum.same_graph(await graph_checksum(store))


@pytest.mark.by_hand
async def test_going_back_makes_what_came_in_since_and_needs_no_vector_twice(
    store: Database, small: ToyModel, large: ToyModel
):
    await reembed(store, large, pace=FULL_SPEED)
    await ingest(store, large, [SAMPLES / "hnsw-nearest-neighbour-search.md"])
    n_new = (await status(store)).n_missing
    before = small.n_texts

    report = await reembed(store, small, pace=FULL_SPEED)

    assert report.n_made == n_new > 0
    assert small.n_texts - before == n_new
    active = (await stored_models(store)).active
    assert active is not None
    assert (active.slot, active.name) == (VectorSlot.FIRST, "small")
    id, text = await a_text(store)
    assert (await nearest(store, small, text))[0] == id
    await drop_old(store, pace=FULL_SPEED)
    assert await n_beside(store) == 0
    checksum = await graph_checksum(store)
    assert checksum.same_graph(await fill(store, small, [*THREE, "hnsw-nearest-neighbour-search.md"]))


@pytest.mark.by_hand
async def test_a_call_that_fails_is_resumed_where_it_stopped(store: Database, large: ToyModel):
    def fail(texts: Sequence[str]) -> None:
        if broken.n_texts:
            raise EmbeddingError("out of luck")

    broken = ToyModel("large", dimension=12, before=fail)
    with pytest.raises(EmbeddingError, match="luck"):
        await reembed(store, broken, pace=FULL_SPEED)
    await assert_healthy(store)
    half = await status(store)
    assert 0 < half.n_missing < half.n_vectors

    report = await reembed(store, large, pace=FULL_SPEED)

    assert report.n_made == half.n_missing
    assert large.n_texts < half.n_vectors - broken.n_texts
    checksum = await graph_checksum(store)
    assert checksum.same_graph(await fill(store, large, THREE))


@pytest.mark.by_hand
async def test_a_deletion_that_is_cut_short_at_any_point_is_resumed(
    store: Database, large: ToyModel, monkeypatch: pytest.MonkeyPatch
):
    await reembed(store, large, pace=FULL_SPEED)
    run_alone = Database.run_alone
    left = 0

    async def cut(database: Database, statement: Statement, **arguments: Any) -> Any:
        nonlocal left
        if "lease" not in statement.name:
            left -= 1
            if left == 0:
                raise QueryError(statement.name, "cut short")
        return await run_alone(database, statement, **arguments)

    for n_calls in (2, 9, 12, 20, 25, 30):  # into the deletion, the copies and the second deletion
        left = n_calls
        with monkeypatch.context() as patch, suppress(QueryError):
            patch.setattr(Database, "run_alone", cut)
            await drop_old(store, pace=FULL_SPEED)
        await assert_healthy(store)
    await drop_old(store, pace=FULL_SPEED)

    assert (await stored_models(store)).other is None
    checksum = await graph_checksum(store)
    assert await n_beside(store) == 0
    assert checksum.same_graph(await fill(store, large, THREE))


# Papers that come in meanwhile


@pytest.mark.slow
async def test_papers_that_come_change_and_go_meanwhile_are_caught_up(store: Database, small: ToyModel, tmp_path: Path):
    loop, changed = asyncio.get_running_loop(), False
    for name in THREE[1:]:
        (tmp_path / name).write_text((SAMPLES / name).read_text())
    await ingest(store, small, [tmp_path])

    async def change() -> None:
        (tmp_path / THREE[1]).write_text((SAMPLES / THREE[1]).read_text().replace("\n\n", "\n\nAnd now this.\n\n", 3))
        await ingest(store, small, [tmp_path, SAMPLES / "maximal-marginal-relevance.md"])

    def meanwhile(texts: Sequence[str]) -> None:
        nonlocal changed
        if large.n_texts and not changed:
            changed = True
            asyncio.run_coroutine_threadsafe(change(), loop).result(60)

    large = ToyModel("large", dimension=12, before=meanwhile)

    await reembed(store, large, pace=FULL_SPEED)

    assert changed
    await assert_healthy(store)
    checksum = await graph_checksum(store)
    await without_models(store)
    await restore_first(store, large)
    await ingest(store, large, [SAMPLES / name for name in THREE])
    await ingest(store, large, [tmp_path, SAMPLES / "maximal-marginal-relevance.md"])
    assert checksum.same_graph(await graph_checksum(store))


@pytest.mark.slow
async def test_the_change_waits_for_papers_on_their_way_and_those_that_come_too_late_are_refused(
    store: Database, small: ToyModel, large: ToyModel
):
    await reembed(store, large, pace=FULL_SPEED, switch=False)
    async with store.driver.session(database=store.name) as session:
        transaction = await session.begin_transaction()
        await (await transaction.run(cypher.load("ingest/hold_model").text, gate="writers 3")).consume()
        changing = asyncio.create_task(reembed(store, large, pace=FULL_SPEED))
        done, _ = await asyncio.wait({changing}, timeout=0.5)
        assert not done
        await (await transaction.run("MATCH (c:Chunk) WITH c LIMIT 1 REMOVE c.secondEmbeddingModel")).consume()
        await transaction.commit()
    report = await changing

    assert (report.switched, report.n_made) == (True, 1)
    with pytest.raises(ModelChangedError, match="large"):
        await ingest(store, small, [SAMPLES / "hnsw-nearest-neighbour-search.md"])
    assert (await status(store)).n_vectors == report.status.n_vectors
    await assert_healthy(store)


# A server that goes on


class Shelf:
    """Models that can be loaded, and what happens on the way."""

    def __init__(self, *models: ToyModel) -> None:
        self.models = {model.card.sha256: model for model in models}
        self.ready = asyncio.Event()
        self.ready.set()
        self.loop = asyncio.get_running_loop()

    def load(self, stored: StoredModel) -> Embedder:
        asyncio.run_coroutine_threadsafe(self.ready.wait(), self.loop).result(30)
        if stored.sha256 not in self.models:
            raise EmbeddingError(f"there is no {stored.name} here")
        return self.models[stored.sha256]


@pytest.mark.slow
async def test_a_server_notices_the_change_and_every_change_after_it(store: Database, small: ToyModel, large: ToyModel):
    id, text = await a_text(store)
    followed = ActiveModel(small, load=Shelf(large).load)
    for model in (large, small, large):
        assert await nearest(store, followed, text) == (id, pytest.approx(1.0, abs=1e-4))
        await reembed(store, model, pace=FULL_SPEED)
        assert await eventually_uses(store, followed, model, text) == (id, pytest.approx(1.0, abs=1e-4))
    await drop_old(store, pace=FULL_SPEED)

    assert await nearest(store, followed, text) == (id, pytest.approx(1.0, abs=1e-4))
    assert followed.searched.embedder is large
    assert followed.searched.slot is VectorSlot.FIRST


async def eventually_uses(store: Database, followed: ActiveModel, model: ToyModel, text: str) -> tuple[str, float]:
    async with asyncio.timeout(10):
        while True:
            found = await nearest(store, followed, text)
            if followed.searched.embedder is model:
                return found


@pytest.mark.by_hand
async def test_while_the_new_model_is_loaded_the_old_one_answers_and_a_model_that_is_ready_is_used_at_once(
    store: Database, small: ToyModel, large: ToyModel
):
    id, text = await a_text(store)
    shelf = Shelf(large)
    shelf.ready.clear()
    slow, early = ActiveModel(small, load=shelf.load), ActiveModel(small, load=Shelf(large).load)
    await reembed(store, large, pace=FULL_SPEED, switch=False)
    following = asyncio.create_task(early.follow(store, poll_s=0.02))
    await asyncio.sleep(0.3)
    await reembed(store, large, pace=FULL_SPEED)

    assert await nearest(store, early, text) == (id, pytest.approx(1.0, abs=1e-4))
    assert early.searched.embedder is large
    for _ in range(2):
        assert await nearest(store, slow, text) == (id, pytest.approx(1.0, abs=1e-4))
        assert (slow.searched.embedder, slow.searched.state) == (small, State.KEPT)
    shelf.ready.set()
    assert (await eventually_uses(store, slow, large, text))[0] == id
    following.cancel()


@pytest.mark.by_hand
async def test_a_server_that_cannot_load_the_model_searches_what_is_kept_and_then_says_what_to_do(
    store: Database, small: ToyModel, large: ToyModel
):
    _, text = await a_text(store)
    followed = ActiveModel(small, load=Shelf().load)
    await reembed(store, large, pace=FULL_SPEED)
    for _ in range(5):
        assert (await nearest(store, followed, text))[1] == pytest.approx(1.0, abs=1e-4)
        await asyncio.sleep(0.01)
    assert (followed.searched.embedder, followed.searched.state) == (small, State.KEPT)

    await drop_old(store, pace=FULL_SPEED)
    with pytest.raises(EmbeddingError, match=r"large.*there is no large here.*embeddings rollback"):
        await nearest(store, followed, text)

    await reembed(store, small, pace=FULL_SPEED)
    assert (await nearest(store, followed, text))[1] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.by_hand
async def test_no_search_fails_or_mixes_models_while_they_are_changed_to_and_fro(
    store: Database, small: ToyModel, large: ToyModel
):
    id, text = await a_text(store)
    followed = ActiveModel(small, load=Shelf(small, large).load)
    following = asyncio.create_task(followed.follow(store, poll_s=0.02))
    answers: list[tuple[str, float]] = []

    async def client() -> None:
        while True:
            answers.append(await nearest(store, followed, text))

    clients = [asyncio.create_task(client()) for _ in range(4)]
    await reembed(store, large, pace=FULL_SPEED)
    await drop_old(store, pace=FULL_SPEED)
    await reembed(store, small, pace=FULL_SPEED)
    await reembed(store, large, pace=FULL_SPEED)
    await drop_old(store, pace=FULL_SPEED)
    for task in (*clients, following):
        assert not task.done(), task.exception()
        task.cancel()
    await asyncio.gather(*clients, following, return_exceptions=True)

    assert len(answers) > 20
    assert {chunk_id for chunk_id, _ in answers} == {id}
    assert min(score for _, score in answers) == pytest.approx(1.0, abs=1e-4)


# What is refused


@pytest.mark.by_hand
async def test_a_third_model_has_to_wait_until_the_vectors_beside_are_deleted(
    store: Database, small: ToyModel, large: ToyModel
):
    third = ToyModel("third", dimension=4)
    await reembed(store, large, pace=FULL_SPEED, switch=False)
    with pytest.raises(SchemaError, match=r"large.*not complete.*embeddings switch large.*embeddings prune"):
        await reembed(store, third, pace=FULL_SPEED)

    await reembed(store, large, pace=FULL_SPEED)
    with pytest.raises(SchemaError, match=r"small.*kept.*embeddings rollback.*embeddings prune"):
        await reembed(store, third, pace=FULL_SPEED)
    await drop_old(store, pace=FULL_SPEED)
    await reembed(store, third, pace=FULL_SPEED)

    active = (await stored_models(store)).active
    assert active is not None
    assert active.name == "third"
    await assert_healthy(store)


@pytest.mark.slow
async def test_a_process_that_slept_longer_than_its_lease_changes_nothing_more(store: Database, large: ToyModel):
    """It believes that the small model is in use still, and large's vectors are to be made or deleted beside it."""
    await reembed(store, large, pace=FULL_SPEED)
    before, models = await graph_checksum(store), await stored_models(store)
    beside = {name: cypher.load(f"reembed/{name}") for name in ("delete_vectors", "copy_vectors", "write_vectors")}
    (node,) = await store.read(
        Statement("test/node", "MATCH (c:Chunk) RETURN elementId(c) AS node, c.id AS id LIMIT 1")
    )
    row = {**node.data(), "seen": "", "hash": "", "vector": [1.0] * 12}
    card = large.card
    pages = [
        await store.run_alone(beside["delete_vectors"], after="", n_vectors=9),
        await store.run_alone(beside["copy_vectors"], after="", n_vectors=9, sha256=card.sha256),
        await store.run_alone(beside["write_vectors"], rows=[row], sha256=card.sha256),
    ]
    await store.run_alone(cypher.load("reembed/forget_model"))
    with pytest.raises(SchemaError, match="another process changed"):
        await reembedding._record(store, VectorSlot.FIRST, card, State.DROPPING)
    with pytest.raises(SchemaError, match="another process changed"):
        await reembedding._switch(store, VectorSlot.FIRST, card)

    assert [page["n"] for (page,) in pages] == [0, 0, 0]
    assert await stored_models(store) == models
    assert (await graph_checksum(store)).same_graph(before)


@pytest.mark.slow
async def test_what_is_in_use_another_processs_or_too_long_is_left_alone(
    store: Database, small: ToyModel, large: ToyModel
):
    before = await graph_checksum(store)

    same = await reembed(store, small, pace=FULL_SPEED)
    with pytest.raises(SchemaError, match="4096 dimensions at most"):
        await reembed(store, ToyModel("huge", dimension=4097))
    await store.run_alone(LEASE)
    with pytest.raises(SchemaError, match="another papergraph embeddings switch"):
        await reembed(store, large, pace=FULL_SPEED)
    await store.run_alone(END_LEASE)

    assert (same.n_made, same.switched, same.status.other) == (0, False, None)
    assert (await status(store)).other is None
    assert (await graph_checksum(store)).same_graph(before)


@pytest.mark.by_hand
async def test_a_node_without_an_id_that_has_a_vector_is_told(store: Database, large: ToyModel):
    before = (await status(store)).active
    await store.run_alone(
        Statement(
            "test/cluster",
            "MATCH (c:Chunk) WITH c LIMIT 1 CREATE (n:Cluster {name: 'zz'}) SET n.embedding = c.embedding",
        )
    )
    with pytest.raises(SchemaError, match="1 vectors cannot be made"):
        await reembed(store, large, pace=FULL_SPEED)

    assert (await status(store)).active == before
    await store.run_alone(Statement("test/cluster", "MATCH (n:Cluster {name: 'zz'}) DELETE n"))


# The doctor


@pytest.mark.by_hand
@pytest.mark.writes_by_hand
@pytest.mark.parametrize(
    ("sabotage", "seen"),
    [
        ("SET chunk.secondEmbedding = [1.0]", "beside_embedding_length"),
        ("SET chunk.secondEmbedding = [x IN chunk.secondEmbedding | 2 * x]", "beside_embedding_norm"),
        ("SET chunk.secondEmbeddingModel = 'other'", "beside_embedding_model"),
        ("REMOVE chunk.secondEmbeddingHash", "beside_embedding_model"),
    ],
)
async def test_a_fault_beside_the_vectors_in_use_is_seen_and_made_again(
    store: Database, large: ToyModel, sabotage: str, seen: str
):
    await reembed(store, large, pace=FULL_SPEED, switch=False)
    await store.run_alone(
        Statement("test/sabotage", f"MATCH (chunk:Chunk) WITH chunk ORDER BY chunk.id LIMIT 1 {sabotage}")
    )
    assert {finding.check for finding in (await examine(store)).findings} == {seen}

    assert (await repair(store)).healthy

    assert (await reembed(store, large, pace=FULL_SPEED)).n_made == 1
    await assert_healthy(store)


@pytest.mark.by_hand
async def test_the_doctor_tells_of_both_models_and_makes_missing_indexes_of_both_again(
    store: Database, large: ToyModel
):
    await reembed(store, large, pace=FULL_SPEED, switch=False)
    await drop_vector_indexes(store, VectorSlot.SECOND)
    await store.run_alone(cypher.load("schema/drop_index"), name="chunk_embedding")
    report = await examine(store)
    assert report.store.models.other is not None
    assert (report.store.models.other.name, report.store.models.other.state) == ("large", State.FILLING)
    assert [finding.check for finding in report.findings] == ["schema"]
    assert report.findings[0].n == 7

    assert (await repair(store)).healthy

    assert await drift(store, {VectorSlot.FIRST: 8, VectorSlot.SECOND: 12}) == {}


# Names


@pytest.mark.by_hand
async def test_both_places_explain_without_a_complaint(store: Database, large: ToyModel):
    await reembed(store, large, pace=FULL_SPEED, switch=False)
    asked = {"query_vector": [0.1] * 12, "model": "x", "state": "active", "collection": "main", "kinds": [], "k": 1}
    for name in cypher.names():
        if not cypher.describe(cypher.load(name)).slots:
            continue
        for slot in VectorSlot:
            statement = cypher.load(name, slot)
            parameters = {used: asked.get(used) for used in cypher.parameters_used(statement)}
            result = await store.driver.execute_query("EXPLAIN " + statement.text, parameters, database_=store.name)
            assert result.summary.plan is not None, name
            assert not [told for told in result.summary.summary_notifications if "PropertyKey" in (told.code or "")], (
                name
            )
            told = str(result.summary.plan)
            if "VECTOR INDEX" in statement.text:
                assert re.search(rf"\b{slot.called('chunk_embedding')}\b", told)


@pytest.mark.by_hand
async def test_no_vector_is_handed_out_with_a_node(store: Database, small: ToyModel, large: ToyModel):
    await reembed(store, large, pace=FULL_SPEED)
    id, text = await a_text(store)

    (passage,) = await store.read(cypher.load("retrieval/passages"), chunk_ids=[id])
    (node,) = await store.read(cypher.load("graph/nodes"), ids=[id])

    for properties in (passage["chunk"], passage["paper"], node["node"]):
        assert properties["embedding"] is properties["secondEmbedding"] is None
        assert set(VECTOR_PROPERTIES[1:]) <= properties.keys()
    hits = (await search(Resources.of(store, large), SearchRequest(text[:4000], k=1))).hits
    assert hits[0].chunk.id == id
