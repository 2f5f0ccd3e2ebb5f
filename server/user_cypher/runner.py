"""Runner of users' Cypher, and the desk that admits their queries."""

import asyncio
import json
import logging
import re
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, NamedTuple, Protocol, Self
from urllib.parse import urlsplit

from cachetools import TTLCache
from neo4j import AsyncResult, Record

from papergraph import cypher
from papergraph import cypher_guard as guard
from papergraph.concurrency import FairQueue, apart
from papergraph.cypher_guard import Fence
from papergraph.database import Database
from papergraph.errors import (
    AccessError,
    DatabaseError,
    DatabaseUnavailableError,
    DeadlineError,
    InputError,
    OverloadedError,
    QueryError,
    UnsafeQueryError,
)
from papergraph.json_values import to_json
from papergraph.server.user_cypher.request import CypherRequest
from papergraph.shared_counters import Shared
from papergraph.statement import USER_QUERY, Statement
from papergraph.store import Address
from papergraph.telemetry import metrics

# User-supplied Cypher: checked, read only, in turns, and limited in time and size


WIRE_BYTES = 4 * 1024 * 1024
"""Largest answer of Neo4j to one request of the driver (25 rows), in bytes; decoding it holds up the event loop."""

OUT_OF_MEMORY = "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
THEIRS = ("Neo.ClientError.", "Neo.DatabaseError.Statement.")
"""Beginnings of error codes caused by the query; a value out of bounds may have the second."""

LONGEST_DETAIL = 1000
"""Most characters of Neo4j's words, which may contain a whole value."""

PLACE = re.compile(r"\(line (\d+), column (\d+) \(offset: (\d+)\)\)")
EXPLAIN = "EXPLAIN "


class Connection:
    """A connection of its own through a metered way; one query uses it at a time."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._stack = AsyncExitStack()
        self._meter: LimitedBolt | None = None
        self._database: Database | None = None
        self._connected_uri = ""

    async def database(self) -> Database:
        """Connect, or return what is connected already.

        Raises:
            DatabaseError: Nothing answers at the address.
        """
        if (uri := self._uri()) != self._connected_uri:
            await self.close()
            async with AsyncExitStack() as stack:
                meter = await stack.enter_async_context(LimitedBolt(uri, most_bytes=WIRE_BYTES))
                self._database = await stack.enter_async_context(
                    await replace(self._address, uri=meter.uri, home=None).connect()
                )
                self._meter, self._stack, self._connected_uri = meter, stack.pop_all(), uri
        assert self._database is not None  # noqa: S101 for mypy
        return self._database

    async def close(self) -> None:
        """Close what is open."""
        self._connected_uri = ""
        await self._stack.aclose()

    def _uri(self) -> str:
        find = self._address.find_uri
        return (find and find()) or self._address.uri

    @contextmanager
    def telling(self, *, explained: bool = False) -> Iterator[None]:
        """Convert Neo4j's errors, and too large values, to errors for the author of the query.

        Args:
            explained: True for EXPLAIN, whose positions are shifted.
        """
        if self._meter is not None:
            self._meter.is_cut = False
        try:
            yield
        except DeadlineError as error:
            late = DeadlineError("The query", error.deadline_s)
            late.public = f"{late} Match less, start from an indexed property, or add LIMIT."
            raise late from error
        except DatabaseUnavailableError as error:
            if self._meter is not None and self._meter.is_cut:
                raise _rejected(
                    f"A few rows have more than {WIRE_BYTES:,} bytes. Return fewer or smaller values."
                ) from error
            raise
        except QueryError as error:
            if error.status == OUT_OF_MEMORY:
                raise _rejected("The query needs too much memory. Match less, or aggregate less.") from error
            if error.status.startswith(THEIRS):
                raise _rejected(as_written(error.detail) if explained else error.detail) from error
            raise


def as_written(detail: str) -> str:
    """Return Neo4j's words on a query that it was to explain, with places in the query as it was written."""
    found = PLACE.search(detail)
    if found is None:
        return detail
    line, column, offset = (int(number) for number in found.groups())
    column -= len(EXPLAIN) if line == 1 else 0
    told = f"(line {line}, column {column} (offset: {offset - len(EXPLAIN)}))"
    detail = f"{detail[: found.start()]}{told}{detail[found.end() :]}".replace(f'"{EXPLAIN}', '"', 1)
    words, end, caret = detail.rpartition("\n")
    return f"{words}{end}{caret[len(EXPLAIN) :]}" if line == 1 and not caret.strip(" ^") else detail


