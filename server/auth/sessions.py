"""Sessions of browsers: a second secret for a key, in a cookie that no script can read.

A session is ``ps_``, sixteen letters or digits that name it, ``_``, and a secret of 256 random bits. Its sha-256 is
stored, as of a key. The cookie counts only for requests of pages of this server.
"""

import re
import secrets
import string
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

import cypher
from papergraph.database import Database
from server.auth.keys import SECRET_BYTES, Key, StoredKey, hash_of
from server.auth.server_limits import LOOPBACK_NAMES

SESSION = re.compile(r"ps_([a-z0-9]{16})_([A-Za-z0-9_-]{43})")
ID_CHARS = 16
TERM = timedelta(hours=12)
"""How long a session lasts, unless its key ends before; it is never prolonged."""

MOST_OF_KEY = 20
"""Sessions of a key; the oldest ends when another one begins."""


def parse_session(text: str) -> tuple[str, str] | None:
    """Return the id and the secret of a session, or None for what is none."""
    parts = SESSION.fullmatch(text)
    return (parts[1], parts[2]) if parts else None


async def open_session(database: Database, key: Key) -> tuple[str, datetime]:
    """Begin a session of a key; return its text, which nobody can find out again, and when it ends.

    Raises:
        DatabaseError: Neo4j failed.
    """
    now = datetime.now(UTC)
    expires_at = min(now + TERM, key.expires_at or now + TERM)
    id = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(ID_CHARS))
    secret = secrets.token_urlsafe(SECRET_BYTES)
    properties = {"sha256": hash_of(secret), "keyId": key.id, "createdAt": now, "expiresAt": expires_at}
    given: dict[str, Any] = {"id": id, "properties": properties, "now": now, "most": MOST_OF_KEY}
    await database.run_alone(cypher.load("auth/write_session"), **given)
    return f"ps_{id}_{secret}", expires_at


async def find_session(database: Database, id: str) -> StoredKey | None:
    """Return the key of a session as the session has it: with the secret of the session, until the session ends."""
    for record in await database.read(cypher.load("auth/find_session"), id=id):
        key, ends = Key.of(record["key"]), record["session"]["expiresAt"].to_native()
        until = min(ends, key.expires_at or ends)
        return StoredKey(replace(key, expires_at=until), record["session"]["sha256"])
    return None


async def close_session(database: Database, id: str) -> None:
    """End a session; one that is not there has ended.

    Raises:
        DatabaseError: Neo4j failed.
    """
    await database.run_alone(cypher.load("auth/delete_session"), id=id)


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
