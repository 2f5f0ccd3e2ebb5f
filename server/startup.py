"""What commands work with, opened: the store, its embedding model, and what a service goes on with."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from papergraph.database import Database
from papergraph.embedding import DeferredModel, Embedder, find_model, load_model, weights_checksum
from papergraph.errors import EmbeddingError
from papergraph.language_model import LanguageModel
from papergraph.progress import Progress
from papergraph.settings import Settings
from papergraph.store import Address, cypher_address
from schema.migrate import prepare, refuse
from schema.stored_models import StoredModel, stored_models
from server.intake import Intake
from server.querying.desk import Desk
from server.retrieval.followed import FollowedModel
from server.retrieval.pipelines import find
from server.retrieval.resources import Resources, equipped
from server.service import Service
from server.upstream import Upstream


@asynccontextmanager
async def open_service(
    settings: Settings, address: Address, *, progress: Progress, deferred: bool = False, unchanged: bool = False
) -> AsyncIterator[Service]:
    """Open the database, load the model, and bring the store to this version's schema, unless it stays ``unchanged``.

    A ``deferred`` model is loaded when it is first used.

    Raises:
        DatabaseUnavailableError: Nothing answers at the address.
        SchemaError: The store is newer, of another model, or damaged.
        EmbeddingError: The model cannot be loaded.
    """
    async with await address.connect() as database:
        name = await _model_name(settings, database)

        def tell() -> None:
            progress.step(f"loading the embedding model {name}")

        embedder: Embedder
        if deferred:
            embedder = DeferredModel(name, on_load=tell)
        else:
            tell()
            embedder = await asyncio.to_thread(load_model, name)
        progress.step("checking the store's schema")
        if unchanged:
            await refuse(database, embedder.card)
        else:
            for migration in await prepare(database, embedder.card):
                progress.step(f"applied migration {migration}")
        yield Service(database, embedder)


@asynccontextmanager
async def following(service: Service, settings: Settings) -> AsyncIterator[Service]:
    """Give a service that goes over to another embedding model when its store does, with what the settings name."""
    followed = _followed(service, settings)
    async with equipped(settings, Resources(service.database, followed)) as resources, AsyncExitStack() as stack:
        desk = await stack.enter_async_context(desk_of(settings, service.database))
        if (upstream := Upstream.of(settings)) is not None:
            await stack.enter_async_context(upstream)
            find(upstream.pipeline, resources.pipelines)
        task = asyncio.create_task(followed.follow(service.database))
        try:
            yield replace(service, equipment=resources, intake=Intake.of(settings), upstream=upstream, desk=desk)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def equipping(service: Service, settings: Settings) -> AsyncIterator[Service]:
    """Give a service that searches with what the settings name; the store may go over to another model meanwhile."""
    async with equipped(settings, Resources(service.database, _followed(service, settings))) as resources:
        yield replace(service, equipment=resources)


def desk_of(settings: Settings, store: Database) -> Desk:
    """Return where researchers' queries run: on the copy that the settings name, else on the store itself.

    Raises:
        InputError: The password of the copy is not known.
    """
    address = cypher_address(settings)
    is_copy = address is not None
    if address is None and (login := store.login) is not None:
        address = Address(login.uri, login.user, login.password, login.database, settings.database_deadline_s)
    assert address is not None  # noqa: S101 for mypy; a store that was connected to has a login
    return Desk(address, at_once=settings.cypher_at_once, deadline_s=settings.cypher_deadline_s, is_copy=is_copy)


def _followed(service: Service, settings: Settings) -> FollowedModel:
    return FollowedModel(service.embedder, load=lambda stored: load_stored(settings, stored))


async def _model_name(settings: Settings, database: Database) -> str:
    """Return the model that is set, or, if none is, that of the store, if it has one."""
    if "embedding_model" in settings.model_fields_set:
        return settings.embedding_model
    active = (await stored_models(database)).active
    return active.name if active else settings.embedding_model


async def configured_checksum(settings: Settings, database: Database) -> str | None:
    """Return the checksum of the model that commands would work with; None if it is the store's and not here.

    Raises:
        EmbeddingError: The model that is set is not here.
    """
    name = await _model_name(settings, database)
    try:
        return await asyncio.to_thread(lambda: weights_checksum(find_model(name)))
    except EmbeddingError:
        if "embedding_model" in settings.model_fields_set:
            raise
        return None


def load_stored(settings: Settings, stored: StoredModel) -> Embedder:
    """Load a model that a store has vectors of, by the name it was given there, or as it is set here.

    Raises:
        EmbeddingError: Under neither name there is a model with these weights.
    """
    problems = []
    for name in dict.fromkeys((stored.name, settings.embedding_model)):
        try:
            if weights_checksum(find_model(name)) == stored.sha256:
                return load_model(name)
            problems.append(f"{name} has other weights")
        except EmbeddingError as error:
            problems.append(str(error))
    raise EmbeddingError("; ".join(problems))


@asynccontextmanager
async def language_model(settings: Settings) -> AsyncIterator[LanguageModel | None]:
    """Give the language model that the settings name, or None where they name none.

    Raises:
        InputError: Its address or key cannot be one.
        PromptError: A prompt of the user's folder cannot be used.
    """
    async with AsyncExitStack() as stack:
        named = settings.llm_url and settings.llm_model
        yield await stack.enter_async_context(LanguageModel.from_settings(settings)) if named else None
