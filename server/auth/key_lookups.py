"""Lookups of keys that this process has not seen: few at once, and few of them for one network.

Secrets of 256 bits cannot be guessed, so attempts are not counted. The limit is on the work that they cause at a time:
a client that tries wrong keys slows down others that bring new keys, and cannot keep them out.
"""

import asyncio
import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from papergraph.errors import RateLimitedError

AT_ONCE, OF_ONE_NETWORK = 8, 4
PATIENCE_S = 3.0
"""How long a request waits for its lookup, in seconds."""

PAUSE_S = 1
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
        self, *, at_once: int = AT_ONCE, of_one_network: int = OF_ONE_NETWORK, patience_s: float = PATIENCE_S
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
                raise RateLimitedError(told, retry_after_s=PAUSE_S) from error
            try:
                yield
            finally:
                self._places.release()
                own.release()
        finally:
            own, n_inside = self._networks.pop(network)
            if n_inside > 1:
                self._networks[network] = own, n_inside - 1
