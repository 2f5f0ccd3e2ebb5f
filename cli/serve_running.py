"""Serving, from the command line: everything at once on the samples, a server, or MCP over standard input."""

import asyncio
import socket
from pathlib import Path

import ingest.run
from papergraph.progress import Progress
from papergraph.settings import Settings
from papergraph.store import Address
from server.access.policy import Policy, refuse_without_keys
from server.announcement import Announcement, announced
from server.asking import SEARCH, ask_server
from server.graphql.rules import Rules
from server.listening import url_of
from server.mcp.stdio import stdio_server
from server.opening import following, open_service
from server.selection.kernels import compile_all
from server.serving import listen, serving
from server.telling import telling_metrics
from server.terminal import TerminalProgress, write_hits, write_report

SAMPLES = Path(ingest.__file__).parent / "samples"


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


async def serve_stdio(settings: Settings, address: Address, *, progress: TerminalProgress) -> None:
    """Speak MCP over standard input and output until the input ends.

    Raises:
        PapergraphError: What :func:`open_service` raises.
    """
    async with open_service(settings, address, progress=progress) as service, following(service, settings) as followed:
        await _compile_solver(progress)
        progress.pause()
        await stdio_server(followed, Policy.of(settings), Rules.of(settings).max_cost).run_stdio_async()


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
