"""How much one key may ask: requests and cost per minute, and requests at once; and how much all may ask at once."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter

from papergraph.errors import OverloadedError, RateLimitedError
from papergraph.telemetry import metrics
from papergraph.telemetry.requests import current
from server.access.grants import Grant
from server.access.policy import Policy

WINDOW_S = 60
PAUSE_S = 1
"""After which a request that found no room may find some."""

PATIENCE_S = 2.0
"""How long a request waits for its turn; one that waited longer would soon be too late for who asked."""

TOLD = {"requests": "{} requests per minute", "cost": "a cost of {} per minute"}
FAILURES_PER_MINUTE = 60
"""Requests with keys that are none, from one address; more are not looked up."""


class Limits:
    """What each has asked lately and asks now, in this process."""

    def __init__(self, policy: Policy) -> None:
        self._counter = FixedWindowRateLimiter(MemoryStorage())
        self._policy = policy
        self._now: Counter[str] = Counter()
        self._all_now = 0
        self._turns = asyncio.Semaphore(policy.worked_on_at_once) if policy.worked_on_at_once else None
        amounts = {"requests": policy.requests_per_minute, "cost": policy.cost_per_minute}
        self._items = {
            name: RateLimitItemPerMinute(amount, namespace=name) for name, amount in amounts.items() if amount
        }
        self._failures = RateLimitItemPerMinute(FAILURES_PER_MINUTE, namespace="failures")

    async def count(self, grant: Grant) -> None:
        """Count a request.

        Raises:
            RateLimitedError: It is one too many.
        """
        await self._take("requests", grant.id, 1)

    async def charge(self, grant: Grant, cost: int) -> None:
        """Charge what an operation costs, before it is done; one that is refused costs nothing.

        Raises:
            RateLimitedError: Not that much is left.
        """
        await self._take("cost", grant.id, cost)
        metrics.COST.inc(cost)
        if (request := current()) is not None:
            request.charge(cost)

    async def _take(self, name: str, id: str, amount: int) -> None:
        if (item := self._items.get(name)) is None:
            return
        if not await self._counter.test(item, id, cost=amount):
            raise RateLimitedError(TOLD[name].format(item.amount), retry_after_s=await self._seconds_left(item, id))
        await self._counter.hit(item, id, cost=amount)

    async def fail(self, address: str) -> None:
        """Count a request with a key that is none."""
        await self._counter.hit(self._failures, address)

    async def refuse_guessing(self, address: str) -> None:
        """Refuse to look up one more key for an address that has brought many that are none.

        Raises:
            RateLimitedError: It has.
        """
        if not await self._counter.test(self._failures, address):
            seconds = await self._seconds_left(self._failures, address)
            raise RateLimitedError(f"{FAILURES_PER_MINUTE} wrong keys per minute", retry_after_s=seconds)

    async def _seconds_left(self, item: RateLimitItemPerMinute, id: str) -> int:
        reset_time, _ = await self._counter.get_window_stats(item, id)
        return max(1, math.ceil(reset_time - time.time()))

    async def headers(self, grant: Grant) -> Mapping[str, str]:
        """Return what is left, in the headers of draft-ietf-httpapi-ratelimit-headers; none where there is no limit."""
        left = []
        for name, item in self._items.items():
            _, remaining = await self._counter.get_window_stats(item, grant.id)
            left.append(f'"{name}";r={remaining};t={await self._seconds_left(item, grant.id)}')
        if not left:
            return {}
        policies = [f'"{name}";q={item.amount};w={WINDOW_S}' for name, item in self._items.items()]
        return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(left)}

    @contextmanager
    def place(self, grant: Grant) -> Iterator[None]:
        """Hold a place among the requests that are answered at the same time.

        Raises:
            RateLimitedError: The grant has as many as it may.
            OverloadedError: So has the whole process.
        """
        most, most_of_all = self._policy.requests_at_once, self._policy.all_requests_at_once
        if most and self._now[grant.id] >= most:
            raise RateLimitedError(f"{most} requests at once", retry_after_s=PAUSE_S)
        if most_of_all and self._all_now >= most_of_all:
            raise OverloadedError(retry_after_s=PAUSE_S)
        self._now[grant.id] += 1
        self._all_now += 1
        try:
            yield
        finally:
            self._all_now -= 1
            self._now[grant.id] -= 1
            if not self._now[grant.id]:
                del self._now[grant.id]

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
