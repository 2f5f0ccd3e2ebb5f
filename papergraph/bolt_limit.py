"""A way to Neo4j that ends an answer which grows too large, before anything of it is decoded.

A query can make one value of any size, such as ``range(1, 100000000)``: Neo4j sends it as it makes it, and a driver
first gathers the whole message, then decodes it, and all that waits in the process waits for that. So what a
researcher's query sends goes through a relay in this process, on a port of loopback, that counts the bytes between two
requests and closes the connection when there are too many; Neo4j then ends the query.
"""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"
BOLT_PORT = 7687
PIECE = 64 * 1024
CONNECT_S = 5.0


class LimitedBolt:
    """A relay to one Neo4j; open it with ``async with``.

    Attributes:
        uri: The address that leads there through the relay, while it is open.
        is_cut: Whether an answer was ended since this was last set to False.
    """

    def __init__(self, uri: str, *, most_bytes: int) -> None:
        """Make a way.

        Args:
            uri: Where Neo4j listens, as drivers take it; it is spoken to directly, without routing.
            most_bytes: How long an answer to one request may be, at least 1.
        """
        parts = urlsplit(uri)
        self._host, self._port = parts.hostname or "localhost", parts.port or BOLT_PORT
        self._tls = _tls(parts.scheme)
        self._most_bytes = most_bytes
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.uri = ""
        self.is_cut = False

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._relay, LOOPBACK, 0, limit=PIECE)
        self.uri = f"bolt://{LOOPBACK}:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if task := asyncio.current_task():
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        with suppress(asyncio.CancelledError):  # asyncio takes a relay that is cancelled for one that failed
            await self._join(reader, writer)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward data in both directions until a side disconnects or exceeds the limit."""
        try:
            async with asyncio.timeout(CONNECT_S):
                there = await asyncio.open_connection(self._host, self._port, ssl=self._tls, limit=PIECE)
        except (OSError, TimeoutError):
            writer.close()
            return
        count = _Count(self._most_bytes)
        pumps = [
            asyncio.create_task(_pump(reader, there[1], count.begin)),
            asyncio.create_task(_pump(there[0], writer, count.add)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            self.is_cut |= count.is_over
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            there[1].close()
            writer.close()


class _Count:
    """Bytes of the answer that is on its way."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._n = 0

    @property
    def is_over(self) -> bool:
        return self._n > self._most

    def begin(self, n: int) -> bool:
        """Reset the count for a new request; return True."""
        self._n = 0
        return True

    def add(self, n: int) -> bool:
        """Count bytes; return False above the limit."""
        self._n += n
        return not self.is_over


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, may_pass: Callable[[int], bool]) -> None:
    try:
        while piece := await reader.read(PIECE):
            if not may_pass(len(piece)):
                return
            writer.write(piece)
            await writer.drain()
    except OSError:  # either side has gone
        return


def _tls(scheme: str) -> ssl.SSLContext | None:
    """Return what a scheme such as ``bolt+s`` asks for."""
    if scheme.endswith("+s"):
        return ssl.create_default_context()
    if scheme.endswith("+ssc"):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context
    return None
