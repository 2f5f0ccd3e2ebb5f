"""Credentials of a request: keys and sessions."""

import asyncio
import hmac
import logging
import re
import secrets
import string
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from urllib.parse import urlsplit

from cachetools import LRUCache, TTLCache
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import PapergraphError, UnauthenticatedError
from papergraph.server.auth.access import Principal, everything
from papergraph.server.auth.keys import SECRET_BYTES, ApiKey, StoredKey, find_key, hash_of, parse_key
from papergraph.server.auth.rate_limits import RateLimiter, network_of
from papergraph.server.auth.server_limits import LOOPBACK_NAMES, ServerLimits
from papergraph.telemetry.logs import current, summary

# Sessions of browsers: a second secret for a key, in a cookie that no script can read.
#
# A session is ``ps_``, sixteen letters or digits that name it, ``_``, and a secret of 256 random bits. Its sha-256 is
# stored, as of a key. The cookie counts only for requests of pages of this server.


SESSION = re.compile(r"ps_([a-z0-9]{16})_([A-Za-z0-9_-]{43})")
ID_CHARS = 16
TERM = timedelta(hours=12)
"""Longest duration of a session, which ends with its key and is never prolonged."""

MOST_OF_KEY = 20
"""Sessions of a key; the oldest ends when another one begins."""


def parse_session(text: str) -> tuple[str, str] | None:
    """Return (id, secret) of a session; None if malformed."""
    parts = SESSION.fullmatch(text)
    return (parts[1], parts[2]) if parts else None