GRACE_S = 20.0
"""Seconds that Neo4j has to stop a cancelled query."""

POLL_S = 5.0
LOOK_S = 5.0
"""Longest time of one look, in seconds."""

MOST_UNANSWERED = 3
"""Consecutive checks without an answer after which Neo4j counts as hanging."""

REMINDED_EVERY_S = 600.0
"""Interval of log lines about a Neo4j that its operator has to restart, in seconds."""

log = logging.getLogger(__name__)


class QueryWatch:
    """Watch over cancelled queries: a stuck one can block Neo4j, which is then restarted.

    Attributes:
        is_stuck: True if a cancelled query still runs; further queries are refused then.
    """

    def __init__(self, address: Address, *, deadline_s: float, end_server: Callable[[], bool] | None = None) -> None:
        """Create an idle watch.

        Args:
            address: Neo4j that runs the queries.
            deadline_s: Timeout of a query in seconds.
            end_server: Function that ends that Neo4j, for a restart by its keeper, and returns whether it did; None
                without a keeper.
        """
        self._address = replace(address, deadline_s=LOOK_S, slow_query_ms=0)
        self._oldest_ms = int(1000 * (deadline_s + GRACE_S / 2))
        self._end_server = end_server
        self._watching: asyncio.Task[None] | None = None
        self._told_at = -REMINDED_EVERY_S
        self.is_stuck = False

    def look_later(self) -> None:
        """Look, after a while, whether queries that were ended have ended."""
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Stop looking."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        self._be_stuck(False)

    async def _watch(self) -> None:
        await asyncio.sleep(GRACE_S)
        n_unanswered = 0
        while True:
            n_listed: int | None = None
            try:
                async with await self._address.connect() as database:
                    n_listed = await count_user_queries(database, oldest_ms=self._oldest_ms)
            except DeadlineError:
                n_unanswered += 1
            except DatabaseError:
                n_unanswered = 0  # it has ended, and starts
            if n_listed == 0:
                return self._be_stuck(False)
            if n_listed or n_unanswered >= MOST_UNANSWERED:
                n_unanswered = 0
                self._be_stuck(True)
                await self._end()
            await asyncio.sleep(POLL_S)

    def _be_stuck(self, is_stuck: bool) -> None:
        if is_stuck != self.is_stuck:
            metrics.CYPHER_STUCK.inc(1 if is_stuck else -1)
        if self.is_stuck and not is_stuck:
            log.warning("Neo4j at %s has ended the query; Cypher of users is accepted again", self._address.uri)
            self._told_at = -REMINDED_EVERY_S
        self.is_stuck = is_stuck

    async def _end(self) -> None:
        """End the server if it is kept, and log this; of another one, log the remedy now and then."""
        is_ended = self._end_server is not None and await asyncio.to_thread(self._end_server)
        if is_ended or time.monotonic() - self._told_at >= REMINDED_EVERY_S:
            self._told_at = time.monotonic()
            told = "Neo4j at %s still runs a query of a user that was ended, and Cypher of users is paused; %s"
            log.error(told, self._address.uri, "it was ended, to be restarted" if is_ended else "restart this Neo4j")


async def count_user_queries(database: Database, *, oldest_ms: int) -> int:
    """Return how many queries of users run for longer than ``oldest_ms``, in milliseconds.

    Raises:
        DatabaseError: Neo4j failed.
    """
    (found,) = await database.read(cypher.load("health/user_queries"), marks=USER_QUERY, oldest_ms=oldest_ms)
    return int(found["n_queries"])


MAX_BYTES = 8 * 1024 * 1024
"""Largest size of all rows as JSON, in bytes."""

