"""A Neo4j cluster that is none: three servers that speak Bolt 5.4 on sockets, over a graph that is a number.

What is committed by the leader raises the number by one, and reading returns it. A follower learns of what is committed
only when it has to: a bookmark that it is given names how much it has to know before it answers, as with Neo4j. Values
are packed by the driver's own PackStream.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from neo4j._codec.packstream.v1 import PackableBuffer, Packer, UnpackableBuffer, Unpacker

BOLT_5_4 = b"\x00\x00\x04\x05"
HELLO, GOODBYE, RESET, RUN, BEGIN, COMMIT, ROLLBACK = 0x01, 0x02, 0x0F, 0x10, 0x11, 0x12, 0x13
DISCARD, PULL, ROUTE, LOGON = 0x2F, 0x3F, 0x66, 0x6A
SUCCESS, RECORD, IGNORED, FAILURE = b"\x70", b"\x71", b"\x7e", b"\x7f"
NOT_A_LEADER = "Neo.ClientError.Cluster.NotALeader"
BOOKMARK = "double:"
N_MEMBERS = 3


@dataclass(frozen=True)
class Asked:
    """A statement that a server was sent.

    Attributes:
        member: The number of the server.
        mode: The access mode in the message: ``r`` or ``w``.
        text: The statement.
        bookmarks: Those of its transaction.
    """

    member: int
    mode: str
    text: str
    bookmarks: tuple[str, ...]


class Refusal(Exception):  # noqa: N818 an answer, no error
    """What a server refuses a message with."""


class Member:
    """One server; ``is_silent`` makes it take messages and answer none."""

    def __init__(self, cluster: "Cluster", number: int) -> None:
        self._cluster, self.number = cluster, number
        self._listener: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.port = 0
        self.n_known = 0
        """How much of what is committed it knows."""

        self.is_silent = False

    @property
    def address(self) -> str:
        """Its host and port, as a routing table has them."""
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen, on the same port as before if there was one."""
        self._listener = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close its port and its connections."""
        if self._listener is not None:
            self._listener.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await reader.readexactly(20)  # four bytes of Bolt, and four versions that the driver speaks
            writer.write(BOLT_5_4)
            await _Connection(self._cluster, self, reader, writer).serve()
        writer.close()
        self._connections.discard(task)


class Cluster:
    """Three members, one of which leads; open it with ``async with``.

    Attributes:
        members: The servers.
        leader: The number of the one that takes writes.
        told_leader: The number of the one that routing tables name as the leader.
        ttl_s: How long a routing table holds, in seconds.
        n_committed: How much was committed.
        asked: The statements that were sent, in order.
    """

    def __init__(self) -> None:
        self.members = [Member(self, number) for number in range(N_MEMBERS)]
        self.leader = self.told_leader = 0
        self.ttl_s = 300
        self.n_committed = 0
        self.asked: list[Asked] = []

    @property
    def uri(self) -> str:
        """The address of the cluster, that of its last member."""
        return f"neo4j://{self.members[-1].address}"

    def lead(self, number: int) -> None:
        """Let another member lead, and routing tables that are asked for from now on say so."""
        self.leader = self.told_leader = number

    async def __aenter__(self) -> Self:
        for member in self.members:
            await member.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for member in self.members:
            await member.stop()

    def table(self) -> dict[str, Any]:
        """Return the routing table."""
        followers = [member.address for member in self.members if member.number != self.told_leader]
        everyone = [member.address for member in self.members]
        roles = {"WRITE": [self.members[self.told_leader].address], "READ": followers, "ROUTE": everyone}
        servers = [{"role": role, "addresses": addresses} for role, addresses in roles.items()]
        return {"ttl": self.ttl_s, "db": "neo4j", "servers": servers}


class _Connection:
    """One driver's connection to a member."""

    def __init__(
        self, cluster: Cluster, member: Member, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._cluster, self._member, self._reader, self._writer = cluster, member, reader, writer
        self._mode = "w"
        self._bookmarks: tuple[str, ...] = ()
        self._in_transaction = self._has_failed = False

    async def serve(self) -> None:
        while True:
            tag, fields = await self._message()
            if tag == GOODBYE:
                return
            if self._member.is_silent:
                continue
            if tag == RESET:
                self._has_failed = self._in_transaction = False
                self._answer(SUCCESS, {})
            elif self._has_failed:
                self._answer(IGNORED)
            else:
                try:
                    self._take(tag, fields)
                except Refusal as refusal:
                    self._has_failed = True
                    self._answer(FAILURE, {"code": str(refusal), "message": "said so"})
            await self._writer.drain()

    async def _message(self) -> tuple[int, Sequence[Any]]:
        data = b""
        while size := int.from_bytes(await self._reader.readexactly(2)):
            data += await self._reader.readexactly(size)
        message = Unpacker(UnpackableBuffer(data)).unpack()
        return message.tag[0], message.fields

    def _answer(self, tag: bytes, *fields: Any) -> None:
        buffer = PackableBuffer()
        Packer(buffer).pack_struct(tag, fields)
        self._writer.write(len(buffer.data).to_bytes(2) + bytes(buffer.data) + b"\x00\x00")

    def _take(self, tag: int, fields: Sequence[Any]) -> None:
        if tag == HELLO:
            self._answer(SUCCESS, {"server": "Neo4j/2026.09.0", "connection_id": "bolt-1", "hints": {}})
        elif tag == LOGON:
            self._answer(SUCCESS, {})
        elif tag == ROUTE:
            self._answer(SUCCESS, {"rt": self._cluster.table()})
        elif tag == BEGIN:
            self._begin(fields[0])
            self._in_transaction = True
            self._answer(SUCCESS, {})
        elif tag == RUN:
            text, _, extra = fields
            if not self._in_transaction:
                self._begin(extra)
            self._run(text)
        elif tag in (PULL, DISCARD):
            if tag == PULL:
                self._answer(RECORD, [self._member.n_known])
            self._answer(SUCCESS, {} if self._in_transaction else self._commit())
        elif tag in (COMMIT, ROLLBACK):
            self._in_transaction = False
            self._answer(SUCCESS, self._commit() if tag == COMMIT else {})
        else:
            raise Refusal("Neo.ClientError.Request.Invalid")

    def _begin(self, extra: dict[str, Any]) -> None:
        self._mode, self._bookmarks = extra.get("mode", "w"), tuple(extra.get("bookmarks", ()))
        needed = [int(bookmark.removeprefix(BOOKMARK)) for bookmark in self._bookmarks]
        self._member.n_known = max([self._member.n_known, *needed])

    def _run(self, text: str) -> None:
        self._cluster.asked.append(Asked(self._member.number, self._mode, text, self._bookmarks))
        if self._mode == "w" and self._member.number != self._cluster.leader:
            raise Refusal(NOT_A_LEADER)
        self._answer(SUCCESS, {"fields": ["n"]})

    def _commit(self) -> dict[str, Any]:
        if self._mode == "w":
            self._cluster.n_committed += 1
            self._member.n_known = self._cluster.n_committed
        return {"bookmark": f"{BOOKMARK}{self._member.n_known}"}
