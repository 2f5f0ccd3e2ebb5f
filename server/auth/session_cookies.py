"""The cookie of a session, and which requests it counts for: those of pages of this very server."""

from datetime import UTC, datetime
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from server.auth.server_limits import LOOPBACK_NAMES

NAME = "papergraph-session"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
OWN_SITES = frozenset({"same-origin", "none"})
"""What a browser says of a request that a page of this origin sent, or its user with the address bar."""


def session_in(scope: Scope) -> str | None:
    """Return the session that a request shows in its cookie, where it counts."""
    sent = Headers(scope=scope).get("cookie")
    if sent is None or not is_of_own_page(scope):
        return None
    return cookie_parser(sent).get(cookie_name(scope)) or None


def is_of_own_page(scope: Scope) -> bool:
    """Say whether a request comes from a page of this origin, or from no page of another one.

    The cookie is ``SameSite=Strict``. But pages on other ports and of neighbouring subdomains are of the same site, so
    what browsers say of the origin counts too. Without a word of it, a request must not change anything.
    """
    headers = Headers(scope=scope)
    if (site := headers.get("sec-fetch-site")) is not None:
        return site.lower() in OWN_SITES
    if (origin := headers.get("origin")) is not None:
        return _host_of(origin) == headers.get("host", "").lower()
    return scope["type"] == "http" and scope["method"] in SAFE_METHODS


def cookie_name(scope: Scope) -> str:
    """Return the name of the cookie for the ``Host`` of a request; servers on other ports of it have others.

    With ``__Host-`` a browser takes it from this host alone, over TLS, and no subdomain can plant one.
    """
    _, port = _host_and_port(scope)
    return ("__Host-" if _needs_tls(scope) else "") + NAME + (f"-{port}" if port else "")


def set_cookie(scope: Scope, text: str, expires_at: datetime) -> str:
    """Return the header ``Set-Cookie`` that gives a browser its session."""
    return _cookie(scope, text, max(0, int((expires_at - datetime.now(UTC)).total_seconds())))


def clear_cookie(scope: Scope) -> str:
    """Return the header ``Set-Cookie`` that takes a session from a browser."""
    return _cookie(scope, "", 0)


def _cookie(scope: Scope, text: str, seconds: int) -> str:
    secure = "; Secure" if _needs_tls(scope) else ""
    return f"{cookie_name(scope)}={text}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Strict{secure}"


def _needs_tls(scope: Scope) -> bool:
    """Say whether the cookie is for connections with TLS only: everywhere but on this machine itself."""
    return scope.get("scheme") in ("https", "wss") or _host_and_port(scope)[0] not in LOOPBACK_NAMES


def _host_and_port(scope: Scope) -> tuple[str, str]:
    host = Headers(scope=scope).get("host", "").lower()
    name, _, port = host.rpartition(":")
    return (name, port) if name and port.isdecimal() else (host, "")


def _host_of(origin: str) -> str:
    """Return host and port of an origin as ``Host`` has them; nothing for ``null`` and for what is none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
