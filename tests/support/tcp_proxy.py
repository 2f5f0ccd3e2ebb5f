"""A TCP proxy in the way to Neo4j, which loses what a test tells it to lose."""

import asyncio
from contextlib import suppress
from enum import Enum
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

COMMIT = b"\x00\x02\xb0\x12\x00\x00"
"""A COMMIT as it stands in Bolt: length, an empty structure with the tag 0x12, end of the message."""
BLOCK = 65536


class Fault(Enum):
    """What the proxy does to the traffic."""

    NONE = "everything goes through"
    SILENCE = "what the server says is swallowed, and connections stay open"
    COMMIT_CUT = "the connection is closed before a COMMIT reaches the server"
    CUT = "the connection is closed after ``n_bytes`` more of the server's, and ``fault`` is NONE again"
    COMMIT_REPLY_CUT = "the connection is closed after the server has answered a COMMIT, and the answer is lost"


class Proxy:
    """Forwards to one server; ``fault`` can be changed at any time, and those of a COMMIT happen ``n_cuts`` times."""

    def __init__(self, uri: str) -> None:
        self._server = urlsplit(uri)
        self._listener: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.fault = Fault.NONE
        self.n_cuts = 1
        self.n_bytes = 0
        self.n_commits = 0
        self.n_reply_bytes = 0
        self.uri = ""

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.uri = f"bolt://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._listener is not None
        self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._listener.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._forward(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)

    async def _forward(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection(self._server.hostname, self._server.port)
        lose_next_reply = False

        async def requests() -> None:
            nonlocal lose_next_reply
            while data := await from_client.read(BLOCK):
                if data.endswith(COMMIT):
                    self.n_commits += 1
                    if self.fault in (Fault.COMMIT_CUT, Fault.COMMIT_REPLY_CUT) and self.n_cuts > 0:
                        self.n_cuts -= 1
                        if self.fault is Fault.COMMIT_CUT:
                            return
                        lose_next_reply = True
                to_server.write(data)
                await to_server.drain()

        async def replies() -> None:
            while data := await from_server.read(BLOCK):
                if lose_next_reply:
                    return
                if self.fault is Fault.CUT:
                    if self.n_bytes < len(data):
                        self.fault = Fault.NONE
                        to_client.write(data[: self.n_bytes])
                        return
                    self.n_bytes -= len(data)
                if self.fault is not Fault.SILENCE:
                    self.n_reply_bytes += len(data)
                    to_client.write(data)
                    await to_client.drain()

        directions = [asyncio.create_task(requests()), asyncio.create_task(replies())]
        try:
            await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for direction in directions:
                direction.cancel()
            await asyncio.gather(*directions, return_exceptions=True)
            for writer in (to_client, to_server):
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()