STUCK_PAUSE_S = 30
PATIENCE_S = 30.0
"""Longest wait of a query for its turn, in seconds."""

MOST_WAITING, MOST_WAITING_OF_ONE = 32, 4
BATCH = 100
VERDICT_S = 60.0
VERDICTS_KEPT = 200
"""Queries that passed the guard, and for how long that holds."""

NAME = "the query"

Cut = Literal["rows", "bytes"]


class Row(NamedTuple):
    """A record.

    Attributes:
        values: In the order of the columns, as JSON has them.
        text: The same as a JSON array.
        record: What the driver gave.
    """

    values: list[Any]
    text: str
    record: Record


@dataclass(frozen=True)
class Head:
    """First part of an answer: the columns, and the time of the replica."""

    columns: Sequence[str]
    as_of: datetime | None


@dataclass(frozen=True)
class Rows:
    """The next rows."""

    rows: Sequence[Row]


@dataclass(frozen=True)
class End:
    """Last part of an answer.

    Attributes:
        n_rows: Number of rows.
        cut: Limit that cut the rows, or None.
        ms: Duration of the query with its check, without the wait for its turn, in milliseconds.
    """

    n_rows: int
    cut: Cut | None
    ms: float


Piece = Head | Rows | End


@dataclass(frozen=True)
class Table:
    """All of an answer."""

    head: Head
    rows: Sequence[Row]
    end: End


@dataclass(frozen=True)
class Target:
    """Data that a query reads.

    Attributes:
        collections: Names of its collections; of the store itself only the first and the last.
        as_of: Time of the replica, or None.
    """

    collections: Sequence[str]
    as_of: datetime | None = None


MayRead = Callable[[Target], Fence]


