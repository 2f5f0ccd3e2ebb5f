"""Servers of papergraph: one that runs by itself, and the application within this process."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx
from fastapi import FastAPI
from neo4j import AsyncGraphDatabase

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.app import create_app
from papergraph.server.auth.operations import AccessTable
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.graphql.options import Rules
from papergraph.server.operations.llm_proxy import LlmProxy
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from papergraph.server.retrieval.pipelines import known_pipelines
from papergraph.server.retrieval.resources import Resources, equipped
from papergraph.server.startup import desk_of
from tests.pytest_neo4j import Neo4jServer
from tests.support.command import Papergraph
from tests.support.flat_settings import settings_of
from tests.support.waiting import PATIENCE_S, free_port, wait_until

NOWHERE = "0" * 64


@dataclass(frozen=True)
class RunningServer:
    """A ``papergraph serve`` that runs, and the command line beside it, which finds it."""

    url: str
    papergraph: Papergraph
    client: httpx.Client

    @property
    def port(self) -> int:
        return httpx.URL(self.url).port or 0

    def ask(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the data of a GraphQL query that has no errors."""
        answer = self.answer(operation, **variables)
        assert "errors" not in answer, answer
        data: dict[str, Any] = answer["data"]
        return data

    def error(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the one error of a GraphQL query."""
        (error,) = self.answer(operation, **variables)["errors"]
        return dict(error)

    def answer(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the whole answer to a GraphQL query, of whatever kind."""
        response = self.client.post("/graphql", json={"query": operation, "variables": variables})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer


@contextmanager
def running(papergraph: Papergraph, *, workers: int = 0) -> Iterator[RunningServer]:
    """Give a ``papergraph serve`` that is ready, with so many workers beside it."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    with papergraph.started("serve", "--port", str(port), PAPERGRAPH_WORKERS=str(workers)) as started:
        started.wait_for("serving; Ctrl-C stops")
        with httpx.Client(base_url=url, timeout=30) as client:
            wait_until(lambda: client.get("/readyz").status_code == 200, timeout_s=60)
            yield RunningServer(url, papergraph, client)


async def connect(neo4j: Neo4jServer) -> Database:
    return await Database.connect(
        neo4j.uri, user=neo4j.user, password=neo4j.password, name=neo4j.database, deadline_s=PATIENCE_S
    )


def bare_application() -> FastAPI:
    """Return an application whose store is not there, which is never asked."""
    return create_app(Service(Database(AsyncGraphDatabase.driver("bolt://localhost:1", auth=("neo4j", "x"))), None))  # type: ignore[arg-type]


@cache
def routes() -> AccessTable:
    """Return the routes of the application, with the access that each declares."""
    return AccessTable(bare_application().routes)


def app_client(database: Database, embedder: Embedder | None = None, rules: Rules | None = None) -> httpx.AsyncClient:
    """Return a client of the application over a database, within this process."""
    application = create_app(Service(database, embedder), rules=rules)  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost")


@asynccontextmanager
async def served(library: Database, embedder: Embedder, **chosen: Any) -> AsyncIterator[str]:
    """Give the address of a server with these settings, within this process and on a real socket."""
    settings = settings_of(chosen)
    async with AsyncExitStack() as stack:
        resources = await stack.enter_async_context(equipped(settings, Resources.of(library, embedder)))
        if (upstream := LlmProxy.of(settings)) is not None:
            await stack.enter_async_context(upstream)
        sock = stack.enter_context(listen("127.0.0.1", 0))
        desk = await stack.enter_async_context(desk_of(settings, library))
        pipelines = known_pipelines(settings)
        service = Service(library, embedder, resources, upstream=upstream, desk=desk, pipelines=pipelines)
        await stack.enter_async_context(serving(service, sock, ServerLimits.of(settings)))
        yield url_of(sock)
