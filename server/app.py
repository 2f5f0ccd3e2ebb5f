"""ASGI application: one service behind all interfaces."""

from collections.abc import AsyncIterator, Mapping
from datetime import timedelta

from fastapi import FastAPI
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.requests import HTTPConnection
from strawberry.subscriptions import (
    GRAPHQL_SSE_PROTOCOL,
    GRAPHQL_TRANSPORT_WS_PROTOCOL,
    MULTIPART_SUBSCRIPTION_PROTOCOL,
)

from papergraph import __version__
from papergraph.server.auth.credentials import KeyCache
from papergraph.server.auth.operations import GATEWAY, VIEWER, AccessTable, Deadline
from papergraph.server.auth.rate_limits import RateLimiter
from papergraph.server.auth.server_limits import ANYTHING, ServerLimits
from papergraph.server.auth.usage_budget import UsageBudget
from papergraph.server.graphql.context import Context
from papergraph.server.graphql.options import Rules
from papergraph.server.graphql.router import Router
from papergraph.server.graphql.schema import schema
from papergraph.server.mcp.http import add_mcp
from papergraph.server.middleware.authentication import Authentication
from papergraph.server.middleware.origins import (
    CrossOriginPages,
    CrossSiteRequests,
    ProxiedRequests,
    SecurityHeaders,
    StrictJson,
    TrustedHosts,
)
from papergraph.server.middleware.requests import (
    DisconnectWatcher,
    RequestBodies,
    RequestDeadline,
    RequestIds,
    RequestMetrics,
    RequestSlots,
)
from papergraph.server.openai.router import add_openai
from papergraph.server.operations.context import CostLimits, request_context
from papergraph.server.operations.error_responses import MCP_PATH
from papergraph.server.operations.service import Service
from papergraph.server.rest import monitoring
from papergraph.server.rest.monitoring import Exposition
from papergraph.server.rest.router import add_rest
from papergraph.server.user_cypher.runner import PATIENCE_S
from papergraph.server.web.pages import BrowserAddresses, add_pages
from papergraph.shared_counters import Shared

PROTOCOLS = (GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_SSE_PROTOCOL, MULTIPART_SUBSCRIPTION_PROTOCOL)
"""Protocols of subscriptions, without the old one over WebSockets."""

GREETING = timedelta(seconds=3)
"""Timeout of the first message of a WebSocket."""

GRAPHQL = GATEWAY
"""Of its requests as a whole; each field has a scope of its own."""

LEAST_COMPRESSED = 1000
"""Bytes of an answer that is compressed for clients that read gzip."""
STREAMED = (
    *DEFAULT_EXCLUDED_CONTENT_TYPES,
    "multipart/mixed",
    "application/octet-stream",
    "application/pdf",
    "application/x-ndjson",
    "application/vnd.apache.arrow.stream",
)
"""Media types that come piece by piece and are never compressed: a piece would wait for others."""

MAX_BODY_BYTES = 1_000_000
MOST_ASKED = 4
"""Most calls of a language model per answer: rewriting the question, queries, a draft, and the text."""

BESIDE_THE_DATABASE_S = 1.0
"""Time of a request beyond the timeout of a database call, in seconds."""

UPLOADS = "/v1/uploads"
UPLOAD_S = 300.0
"""Timeout of an upload in seconds."""


