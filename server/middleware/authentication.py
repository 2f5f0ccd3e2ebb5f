"""Authentication in front of all interfaces: the principal of a request, its scope, and its rate limits."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.errors import AccessError, Code, PapergraphError
from papergraph.server.auth.access import Principal
from papergraph.server.auth.credentials import Credentials, KeyCache, session_in
from papergraph.server.auth.operations import AccessTable, Anyone
from papergraph.server.auth.rate_limits import RateLimiter, network_of
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.error_responses import error_answer
from papergraph.telemetry.logs import summary

STATUSES = {
    Code.BAD_USER_INPUT: 400,
    Code.QUERY_TOO_COMPLEX: 400,
    Code.UNAUTHENTICATED: 401,
    Code.FORBIDDEN: 403,
    Code.NOT_FOUND: 404,
    Code.PERSISTED_QUERY_NOT_FOUND: 404,
    Code.CONFLICT: 409,
    Code.RATE_LIMITED: 429,
    Code.INTERNAL: 500,
    Code.UNAVAILABLE: 503,
    Code.TIMEOUT: 504,
}
NOT_NOW = "The API key cannot be checked at the moment. Retry."
MOST_PATH_CHARS = 200
"""Longest quote of a path in an error, in characters."""

POLICY_VIOLATION = 1008
"""The status that a socket is closed with."""

log = logging.getLogger(__name__)


class Authentication:
    """Refuses unauthenticated requests; others carry ``state.principal`` and ``state.credentials``."""

    def __init__(
        self, app: ASGIApp, *, table: AccessTable, keyring: KeyCache, limits: RateLimiter, policy: ServerLimits
    ) -> None:
        self._app, self._table = app, table
        self._keyring, self._limits, self._policy = keyring, limits, policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        method, methods = scope.get("method", "GET"), self._table.methods(scope["path"])
        address = _address(scope)
        nobody = Principal(network_of(address), frozenset(), ())
        credentials = Credentials(self._keyring, self._limits, self._policy, address, *shown_by(scope))
        scope.setdefault("state", {})["credentials"] = credentials
        need = methods[method].need if method in methods else None
        if need is Anyone.AT_ALL:
            return await self._go_on(nobody, scope, receive, send)
        # a page in a browser cannot give a WebSocket headers: it shows its key in the first message
        is_to_say = scope["type"] == "websocket" and credentials.lacks_key and need is Anyone.WITH_A_KEY
        try:
            principal = nobody if is_to_say else await credentials.principal()
        except PapergraphError as error:
            return await refuse_for(error, scope, receive, send)
        if need is None:
            return await refuse_unknown(method, sorted(methods), scope, receive, send)
        send = self._telling(principal, send)
        with ExitStack() as held:
            try:
                principal = methods[method].allow(principal, f"{method} {scope['path']}")
                await self._limits.count(principal)
                if is_to_say:  # it takes a slot of its account once it has shown a key
                    held.enter_context(credentials.handshake).enter_context(self._limits.handshake(nobody.id))
                elif scope["type"] == "websocket":
                    held.enter_context(self._limits.place(principal))
            except PapergraphError as error:
                return await refuse_for(error, scope, receive, send)
            await self._go_on(principal, scope, receive, send)

    async def _go_on(self, principal: Principal, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"]["principal"] = principal
        await self._app(scope, receive, send)

    def _telling(self, principal: Principal, send: Send) -> Send:
        """Return ``send`` that adds what is left of the limits."""

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(await self._limits.headers(principal))
            await send(message)

        return tell


def shown_by(scope: Scope) -> tuple[str | None, bool]:
    """Return the key that a request shows in a header, else its session; and whether it is a session."""
    if (text := presented(Headers(scope=scope))) is not None:
        return text, False
    session = session_in(scope)
    return session, session is not None


def presented(headers: Headers) -> str | None:
    """Return the key that a request carries, wherever it may: never in its address, which logs and histories keep."""
    kind, _, text = headers.get("authorization", "").partition(" ")
    return text.strip() if kind.lower() == "bearer" else headers.get("x-api-key")


async def refuse_unknown(method: str, methods: Sequence[str], scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request for an unknown path or method."""
    if not methods:
        return await refuse(
            404, Code.NOT_FOUND, f"No route matches {method} {scope['path'][:MOST_PATH_CHARS]}.", scope, receive, send
        )
    message, allowed = (
        f"Method {method} is not allowed here. Allowed: {', '.join(methods)}.",
        {"Allow": ", ".join(methods)},
    )
    await refuse(405, Code.BAD_USER_INPUT, message, scope, receive, send, headers=allowed)


async def refuse_for(error: PapergraphError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with an error; internal errors are logged, and the answer omits their details."""
    headers = {"WWW-Authenticate": "Bearer"} if error.code is Code.UNAUTHENTICATED else {}
    if (seconds := getattr(error, "retry_after_s", None)) is not None:
        headers["Retry-After"] = str(seconds)
    message = str(error)
    if not isinstance(error, AccessError):
        log.error("a key could not be looked up: %s", summary(error))
        message = NOT_NOW
    await refuse(STATUSES[error.code], error.code, message, scope, receive, send, headers=headers)


async def refuse(
    status: int,
    code: Code,
    message: str,
    scope: Scope,
    receive: Receive,
    send: Send,
    *,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Answer with a code, or close a socket that was not accepted yet."""
    if scope["type"] == "websocket":
        return await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": code.value})
    answer = error_answer(scope, code, message, status=status)
    answer.headers.update(headers or {})
    await answer(scope, receive, send)


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "nowhere"
