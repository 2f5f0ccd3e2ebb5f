"""Watch over queries that were ended: Neo4j does not always end them, and may then answer nobody any more."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

import cypher
from papergraph.database import Database
from papergraph.errors import DatabaseError, DeadlineError
from papergraph.statement import USER_QUERY
from papergraph.store import Address
from papergraph.telemetry import metrics

GRACE_S = 20.0
"""How long Neo4j may take to end a query that was ended here, in seconds."""

POLL_S = 5.0
LOOK_S = 5.0
"""Longest time of one look, in seconds."""

MOST_UNANSWERED = 3
"""Looks in a row without an answer after which Neo4j is held to hang."""

log = logging.getLogger(__name__)


class QueryWatch:
    """Finds queries that Neo4j goes on with long after they were ended, and has the server ended that runs them.

    Attributes:
        is_stuck: Whether there is such a query; no other is to be sent then.
    """

    def __init__(self, address: Address, *, deadline_s: float, end_server: Callable[[], bool] | None = None) -> None:
        """Watch nothing yet.

        Args:
            address: The Neo4j that runs the queries.
            deadline_s: How long a query may take, in seconds.
            end_server: Ends that Neo4j if somebody starts it again, and says whether it did; None if nobody would.
        """
        self._address = replace(address, deadline_s=LOOK_S, slow_query_ms=0)
        self._oldest_ms = int(1000 * (deadline_s + GRACE_S / 2))
        self._end_server = end_server
        self._watching: asyncio.Task[None] | None = None
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
        if is_stuck:
            log.error(
                "Neo4j at %s still runs a query of a user that was ended; no more Cypher of users is accepted until "
                "that query is gone",
                self._address.uri,
            )
        elif self.is_stuck:
            log.warning("Neo4j at %s has ended the query; Cypher of users is accepted again", self._address.uri)
        self.is_stuck = is_stuck

    async def _end(self) -> None:
        if self._end_server is not None and await asyncio.to_thread(self._end_server):
            log.error("the Neo4j at %s was ended, to be started again", self._address.uri)
        else:
            log.error("restart the Neo4j at %s: papergraph did not start it", self._address.uri)


async def count_user_queries(database: Database, *, oldest_ms: int) -> int:
    """Return how many queries of users run for longer than ``oldest_ms``, in milliseconds.

    Raises:
        DatabaseError: Neo4j failed.
    """
    (found,) = await database.read(cypher.load("health/user_queries"), marks=USER_QUERY, oldest_ms=oldest_ms)
    return int(found["n_queries"])
