"""The one way to Neo4j: every call has our own deadline, hopeless queries are not retried, errors are typed.

The driver waits two minutes for a reply that never comes and repeats queries that ran out of memory, because Neo4j
calls those errors transient; both were measured (docs/integrity.md). So calls are retried by our own rule.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

import papergraph.neo4j_import  # noqa: F401 - before the driver

# isort: split
from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncNeo4jDriver,
    AsyncResult,
    AsyncSession,
    Query,
    Record,
    ResultSummary,
)
from neo4j.exceptions import ConfigurationError, DriverError, Neo4jError

from papergraph.errors import DatabaseUnavailableError, DeadlineError, QueryError, UnknownOutcomeError
from papergraph.neo4j_errors import (
    Transaction,
    is_lost,
    lost_commit,
    refusal,
    refuse_old_server,
    typed_error,
    worth_another_try,
)
from papergraph.revisions import BATCHED, revised_by, run_revising, unsettled
from papergraph.statement import CALL_OBSERVERS, ROWS, USER_QUERY, CypherCall, Statement, elided
from papergraph.telemetry import logs, metrics
from papergraph.telemetry.statements import SLOW_MS, watched

MAX_ATTEMPTS = 4
FIRST_PAUSE_S, UNKNOWN_PAUSE_S = 0.1, 0.2
MANY, FEW = 1000, 25
"""Records per fetch; few if their size is unknown."""
T = TypeVar("T")


@dataclass(frozen=True)
class Login:
    """Login of the same database for another driver."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str