class CypherRunner:
    """Runs researchers' queries on one Neo4j; open it with ``async with``."""

    def __init__(
        self,
        address: Address,
        *,
        at_once: int,
        deadline_s: float,
        is_replica: bool = False,
        shared: Shared | None = None,
        end_server: Callable[[], bool] | None = None,
    ) -> None:
        """Create a runner that connects on first use.

        Args:
            address: The store, or a replica.
            at_once: Most concurrent queries, at least 1.
            deadline_s: Timeout of each query in seconds.
            is_replica: True for a replica, whose time is part of each answer.
            shared: Common counters of the processes of a server.
            end_server: Function that ends that Neo4j for a restart, if cancelled queries keep running.
        """
        self._is_replica = is_replica
        self._verdicts: TTLCache[tuple[object, ...], Statement] = TTLCache(VERDICTS_KEPT, ttl=VERDICT_S)
        self.deadline_s = deadline_s
        address = replace(address, deadline_s=deadline_s, slow_query_ms=0)
        self._turns = FairQueue(
            "Cypher",
            at_once,
            of_one=1,
            most_waiting=MOST_WAITING,
            most_waiting_of_one=MOST_WAITING_OF_ONE,
            slots=shared,
        )
        self._ways = [Connection(address) for _ in range(at_once)]
        self._free = list(self._ways)
        self._watch = QueryWatch(address, deadline_s=deadline_s, end_server=end_server)

    @property
    def is_stuck(self) -> bool:
        """True if a cancelled query still runs in Neo4j; further queries are refused then."""
        return self._watch.is_stuck

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._watch.close()
        for way in self._ways:
            await way.close()

    def ask(
        self, account: str, request: CypherRequest, *, may_read: MayRead, whatever: bool = False
    ) -> AsyncGenerator[Piece, None]:
        """Run a query; yield its columns, its rows in pieces, and its end.

        Errors in the first rows are raised before the columns. Closing the generator cancels the query.

        Args:
            account: Account of the principal; one query of each runs at a time.
            request: The query.
            may_read: Called with the target before the query runs; returns the forbidden parts, or raises.
            whatever: True if the result of ``may_read`` is independent of the target, which saves reading it.

        Raises:
            UnsafeQueryError: The query may do more than read.
            InputError: Neo4j refuses the query.
            OverloadedError: The wait for a turn was too long.
            OverloadedError: A cancelled query still runs in Neo4j.
            DeadlineError: The timeout passed.
            DatabaseError: Neo4j failed.
        """
        if self._watch.is_stuck:
            problem = "Cypher is paused, because Neo4j still runs a query that was ended."
            raise OverloadedError(problem, retry_after_s=STUCK_PAUSE_S)
        return apart(self._ask(account, request, may_read, whatever))

    async def _ask(
        self, account: str, request: CypherRequest, may_read: MayRead, whatever: bool
    ) -> AsyncGenerator[Piece, None]:
        asked_s = self.deadline_s if request.deadline_ms is None else request.deadline_ms / 1000
        limit = min(asked_s, self.deadline_s)
        async with self._turns.turn(account, patience_s=PATIENCE_S), self._a_way() as way:
            database = await way.database()
            target = Target(()) if whatever and not self._is_replica else await target_of(database)
            fence = may_read(target)
            start = time.perf_counter()
            with self._watched():
                with way.telling(explained=True):
                    statement = await self._checked(database, request, fence)
                with way.telling():
                    async with database.streamed(statement, request.parameters, deadline_s=limit) as result:
                        taken = _Taken(result, most_rows=request.rows)
                        rows = await taken.next()
                        yield Head(list(result.keys()), target.as_of)
                        while rows:
                            yield Rows(rows)
                            rows = await taken.next()
            yield End(taken.n_rows, taken.cut, 1000.0 * (time.perf_counter() - start))

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Start the watch for a query that was cancelled in Neo4j."""
        try:
            yield
        except UnsafeQueryError:
            raise
        except BaseException:
            self._watch.look_later()
            raise

    async def _checked(self, database: Database, request: CypherRequest, fence: Fence) -> Statement:
        """Check a query, unless it passed lately: its plan may be another by now, and still does nothing but read."""
        key = (
            request.query,
            fence,
            guard.numeric_in(request.parameters),
            *sorted((name, type(value).__name__) for name, value in request.parameters.items()),
        )
        statement = self._verdicts.get(key)
        if statement is None:
            statement = await guard.checked(database, request.query, request.parameters, name=NAME, fence=fence)
            self._verdicts[key] = statement
        return statement

    @asynccontextmanager
    async def _a_way(self) -> AsyncIterator["Connection"]:
        way = self._free.pop()  # there is one: as many turns are given as there are ways
        try:
            yield way
        finally:
            self._free.append(way)


async def gathered(pieces: AsyncGenerator[Piece, None]) -> Table:
    """Return all that comes, at once; errors are those of :meth:`CypherRunner.ask`."""
    rows: list[Row] = []
    head = Head((), None)
    async with aclosing(pieces):
        async for piece in pieces:
            if isinstance(piece, Head):
                head = piece
            elif isinstance(piece, Rows):
                rows += piece.rows
            else:
                return Table(head, rows, piece)
    raise AssertionError("unreachable: the last piece is End")


async def target_of(database: Database) -> Target:
    """Return the collections of a store or replica, and the time of a replica.

    Raises:
        DatabaseError: Neo4j failed.
    """
    (extent,) = await database.read(cypher.load("replica/extent"))
    copied_at = extent["copied_at"]
    return Target(tuple(extent["collections"]), None if copied_at is None else copied_at.to_native())


class _Taken:
    """Takes records until there are no more, or enough."""

    def __init__(self, result: AsyncResult, *, most_rows: int) -> None:
        self._result = result
        self._most_rows = most_rows
        self._n_bytes = 0
        self.n_rows = 0
        self.cut: Cut | None = None

    async def next(self) -> list[Row]:
        """Return the next rows, none at the end; what is beyond the limits is left."""
        records: list[Record] = []
        while self.cut is None and len(records) < BATCH and (record := await anext(self._result, None)) is not None:
            if self.n_rows + len(records) >= self._most_rows:
                self.cut = "rows"
                break
            records.append(record)
        rows = await asyncio.to_thread(lambda: [_row(record) for record in records])  # a second per million values
        for number, row in enumerate(rows):
            self._n_bytes += len(row.text)
            if self._n_bytes > MAX_BYTES:
                self.cut = "bytes"
                rows = rows[:number]
                break
        self.n_rows += len(rows)
        return rows


def _row(record: Record) -> Row:
    values = [to_json(value) for value in record.values()]
    return Row(values, json.dumps(values, ensure_ascii=False), record)


# Target of users' Cypher: the store for administrators, the local replica for other keys and for agents.
#
# One query can end the Neo4j that runs it (docs/cypher.md), and the store's Neo4j serves everybody.


WITHOUT_REPLICA = (
    "The server has no replica to query. Run papergraph db replica there, or set PAPERGRAPH_CYPHER_URI to a replica "
    "elsewhere."
)


class RunsCypher(Protocol):
    """Runner of users' queries."""

    deadline_s: float

    def ask(
        self, account: str, request: CypherRequest, *, may_read: MayRead, whatever: bool = False
    ) -> AsyncGenerator[Piece, None]:
        """Run a query; see :meth:`papergraph.server.user_cypher.runner.CypherRunner.ask`."""


