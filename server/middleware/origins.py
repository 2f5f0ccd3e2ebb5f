"""Middleware against requests of other sites: trusted hosts, origins, headers of answers, and strict JSON."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.errors import Code
from papergraph.server.middleware.authentication import refuse
from papergraph.server.operations.error_responses import MCP_PATH, error_answer

MOST_HOST_CHARS = 100
"""Longest quote of a wrong host in an error, in characters."""


class TrustedHosts:
    """Answers 400 to a request for another name, in the form of the face that it is for; of MCP 421, as it has it."""

    def __init__(self, app: ASGIApp, *, names: Sequence[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        is_known = False

        async def let_in(*_: object) -> None:
            nonlocal is_known
            is_known = True

        await TrustedHostMiddleware(let_in, self._names, www_redirect=False)(scope, receive, _say_nothing)
        if is_known:
            return await self._app(scope, receive, send)
        told = f"Host {_host(scope)!r} is not trusted. Add it to PAPERGRAPH_SERVER_TRUSTED_HOSTS."
        status = 421 if scope["path"].rstrip("/") == MCP_PATH else 400
        await error_answer(scope, Code.BAD_USER_INPUT, told, status=status)(scope, receive, send)


def is_known(host: str, names: Sequence[str]) -> bool:
    """Return whether a host without port is one of ``names``; ``*.example.org`` matches all below it."""
    name = f"[{host}]" if ":" in host else host
    return any(name == known or (known.startswith("*.") and name.endswith(known[1:])) for known in names)


def _host(scope: Scope) -> str:
    return Headers(scope=scope).get("host", "")[:MOST_HOST_CHARS]


async def _say_nothing(message: Message) -> None:
    """Take no notice of Starlette's own answer."""


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
REQUEST_HEADERS = ("Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "X-API-Key", "X-Request-ID")
ANSWER_HEADERS = ("ETag", "Link", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-ID")
PREFLIGHT_S = 7200
"""Seconds for which a browser keeps the answer to the question that it asks before a request."""
MOST_ORIGIN_CHARS = 200
"""Longest quote of an origin in an error, in characters."""


PORTS = {"http": 80, "https": 443}


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
        """Pass the request on; CORS applies to allowed origins only."""
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
    Pages of ``origins`` are trusted like those of this server's ``names``. Without keys, requests other than JSON come
    from the same port only: no browser asks beforehand whether another page may send them.
    """

    def __init__(
        self, app: ASGIApp, *, names: Sequence[str], origins: Sequence[str] = (), keys_required: bool = True
    ) -> None:
        self._app, self._names, self._origins, self._keys_required = app, names, origins, keys_required

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
        elif site not in ("same-origin", "none") and origin is not None and not self._is_own(origin, headers):
            told = f"Origin {origin[:MOST_ORIGIN_CHARS]!r} is not trusted. Add it to PAPERGRAPH_SERVER_ALLOWED_ORIGINS."
        else:
            return await self._app(scope, receive, send)
        await refuse(403, Code.FORBIDDEN, told, scope, receive, send)

    def _is_own(self, origin: str, headers: Headers) -> bool:
        """Return whether an origin has a name of the server and, where that counts, the port of the request."""
        try:
            page, asked = urlsplit(origin), urlsplit(f"http://{headers.get('host', '')}")
            same_port = (page.port or PORTS.get(page.scheme)) == (asked.port or PORTS["http"])
        except ValueError:
            return False
        is_named = page.hostname is not None and is_known(page.hostname, self._names)
        is_asked_before = headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
        return is_named and (self._keys_required or is_asked_before or same_port)


HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "private, no-cache",
}
"""Default response headers: private, not rendered as a page."""


class SecurityHeaders:
    """Adds :data:`HEADERS` to each answer that does not have them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""

        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, add if scope["type"] == "http" else send)


UTF_8 = frozenset({"utf-8", "utf8", "us-ascii"})


class StrictJson:
    """Answers 415 to JSON that says to be in another encoding, and 400 to that in one, or with a name twice.

    JSON that is wrong otherwise is left to what reads it, which says where.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body, which :class:`BodyLimit` holds whole."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD") or (charset := _charset(scope)) is None:
            return await self._app(scope, receive, send)
        if charset not in UTF_8:
            told = f"Charset {charset[:40]!r} is not supported. Send JSON in UTF-8."
            return await error_answer(scope, Code.BAD_USER_INPUT, told, status=415)(scope, receive, send)
        messages: list[Message] = []
        more = True
        while more:
            messages.append(await receive())
            more = messages[-1].get("more_body", False)
        if (fault := fault_of(b"".join(message.get("body", b"") for message in messages))) is not None:
            return await error_answer(scope, Code.BAD_USER_INPUT, fault, status=400)(scope, receive, send)

        async def replay() -> Message:
            return messages.pop(0) if messages else await receive()

        await self._app(scope, replay, send)


def fault_of(body: bytes) -> str | None:
    """Return the fault of JSON that is not UTF-8 or repeats a name; None for other JSON, also malformed."""
    if b"\0" in body[:4]:  # as UTF-16 and UTF-32 write the first character, with a mark or without
        return "The body is not in UTF-8. Send JSON in UTF-8."
    try:
        json.loads(body.decode(), object_pairs_hook=_once)
    except UnicodeDecodeError:
        return "The body is not in UTF-8. Send JSON in UTF-8."
    except _NamedTwiceError as error:
        return f"The body has the name {error.name[:100]!r} twice in one object. Send each name once."
    except (ValueError, RecursionError):
        return None
    return None


class _NamedTwiceError(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _once(pairs: Sequence[tuple[str, Any]]) -> Mapping[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = Counter(name for name, _ in pairs)
        raise _NamedTwiceError(names.most_common(1)[0][0])
    return found


def _charset(scope: Scope) -> str | None:
    """Return the charset of a request with JSON, UTF-8 where it names none; None for a request with another body."""
    told = EmailMessage()
    told["content-type"] = Headers(scope=scope).get("content-type", "")
    kind = told.get_content_type()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        return None
    return (told.get_content_charset() or "utf-8").lower()