class Database:
    """An open driver with one database's name and a deadline; made once at the edge and passed in."""

    def __init__(
        self,
        driver: AsyncDriver,
        *,
        name: str = "neo4j",
        deadline_s: float = 8.0,
        slow_query_ms: float = SLOW_MS,
        login: Login | None = None,
        find_uri: Callable[[], str | None] | None = None,
    ) -> None:
        self.driver = driver
        self._find_uri = find_uri
        self.login = login
        self.name = name
        self.deadline_s = deadline_s
        self.slow_query_ms = slow_query_ms
        self._bookmarks = AsyncGraphDatabase.bookmark_manager() if isinstance(driver, AsyncNeo4jDriver) else None
        """Bookmarks of all sessions: a server of a cluster answers after it has applied them."""
        self.n_queries = 0
        """Statements and transactions sent since the start; tests hold the faces to their budget with it."""

    @classmethod
    async def connect(
        cls,
        uri: str,
        *,
        user: str,
        password: str,
        name: str = "neo4j",
        deadline_s: float = 8.0,
        slow_query_ms: float = SLOW_MS,
        find_uri: Callable[[], str | None] | None = None,
    ) -> Self:
        """Open a driver and make sure that a supported Neo4j answers.

        Args:
            uri: Address of the Neo4j.
            user: Name of its user.
            password: Password of the user.
            name: Name of the database.
            deadline_s: Default limit of a call, in seconds.
            slow_query_ms: Duration from which a query is logged as slow.
            find_uri: Returns the present address of a server that can be restarted on another port; calls that fail
                are repeated there.

        Raises:
            DatabaseUnavailableError: Nothing answers at ``uri``, or it refuses the login.
            DatabaseError: The server is older than 2026.09.
        """
        try:
            driver = _driver(Login(uri, user, password, name), deadline_s)
        except (ConfigurationError, ValueError) as error:
            raise DatabaseUnavailableError(f"{uri!r} is not an address of a Neo4j: {error}") from error
        login = Login(uri, user, password, name)
        database = cls(
            driver, name=name, deadline_s=deadline_s, slow_query_ms=slow_query_ms, login=login, find_uri=find_uri
        )
        try:
            async with asyncio.timeout(deadline_s):
                info = await driver.get_server_info()
            refuse_old_server(info.agent)
        except BaseException as error:
            await database.close()
            if (typed := refusal(error, uri=uri, user=user, deadline_s=deadline_s)) is not None:
                raise typed from error
            raise
        return database

    async def server_version(self) -> str:
        """Return the server's version, such as ``2026.09.0``.

        Raises:
            DeadlineError: No answer in time.
            DatabaseUnavailableError: Neo4j cannot be reached.
        """

        async def attempt() -> str:
            info = await self.driver.get_server_info()
            return info.agent.rpartition("/")[2]

        return await self._with_retries("the server's version", attempt, self.deadline_s)

    async def state(self) -> str:
        """Return an id of the committed state, which changes with every commit.

        Neo4j applies commits with a delay; all of this state is readable when the call returns.

        Raises:
            DeadlineError: No answer in time.
            DatabaseUnavailableError: Neo4j cannot be reached.
        """

        async def attempt() -> str:
            async with self._session(READ_ACCESS) as session:
                await (await session.run("RETURN 1")).consume()
                committed = await session.last_bookmarks()
                await (await session.run("RETURN 1")).consume()  # waits until all that is applied
                return " ".join(sorted(committed.raw_values))

        return await self._with_retries("the state of the store", attempt, self.deadline_s)

    async def close(self) -> None:
        """Close the driver; safe to call twice."""
        await self.driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def read(self, statement: Statement, *, deadline_s: float | None = None, **parameters: Any) -> list[Record]:
        """Run one statement in read access mode and return all of its records.

        Args:
            statement: The query; its values are ``parameters``.
            deadline_s: Longest time for all attempts together, in seconds; the database's own by default.
            parameters: Values for the query's parameters.

        Raises:
            DeadlineError: No answer in time.
            DatabaseUnavailableError: Neo4j cannot be reached.
            QueryError: Neo4j refused the query.
        """
        answered = await self._run_alone(statement, parameters, access=READ_ACCESS, deadline_s=deadline_s)
        return statement.records(answered)

    async def rows(
        self, statement: Statement, *, deadline_s: float | None = None, **parameters: Any
    ) -> list[list[Any]]:
        """Run one statement like ``read``; return the values of each record, in the order of what it returns.

        To make a record of each of hundreds of rows takes longer than to have them.
        """
        answered = await self._run_alone(statement, parameters, access=READ_ACCESS, deadline_s=deadline_s)
        return statement.rows(answered)

    async def ask(self, statement: Statement, parameters: Mapping[str, Any], *, most: int) -> list[Record]:
        """Run one statement like ``read``, and take at most ``most`` + 1 records; :mod:`papergraph.cypher_guard`."""
        return await self._run_alone(statement, dict(parameters), access=READ_ACCESS, deadline_s=None, most=most + 1)

    async def explain(self, statement: Statement, parameters: Mapping[str, Any]) -> ResultSummary:
        """Return the plan and the query type of a statement without doing it; errors are those of ``read``."""
        query = Query(f"EXPLAIN {statement.text}", metadata=USER_QUERY, timeout=self.deadline_s)

        async def attempt() -> ResultSummary:
            async with self._session(READ_ACCESS) as session:
                return await (await session.run(query, dict(parameters))).consume()

        return await self._with_retries(statement.name, attempt, self.deadline_s)

    async def run_alone(
        self, statement: Statement, *, deadline_s: float | None = None, **parameters: Any
    ) -> list[Record]:
        """Run one idempotent statement that may write; else like ``read``.

        It is a transaction by itself, and where it changes papers, those get a revision in it. While one runs that is
        several transactions, no paper has a revision.
        """
        answered = await self._run_alone(statement, parameters, access=WRITE_ACCESS, deadline_s=deadline_s)
        return statement.records(answered)

    async def transact(
        self, name: str, work: Callable[[Transaction], Awaitable[T]], *, deadline_s: float | None = None
    ) -> T:
        """Run ``work`` in one write transaction: all of it is committed or nothing.

        ``work`` may run several times, so it must not act outside the transaction.

        Raises:
            UnknownOutcomeError: The connection broke at commit; the caller reads again before reporting anything.
            DeadlineError: No answer in time; nothing was committed.
            DatabaseUnavailableError: Neo4j cannot be reached; nothing was committed.
            QueryError: Neo4j refused a statement; nothing was committed.
        """
        limit = deadline_s or self.deadline_s
        committing = False

        async def attempt() -> T:
            nonlocal committing
            committing = False
            async with self._session(WRITE_ACCESS) as session:
                transaction = await session.begin_transaction(timeout=limit)
                ours = Transaction(transaction, slow_query_ms=self.slow_query_ms)
                result = await work(ours)
                await ours.revise()
                committing = True
                await transaction.commit()
                return result

        try:
            return await self._with_retries(
                name, attempt, limit, may_retry=lambda error: not lost_commit(committing, error)
            )
        except (DeadlineError, DatabaseUnavailableError) as error:
            if committing:
                raise UnknownOutcomeError(name, str(error)) from error
            raise

    async def transact_until_known(
        self,
        name: str,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        look: Callable[[], Awaitable[T | None]] | None = None,
        again_on: Set[str] = frozenset(),
        deadline_s: float | None = None,
    ) -> T:
        """Run :meth:`transact`; if the connection broke at commit, check the outcome or repeat the work.

        Args:
            name: Name in errors and logs.
            work: Idempotent function.
            look: Returns the committed result, or None; without it the work is always repeated.
            again_on: Status codes of Neo4j's errors after which the work is repeated too.
            deadline_s: Timeout of each attempt in seconds; the database's own by default.

        Raises:
            UnknownOutcomeError: The connection broke at commit in every attempt.
            DatabaseError: As of ``transact``, or ``look`` failed.
        """
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return await self.transact(name, work, deadline_s=deadline_s)
            except UnknownOutcomeError:
                await asyncio.sleep(UNKNOWN_PAUSE_S * attempt)
                if look is not None and (committed := await look()) is not None:
                    return committed
                if attempt == MAX_ATTEMPTS:
                    raise
            except QueryError as error:
                if error.status not in again_on or attempt == MAX_ATTEMPTS:
                    raise
        raise AssertionError("unreachable: the last attempt returns or raises")

    @asynccontextmanager
    async def streamed(
        self, statement: Statement, parameters: Mapping[str, Any], *, deadline_s: float
    ) -> AsyncIterator[AsyncResult]:
        """Run one statement in read access mode, once, and give its records as they come, few at a time.

        Args:
            statement: The query.
            parameters: Its values.
            deadline_s: Longest time for it and for all that is done with its records, in seconds.

        Raises:
            DatabaseError: As of ``read``, from here or where the records are taken.
        """
        query = Query(statement.text, metadata=USER_QUERY, timeout=deadline_s)
        with metrics.database_errors():
            try:
                async with asyncio.timeout(deadline_s), self._session(READ_ACCESS, fetch_size=FEW) as session:
                    self._count(is_retry=False)
                    with watched(statement.told_as, parameters, slow_ms=0):
                        yield await session.run(query, dict(parameters))
            except TimeoutError as error:
                raise DeadlineError(statement.name, deadline_s) from error
            except (Neo4jError, DriverError) as error:
                raise typed_error(statement.name, error, deadline_s) from error

    @asynccontextmanager
    async def _session(self, access: str, *, fetch_size: int = MANY) -> AsyncIterator[AsyncSession]:
        session = self.driver.session(
            database=self.name, default_access_mode=access, fetch_size=fetch_size, bookmark_manager=self._bookmarks
        )
        try:
            yield session
        except asyncio.CancelledError:
            session.cancel()  # close() would wait for a server that may never answer
            raise
        finally:
            await session.close()

    async def _run_alone(
        self,
        statement: Statement,
        parameters: dict[str, Any],
        *,
        access: str,
        deadline_s: float | None,
        most: int | None = None,
    ) -> list[Record]:
        limit = deadline_s or self.deadline_s
        if access == READ_ACCESS or revised_by(statement) is None:
            attempt = partial(self._answer, Query(statement.sent, timeout=limit), parameters, access, most)
        else:
            attempt = partial(self._answer_revising, statement, parameters, limit)
        with watched(statement.told_as, parameters, slow_ms=self.slow_query_ms) as ran:
            answered = await self._with_retries(statement.name, attempt, limit)
            ran.n_records = len(answered[0][ROWS]) if statement.gathered else len(answered)
        if (calls := CALL_OBSERVERS.get()) is not None:
            shown = {name: elided(value) for name, value in parameters.items()}
            calls.append(CypherCall(statement.name, shown, ran.ms, ran.n_records))
        return answered

    async def _answer(self, query: Query, parameters: Mapping[str, Any], access: str, most: int | None) -> list[Record]:
        async with self._session(access) as session:
            result = await session.run(query, dict(parameters))
            return [record async for record in result] if most is None else await result.fetch(most)

    async def _answer_revising(self, statement: Statement, parameters: dict[str, Any], limit_s: float) -> list[Record]:
        if BATCHED in statement.text:
            parts = unsettled(statement.sent, parameters, limit_s=limit_s)
            _, answered, _ = [await self._answer(*part, WRITE_ACCESS, None) for part in parts]
            return answered
        async with self._session(WRITE_ACCESS) as session:
            transaction = await session.begin_transaction(timeout=limit_s)
            answered = await run_revising(transaction, statement, parameters)
            await transaction.commit()
            return answered

    async def _with_retries(
        self,
        name: str,
        attempt: Callable[[], Awaitable[T]],
        limit_s: float,
        *,
        may_retry: Callable[[Neo4jError | DriverError], bool] = lambda error: True,
    ) -> T:
        with metrics.database_errors():
            try:
                async with asyncio.timeout(limit_s):
                    for number in range(1, MAX_ATTEMPTS + 1):
                        self._count(is_retry=number > 1)
                        try:
                            return await attempt()
                        except ValueError as error:  # the driver's word for a host name that cannot be resolved
                            if "Cannot resolve address" not in str(error):
                                raise
                            raise DatabaseUnavailableError(f"{name}: Neo4j cannot be reached: {error}") from error
                        except (Neo4jError, DriverError) as error:
                            again = (is_lost(error) and await self._follow()) or worth_another_try(error)
                            if number == MAX_ATTEMPTS or not (again and may_retry(error)):
                                raise typed_error(name, error, limit_s) from error
                        await asyncio.sleep(FIRST_PAUSE_S * 2**number * random.uniform(0.5, 1.0))  # noqa: S311 jitter
            except TimeoutError as error:
                raise DeadlineError(name, limit_s) from error
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _follow(self) -> bool:
        """Open a driver to the server's present address; return whether the address has changed."""
        if self._find_uri is None or self.login is None:
            return False
        uri = await asyncio.to_thread(self._find_uri)
        if uri is None or uri == self.login.uri:
            return False
        self.login = replace(self.login, uri=uri)
        before, self.driver = self.driver, _driver(self.login, self.deadline_s)
        await before.close()
        return True

    def _count(self, *, is_retry: bool) -> None:
        self.n_queries += 1
        if (request := logs.current()) is not None:
            request.n_queries += 1
        if is_retry:
            metrics.DATABASE_RETRIES.inc()


def _driver(login: Login, deadline_s: float) -> AsyncDriver:
    return AsyncGraphDatabase.driver(
        login.uri,
        auth=(login.user, login.password),
        connection_timeout=5.0,
        connection_acquisition_timeout=deadline_s,
        max_connection_pool_size=50,
        notifications_min_severity="OFF",
        user_agent="papergraph",
    )
