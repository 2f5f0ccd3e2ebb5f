"""Embedding over HTTP: a store whose vectors a server makes, which may fail, or have another model tomorrow."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from papergraph.database import Database
from papergraph.embedding import Embedder, ServedModel, open_model
from papergraph.errors import InputError, ModelServerError, SchemaError
from papergraph.ingest.reembed import reembed
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.embedding_models import cards_of, stored_models
from papergraph.schema.migrate import prepare
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import rank
from papergraph.server.startup import configured_checksum, load_stored
from papergraph.settings import Settings
from papergraph.settings.groups import EmbeddingSettings
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer
from tests.support.embedders import ToyModel
from tests.support.fake_model_server import FakeModelServer, Fault
from tests.support.graphs import assert_healthy
from tests.support.ingestion import ingest, many, plan
from tests.support.reembedding import FULL_SPEED, restore_first, store_without_models

NAME = "some/model"
MODELS_OF_VECTORS = Statement(
    "test/models_of_vectors",
    "MATCH (n) WHERE n.embedding IS NOT NULL RETURN collect(DISTINCT n.embeddingModel) AS models, count(n) AS n",
)


@pytest.fixture
def models() -> Iterator[FakeModelServer]:
    with FakeModelServer(dimension=24) as running:
        yield running


@pytest.fixture
def settings(models: FakeModelServer, tmp_path: Path) -> Settings:
    embedding = EmbeddingSettings(url=models.url, model=NAME, attempts=2, timeout_s=60.0, price=2.0)
    return Settings(home=tmp_path, embedding=embedding)


@pytest_asyncio.fixture
async def store(neo4j_driver: AsyncDriver, neo4j_server: Neo4jServer, embedder: Embedder) -> AsyncIterator[Database]:
    async with store_without_models(neo4j_server, embedder) as database:
        yield database


async def opened(store: Database, settings: Settings) -> ServedModel:
    """Open the model as a command does."""
    model = open_model(settings.embedding, NAME, cards_of(await stored_models(store)))
    await restore_first(store, model)
    assert isinstance(model, ServedModel)
    return model


@pytest.mark.slow
async def test_papers_are_ingested_searched_and_known_again_with_a_served_model(
    store: Database, models: FakeModelServer, settings: Settings, tmp_path: Path
):
    model = await opened(store, settings)
    planned = await plan(store, model, many(tmp_path, 8), collection="main")

    report = await ingest(store, model, [tmp_path])

    assert len(report.items) == 8 and not report.failed
    assert planned.cost == pytest.approx(planned.tokens.value * 2e-6)
    checksum = await graph_checksum(store)
    again = open_model(settings.embedding, NAME, cards_of(await stored_models(store)))
    assert again.card.sha256 == model.card.sha256 == await configured_checksum(settings, store)
    models.requests.clear()
    assert not (await ingest(store, again, [tmp_path])).done.n_texts_embedded
    assert (await graph_checksum(store)).sha256 == checksum.sha256
    assert models.texts == []
    assert await rank(Resources.of(store, again), "Paper 3", pipeline="vector", k=3)
    await assert_healthy(store)


@pytest.mark.slow
async def test_a_model_that_changes_while_papers_come_in_is_refused_before_a_vector_of_it_is_stored(
    store: Database, models: FakeModelServer, settings: Settings, tmp_path: Path
):
    model = await opened(store, settings)
    await ingest(store, model, many(tmp_path / "before", 3))
    models.model = "second"

    with pytest.raises(ModelServerError, match="another model under the name"):
        await ingest(store, model, many(tmp_path / "after", 5))

    (found,) = await store.read(MODELS_OF_VECTORS)
    assert found["models"] == [model.card.sha256]
    with pytest.raises(SchemaError, match="embeddings switch some/model"):
        await prepare(store, open_model(settings.embedding, NAME, cards_of(await stored_models(store))).card)
    models.model = "first"
    report = await ingest(store, model, [tmp_path / "before", tmp_path / "after"])
    assert not report.failed
    await assert_healthy(store)


@pytest.mark.slow
async def test_what_was_acknowledged_before_the_server_broke_down_is_not_embedded_again(
    store: Database, models: FakeModelServer, settings: Settings, tmp_path: Path
):
    model = await opened(store, settings)
    paths = many(tmp_path, 40)
    n_requests = 0

    def fail_later(request: object) -> Fault | None:
        nonlocal n_requests
        n_requests += 1
        return Fault(status=503) if n_requests > 3 else None

    models.always = fail_later
    with pytest.raises(ModelServerError):
        await ingest(store, model, paths)
    stored = {text for text in models.texts if await _is_stored(store, text)}
    models.always = lambda request: None
    models.requests.clear()

    report = await ingest(store, model, paths)

    assert not report.failed
    assert stored and not stored & set(models.texts)
    await assert_healthy(store)


async def _is_stored(store: Database, text: str) -> bool:
    statement = Statement("test/stored", "MATCH (p:Paper) WHERE $text STARTS WITH p.title + '\n' RETURN count(p) AS n")
    (found,) = await store.read(statement, text=text)
    return bool(found["n"])


@pytest.mark.slow
async def test_a_store_goes_over_to_a_served_model_and_back(
    store: Database, models: FakeModelServer, settings: Settings, tmp_path: Path
):
    local = ToyModel("local", dimension=8)
    await restore_first(store, local)
    await ingest(store, local, many(tmp_path, 3))
    active = ActiveModel(local, load=lambda stored: load_stored(settings, stored))
    resources = Resources.of(store, active)

    await reembed(store, open_model(settings.embedding, NAME), pace=FULL_SPEED)
    async with asyncio.timeout(30):
        while active.searched.embedder.card.name != NAME:  # until it is loaded, the kept vectors are searched
            assert await rank(resources, "Paper 1", pipeline="vector", k=3)
            await asyncio.sleep(0.05)

    assert await rank(resources, "Paper 2", pipeline="vector", k=3)
    await assert_healthy(store)
    assert (await reembed(store, local, pace=FULL_SPEED)).switched
    assert (await stored_models(store)).active.name == "local"


def test_a_store_of_a_served_model_names_the_setting_where_no_server_is_set(
    models: FakeModelServer, settings: Settings
):
    card = open_model(settings.embedding, NAME).card
    without = settings.replace(embedding={"url": None})

    with pytest.raises(InputError, match="PAPERGRAPH_EMBEDDING_URL"):
        open_model(without.embedding, NAME, [card])
