"""The application: one service, made at the edge, behind its faces."""

from collections.abc import AsyncIterator, Mapping
from datetime import timedelta

from fastapi import FastAPI
from starlette.requests import HTTPConnection
from strawberry.subscriptions import (
    GRAPHQL_SSE_PROTOCOL,
    GRAPHQL_TRANSPORT_WS_PROTOCOL,
    MULTIPART_SUBSCRIPTION_PROTOCOL,
)

from papergraph import __version__
from server.access.gate import Gate
from server.access.keyring import Keyring
from server.access.limits import Limits
from server.access.policy import Policy
from server.access.spending import Spending
from server.error_bodies import MCP_PATH, request_id_of
from server.graphql.context import Context
from server.graphql.router import Router
from server.graphql.rules import Rules
from server.graphql.schema import schema
from server.http import health, metrics
from server.http.headers import SafeHeaders
from server.http.hosts import KnownHosts
from server.http.limits import BodyLimit, Deadline, UntilGone
from server.http.metrics import Exposition
from server.http.request_ids import RequestIds
from server.http.watching import Watched
from server.mcp.http import add_mcp
from server.openai.router import add_openai
from server.querying.desk import PATIENCE_S
from server.rest.asking import Terms
from server.rest.router import add_rest
from server.service import Service

ANYTHING = Policy()
"""No keys and no limits, on this machine only."""

PROTOCOLS = (GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_SSE_PROTOCOL, MULTIPART_SUBSCRIPTION_PROTOCOL)
"""How subscriptions come; the older protocol over WebSockets is not among them."""

GREETING = timedelta(seconds=10)
"""How long a WebSocket may stay open without saying what it is for."""

MAX_BODY_BYTES = 1_000_000
MOST_ASKED = 4
"""How often a language model is asked for one answer: to make the question plain, for queries, a draft, and text."""

BESIDE_THE_DATABASE_S = 1.0
"""What a request may take beyond the longest time of one database call."""

ASKING = tuple(
    ("POST", path) for path in ("/graphql", "/v1/ask", "/v1/search", "/v1/chat/completions", "/v1/responses", MCP_PATH)
)
"""Where a language model may be asked, several times for one answer."""

UPLOADS = "/v1/uploads"
UPLOAD_S = 300.0
"""How long a file may take on its way."""


def create_app(service: Service, policy: Policy = ANYTHING, rules: Rules | None = None) -> FastAPI:
    """Return the ASGI application over an open service; closing the service stays with the caller."""
    rules = rules or Rules()
    app = FastAPI(title="papergraph", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.service = service
    app.state.exposition = Exposition(service.database)
    limits, spending = Limits(policy), Spending(service.database, policy)

    async def context(connection: HTTPConnection) -> AsyncIterator[Context]:
        request_id = request_id_of(connection.scope)
        state = connection.state
        made = Context(
            service,
            rules,
            grant=state.grant,
            limits=limits,
            request_id=request_id,
            visit=state.visit,
            spending=spending,
        )
        try:
            yield made
        finally:
            made.close()

    graphql = Router(
        schema,
        context_getter=context,  # type: ignore[arg-type]  # FastAPI's dependencies may end with their request
        graphql_ide=None,
        allow_queries_via_get=rules.get,
        subscription_protocols=PROTOCOLS,
        connection_init_wait_timeout=GREETING,
    )
    app.include_router(graphql, prefix="/graphql")
    add_rest(app, Terms(limits, rules.max_cost, spending))
    add_openai(app)
    add_mcp(app, names=policy.names(), max_body_bytes=MAX_BODY_BYTES, with_cypher=policy.cypher_by_agents)
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.add_api_route("/", index)
    # each stands outside of those before it
    app.add_middleware(UntilGone)
    app.add_middleware(BodyLimit, max_bytes=MAX_BODY_BYTES, streamed={UPLOADS: most_upload_bytes(service)})
    app.add_middleware(Gate, keyring=Keyring(service.database), limits=limits, policy=policy)
    app.add_middleware(
        Deadline,
        seconds=service.database.deadline_s + BESIDE_THE_DATABASE_S,
        longer={
            ("POST", UPLOADS): UPLOAD_S,
            **dict.fromkeys(ASKING, max(longest_answer_s(service), longest_query_s(service))),
            ("POST", "/v1/cypher"): longest_query_s(service),
        },
    )
    # a page elsewhere that makes its own name resolve to this machine must not reach an unprotected server
    app.add_middleware(KnownHosts, names=policy.names())
    app.add_middleware(SafeHeaders)
    app.add_middleware(Watched)
    app.add_middleware(RequestIds)
    return app


def most_upload_bytes(service: Service) -> int:
    """Return how large a request may be that brings a file, with the form around it."""
    uploads = service.intake.uploads if service.intake else None
    return MAX_BODY_BYTES + (uploads.allowance.max_bytes if uploads else 0)


def longest_answer_s(service: Service) -> float:
    """Return how long a request may take that may ask a language model, one question to it after the other."""
    model = service.equipment.language_model if service.equipment else None
    asking_s = 0.0 if model is None else MOST_ASKED * model.deadline_s
    passing_s = 0.0 if service.upstream is None else service.upstream.deadline_s
    return service.database.deadline_s + BESIDE_THE_DATABASE_S + asking_s + passing_s


def longest_query_s(service: Service) -> float:
    """Return how long a request may take that runs a query of a researcher's, with the wait for its turn."""
    return BESIDE_THE_DATABASE_S + (0.0 if service.desk is None else PATIENCE_S + 2 * service.desk.deadline_s)


async def index() -> Mapping[str, str]:
    """Say what this is and where to go."""
    return {
        "name": "papergraph",
        "version": __version__,
        "graphql": "/graphql",
        "rest": "/v1",
        "openapi": "/openapi.json",
        "openai": "/v1",
        "mcp": MCP_PATH,
        "alive": "/healthz",
        "ready": "/readyz",
        "metrics": "/metrics",
    }
