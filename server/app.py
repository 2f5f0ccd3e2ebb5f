"""The application: one service, made at the edge, behind its faces."""

import ipaddress
import json
from collections.abc import Mapping

from fastapi import FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware
from strawberry.fastapi import GraphQLRouter

from papergraph import __version__
from papergraph.errors import InputError
from server.graphql.context import Context
from server.graphql.schema import schema
from server.http import health
from server.http.limits import BodyLimit, Deadline
from server.service import Service

MAX_BODY_BYTES = 1_000_000
BESIDE_THE_DATABASE_S = 1.0
"""What a request may take beyond the longest time of one database call."""

LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"]


def create_app(service: Service) -> FastAPI:
    """Return the ASGI application over an open service; closing the service stays with the caller."""
    app = FastAPI(title="papergraph", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.service = service

    async def context() -> Context:
        return Context(service)

    graphql = Router(
        schema, context_getter=context, graphql_ide=None, allow_queries_via_get=False, subscription_protocols=()
    )
    app.include_router(graphql, prefix="/graphql")
    app.include_router(health.router)
    app.add_api_route("/", index)
    app.add_middleware(BodyLimit, max_bytes=MAX_BODY_BYTES)
    app.add_middleware(Deadline, seconds=service.database.deadline_s + BESIDE_THE_DATABASE_S)
    # a page elsewhere that makes its own name resolve to this machine must not reach an unprotected server
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=LOOPBACK_NAMES, www_redirect=False)
    return app


class Router(GraphQLRouter[Context, None]):
    """Strawberry's router, which answers 400 to every body that it cannot work with; by itself it fails at some."""

    def decode_json(self, data: str | bytes) -> object:
        """Read a JSON object, or a list, which is refused later on."""
        try:
            body = json.loads(data)
            json.dumps(body, ensure_ascii=False).encode()  # half a character, "\ud800", can be written nowhere
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError("not JSON in UTF-8", "", 0) from error
        if not isinstance(body, dict | list):
            raise json.JSONDecodeError("not an object", "", 0)
        return body


async def index() -> Mapping[str, str]:
    """Say what this is and where to go."""
    return {
        "name": "papergraph",
        "version": __version__,
        "graphql": "/graphql",
        "alive": "/healthz",
        "ready": "/readyz",
    }


def refuse_open_address(host: str) -> None:
    """Raise ``InputError`` for an address that others can reach: nothing asks for a key yet."""
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise InputError(
            f"the server has no keys yet, so it listens on this machine only: use 127.0.0.1, not {host!r}", field="host"
        )
