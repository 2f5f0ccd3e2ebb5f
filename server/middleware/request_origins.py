"""Origins of requests: what a proxy passes on to an open server, and what pages of other sites send."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.errors import Code
from server.middleware.authentication import refuse
from server.middleware.trusted_hosts import is_known

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
REQUEST_HEADERS = ("Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "X-API-Key", "X-Request-ID")
ANSWER_HEADERS = ("ETag", "Link", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-ID")
PREFLIGHT_S = 7200
"""Seconds for which a browser keeps the answer to the question that it asks before a request."""
MOST_ORIGIN_CHARS = 200
"""How much of an origin is repeated to who sent it."""


class ProxiedRequests:
    """Answers 403 to a request that a proxy passed on, for a server that requires no keys.

    Such a server is open to this machine only. A proxy makes it open to the network, with a ``Host`` that is trusted.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in ("http", "websocket") or (header := forwarding_header(Headers(scope=scope))) is None:
            return await self._app(scope, receive, send)
        told = (
            f"A proxy passed this request on (header {header}), but the server requires no API keys. "
            "Set PAPERGRAPH_SERVER_REQUIRE_API_KEY=true, or connect without a proxy."
        )
        await refuse(403, Code.FORBIDDEN, told, scope, receive, send)


def forwarding_header(headers: Headers) -> str | None:
    """Return the name of a header that only a proxy adds, if a request has one."""
    names = (name for name in headers if name in ("forwarded", "via") or name.startswith("x-forwarded-"))
    return next((name.title() for name in names), None)


class CrossOriginPages(CORSMiddleware):
    """Lets pages of these origins read answers, with a key that they send themselves: cookies are not for them."""

    def __init__(self, app: ASGIApp, *, origins: Sequence[str]) -> None:
        self._without, self._origins = app, frozenset(origins)
        super().__init__(
            _Shared(app),
            allow_origins=origins,
            allow_methods=METHODS,
            allow_headers=REQUEST_HEADERS,
            expose_headers=ANSWER_HEADERS,
            max_age=PREFLIGHT_S,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; one of another origin, or of none, meets no CORS at all."""
        if scope["type"] == "http" and Headers(scope=scope).get("origin") in self._origins:
            return await super().__call__(scope, receive, send)
        await self._without(scope, receive, send)


class _Shared:
    """Marks each answer as one that pages of other origins may read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def mark(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Cross-Origin-Resource-Policy"] = "cross-origin"
            await send(message)

        await self._app(scope, receive, mark)


class CrossSiteRequests:
    """Answers 403 to a request of a page of another site that would change something.

    Browsers say where such a request comes from, and no page can change what they say; other clients say nothing.
    Pages of ``origins`` are trusted like those of this server's ``names``.
    """

    def __init__(self, app: ASGIApp, *, names: Sequence[str], origins: Sequence[str] = ()) -> None:
        self._app, self._names, self._origins = app, names, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http" or scope["method"] in SAFE_METHODS:
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        site, origin = headers.get("sec-fetch-site", "").lower(), headers.get("origin")
        if origin in self._origins:
            return await self._app(scope, receive, send)
        if site == "cross-site":
            told = (
                "A page of another site sent this request. Send it from a page of this server, or not from a browser."
            )
        elif site not in ("same-origin", "none") and origin is not None and not self._is_own(origin):
            told = f"Origin {origin[:MOST_ORIGIN_CHARS]!r} is not trusted. Add it to PAPERGRAPH_SERVER_ALLOWED_ORIGINS."
        else:
            return await self._app(scope, receive, send)
        await refuse(403, Code.FORBIDDEN, told, scope, receive, send)

    def _is_own(self, origin: str) -> bool:
        """Say whether an origin has one of the names of the server, on any port."""
        try:
            host = urlsplit(origin).hostname
        except ValueError:
            return False
        return host is not None and is_known(host, self._names)
