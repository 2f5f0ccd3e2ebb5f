"""Credentials of a request, checked when it starts and while it lasts, with a cache of API keys and sessions."""

import asyncio
import hmac
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Self

from cachetools import LRUCache, TTLCache

import cypher
from papergraph.database import Database
from papergraph.errors import PapergraphError, UnauthenticatedError
from papergraph.telemetry.logs import current, summary
from server.auth.keys import StoredKey, find_key, hash_of, parse_key
from server.auth.principal import Principal, everything
from server.auth.rate_limits import RateLimiter, network_of
from server.auth.server_limits import ServerLimits
from server.auth.sessions import close_session, find_session, parse_session

KEPT_S = 5.0
"""How long what the graph said of a key holds: a revocation takes effect after this time at the latest."""

MOST_KEPT = 1000
NOTED_EVERY_S = 60.0
NO_SECRET = hash_of("")
"""Compared with where there is no such key, so that this takes no less time."""

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

    async def grant(self, text: str, *, is_session: bool = False) -> Principal:
        """Return what a request with this key, or with this session of a key, may do.

        Raises:
            UnauthenticatedError: It is none, not one of ours, ended, expired or revoked.
            DatabaseError: It could not be looked up.
        """
        parsed = _parse(text, is_session)
        stored = await self._find(parsed[0], find_session if is_session else find_key) if parsed else None
        secret = parsed[1] if parsed else ""
        is_right = hmac.compare_digest(hash_of(secret), stored.sha256 if stored else NO_SECRET)
        what = "session" if is_session else "API key"
        if stored is None or not is_right:
            raise UnauthenticatedError(f"The {what} is not valid.")
        if (state := stored.key.state(datetime.now(UTC))) != "valid":
            raise UnauthenticatedError(f"The {what} is {state}.")
        self._note_use(stored.key.id)
        return stored.key.grant

    async def end(self, session: str) -> None:
        """End a session: here at once, in other processes within the time for which they believe what they read.

        What is no session, or has a wrong secret, ends nothing.

        Raises:
            DatabaseError: Neo4j failed; the session may go on.
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
        """Have the graph told that a key was used, once a minute, without waiting for it."""
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
    """Return the id of a key or session, which no two of them share, and its secret; None for what is none."""
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
        """Whether it needs a key and shows none."""
        return self.policy.keys_required and self.text is None

    def showing(self, text: str | None) -> Self:
        """Return the same with another key."""
        return replace(self, text=text, is_session=False)

    async def grant(self) -> Principal:
        """Return what it may do; asked again later, what it still may.

        Raises:
            UnauthenticatedError: It needs a key and has none, or a key or session that is not valid.
            RateLimitedError: Too many keys that nobody knows are looked up for its network.
            DatabaseError: Its key could not be looked up.
        """
        if not self.policy.keys_required:
            return everything(self.address)
        if self.text is None:
            raise UnauthenticatedError("An API key is required. Send Authorization: Bearer pg_…, or X-API-Key: pg_…")
        async with AsyncExitStack() as looking:
            if not self.keyring.knows(self.text, is_session=self.is_session):
                await looking.enter_async_context(self.limits.lookups.place(network_of(self.address)))
            grant = await self.keyring.grant(self.text, is_session=self.is_session)
        if (request := current()) is not None:
            request.key_id = grant.id
        return grant

    async def stay(self, grant: Principal) -> None:
        """Go on with what takes long, on what it was let in for.

        Raises:
            UnauthenticatedError: The key is not valid any more, or not good for the same.
            DatabaseError: It could not be looked up.
        """
        if await self.grant() != grant:
            raise UnauthenticatedError("The API key was changed during the request.")
