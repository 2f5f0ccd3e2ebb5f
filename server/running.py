"""What the commands do, once it is known which Neo4j they work with."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import ingest.plan
import ingest.run
from ingest import doctor as doctors
from ingest import reembed as reembedding
from ingest.budget import Budget
from ingest.chunk import ChunkOptions
from ingest.cluster import Cluster
from ingest.crew import Crew, Processes
from ingest.jobs import Job
from ingest.parsed import ParsedDocuments
from ingest.plan import Plan
from ingest.reembed import Pace
from ingest.run import Report
from ingest.sources import PdfService, Spec, Web
from papergraph.database import Database
from papergraph.embedding import DeferredModel, Embedder, find_model, load_model, weights_checksum
from papergraph.errors import EmbeddingError, ReembedError
from papergraph.language_model import LanguageModel
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from papergraph.store import Address, cypher_address
from schema.digest import GraphDigest, graph_digest
from schema.migrate import prepare, refuse
from schema.stored_models import State, StoredModel, stored_models
from server.access.policy import Policy, refuse_without_keys
from server.access.spending import Spending
from server.announcement import Announcement, announced
from server.asking import SEARCH, ask_server, data_of
from server.graphql.context import Context
from server.graphql.rules import Rules
from server.graphql.schema import schema
from server.intake import Intake
from server.listening import url_of
from server.mcp.stdio import stdio_server
from server.querying.desk import Desk
from server.retrieval import saving
from server.retrieval.export import WholePaper, whole_paper
from server.retrieval.followed import FollowedModel
from server.retrieval.pipelines import find
from server.retrieval.resources import Resources, equipped
from server.retrieval.saving import SavedRun
from server.selection.kernels import compile_all
from server.service import Service
from server.serving import listen, serving, telling_metrics
from server.terminal import TerminalProgress, write_hits, write_report
from server.upstream import Upstream

T = TypeVar("T")
SAMPLES = Path(ingest.__file__).parent / "samples"
LOW_PRIORITY = 10
"""Niceness of a process that makes vectors beside searches."""


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
    return FollowedModel(service.embedder, load=lambda stored: _load_stored(settings, stored))


async def _model_name(settings: Settings, database: Database) -> str:
    """Return the model that is set, or, if none is, that of the store, if it has one."""
    if "embedding_model" in settings.model_fields_set:
        return settings.embedding_model
    active = (await stored_models(database)).active
    return active.name if active else settings.embedding_model


async def _configured_checksum(settings: Settings, database: Database) -> str | None:
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


def _load_stored(settings: Settings, stored: StoredModel) -> Embedder:
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


async def run(settings: Settings, address: Address, *, query: str, once: bool, progress: TerminalProgress) -> None:
    """Load the samples, serve, show the addresses and one search over HTTP; then stop, or serve until told to stop.

    Raises:
        InputError: The address must not be listened on.
        PapergraphError: What :func:`open_service` raises, and what the search does.
    """
    policy, rules = Policy.of(settings), Rules.of(settings)
    async with open_service(settings, address, progress=progress) as service:
        progress.step(f"loading the sample papers in {SAMPLES}")
        report = await ingest.run.ingest(service.database, service.embedder, [SAMPLES], progress=progress)
        await refuse_without_keys(settings.host, policy, service.database)
        await _compile_solver(progress)
        next_free = "port" not in settings.model_fields_set
        with listen(settings.host, settings.port, next_free=next_free, policy=policy) as sock:
            url = url_of(sock)
            telling, opening = telling_metrics(settings, service.database), following(service, settings)
            async with telling, opening as followed, serving(followed, sock, policy, rules) as server:
                progress.pause()
                write_report(report)
                _announce(url, address, settings)
                _say(f'\n$ papergraph search "{query}" -k 3')
                variables = {"input": {"query": query, "k": 3}}
                key = settings.key.get_secret_value()
                answer = await asyncio.to_thread(ask_server, url, SEARCH, variables, key=key)
                write_hits(answer["search"]["hits"])
                if not once:
                    await _until_stopped(server, url, settings)


async def _compile_solver(progress: Progress) -> None:
    """Compile the solver before the first selection, which could not wait for it; quick where it was done once."""
    progress.step("compiling the solver")
    await asyncio.to_thread(compile_all)


async def serve(
    settings: Settings, address: Address, sock: socket.socket, *, host: str, progress: TerminalProgress
) -> None:
    """Serve until told to stop.

    Raises:
        InputError: Others reach the address, and no key is valid.
        PapergraphError: What :func:`open_service` raises.
    """
    policy, rules = Policy.of(settings), Rules.of(settings)
    async with open_service(settings, address, progress=progress) as service:
        await refuse_without_keys(host, policy, service.database)
        await _compile_solver(progress)
        telling, opening = telling_metrics(settings, service.database), following(service, settings)
        async with telling, opening as followed, serving(followed, sock, policy, rules) as server:
            progress.pause()
            _announce(url_of(sock), address, settings)
            await _until_stopped(server, url_of(sock), settings)


async def ingest_papers(
    settings: Settings,
    address: Address,
    specs: Sequence[Spec],
    *,
    collection: str,
    options: ChunkOptions,
    pdf_by: PdfService | None,
    dask: str | None,
    budget: Budget | None,
    progress: Progress,
) -> Report:
    """Bring papers into a collection; see :func:`ingest.run.ingest`."""
    opening = open_service(settings, address, progress=progress, deferred=True)
    async with opening as service, _crew(settings, dask) as crew:
        return await ingest.run.ingest(
            service.database,
            service.embedder,
            specs,
            collection=collection,
            options=options,
            max_bytes=settings.max_file_bytes,
            web=Web.opened(settings),
            pdf_by=pdf_by,
            crew=crew,
            budget=budget,
            parsed=_parsed(settings),
            progress=progress,
        )


async def plan(
    settings: Settings,
    address: Address,
    specs: Sequence[Spec],
    *,
    collection: str,
    options: ChunkOptions,
    pdf_by: PdfService | None,
    progress: Progress,
) -> Plan:
    """Say what bringing papers into a collection would take; see :func:`ingest.plan.plan`."""
    async with open_service(settings, address, progress=progress, deferred=True, unchanged=True) as service:
        return await ingest.plan.plan(
            service.database,
            service.embedder,
            specs,
            collection=collection,
            options=options,
            max_bytes=settings.max_file_bytes,
            web=Web.opened(settings),
            pdf_by=pdf_by,
            parsed=_parsed(settings),
            progress=progress,
        )


async def enqueue(
    settings: Settings,
    address: Address,
    specs: Sequence[Spec],
    *,
    collection: str,
    options: ChunkOptions,
    pdf_by: PdfService | None,
) -> Job:
    """Open a job for ``papergraph worker``; see :func:`ingest.run.enqueue`."""
    async with open_service(settings, address, progress=silent, deferred=True) as service:
        return await ingest.run.enqueue(
            service.database,
            service.embedder,
            specs,
            collection=collection,
            options=options,
            max_bytes=settings.max_file_bytes,
            web=Web.opened(settings),
            pdf_by=pdf_by,
        )


async def work(settings: Settings, address: Address, *, once: bool, dask: str | None, progress: Progress) -> int:
    """Work off queued jobs; see :func:`ingest.run.work`."""
    opening = open_service(settings, address, progress=progress, deferred=True)
    telling = telling_metrics(settings)
    async with telling, language_model(settings) as model, opening as service, _crew(settings, dask) as crew:
        return await ingest.run.work(
            service.database,
            service.embedder,
            once=once,
            web=Web.opened(settings),
            crew=crew,
            parsed=_parsed(settings),
            model=model,
            progress=progress,
        )


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


def _parsed(settings: Settings) -> ParsedDocuments | None:
    return ParsedDocuments(settings.cache / "parsed", settings.parsed_bytes) if settings.parsed_bytes else None


@asynccontextmanager
async def _crew(settings: Settings, dask: str | None) -> AsyncIterator[Crew | None]:
    if dask is None and settings.processes == 0:
        yield None
        return
    crew: Crew = Processes(settings.processes) if dask is None else await Cluster.connect(dask)
    try:
        yield crew
    finally:
        await crew.close()


async def with_database(address: Address, do: Callable[[Database], Awaitable[T]]) -> T:
    """Open the database and do something with it."""
    async with await address.connect() as database:
        return await do(database)


async def delete_papers(address: Address, names: Sequence[str], *, collection: str) -> list[str]:
    """Delete papers from a collection; see :func:`ingest.run.delete`."""
    async with await address.connect() as database:
        return await ingest.run.delete(database, names, collection=collection)


async def export_paper(address: Address, name: str, *, collection: str) -> WholePaper:
    """Read a whole paper; see :func:`server.retrieval.export.whole_paper`."""
    async with await address.connect() as database:
        return await whole_paper(database, name, collection=collection)


async def execute(
    settings: Settings, address: Address, operation: str, variables: Mapping[str, Any], *, progress: Progress
) -> dict[str, Any]:
    """Run a GraphQL operation in this process and return its data."""
    async with open_service(settings, address, progress=progress) as service:
        followed = _followed(service, settings)  # the model may change right now
        async with equipped(settings, Resources(service.database, followed)) as resources:
            context = Context(replace(service, equipment=resources), Rules())
            result = await schema.execute(operation, variable_values=dict(variables), context_value=context)
        return data_of(result.data, [error.formatted for error in result.errors or []])


async def follow(
    settings: Settings,
    address: Address,
    operation: str,
    variables: Mapping[str, Any],
    *,
    take: Callable[[dict[str, Any]], None],
    progress: Progress,
) -> None:
    """Follow a GraphQL subscription in this process; ``take`` is given the data of each event."""
    async with open_service(settings, address, progress=progress) as service:
        followed = _followed(service, settings)
        async with equipped(settings, Resources(service.database, followed)) as resources:
            spending = Spending(service.database, Policy.of(settings))
            context = Context(replace(service, equipment=resources), Rules(), spending=spending)
            results = await schema.subscribe(operation, variable_values=dict(variables), context_value=context)
            async with aclosing(results) as events:
                async for result in events:
                    take(data_of(result.data, [error.formatted for error in result.errors or []]))


async def serve_stdio(settings: Settings, address: Address, *, progress: TerminalProgress) -> None:
    """Speak MCP over standard input and output until the input ends.

    Raises:
        PapergraphError: What :func:`open_service` raises.
    """
    async with open_service(settings, address, progress=progress) as service, following(service, settings) as followed:
        await _compile_solver(progress)
        progress.pause()
        await stdio_server(followed, Policy.of(settings), Rules.of(settings).max_cost).run_stdio_async()


async def replay(settings: Settings, address: Address, run: SavedRun, *, progress: Progress) -> list[str]:
    """Run a saved search again and return what is different; see :func:`server.retrieval.saving.replay`."""
    async with open_service(settings, address, progress=progress) as service:
        followed = _followed(service, settings)
        async with equipped(settings, Resources(service.database, followed)) as resources:
            _, differences = await saving.replay(resources, run)
            return differences


async def reembed_status(address: Address) -> reembedding.Status:
    """Return which embedding models the store has vectors of."""
    async with await address.connect() as database:
        return await reembedding.status(database)


async def reembed(
    settings: Settings, address: Address, *, model: str | None, pace: Pace, switch: bool, progress: Progress
) -> reembedding.Report:
    """Make vectors of a model and take them into use; without a ``model``, go back to the vectors that are kept."""
    async with _prepared_store(address) as database:
        if model is None:
            kept = (await stored_models(database)).other
            if kept is None or kept.state is not State.KEPT:
                raise ReembedError("no vectors are kept that one could go back to; see papergraph reembed")
            progress.step(f"loading the embedding model {kept.name}")
            embedder = await asyncio.to_thread(_load_stored, settings, kept)
        else:
            progress.step(f"loading the embedding model {model}")
            embedder = await asyncio.to_thread(load_model, _findable(model))
        _step_back()
        return await reembedding.reembed(database, embedder, pace=pace, switch=switch, progress=progress)


async def drop_old(address: Address, *, pace: Pace, progress: Progress) -> reembedding.Report:
    """Delete the vectors that are not in use; see :func:`ingest.reembed.drop_old`."""
    async with _prepared_store(address) as database:
        return await reembedding.drop_old(database, pace=pace, progress=progress)


@asynccontextmanager
async def _prepared_store(address: Address) -> AsyncIterator[Database]:
    """Open a store and bring it to this version's schema with the model that it has."""
    async with await address.connect() as database:
        await prepare(database, reembedding.active_model(await stored_models(database)).card)
        yield database


