"""What each asker may spend on a language model in a day: tokens and cost, kept in the graph."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import cypher
from papergraph.database import Database, Transaction
from papergraph.errors import DatabaseError
from papergraph.language_model import Budget, Usage
from papergraph.telemetry.logs import summary
from server.access.grants import Grant
from server.access.policy import Policy

KEPT = timedelta(days=92)
MOST_ASKERS = 10_000
"""Of so many, what they spend at the same time counts for each other."""

log = logging.getLogger(__name__)


class Spending:
    """The budgets of the day, in this process; each begins with what the graph says was spent by all processes."""

    def __init__(self, database: Database, policy: Policy) -> None:
        self._database, self._policy = database, policy
        self._budgets: OrderedDict[str, Budget] = OrderedDict()

    @asynccontextmanager
    async def of(self, grant: Grant) -> AsyncIterator[Budget | None]:
        """Give what a grant may still spend today, and keep what was spent in the meantime; None for no limit.

        What several questions spend at once counts for each other within this process; other processes learn of it
        with the asker's next question there, so that they may go over the limit by what is under way.

        Raises:
            DatabaseError: What was spent today could not be read.
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
            if mine.spent.n_requests:
                writing = asyncio.ensure_future(self._write(id, grant.id, day.isoformat(), mine.spent))
                await asyncio.shield(writing)

    async def _budget(self, id: str) -> Budget:
        """Return what an asker may spend today, less what the graph or this process knows to be spent."""
        records = await self._database.read(cypher.load("answering/spent"), id=id)
        limits = Budget(tokens=self._policy.tokens_per_day or None, cost=self._policy.cost_per_day or None)
        budget = self._budgets.setdefault(id, limits)
        self._budgets.move_to_end(id)
        while len(self._budgets) > MOST_ASKERS:
            self._budgets.popitem(last=False)
        for spent in records:
            n_tokens, cost = spent["tokens"] - budget.spent.tokens, spent["cost"] - budget.spent.cost
            budget.spent += Usage(input_tokens=max(n_tokens, 0), cost=max(cost, 0.0))
        return budget

    async def _write(self, id: str, asker: str, day: str, spent: Usage) -> None:
        before = (datetime.now(UTC) - KEPT).date().isoformat()

        async def add(transaction: Transaction) -> None:
            await transaction.run(
                cypher.load("answering/spend"),
                id=id,
                asker=asker,
                day=day,
                n_requests=spent.n_requests,
                tokens=spent.tokens,
                cost=spent.cost,
                before=before,
            )

        try:
            await self._database.transact("answering/spend", add)
        except DatabaseError as error:  # the answer was given; this process still counts it
            log.warning("what %s spent could not be kept: %s", asker, summary(error))


class _Both(Budget):
    """A day's budget, and beside it what one question took."""

    def __init__(self, shared: Budget, mine: Budget) -> None:
        super().__init__()
        self._shared, self._mine = shared, mine

    def set_aside(self, most: Usage) -> None:
        self._shared.set_aside(most)
        self._mine.set_aside(most)

    def settle(self, most: Usage, spent: Usage) -> None:
        self._shared.settle(most, spent)
        self._mine.settle(most, spent)
