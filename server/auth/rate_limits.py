"""Rate limits: requests and cost per minute and key, and concurrent requests per key and in total."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter

from papergraph.errors import OverloadedError, RateLimitedError
from papergraph.telemetry import metrics
from papergraph.telemetry.request_record import current
from server.auth.counters import OwnPlaces, Places, SharedPlaces, SharedStorage
from server.auth.key_lookups import KeyLookups
from server.auth.principal import Principal
from server.auth.server_limits import ServerLimits, SignUp
from server.shared_counters import Full, Shared

WINDOW_S = 60
PAUSE_S = 1
"""After which a request that found no room may find some."""

PATIENCE_S = 2.0
"""How long a request waits for its turn; one that waited longer would soon be too late for who asked."""

TOLD = {
    "requests": "{} requests per minute",
    "cost": "cost of {} per minute",
    "sign_up": "{} requests for signing up per minute",
}
SIGN_UPS_OF_ONE = RateLimitItemPerMinute(30, namespace="sign_up")
SIGN_UPS_OF_ALL = RateLimitItemPerMinute(600, namespace="sign_up")
"""Requests for signing up, of one network and of all."""

ANONYMOUS_OF_ONE, ANONYMOUS_OF_ALL = 8, 64
"""WebSockets that have not shown a key yet, of one network and of all; they hold no place of a request."""


@dataclass(frozen=True)
class RateLeft:
    """What is left of a limit per minute.

    Attributes:
        name: requests or cost.
        limit: How much there is a minute.
        left: How much of it.
        resets_in_s: Seconds until it is whole again.
    """

    name: str
    limit: int
    left: int
    resets_in_s: int


class RateLimiter:
    """What each has asked lately and asks now, in this process, or in all that share what they count."""

    def __init__(self, policy: ServerLimits, shared: Shared | None = None) -> None:
        self._counter = FixedWindowRateLimiter(MemoryStorage() if shared is None else SharedStorage(shared))
        self._policy = policy
        self._places: Places = OwnPlaces() if shared is None else SharedPlaces(shared, "requests")
        self._turns = asyncio.Semaphore(policy.worked_on_at_once) if policy.worked_on_at_once else None
        self._anonymous: Places = OwnPlaces() if shared is None else SharedPlaces(shared, "anonymous")
        self.lookups = KeyLookups()

    async def count(self, grant: Principal) -> None:
        """Count a request.

        Raises:
            RateLimitedError: It is one too many.
        """
        if item := self._items(grant).get("requests"):
            await self._take(item, grant.id, 1)

    async def count_sign_up(self, network: str) -> None:
        """Count a request of somebody without a key that has to do with signing up.

        Raises:
            RateLimitedError: It is one too many of its network, or of all.
        """
        for item, whose in ((SIGN_UPS_OF_ONE, network), (SIGN_UPS_OF_ALL, "")):
            await self._take(item, whose, 1)

    async def charge(self, grant: Principal, cost: int) -> None:
        """Charge what an operation costs, before it is done; one that is refused costs nothing.

        Raises:
            RateLimitedError: Not that much is left.
        """
        if item := self._items(grant).get("cost"):
            await self._take(item, grant.id, cost)
        metrics.COST.inc(cost)
        if (request := current()) is not None:
            request.charge(cost)

    def _items(self, grant: Principal) -> Mapping[str, RateLimitItemPerMinute]:
        """Return the limits that a grant has: of the server's and its own the lower one."""
        amounts = {
            "requests": (self._policy.requests_per_minute, grant.requests_per_minute),
            "cost": (self._policy.cost_per_minute, grant.cost_per_minute),
        }
        least = {name: min(filter(None, both), default=0) for name, both in amounts.items()}
        return {name: RateLimitItemPerMinute(amount, namespace=name) for name, amount in least.items() if amount}

    async def _take(self, item: RateLimitItemPerMinute, id: str, amount: int) -> None:
        # another process may take what is left between both: then it is counted here, but not given
        if not (await self._counter.test(item, id, cost=amount) and await self._counter.hit(item, id, cost=amount)):
            raise RateLimitedError(
                TOLD[item.namespace].format(item.amount), retry_after_s=await self._seconds_left(item, id)
            )

    async def _seconds_left(self, item: RateLimitItemPerMinute, id: str) -> int:
        reset_time, _ = await self._counter.get_window_stats(item, id)
        return max(1, math.ceil(reset_time - time.time()))

    async def headers(self, grant: Principal) -> Mapping[str, str]:
        """Return what is left, in the headers of draft-ietf-httpapi-ratelimit-headers; none where there is no limit."""
        found = await self.left(grant)
        if not found:
            return {}
        left = [f'"{one.name}";r={one.left};t={one.resets_in_s}' for one in found]
        policies = [f'"{one.name}";q={one.limit};w={WINDOW_S}' for one in found]
        return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(left)}

    async def left(self, grant: Principal) -> list[RateLeft]:
        """Return what is left of each limit."""
        found = []
        for name, item in self._items(grant).items():
            _, remaining = await self._counter.get_window_stats(item, grant.id)
            found.append(RateLeft(name, item.amount, int(remaining), await self._seconds_left(item, grant.id)))
        return found

    @property
    def keys_required(self) -> bool:
        """Whether requests need a key."""
        return self._policy.keys_required

    @property
    def sign_up(self) -> SignUp:
        """Who may sign up for a key."""
        return self._policy.sign_up

    @contextmanager
    def place(self, grant: Principal) -> Iterator[None]:
        """Hold a place among the requests that are answered at the same time.

        Raises:
            RateLimitedError: The grant has as many as it may.
            OverloadedError: So have all together.
        """
        most = self._policy.requests_at_once
        full = self._places.take(grant.id, most=most, most_of_all=self._policy.all_requests_at_once)
        if full is Full.ONE:
            raise RateLimitedError(f"{most} requests at once", retry_after_s=PAUSE_S)
        if full is Full.ALL:
            raise OverloadedError(retry_after_s=PAUSE_S)
        try:
            yield
        finally:
            self._places.give_back(grant.id)

    @contextmanager
    def handshake(self, network: str) -> Iterator[None]:
        """Hold a place among the WebSockets that have not shown a key yet.

        Raises:
            RateLimitedError: The network has as many as it may.
            OverloadedError: So have all together.
        """
        full = self._anonymous.take(network, most=ANONYMOUS_OF_ONE, most_of_all=ANONYMOUS_OF_ALL)
        if full is Full.ONE:
            raise RateLimitedError(f"{ANONYMOUS_OF_ONE} handshakes at once", retry_after_s=PAUSE_S)
        if full is Full.ALL:
            raise OverloadedError(retry_after_s=PAUSE_S)
        try:
            yield
        finally:
            self._anonymous.give_back(network)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until few enough others are worked on, first come, first served; while this one is, hold its turn.

        What is worked on shares one processor's time: a few at once are answered sooner than all at once, and probes
        come through between them.

        Raises:
            OverloadedError: It did not come within :data:`PATIENCE_S`.
        """
        if self._turns is None:
            yield
            return
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._turns.acquire()
        except TimeoutError as error:
            raise OverloadedError(retry_after_s=PAUSE_S) from error
        try:
            yield
        finally:
            self._turns.release()