def _findable(model: str) -> str:
    """Return a model's name as other processes find it: a folder by its whole path."""
    folder = Path(model).expanduser()
    return str(folder.resolve()) if folder.is_dir() else model


def _step_back() -> None:
    """Let whoever searches go first."""
    os.nice(LOW_PRIORITY)


async def digest(address: Address) -> GraphDigest:
    """Return the digest of the whole graph."""
    database: Database
    async with await address.connect() as database:
        return await graph_digest(database)


async def doctor(settings: Settings, address: Address, *, fix: bool, progress: Progress) -> doctors.Report:
    """Look the store over, and mend it if ``fix``; see :func:`ingest.doctor.examine` and ``repair`` there."""
    async with await address.connect() as database:
        sha256 = await _configured_checksum(settings, database)
        progress.step("looking the store over")
        if fix:
            return await doctors.repair(database, model_sha256=sha256, progress=progress)
        return await doctors.examine(database, model_sha256=sha256)


def _announce(url: str, address: Address, settings: Settings) -> None:
    _say(f"\nGraphQL  {url}/graphql")
    _say(f"Neo4j    {address.uri}" + (f", HTTP {address.http_url}" if address.http_url else ""))
    if address.http_url:
        _say(f"         user {address.user}, password in {settings.home / 'neo4j' / 'password'}")


async def _until_stopped(server: asyncio.Task[None], url: str, settings: Settings) -> None:
    _say("\nserving; Ctrl-C stops")
    with announced(settings.home, Announcement(url, settings.neo4j_uri)):
        await server


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201
