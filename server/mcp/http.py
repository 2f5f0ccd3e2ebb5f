"""MCP over HTTP at ``/mcp``, stateless: each request is authorized by its own key."""

import logging
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types.version import SUPPORTED_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from papergraph.errors import Code
from papergraph.server.auth.operations import GATEWAY
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.mcp.server import server_of
from papergraph.server.middleware.origins import is_known
from papergraph.server.operations.context import RequestContext, request_context
from papergraph.server.operations.error_responses import MCP_PATH, error_answer

for _name in ("streamable_http_manager", "streamable_http"):
    logging.getLogger(f"mcp.server.{_name}").setLevel(logging.WARNING)  # each has two lines for each request

VERSION = "mcp-protocol-version"

CHECKED_OUTSIDE = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""The name that the server is called by is checked by :class:`papergraph.server.middleware.origins.TrustedHosts`."""


@GATEWAY  # each tool has a scope of its own
class Endpoint:
    """Answers one request of MCP, as the official server does."""

    def __init__(self, server: MCPServer[Any], policy: ServerLimits, max_body_bytes: int) -> None:
        self._server, self._max_body_bytes = server, max_body_bytes
        self._names, self._origins = policy.names(), policy.origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, unless a page of another site asks, or by an unknown version of MCP."""
        origin = Headers(scope=scope).get("origin")
        is_own = origin is None or origin in self._origins or is_known(urlsplit(origin).hostname or "", self._names)
        if not is_own:
            told = f"Origin {(origin or '')[:200]!r} is not trusted. Add it to PAPERGRAPH_SERVER_ALLOWED_ORIGINS."
            return await error_answer(scope, Code.FORBIDDEN, told, status=403)(scope, receive, send)
        headers = Headers(scope=scope)
        version = headers.get(VERSION)
        if version is not None and version not in SUPPORTED_PROTOCOL_VERSIONS:
            told = f"Protocol version {version[:40]!r} is unknown; use {', '.join(SUPPORTED_PROTOCOL_VERSIONS)}."
            return await error_answer(scope, Code.BAD_USER_INPUT, told, status=400)(scope, receive, send)
        if "accept" not in headers:
            scope = {**scope, "headers": [*scope["headers"], (b"accept", b"*/*")]}  # RFC 9110: any type will do
        self._server.streamable_http_app(
            json_response=True,
            stateless_http=True,
            transport_security=CHECKED_OUTSIDE,
            max_request_body_size=self._max_body_bytes,
        )
        manager = self._server.session_manager  # of this request alone: what is done for it ends with it
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def add_mcp(app: FastAPI, policy: ServerLimits, *, max_body_bytes: int) -> None:
    """Add MCP to an application that has REST.

    Args:
        app: The application.
        policy: Names and origins that may be used, and whether Cypher is among the tools.
        max_body_bytes: Largest request.
    """
    endpoint = Endpoint(_server(with_cypher=policy.cypher_by_agents), policy, max_body_bytes)
    app.router.routes += [Route(path, endpoint, methods=["POST"]) for path in (MCP_PATH, f"{MCP_PATH}/")]


@cache
def _server(*, with_cypher: bool) -> MCPServer[Any]:
    """Return the server of all applications: it keeps nothing from one request to the next."""
    return server_of(_context_of, with_cypher=with_cypher)


def _context_of(context: Context[Any, Request]) -> RequestContext:
    request = context.request_context.request
    assert request is not None  # noqa: S101 for mypy; over HTTP there always is one
    return request_context(request)