async def open_session(database: Database, key: ApiKey) -> tuple[str, datetime]:
    """Open a session of a key; return its text, which is shown only once, and its end.

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
        key, ends = ApiKey.of(record["key"]), record["session"]["expiresAt"].to_native()
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
"""``Sec-Fetch-Site`` of requests by pages of this origin, or from the address bar."""


def session_in(scope: Scope) -> str | None:
    """Return the session that a request shows in its cookie, where it counts."""
    sent = Headers(scope=scope).get("cookie")
    if sent is None or not is_of_own_page(scope):
        return None
    return cookie_parser(sent).get(cookie_name(scope)) or None


def is_of_own_page(scope: Scope) -> bool:
    """Return whether a request comes from a page of this origin, or from outside any page.

    The cookie is ``SameSite=Strict``. But pages on other ports and neighbouring subdomains belong to the same site, so
    the browser's headers on the origin are checked too. Without them a request must not change anything.
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
    """Return host and port of an origin as in ``Host``; '' for ``null`` and malformed ones."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


# Credentials of a request, checked when it starts and while it lasts, with a cache of API keys and sessions


KEPT_S = 5.0
"""Lifetime of a cached key in seconds, and thus the longest delay of a revocation."""

MOST_KEPT = 1000
NOTED_EVERY_S = 60.0
NO_SECRET = hash_of("")
"""Hash compared for an unknown key, so that the time is the same."""

log = logging.getLogger(__name__)


class KeyCache:
    """Keys as one process knows them; ``kept_s`` is how long it believes what it read, in seconds."""

    def __init__(self, database: Database, *, kept_s: float = KEPT_S) -> None:
        self._database = database
        self._kept_s = kept_s
        self._kept: LRUCache[str, tuple[float, StoredKey]] = LRUCache(MOST_KEPT)
        self._noted: TTLCache[str, bool] = TTLCache(MOST_KEPT, ttl=NOTED_EVERY_S)
        self._notes: set[asyncio.Task[None]] = set()

    def knows(self, text: str, *, is_session: bool = False) -> bool:
        """Say whether the id of a key or session is that of one that was read, be it a while ago."""
        parsed = _parse(text, is_session)
        return parsed is not None and parsed[0] in self._kept

    async def principal(self, text: str, *, is_session: bool = False) -> Principal:
        """Return the principal of a key, or of a key's session.

        Raises:
            UnauthenticatedError: The key or session is malformed, unknown, ended, expired or revoked.
            DatabaseError: The lookup failed.
        """
        parsed = _parse(text, is_session)
        stored = await self._find(parsed[0], find_session if is_session else find_key) if parsed else None
        secret = parsed[1] if parsed else ""
        is_right = hmac.compare_digest(hash_of(secret), stored.sha256 if stored else NO_SECRET)
        what = "session" if is_session else "API key"
        if stored is None or not is_right:
            raise UnauthenticatedError(f"The {what} is not valid.")
        if (state := stored.key.state) != "valid":
            raise UnauthenticatedError(f"The {what} is {state}.")
        self._note_use(stored.key.id)
        return stored.key.principal

    async def end(self, session: str) -> None:
        """End a session: in this process at once, in others when their cache expires.

        Malformed sessions and wrong secrets are ignored.

        Raises:
            DatabaseError: Neo4j failed; the session may continue.
        """
        parsed = parse_session(session)
        stored = await self._find(parsed[0], find_session) if parsed else None
        if parsed and stored and hmac.compare_digest(hash_of(parsed[1]), stored.sha256):
            await close_session(self._database, parsed[0])
            self._kept.pop(parsed[0], None)

    async def _find(self, id: str, find: Callable[[Database, str], Awaitable[StoredKey | None]]) -> StoredKey | None:
        if (kept := self._kept.get(id)) and time.monotonic() - kept[0] < self._kept_s:
            return kept[1]
        asked_at = time.monotonic()
        stored = await find(self._database, id)
        if stored is None:
            self._kept.pop(id, None)
        else:
            self._kept[id] = (asked_at, stored)
        return stored

    def _note_use(self, id: str) -> None:
        """Record the use of a key in the graph once a minute, in the background."""
        if id in self._noted:
            return
        self._noted[id] = True
        task = asyncio.create_task(self._write_use(id))
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    async def _write_use(self, id: str) -> None:
        try:
            await self._database.run_alone(cypher.load("auth/mark_used"), id=id, now=datetime.now(UTC))
        except PapergraphError as error:
            log.warning("that key %s was used is not noted: %s", id, summary(error))

    async def close(self) -> None:
        """Wait for what is being noted."""
        await asyncio.gather(*self._notes, return_exceptions=True)


def _parse(text: str, is_session: bool) -> tuple[str, str] | None:
    """Split a key or session into its unique id and secret; None if malformed."""
    return parse_session(text) if is_session else parse_key(text)


@dataclass(frozen=True)
class Credentials:
    """A request at the gate.

    Attributes:
        keyring: The keys that there are.
        limits: Slows down who tries many.
        policy: Whether a key is needed.
        address: Where it comes from.
        text: The key or session that it shows, if it shows one.
        is_session: Whether that is a session, which only a cookie brings.
        handshake: What a WebSocket holds until it has shown its key.
    """

    keyring: KeyCache
    limits: RateLimiter
    policy: ServerLimits
    address: str
    text: str | None
    is_session: bool = False
    handshake: ExitStack = field(default_factory=ExitStack, compare=False)

    @property
    def lacks_key(self) -> bool:
        """True if a required key is missing."""
        return self.policy.keys_required and self.text is None

    def showing(self, text: str | None) -> Self:
        """Return the same with another key."""
        return replace(self, text=text, is_session=False)

    async def principal(self) -> Principal:
        """Return the current principal of the request.

        Raises:
            UnauthenticatedError: A required key is missing, or the key or session is invalid.
            RateLimitedError: Its network sent too many unknown keys.
            DatabaseError: The lookup of its key failed.
        """
        if not self.policy.keys_required:
            return everything(self.address)
        if self.text is None:
            raise UnauthenticatedError("An API key is required. Send Authorization: Bearer pg_…, or X-API-Key: pg_…")
        async with AsyncExitStack() as looking:
            if not self.keyring.knows(self.text, is_session=self.is_session):
                await looking.enter_async_context(self.limits.lookups.place(network_of(self.address)))
            principal = await self.keyring.principal(self.text, is_session=self.is_session)
        if (request := current()) is not None:
            request.key_id = principal.id
        return principal

    async def stay(self, principal: Principal) -> None:
        """Check during long work that the principal still has its rights.

        Raises:
            UnauthenticatedError: The key is invalid now, or has lost rights.
            DatabaseError: The lookup failed.
        """
        if await self.principal() != (principal.whole or principal):
            raise UnauthenticatedError("The API key was changed during the request.")
