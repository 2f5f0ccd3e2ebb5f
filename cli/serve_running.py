"""Serving, from the command line: everything at once on the samples, a server, or MCP over standard input."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from papergraph import ingest
from papergraph.cli.client import ServerUnavailableError, ask_server
from papergraph.cli.output import TerminalProgress, write_hits, write_report
from papergraph.errors import PapergraphError
from papergraph.ingest.ingestor import Ingestor
from papergraph.ingest.originals import Originals
from papergraph.progress import Progress
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.server.auth.server_limits import ServerLimits, refuse_without_keys
from papergraph.server.graphql.options import Rules
from papergraph.server.local.background_processes import background_processes
from papergraph.server.local.enrich_operations import enqueue_samples
from papergraph.server.mcp.server import stdio_server
from papergraph.server.operations.service import Service
from papergraph.server.process.kept_process import keeping_neo4j
from papergraph.server.process.metrics_server import telling_metrics
from papergraph.server.process.server_file import ServerFile, announced
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import search
from papergraph.server.selection.kernels import compile_all
from papergraph.server.startup import following, open_service
from papergraph.server.supervisor import served_by
from papergraph.settings import Settings
from papergraph.store import Address

SAMPLES = Path(ingest.__file__).parent / "demo"
KEY_TERM = timedelta(days=1)
FIRST_ATTEMPTS = 4
"""How often the demo asks its new server for the first search."""
WARM_UP_S = 20.0
WARM_UP_QUERY = "Which methods and results does this paper report?"


async def run(settings: Settings, address: Address, *, query: str, once: bool, progress: TerminalProgress) -> None:
    """Load the samples, serve, show the addresses and one search over HTTP; then stop, or serve until interrupted.

    Where keys are required and the settings have none, a key of a day is made and shown.

    Raises:
        InputError: The address is not allowed.
        PapergraphError: As of :func:`open_service` and of the search.
    """
    policy, rules = ServerLimits.of(settings), Rules.of(settings)
    async with open_service(settings, address, progress=progress) as service:
        progress.step(f"loading the sample papers in {SAMPLES}")
        ingestor = Ingestor(service.database, service.embedder, originals=Originals.of(settings))
        report = await ingestor.ingest([SAMPLES], progress=progress)
        key = own_key = settings.api_key.get_secret_value()
        if policy.keys_required and not key:
            _, key = await create_key(service.database, name="demo", scopes=list(KeyScope), expires=KEY_TERM)
        await refuse_without_keys(settings.server.host, policy, service.database)
        next_free = "port" not in settings.server.model_fields_set
        with listen(settings.server.host, settings.server.port, next_free=next_free, policy=policy) as sock:
            url = url_of(sock)
            async with _serving(settings, service, sock, policy, rules) as server:
                progress.pause()
                write_report(report)
                _announce(url, address, settings)
                if key != own_key:
                    _say(f"API key  {key} (for a day; all scopes)")
                _say(f'\n$ papergraph search "{query}" -k 3')
                write_hits(await first_search(url, query, key=key))
                if not once:
                    await asyncio.to_thread(compile_all)
                    if settings.workers and (job := await enqueue_samples(service, len(report.items))) is not None:
                        _say(f"\nJob {job.id} adds questions, entities, topics and links to the samples.")
                    await _until_stopped(server, url, settings, address)


@asynccontextmanager
async def _serving(
    settings: Settings, service: Service, sock: socket.socket, policy: ServerLimits, rules: Rules
) -> AsyncIterator["asyncio.Task[None]"]:
    telling, opening = telling_metrics(settings, service.database), following(service, settings, is_kept=True)
    async with keeping_neo4j(settings), telling, opening as followed, serving(followed, sock, policy, rules) as server:
        yield server


async def first_search(url: str, query: str, *, key: str) -> list[dict[str, Any]]:
    """Return the hits of a new server's first search, repeated where a busy machine does not answer in time.

    Raises:
        PapergraphError: The server does not answer, or answers with an error, at the last attempt.
    """
    body = {"query": query, "k": 3, "include": ["explanation"]}
    left = FIRST_ATTEMPTS
    while True:
        left -= 1
        try:
            return list((await asyncio.to_thread(ask_server, url, "/search", body, key=key))["hits"])
        except ServerUnavailableError:
            if not left:
                raise


async def _warm_up(service: Service, progress: Progress) -> None:
    """Load the model, compile the solver and search once before the first request, which would wait for all of it.

    The first search of a Neo4j that has just started takes ten times as long as the second; it gets WARM_UP_S at most.
    """
    progress.step("warming up the embedding model, the solver and the indexes")
    await asyncio.to_thread(service.embedder.encode_query, "")
    await asyncio.to_thread(compile_all)
    with suppress(PapergraphError, TimeoutError):  # searches report what fails; there may be no collection yet
        async with asyncio.timeout(WARM_UP_S):
            await search(Resources.of(service.database, service.embedder), SearchRequest(WARM_UP_QUERY))


async def serve(
    settings: Settings, address: Address, sock: socket.socket, *, host: str, progress: TerminalProgress
) -> None:
    """Serve until interrupted.

    Raises:
        InputError: The address is public, and a valid key is missing.
        PapergraphError: As of :func:`open_service`.
    """
    policy, rules = ServerLimits.of(settings), Rules.of(settings)
    async with open_service(settings, address, progress=progress) as service:
        await refuse_without_keys(host, policy, service.database)
        await _warm_up(service, progress)
        async with _serving(settings, service, sock, policy, rules) as server:
            progress.pause()
            _announce(url_of(sock), address, settings)
            await _until_stopped(server, url_of(sock), settings, address)


async def serve_by_processes(
    settings: Settings, address: Address, sock: socket.socket, n: int, *, host: str, progress: TerminalProgress
) -> None:
    """Serve by several processes until interrupted; see :mod:`papergraph.server.supervisor`.

    Raises:
        InputError: The address is public, and a valid key is missing.
        PapergraphError: As of :func:`open_service`, or a process cannot be started.
    """
    async with open_service(settings, address, progress=progress) as service:
        await refuse_without_keys(host, ServerLimits.of(settings), service.database)
        await _warm_up(service, progress)  # what is made once for all
    Rules.of(settings)  # refused here rather than by each process
    progress.step(f"starting {n} processes")
    async with keeping_neo4j(settings), served_by(address, sock, n) as supervisor:
        progress.pause()
        _announce(url_of(sock), address, settings)
        _say(f"\nserving by {n} processes; Ctrl-C stops")
        with announced(settings.home, ServerFile(url_of(sock), settings.neo4j.uri)):
            async with background_processes(settings, address):
                await supervisor.ended()


async def serve_stdio(settings: Settings, address: Address, *, progress: TerminalProgress) -> None:
    """Speak MCP over standard input and output until the input ends.

    Raises:
        PapergraphError: As of :func:`open_service`.
    """
    async with open_service(settings, address, progress=progress) as service, following(service, settings) as followed:
        await _warm_up(service, progress)
        progress.pause()
        await stdio_server(followed, ServerLimits.of(settings), Rules.of(settings).max_cost).run_stdio_async()


def _announce(url: str, address: Address, settings: Settings) -> None:
    if settings.server.web:
        _say(f"\nWeb      {url}/")
    _say(f"GraphQL  {url}/graphql")
    _say(f"Neo4j    {address.uri}" + (f", HTTP {address.http_url}" if address.http_url else ""))
    if address.http_url:
        _say(f"         user {address.user}, password in {settings.home / 'neo4j' / 'password'}")


async def _until_stopped(server: asyncio.Task[None], url: str, settings: Settings, address: Address) -> None:
    _say("\nserving; Ctrl-C stops")
    with announced(settings.home, ServerFile(url, settings.neo4j.uri)):
        async with background_processes(settings, address):
            await server


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201
