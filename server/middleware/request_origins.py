"""Origins of requests: what a proxy passes on to an open server, and what pages of other sites send."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from papergraph.errors import Code
from server.middleware.authentication import refuse
from server.middleware.trusted_hosts import is_known

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
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


class CrossSiteRequests:
    """Answers 403 to a request of a page of another site that would change something.

    Browsers say where such a request comes from, and no page can change what they say; other clients say nothing.
    """

    def __init__(self, app: ASGIApp, *, names: Sequence[str]) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http" or scope["method"] in SAFE_METHODS:
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        site, origin = headers.get("sec-fetch-site", "").lower(), headers.get("origin")
        if site == "cross-site":
            told = (
                "A page of another site sent this request. Send it from a page of this server, or not from a browser."
            )
        elif site not in ("same-origin", "none") and origin is not None and not self._is_own(origin):
            told = (
                f"Origin {origin[:MOST_ORIGIN_CHARS]!r} is not trusted. "
                "Add its host to PAPERGRAPH_SERVER_TRUSTED_HOSTS."
            )
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
