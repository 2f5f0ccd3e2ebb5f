"""Where researchers' queries run: one after the other, checked, read only, and none longer or larger than allowed.

Few run at once and each asker has one of them, so that whoever asks much waits behind those who ask little, and
searches keep their share of the processors. Nothing is tried again: a query that ran out of memory would do so again.
"""

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

from cachetools import TTLCache
from neo4j import AsyncResult, Record

import cypher
from papergraph import cypher_guard as guard
from papergraph.concurrency import apart
from papergraph.cypher_guard import MAX_ROWS, Fence
from papergraph.database import Database
from papergraph.errors import (
    CypherStuckError,
    InputError,
    UnsafeQueryError,
)
from papergraph.json_values import to_json
from papergraph.statement import Statement
from papergraph.store import Address
from server.shared_counters import Shared
from server.user_cypher.connection import Connection
from server.user_cypher.fair_queue import FairQueue
from server.user_cypher.watch import QueryWatch

DEFAULT_ROWS = 1000
MAX_BYTES = 8 * 1024 * 1024
"""How long all rows together may be, as JSON."""

MAX_PARAMETER_CHARS = 200_000
STUCK_PAUSE_S = 30
PATIENCE_S = 30.0
"""How long a query waits for its turn."""

MOST_WAITING = 32
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
    """What comes first: the names of the columns, and of a copy when it was made."""

    columns: Sequence[str]
    as_of: datetime | None


@dataclass(frozen=True)
class Rows:
    """The next rows."""

    rows: Sequence[Row]


