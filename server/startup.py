"""Start of commands and servers: store, embedding model, and resources of a service."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.embedding import Embedder, model_checksum, open_model
from papergraph.errors import EmbeddingError, InputError
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.originals import Originals
from papergraph.language_model import LanguageModel
from papergraph.local_neo4j.state import kill_hanging, replica_is_used, states
from papergraph.progress import Progress
from papergraph.schema.archive.backup import take_restore_point
from papergraph.schema.embedding_models import StoredModel, StoredModels, cards_of, stored_models
from papergraph.schema.migrate import choose_quantization, prepare, refuse
from papergraph.server.operations.ingest import IngestService
from papergraph.server.operations.llm_proxy import LlmProxy
from papergraph.server.operations.service import Service
from papergraph.server.operations.zotero_access import ZoteroAccess
from papergraph.server.papers.regions import PageImages
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.pipelines import find, known_pipelines
from papergraph.server.retrieval.resources import Resources, equipped
from papergraph.server.user_cypher.runner import CypherDesk, CypherRunner
from papergraph.settings import Settings
from papergraph.shared_counters import Shared
from papergraph.store import Address, cypher_address, replica_address


@asynccontextmanager
async def open_service(
    settings: Settings, address: Address, *, progress: Progress, unchanged: bool = False
) -> AsyncIterator[Service]:
    """Open the database, load the model, and bring the store to this version's schema, unless it stays ``unchanged``.

    Raises:
        DatabaseUnavailableError: Nothing answers at the address.
        SchemaError: The store is newer, of another model, or damaged.
        EmbeddingError: The model cannot be loaded.
        ArchiveError: The backup before a migration failed.
    """
    async with await address.connect() as database:
        models = await stored_models(database)
        name = _model_name(settings, models)
        progress.step(f"loading the embedding model {name}")
        embedder = await asyncio.to_thread(open_model, settings.embedding, name, cards_of(models))
        progress.step("checking the store's schema")
        if unchanged:
            await refuse(database, embedder.card)
        else:
            if settings.backup.dir is not None:
                await take_restore_point(database, settings.backup.dir, progress=progress)
            await choose_quantization(database, settings.neo4j.quantization)
            for migration in await prepare(database, embedder.card):
                progress.step(f"applied migration {migration}")
        yield Service(database, embedder)


@asynccontextmanager
async def following(
    service: Service, settings: Settings, shared: Shared | None = None, *, is_kept: bool = False
) -> AsyncIterator[Service]:
    """Give a service that goes over to another embedding model when its store does, with what the settings name.

    Args:
        service: An open store and its model.
        settings: What they name.
        shared: What the processes of a server count together.
        is_kept: Whether local servers are started again when they have ended.
    """
    followed, pipelines = _followed(service, settings), known_pipelines(settings)
    images = PageImages.of(settings)
    found = Resources(service.database, followed, figure=images.for_model if images else None)
    async with equipped(settings, found) as resources, AsyncExitStack() as stack:
        desk = await stack.enter_async_context(desk_of(settings, service.database, shared, is_kept=is_kept))
        if (upstream := LlmProxy.of(settings)) is not None:
            await stack.enter_async_context(upstream)
            find(upstream.pipeline, pipelines)
        task = asyncio.create_task(followed.follow(service.database))
        try:
            yield replace(
                service,
                shared_resources=resources,
                intake=IngestService.of(settings),
                upstream=upstream,
                desk=desk,
                local_servers=partial(states, settings),
                backups=settings.backup.dir,
                zotero=ZoteroAccess.of(settings),
                pipelines=pipelines,
                enrichments=EnrichmentOptions.of(settings.enrichments, folder=settings.folder),
                originals=Originals.of(settings),
                page_images=images,
            )
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def equipping(service: Service, settings: Settings) -> AsyncIterator[Service]:
    """Give a service that searches with what the settings name; the store may go over to another model meanwhile."""
    images = PageImages.of(settings)
    found = Resources(service.database, _followed(service, settings), figure=images.for_model if images else None)
    async with equipped(settings, found) as resources:
        yield replace(service, shared_resources=resources, pipelines=known_pipelines(settings))


def desk_of(settings: Settings, store: Database, shared: Shared | None = None, *, is_kept: bool = False) -> CypherDesk:
    """Return where user-supplied Cypher runs.

    That is the Neo4j that the settings name for it. Without one, administrators query the store itself, other keys and
    agents the local replica.

    Args:
        settings: Which of these.
        store: The store.
        shared: Where the processes of a server count their queries together.
        is_kept: Whether local servers are started again when they have ended
        (:mod:`papergraph.server.process.kept_process`).

    Raises:
        InputError: The password of the replica is not known.
    """

    def runner(address: Address, home: Path | None, *, is_replica: bool) -> CypherRunner:
        return CypherRunner(
            address,
            at_once=settings.cypher.concurrency,
            deadline_s=settings.cypher.timeout_s,
            is_replica=is_replica,
            shared=shared,
            end_server=partial(kill_hanging, home) if is_kept and home else None,
        )

    replica = partial(runner, home=local_neo4j.replica_home(settings), is_replica=True)
    if (address := cypher_address(settings)) is not None:
        named = replica(address) if replica_is_used(settings) else runner(address, None, is_replica=True)
        return CypherDesk(named, find_replica=None, make_runner=replica)
    login = store.login
    assert login is not None  # noqa: S101 for mypy; a store that was connected to has a login
    home = settings.home if settings.neo4j.uri is None else None
    there = login.uri, login.user, login.password, login.database
    address = Address(*there, settings.neo4j.timeout_s, home=str(home) if home else None)
    of_store = runner(address, home, is_replica=False)
    return CypherDesk(of_store, find_replica=partial(replica_address, settings), make_runner=replica)


def _followed(service: Service, settings: Settings) -> ActiveModel:
    return ActiveModel(service.embedder, load=lambda stored: load_stored(settings, stored))


def _model_name(settings: Settings, models: StoredModels) -> str:
    """Return the model that is set, or, if none is, that of the store, if it has one.

    Raises:
        InputError: A server is set for a new store, and none of its models.
    """
    if "model" in settings.embedding.model_fields_set:
        return settings.embedding.model
    if models.active is not None:
        return models.active.name
    if settings.embedding.url is not None:
        raise InputError(
            f"PAPERGRAPH_EMBEDDING_MODEL must name the model at {settings.embedding.url} that a new store begins with",
            field="PAPERGRAPH_EMBEDDING_MODEL",
        )
    return settings.embedding.model


async def configured_checksum(settings: Settings, database: Database) -> str | None:
    """Return the checksum of the configured model; None if it is the store's model and is not installed.

    Raises:
        EmbeddingError: The configured model is missing.
    """
    models = await stored_models(database)
    name = _model_name(settings, models)
    try:
        return await asyncio.to_thread(model_checksum, settings.embedding, name, cards_of(models))
    except EmbeddingError:
        if "model" in settings.embedding.model_fields_set:
            raise
        return None


def load_stored(settings: Settings, stored: StoredModel) -> Embedder:
    """Load a model that a store has vectors of, by the name it was given there, or as it is set here.

    Raises:
        EmbeddingError: Under neither name there is this model.
    """
    problems = []
    for name in dict.fromkeys((stored.name, settings.embedding.model)):
        try:
            known = [replace(stored.card, name=name)]
            if model_checksum(settings.embedding, name, known) == stored.sha256:
                return open_model(settings.embedding, name, known)
            problems.append(f"{name} is another model" if stored.probes else f"{name} has other weights")
        except (EmbeddingError, InputError) as error:
            problems.append(str(error))
    raise EmbeddingError("; ".join(problems))


@asynccontextmanager
async def language_model(settings: Settings) -> AsyncIterator[LanguageModel | None]:
    """Open the configured language model; None without one.

    Raises:
        InputError: Its address or key is malformed.
        FileContentError: A prompt in the user's folder is invalid.
    """
    async with AsyncExitStack() as stack:
        named = settings.llm.url and settings.llm.model
        yield await stack.enter_async_context(LanguageModel.from_settings(settings)) if named else None