class CypherDesk:
    """Gives each query to the runner that it is for; open it with ``async with``."""

    def __init__(
        self,
        store: CypherRunner,
        *,
        find_replica: Callable[[], Address | None] | None,
        make_runner: Callable[[Address], CypherRunner],
    ) -> None:
        """Create a runner that connects on first use.

        Args:
            store: Runner of administrators' queries, and of all queries without ``find_replica``.
            find_replica: Returns the address of the replica for other keys and agents, or None without a replica.
            make_runner: Creates the runner of a replica.
        """
        self._store, self._find_replica, self._make_runner = store, find_replica, make_runner
        self._replica: tuple[Address, CypherRunner] | None = None
        self._opened = AsyncExitStack()
        self.deadline_s = store.deadline_s

    @property
    def is_stuck(self) -> bool:
        """True if a cancelled query still runs in one of the servers; further queries are refused then."""
        return self._store.is_stuck or (self._replica is not None and self._replica[1].is_stuck)

    async def __aenter__(self) -> Self:
        self._opened.push_async_exit(self._store)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._opened.aclose()

    def ask(
        self, account: str, request: CypherRequest, *, may_read: MayRead, whatever: bool = False
    ) -> AsyncGenerator[Piece, None]:
        """Run a query on the store or the replica; see :meth:`papergraph.server.user_cypher.runner.CypherRunner.ask`.

        Raises:
            AccessError: The key lacks ``admin``, and the replica is missing.
            PapergraphError: As of :meth:`papergraph.server.user_cypher.runner.CypherRunner.ask`.
        """
        runner = self._store if whatever else self.replica()
        return runner.ask(account, request, may_read=may_read, whatever=whatever)

    def replica(self) -> CypherRunner:
        """Return the runner of the replica; a new one if there was another replica before.

        Raises:
            AccessError: The server has no replica.
        """
        if self._find_replica is None:
            return self._store
        if (address := self._find_replica()) is None:
            raise AccessError(WITHOUT_REPLICA)
        if self._replica is None or self._replica[0] != address:
            runner = self._make_runner(address)
            self._opened.push_async_exit(runner)
            self._replica = address, runner
        return self._replica[1]


class ForAgents:
    """Runs all queries of agents on the replica, those of administrators too: documents may steer an agent."""

    def __init__(self, desk: CypherDesk) -> None:
        self._desk = desk
        self.deadline_s = desk.deadline_s

    def ask(
        self, account: str, request: CypherRequest, *, may_read: MayRead, whatever: bool = False
    ) -> AsyncGenerator[Piece, None]:
        """Run a query on the replica; see :meth:`CypherDesk.ask`."""
        return self._desk.replica().ask(account, request, may_read=may_read, whatever=whatever)


def _rejected(detail: str) -> InputError:
    shown = detail if len(detail) <= LONGEST_DETAIL else f"{detail[:LONGEST_DETAIL]}…"
    return InputError(f"Neo4j rejected the query: {shown}", field="query")


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
