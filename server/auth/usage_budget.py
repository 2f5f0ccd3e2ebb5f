"""Daily budget of each principal for language models: tokens and cost, stored in the graph."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from datetime import UTC, datetime, timedelta

from cachetools import LRUCache

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import BudgetSpentError, DatabaseError
from papergraph.language_model import Budget, ModelUsage
from papergraph.neo4j_errors import Transaction
from papergraph.server.auth.access import Principal
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.shared_counters import Shared
from papergraph.telemetry.logs import summary

KEPT = timedelta(days=92)
MOST_ASKERS = 10_000
"""Most principals whose concurrent spending is tracked."""

log = logging.getLogger(__name__)


def budget_of(grant: Principal, spending: "UsageBudget | None") -> AbstractAsyncContextManager[Budget | None]:
    """Open a principal's budget for today, as :meth:`UsageBudget.of`; None without limits."""
    return nullcontext() if spending is None else spending.of(grant)


class UsageBudget:
    """The budgets of the day, in this process, or in all that share what they count.

    Each begins with what the graph says was spent by all processes.
    """

    def __init__(self, database: Database, policy: ServerLimits, shared: Shared | None = None) -> None:
        self._database, self._policy, self._shared = database, policy, shared
        self._budgets: LRUCache[str, Budget] = LRUCache(MOST_ASKERS)

    @asynccontextmanager
    async def of(self, grant: Principal) -> AsyncIterator[Budget | None]:
        """Open a principal's budget for today, and record the spending at the end; None without limits.

        Concurrent requests share the budget within this server. Other servers of the same store read the spending at
        the principal's next request, so running requests can exceed the limit.

        Raises:
            DatabaseError: Reading today's spending failed.
        """
        tokens, cost = self._policy.tokens_per_day, self._policy.cost_per_day
        if not (tokens or cost):
            yield None
            return
        day = datetime.now(UTC).date()
        id = f"{grant.id}/{day.isoformat()}"
        shared = await self._budget(id)
        mine = Budget()
        both = _Both(shared, mine)
        try:
            yield both
        finally:
            if mine.spent.requests:
                writing = asyncio.ensure_future(self._write(id, grant.id, day.isoformat(), mine.spent))
                await asyncio.shield(writing)

    async def _budget(self, id: str) -> Budget:
        """Return a principal's budget for today, less the spending recorded in the graph and in this process."""
        records = await self._database.read(cypher.load("answers/spent"), id=id)
        if self._shared is not None:
            for spent in records:
                self._shared.spent(id, tokens=spent["tokens"], cost=spent["cost"])
            return _SharedBudget(self._shared, id, self._policy)
        limits = Budget(tokens=self._policy.tokens_per_day or None, cost=self._policy.cost_per_day or None)
        budget: Budget = self._budgets.setdefault(id, limits)
        for spent in records:
            n_tokens, cost = spent["tokens"] - budget.spent.tokens, spent["cost"] - budget.spent.cost
            budget.spent += ModelUsage(input_tokens=max(n_tokens, 0), cost=max(cost, 0.0))
        return budget

    async def _write(self, id: str, asker: str, day: str, spent: ModelUsage) -> None:
        before = (datetime.now(UTC) - KEPT).date().isoformat()

        async def add(transaction: Transaction) -> None:
            await transaction.run(
                cypher.load("answers/spend"),
                id=id,
                asker=asker,
                day=day,
                n_requests=spent.requests,
                tokens=spent.tokens,
                cost=spent.cost,
                before=before,
            )

        try:
            await self._database.transact("answers/spend", add)
        except DatabaseError as error:  # the answer was given; this process still counts it
            log.warning("what %s spent could not be kept: %s", asker, summary(error))


class _SharedBudget(Budget):
    """A day's budget that all processes of a server set aside from."""

    def __init__(self, shared: Shared, id: str, policy: ServerLimits) -> None:
        super().__init__()
        self._shared, self._id, self._policy = shared, id, policy

    def set_aside(self, most: ModelUsage) -> None:
        tokens, cost = self._policy.tokens_per_day, self._policy.cost_per_day
        lacks = self._shared.set_aside(self._id, most.tokens, most.cost, most_tokens=tokens, most_cost=cost)
        if lacks is not None:
            raise BudgetSpentError(lacks)

    def settle(self, most: ModelUsage, spent: ModelUsage) -> None:
        self._shared.settle(self._id, (most.tokens, most.cost), (spent.tokens, spent.cost))


class _Both(Budget):
    """A day's budget, and beside it what one question took."""

    def __init__(self, shared: Budget, mine: Budget) -> None:
        super().__init__()
        self._shared, self._mine = shared, mine

    def set_aside(self, most: ModelUsage) -> None:
        self._shared.set_aside(most)
        self._mine.set_aside(most)

    def settle(self, most: ModelUsage, spent: ModelUsage) -> None:
        self._shared.settle(most, spent)
        self._mine.settle(most, spent)
