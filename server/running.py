"""What the commands do, once it is known which Neo4j they work with."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import ingest.run
from ingest import doctor as doctors
from ingest.chunk import ChunkOptions
from ingest.jobs import Job
from ingest.run import Report
from ingest.sources import Spec
from papergraph.database import Database
from papergraph.embedding import DeferredModel, Embedder, find_model, load_model, weights_checksum
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from papergraph.store import Address
from schema.digest import GraphDigest, graph_digest
from schema.migrate import prepare
from server.announcement import Announcement, announced
from server.asking import SEARCH, ask_server, data_of
from server.graphql.context import Context
from server.graphql.schema import schema
from server.retrieval.export import WholePaper, whole_paper
from server.service import Service
from server.serving import listen, serving, url_of
from server.terminal import TerminalProgress, write_hits, write_report

T = TypeVar("T")
SAMPLES = Path(ingest.__file__).parent / "samples"


@asynccontextmanager
async def open_service(
    settings: Settings, address: Address, *, progress: Progress, deferred: bool = False
) -> AsyncIterator[Service]:
    """Open the database, load the model, and bring the store to this version's schema.

    A ``deferred`` model is loaded when it is first used.

    Raises:
        DatabaseUnavailableError: Nothing answers at the address.
        SchemaError: The store is newer, of another model, or damaged.
        EmbeddingError: The model cannot be loaded.
    """
    async with await address.connect() as database:

        def tell() -> None:
            progress.step(f"loading the embedding model {settings.embedding_model}")

        embedder: Embedder
        if deferred:
            embedder = DeferredModel(settings.embedding_model, on_load=tell)
        else:
            tell()
            embedder = await asyncio.to_thread(load_model, settings.embedding_model)
        progress.step("checking the store's schema")
        for name in await prepare(database, embedder.card):
            progress.step(f"applied migration {name}")
        yield Service(database, embedder)


async def run(settings: Settings, address: Address, *, query: str, once: bool, progress: TerminalProgress) -> None:
    """Load the samples, serve, show the addresses and one search over HTTP; then stop, or serve until told to stop."""
    async with open_service(settings, address, progress=progress) as service:
        progress.step(f"loading the sample papers in {SAMPLES}")
        report = await ingest.run.ingest(service.database, service.embedder, [SAMPLES], progress=progress)
        with listen(settings.host, settings.port, next_free="port" not in settings.model_fields_set) as sock:
            url = url_of(sock)
            async with serving(service, sock) as server:
                progress.pause()
                write_report(report)
                _announce(url, address, settings)
                _say(f'\n$ papergraph search "{query}" -k 3')
                answer = await asyncio.to_thread(
                    ask_server, url, SEARCH, {"query": query, "k": 3, "collection": "main"}
                )
                write_hits(answer["search"]["hits"])
                if not once:
                    await _until_stopped(server, url, settings)


async def serve(settings: Settings, address: Address, sock: socket.socket, *, progress: TerminalProgress) -> None:
    """Serve until told to stop."""
    async with open_service(settings, address, progress=progress) as service, serving(service, sock) as server:
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
    progress: Progress,
) -> Report:
    """Bring papers into a collection; see :func:`ingest.run.ingest`."""
    async with open_service(settings, address, progress=progress, deferred=True) as service:
        return await ingest.run.ingest(
            service.database,
            service.embedder,
            specs,
            collection=collection,
            options=options,
            max_bytes=settings.max_file_bytes,
            progress=progress,
        )


async def enqueue(
    settings: Settings, address: Address, specs: Sequence[Spec], *, collection: str, options: ChunkOptions
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
        )


async def work(settings: Settings, address: Address, *, once: bool, progress: Progress) -> int:
    """Work off queued jobs; see :func:`ingest.run.work`."""
    async with open_service(settings, address, progress=progress, deferred=True) as service:
        return await ingest.run.work(service.database, service.embedder, once=once, progress=progress)


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
        result = await schema.execute(operation, variable_values=dict(variables), context_value=Context(service))
        return data_of(result.data, [error.formatted for error in result.errors or []])


async def digest(address: Address) -> GraphDigest:
    """Return the digest of the whole graph."""
    database: Database
    async with await address.connect() as database:
        return await graph_digest(database)


async def doctor(settings: Settings, address: Address, *, fix: bool, progress: Progress) -> doctors.Report:
    """Look the store over, and mend it if ``fix``; see :func:`ingest.doctor.examine` and ``repair`` there."""
    async with await address.connect() as database:
        sha256 = await asyncio.to_thread(lambda: weights_checksum(find_model(settings.embedding_model)))
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
