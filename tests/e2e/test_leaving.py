"""Clients that go away, and a server that is told to stop, over real sockets."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.graph import nodes as reading
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from papergraph.statement import Statement

Serving = tuple[str, asyncio.Task[None]]
PAPERS = "{ papers(first: 5) { nodes { title authors { name } } totalCount } }"
COUNT = "{ papers { totalCount } }"
ENDLESS = Statement(
    "test/endless", "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN sum(a * b) AS marked_leaving"
)
RUNNING = Statement(
    "test/running",
    "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS 'marked_' + 'leaving' RETURN count(*) AS n",
)
BEGINS_WITHIN_S, ENDS_WITHIN_S = 30.0, 7.0
"""The database's own deadline is 8 s: whatever ends before was ended."""


async def n_running(database: Database) -> int:
    return int((await database.read(RUNNING))[0]["n"])


async def until(condition: Callable[[], Awaitable[bool]], *, within_s: float) -> None:
    async with asyncio.timeout(within_s):
        while not await condition():  # noqa: ASYNC110 another process's state
            await asyncio.sleep(0.05)


@asynccontextmanager
async def served(library: Database, embedder: Embedder) -> AsyncIterator[Serving]:
    with listen("127.0.0.1", 0) as sock:
        url = url_of(sock)
        async with serving(Service(library, embedder), sock) as task:
            yield url, task


@pytest.mark.parametrize(
    ("method", "path", "body", "slow"),
    [
        ("POST", "/graphql", PAPERS, "graph.nodes.count_papers"),  # of a field
        ("POST", "/graphql", PAPERS, "graph.nodes.authors_of"),  # of a loader's task apart from it
        ("POST", "/graphql", PAPERS + " " * 300_000, "graph.nodes.count_papers"),
        ("POST", "/graphql", PAPERS + " " * 300_000, "graph.nodes.authors_of"),
        ("GET", "/v1/papers", None, "papers.find.passing_papers"),
        ("GET", "/v1/papers", None, "graph.nodes.authors_of"),
    ],
)
async def test_the_query_of_a_client_that_has_left_ends_in_neo4j(
    library, embedder, monkeypatch, method, path, body, slow
):
    async def endless(*_: Any, **__: Any) -> list[Any]:
        return list(await library.read(ENDLESS))

    async def has_begun() -> bool:
        return await n_running(library) == 1

    async def has_ended() -> bool:
        return await n_running(library) == 0

    monkeypatch.setattr(f"papergraph.server.{slow}", endless)
    async with served(library, embedder) as (url, _), httpx.AsyncClient(base_url=url, timeout=30) as client:
        asking = asyncio.create_task(client.request(method, path, json=body and {"query": body}))
        await until(has_begun, within_s=BEGINS_WITHIN_S)
        asking.cancel()

        await until(has_ended, within_s=ENDS_WITHIN_S)

        monkeypatch.undo()
        answer = await client.request(method, path, json=body and {"query": COUNT})
    found = answer.json()["data"]
    assert found["papers"]["totalCount"] > 0 if body else found


async def test_a_server_that_is_told_to_stop_answers_what_it_was_asked_and_nothing_more(library, embedder, monkeypatch):
    go_on = asyncio.Event()

    async def slow(*_: Any, **__: Any) -> int:
        await go_on.wait()
        return 7

    async def is_closed() -> bool:
        try:
            async with httpx.AsyncClient(base_url=url) as other:
                await other.get("/healthz")
        except httpx.ConnectError:
            return True
        except httpx.TransportError:  # it was in the queue when the socket closed
            return False
        return False

    monkeypatch.setattr(reading, "count_papers", slow)
    async with served(library, embedder) as (url, task), httpx.AsyncClient(base_url=url, timeout=30) as client:
        asking = asyncio.create_task(client.post("/graphql", json={"query": COUNT}))
        await asyncio.sleep(0.3)
        signal.raise_signal(signal.SIGTERM)
        await until(is_closed, within_s=BEGINS_WITHIN_S)
        assert not task.done()
        go_on.set()
        answer = await asking
        await asyncio.wait_for(task, BEGINS_WITHIN_S)

    assert answer.json()["data"] == {"papers": {"totalCount": 7}}
