"""Rate limits: requests and cost per minute and account, concurrent requests per account and in total, key lookups.

Counters are in this process, or in a file that the processes of a server share. Secrets of 256 bits cannot be guessed,
so attempts are not counted. The limit of lookups is on the work that they cause at a time: a client that tries wrong
keys slows down others that bring new keys, and cannot keep them out.
"""

import asyncio
import ipaddress
import math
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Annotated, Literal

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter

from papergraph.concurrency import PAUSE_S, FairQueue
from papergraph.errors import OverloadedError, RateLimitedError
from papergraph.records import Record, described
from papergraph.server.auth.access import Principal
from papergraph.server.auth.server_limits import ServerLimits, SignUp
from papergraph.shared_counters import Full, OwnSlots, Shared, Slots
from papergraph.telemetry import metrics
from papergraph.telemetry.logs import current

LimitName = Literal["requests", "cost"]


class SharedStorage(Storage):
    """Counts of the library ``limits`` in the file that processes share."""

    STORAGE_SCHEME = None

    def __init__(self, shared: Shared) -> None:
        super().__init__()
        self._shared = shared

    @property
    def base_exceptions(self) -> type[Exception]:
        """Exceptions of the file."""
        return sqlite3.Error

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add to a count."""
        return self._shared.add(key, amount, seconds=expiry)

    async def get(self, key: str) -> int:
        """Return a count."""
        return self._shared.count(key)[0]

    async def get_expiry(self, key: str) -> float:
        """Return the time of a counter's reset."""
        return self._shared.count(key)[1]

    async def check(self) -> bool:
        """Say whether the file can be read."""
        return self._shared.count("")[0] == 0

    async def reset(self) -> int | None:
        """Reset nothing: what processes share ends with the server."""
        return None

    async def clear(self, key: str) -> None:
        """Clear nothing: a count ends by itself."""


AT_ONCE, OF_ONE_NETWORK = 8, 4
LOOKUP_PATIENCE_S = 3.0
"""Longest wait for the lookup of a key, in seconds."""

LOOKUP_PAUSE_S = 1
IPV6_PREFIX = 64
"""Bits that are the same for all addresses of one subscriber."""


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and of an IPv6 address its /64, which belongs to one subscriber.

    Anything else is returned unchanged.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, IPV6_PREFIX), strict=False))


class KeyLookups:
    """Places for lookups of unknown keys, first come, first served within a network and between networks."""

    def __init__(
        self, *, at_once: int = AT_ONCE, of_one_network: int = OF_ONE_NETWORK, patience_s: float = LOOKUP_PATIENCE_S
    ) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._of_one, self._patience_s = of_one_network, patience_s
        self._networks: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def place(self, network: str) -> AsyncIterator[None]:
        """Wait for a place among the lookups, and hold it.

        Raises:
            RateLimitedError: None came in time.
        """
        own, n_inside = self._networks.get(network) or (asyncio.Semaphore(self._of_one), 0)
        self._networks[network] = own, n_inside + 1
        try:
            try:
                async with asyncio.timeout(self._patience_s):
                    await own.acquire()
                    try:
                        await self._places.acquire()
                    except BaseException:
                        own.release()
                        raise
            except TimeoutError as error:
                told = f"lookups of {self._of_one} unknown keys at once"
                raise RateLimitedError(told, retry_after_s=LOOKUP_PAUSE_S) from error
            try:
                yield
            finally:
                self._places.release()
                own.release()
        finally:
            own, n_inside = self._networks.pop(network)
            if n_inside > 1:
                self._networks[network] = own, n_inside - 1


WINDOW_S = 60
PATIENCE_S = 2.0
"""Longest wait for a turn in seconds; later requests are refused."""

RESERVED_SHARE = 4
"""One of so many slots is reserved for accounts that hold few."""

TOLD = {
    "requests": "{} requests per minute",
    "cost": "cost of {} per minute",
    "sign_up": "{} requests for signing up per minute",
}
SIGN_UPS_OF_ONE = RateLimitItemPerMinute(30, namespace="sign_up")
SIGN_UPS_OF_ALL = RateLimitItemPerMinute(600, namespace="sign_up")
"""Requests for signing up, of one network and of all."""

ANONYMOUS_OF_ONE, ANONYMOUS_OF_ALL = 8, 64
"""WebSockets that have not shown a key yet, and arriving bodies without one, of one network and of all."""

UPLOADS_OF_ONE, UPLOADS_OF_ALL = 8, 64
"""Arriving uploads of one account and of all."""


@dataclass(frozen=True)
class RateLimit(Record):
    """Rest of a limit per minute."""

    name: Annotated[LimitName, described("requests or cost.")]
    limit: Annotated[int, described("Amount per minute.")]
    left: Annotated[int, described("Amount that is left.")]
    resets_in_s: Annotated[int, described("Seconds until the whole amount is there again.")]