def create_app(
    service: Service, policy: ServerLimits = ANYTHING, rules: Rules | None = None, shared: Shared | None = None
) -> FastAPI:
    """Return the ASGI application over an open service; closing the service stays with the caller.

    ``shared`` is what the processes of a server count together, None where there is one.
    """
    rules = rules or Rules()
    app = FastAPI(title="papergraph", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.service = service
    app.state.exposition = Exposition(service.database, service.local_servers, service.backups)
    rate, spending = RateLimiter(policy, shared), UsageBudget(service.database, policy, shared)

    async def context(connection: HTTPConnection) -> AsyncIterator[Context]:
        made = Context(rules=rules, **vars(request_context(connection)))
        try:
            yield made
        finally:
            made.close()

    graphql = Router(
        schema,
        context_getter=context,  # FastAPI's dependencies may end with their request
        rules=rules,
        graphql_ide=None,
        allow_queries_via_get=True,
        allowed_origins=policy.origins,
        subscription_protocols=PROTOCOLS,
        connection_init_wait_timeout=GREETING,
    )
    for route in graphql.routes:
        GRAPHQL(route.endpoint)  # type: ignore[attr-defined]  # FastAPI's routes have one
    app.include_router(graphql, prefix="/graphql")
    add_rest(app, CostLimits(rate, rules.max_cost, spending))
    add_openai(app)
    add_mcp(app, policy, max_body_bytes=MAX_BODY_BYTES)
    app.include_router(monitoring.probes)
    app.include_router(monitoring.router)
    add_pages(app, index, with_web=policy.web)
    _add_middleware(app, service, policy, rate)
    return app


def _add_middleware(app: FastAPI, service: Service, policy: ServerLimits, rate: RateLimiter) -> None:
    table, seconds = AccessTable(app.routes), seconds_for(service)
    # each stands outside of those before it
    app.add_middleware(DisconnectWatcher)
    app.add_middleware(StrictJson)
    app.add_middleware(RequestSlots, limits=rate, streamed=[UPLOADS])
    app.add_middleware(RequestDeadline, seconds_of=lambda method, path: seconds[table.deadline(method, path)])
    streamed = {UPLOADS: most_upload_bytes(service)}
    app.add_middleware(RequestBodies, limits=rate, max_bytes=MAX_BODY_BYTES, streamed=streamed)
    app.add_middleware(Authentication, table=table, keyring=KeyCache(service.database), limits=rate, policy=policy)
    origins, keys_required = policy.origins, policy.keys_required
    app.add_middleware(CrossSiteRequests, names=policy.names(), origins=origins, keys_required=keys_required)
    if not policy.keys_required:
        app.add_middleware(ProxiedRequests)
    app.add_middleware(CrossOriginPages, origins=policy.origins)
    app.add_middleware(BrowserAddresses, with_web=policy.web, is_known=lambda path: bool(table.methods(path)))
    app.add_middleware(GZipMiddleware, minimum_size=LEAST_COMPRESSED, compresslevel=5, exclude_content_types=STREAMED)
    # a page elsewhere that makes its own name resolve to this machine must not reach an unprotected server
    app.add_middleware(TrustedHosts, names=policy.names())
    app.add_middleware(SecurityHeaders)
    app.add_middleware(RequestMetrics, table=table)
    app.add_middleware(RequestIds)


def seconds_for(service: Service) -> Mapping[Deadline, float]:
    """Return how long requests of each group may take."""
    return {
        Deadline.DATABASE: service.database.deadline_s + BESIDE_THE_DATABASE_S,
        Deadline.CYPHER: longest_query_s(service),
        Deadline.MODEL: max(longest_answer_s(service), longest_query_s(service)),
        Deadline.UPLOAD: UPLOAD_S,
    }


def most_upload_bytes(service: Service) -> int:
    """Return how large a request may be that brings a file, with the form around it."""
    return MAX_BODY_BYTES + (service.uploads.allowance.max_bytes if service.uploads else 0)


def longest_answer_s(service: Service) -> float:
    """Return how long a request may take that may ask a language model, one question to it after the other."""
    model = service.shared_resources.language_model if service.shared_resources else None
    asking_s = 0.0 if model is None else MOST_ASKED * model.deadline_s
    passing_s = 0.0 if service.upstream is None else service.upstream.deadline_s
    return service.database.deadline_s + BESIDE_THE_DATABASE_S + asking_s + passing_s


def longest_query_s(service: Service) -> float:
    """Return how long a request may take that runs a query of a researcher's, with the wait for its turn."""
    return BESIDE_THE_DATABASE_S + (0.0 if service.desk is None else PATIENCE_S + 2 * service.desk.deadline_s)


@VIEWER
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