@dataclass(frozen=True)
class End:
    """What comes last.

    Attributes:
        n_rows: How many came.
        cut: What ended it where there are more.
        ms: How long the query took with its check, without waiting for its turn, in milliseconds.
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
class Question:
    """A query and what it is held to.

    Attributes:
        text: One statement of Cypher, at most 20,000 characters.
        parameters: Its values.
        rows: How many are taken at most, 1 to 10,000.
        deadline_s: How long it may take, in seconds; the desk's own by default, and at most.
    """

    text: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    rows: int = DEFAULT_ROWS
    deadline_s: float | None = None


@dataclass(frozen=True)
class Target:
    """What is read.

    Attributes:
        collections: Names of its collections; of a store that is no copy, the first and the last one.
        as_of: Of a copy, when it was made.
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
        is_copy: bool = False,
        shared: Shared | None = None,
        end_server: Callable[[], bool] | None = None,
    ) -> None:
        """Make a desk that connects when it is first asked.

        Args:
            address: The store, or a copy of it that cannot be written.
            at_once: How many queries run at the same time, at least 1.
            deadline_s: How long each may take, in seconds.
            is_copy: Whether the address is that of a copy, whose age belongs to each answer.
            shared: Where the processes of a server count their queries together.
            end_server: Ends that Neo4j where somebody starts it again; for when it goes on with ended queries.
        """
        self._is_copy = is_copy
        self._verdicts: TTLCache[tuple[object, ...], Statement] = TTLCache(VERDICTS_KEPT, ttl=VERDICT_S)
        self.deadline_s = deadline_s
        address = replace(address, deadline_s=deadline_s, slow_query_ms=0)
        self._turns = FairQueue(at_once, most_waiting=MOST_WAITING, patience_s=PATIENCE_S, shared=shared)
        self._ways = [Connection(address) for _ in range(at_once)]
        self._free = list(self._ways)
        self._watch = QueryWatch(address, deadline_s=deadline_s, end_server=end_server)

    @property
    def is_stuck(self) -> bool:
        """Whether Neo4j goes on with a query that was ended; no other is sent then."""
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
        self, asker: str, question: Question, *, may_read: MayRead, whatever: bool = False
    ) -> AsyncGenerator[Piece, None]:
        """Run a query, and yield its columns, rows as they come, and how it ended.

        Its errors come before its columns where its first rows fail. To close what is returned ends the query.

        Args:
            asker: Who asks; one query of each runs at a time.
            question: The query.
            may_read: Told what is read before anything is; returns what the query must not come to, or raises.
            whatever: Whether that does not depend on what is read, so that the store need not be asked for it.

        Raises:
            InputError: The question is not acceptable.
            UnsafeQueryError: The query may do something else than read.
            CypherError: Neo4j refuses it.
            OverloadedError: Its turn did not come in time.
            CypherStuckError: Neo4j goes on with a query that was ended.
            CypherDeadlineError: It took longer than it may.
            DatabaseError: Neo4j failed.
        """
        check(question)
        if self._watch.is_stuck:
            raise CypherStuckError(retry_after_s=STUCK_PAUSE_S)
        return apart(self._ask(asker, question, may_read, whatever))

    async def _ask(
        self, asker: str, question: Question, may_read: MayRead, whatever: bool
    ) -> AsyncGenerator[Piece, None]:
        limit = min(question.deadline_s or self.deadline_s, self.deadline_s)
        async with self._turns.turn(asker), self._a_way() as way:
            database = await way.database()
            target = Target(()) if whatever and not self._is_copy else await target_of(database)
            fence = may_read(target)
            start = time.perf_counter()
            with self._watched():
                with way.telling(explained=True):
                    statement = await self._checked(database, question, fence)
                with way.telling():
                    async with database.streamed(statement, question.parameters, deadline_s=limit) as result:
                        taken = _Taken(result, most_rows=question.rows)
                        rows = await taken.next()
                        yield Head(list(result.keys()), target.as_of)
                        while rows:
                            yield Rows(rows)
                            rows = await taken.next()
            yield End(taken.n_rows, taken.cut, 1000.0 * (time.perf_counter() - start))

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Have it looked after what was sent to Neo4j and did not come to its end."""
        try:
            yield
        except UnsafeQueryError:
            raise
        except BaseException:
            self._watch.look_later()
            raise

    async def _checked(self, database: Database, question: Question, fence: Fence) -> Statement:
        """Check a query, unless it passed lately: its plan may be another by now, and still does nothing but read."""
        key = (
            question.text,
            fence,
            *sorted((name, type(value).__name__) for name, value in question.parameters.items()),
        )
        statement = self._verdicts.get(key)
        if statement is None:
            statement = await guard.checked(database, question.text, question.parameters, name=NAME, fence=fence)
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


def check(question: Question) -> None:
    """Refuse a question whose numbers or parameters are not acceptable.

    Raises:
        InputError: One is not.
    """
    if not 1 <= question.rows <= MAX_ROWS:
        raise InputError(f"rows is {question.rows}; it must be 1 to {MAX_ROWS}.", field="rows")
    if question.deadline_s is not None and not question.deadline_s > 0:
        raise InputError("deadlineMs must be above 0.", field="deadlineMs")
    try:
        size = len(json.dumps(question.parameters, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"The parameters are not JSON: {error}", field="parameters") from error
    if size > MAX_PARAMETER_CHARS:
        raise InputError(
            f"The parameters have {size} bytes; at most {MAX_PARAMETER_CHARS} are allowed.", field="parameters"
        )


async def target_of(database: Database) -> Target:
    """Return what is read in a store, or in a copy of one.

    Raises:
        DatabaseError: Neo4j failed.
    """
    (extent,) = await database.read(cypher.load("snapshot/extent"))
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
        rows: list[Row] = []
        while self.cut is None and len(rows) < BATCH and (record := await anext(self._result, None)) is not None:
            if self.n_rows >= self._most_rows:
                self.cut = "rows"
                break
            values = [to_json(value) for value in record.values()]
            row = Row(values, json.dumps(values, ensure_ascii=False), record)
            self._n_bytes += len(row.text)
            if self._n_bytes > MAX_BYTES:
                self.cut = "bytes"
                break
            rows.append(row)
            self.n_rows += 1
        return rows