class RateLimiter:
    """Counts of recent and running requests by account, in this process or in several with common counters."""

    def __init__(self, policy: ServerLimits, shared: Shared | None = None) -> None:
        self._counter = FixedWindowRateLimiter(MemoryStorage() if shared is None else SharedStorage(shared))
        self._policy = policy
        self._slots: Slots = OwnSlots() if shared is None else shared
        at_once = policy.worked_on_at_once  # of this process
        self._turns = FairQueue("requests", at_once) if at_once else None
        self.lookups = KeyLookups()

    async def count(self, principal: Principal) -> None:
        """Count a request.

        Raises:
            RateLimitedError: It is one too many.
        """
        if item := self._items(principal).get("requests"):
            await self._take(item, principal.account, 1)

    async def count_sign_up(self, network: str) -> None:
        """Count a request of somebody without a key that has to do with signing up.

        Raises:
            RateLimitedError: It is one too many of its network, or of all.
        """
        for item, whose in ((SIGN_UPS_OF_ONE, network), (SIGN_UPS_OF_ALL, "")):
            await self._take(item, whose, 1)

    async def charge(self, principal: Principal, cost: int) -> None:
        """Charge what an operation costs, before it is done; one that is refused costs nothing.

        Raises:
            RateLimitedError: Not that much is left.
        """
        if item := self._items(principal).get("cost"):
            await self._take(item, principal.account, cost)
        metrics.COST.inc(cost)
        if (request := current()) is not None:
            request.charge(cost)

    def _items(self, principal: Principal) -> Mapping[LimitName, RateLimitItemPerMinute]:
        """Return the limits of a principal: of the server's and its own the lower one."""
        amounts: dict[LimitName, tuple[int, int | None]] = {
            "requests": (self._policy.requests_per_minute, principal.requests_per_minute),
            "cost": (self._policy.cost_per_minute, principal.cost_per_minute),
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

    async def headers(self, principal: Principal) -> Mapping[str, str]:
        """Return the rest of the limits as headers of draft-ietf-httpapi-ratelimit-headers; empty without limits."""
        found = await self.left(principal)
        if not found:
            return {}
        left = [f'"{one.name}";r={one.left};t={one.resets_in_s}' for one in found]
        policies = [f'"{one.name}";q={one.limit};w={WINDOW_S}' for one in found]
        return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(left)}

    async def left(self, principal: Principal) -> list[RateLimit]:
        """Return what is left of each limit."""
        found = []
        for name, item in self._items(principal).items():
            _, remaining = await self._counter.get_window_stats(item, principal.account)
            found.append(
                RateLimit(
                    "cost" if name == "cost" else "requests",
                    item.amount,
                    int(remaining),
                    await self._seconds_left(item, principal.account),
                )
            )
        return found

    @property
    def keys_required(self) -> bool:
        """True if requests need a key."""
        return self._policy.keys_required

    @property
    def sign_up(self) -> SignUp:
        """Policy of sign-ups."""
        return self._policy.sign_up

    def place(self, principal: Principal) -> AbstractContextManager[None]:
        """Hold a slot among the requests that are answered at the same time; their bodies are complete.

        Raises:
            RateLimitedError: The account holds its most.
            OverloadedError: All are held, or the account holds several and the rest is for others.
        """
        return self._of_policy("requests", "requests at once", principal.account)

    def body(self, principal: Principal) -> AbstractContextManager[None]:
        """Hold a slot among the bodies that are being received; raises as :meth:`place`."""
        if not principal.scopes:
            return self._anonymous("bodies", principal.account)
        return self._of_policy("bodies", "requests arriving at once", principal.account)

    def upload(self, principal: Principal) -> AbstractContextManager[None]:
        """Hold a slot among the files that are being received; raises as :meth:`place`."""
        most, of_all = UPLOADS_OF_ONE, UPLOADS_OF_ALL
        return self._held("uploads", f"{most} uploads at once", principal.account, most, of_all)

    def handshake(self, network: str) -> AbstractContextManager[None]:
        """Hold a slot among the WebSockets of a network that have not shown a key yet; raises as :meth:`place`."""
        return self._anonymous("handshakes", network)

    def _of_policy(self, kind: str, name: str, account: str) -> AbstractContextManager[None]:
        most, of_all = self._policy.requests_at_once, self._policy.all_requests_at_once
        return self._held(kind, f"{most} {name}", account, most, of_all)

    def _anonymous(self, kind: str, network: str) -> AbstractContextManager[None]:
        most, of_all = ANONYMOUS_OF_ONE, ANONYMOUS_OF_ALL
        return self._held(f"anonymous {kind}", f"{most} {kind} at once", network, most, of_all)

    @contextmanager
    def _held(self, kind: str, told: str, account: str, most: int, of_all: int) -> Iterator[None]:
        """Hold a slot; a quarter of all is reserved for accounts that hold few."""
        full = self._slots.take(kind, account, most=most, most_of_all=of_all, reserved=of_all // RESERVED_SHARE)
        if full is Full.ONE:
            raise RateLimitedError(told, retry_after_s=PAUSE_S)
        if full is Full.ALL:
            raise OverloadedError(retry_after_s=PAUSE_S)
        try:
            yield
        finally:
            self._slots.give_back(kind, account)

    @asynccontextmanager
    async def turn(self, principal: Principal) -> AsyncIterator[None]:
        """Hold a turn while the context is open; the account with the fewest turns is next.

        Requests share the time of one processor: a few at once finish sooner than all at once, and probes of health
        still get through.

        Raises:
            OverloadedError: No turn became free within :data:`PATIENCE_S`.
        """
        async with nullcontext() if self._turns is None else self._turns.turn(principal.account, patience_s=PATIENCE_S):
            yield
