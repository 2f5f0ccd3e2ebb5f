"""Daily budgets for language models: tokens and cost of an account and of an invitation, stored in the graph."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cachetools import LRUCache

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import BudgetSpentError, DatabaseError
from papergraph.language_model import Budget, ModelUsage
from papergraph.neo4j_errors import Transaction
from papergraph.server.auth.access import Principal
from papergraph.server.auth.keys import find_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.shared_counters import Shared
from papergraph.telemetry.logs import summary

KEPT = timedelta(days=92)
MOST_PAYERS = 10_000
"""Most accounts whose concurrent spending is tracked."""

log = logging.getLogger(__name__)


def budget_of(principal: Principal, spending: "UsageBudget | None") -> AbstractAsyncContextManager[Budget | None]:
    """Open a principal's budget for today, as :meth:`UsageBudget.of`; None without limits."""
    return nullcontext() if spending is None else spending.of(principal)


class UsageBudget:
    """The budgets of the day, in this process, or in all that share what they count.

    Each begins with what the graph says was spent by all processes.
    """

    def __init__(self, database: Database, policy: ServerLimits, shared: Shared | None = None) -> None:
        self._database, self._policy, self._shared = database, policy, shared
        self._budgets: LRUCache[str, Budget] = LRUCache(MOST_PAYERS)

    @asynccontextmanager
    async def of(self, principal: Principal) -> AsyncIterator[Budget | None]:
        """Open a principal's budget for today, and record the spending at the end; None without limits.

        It is that of the principal's account, and that of all sign-ups by its invitation. Concurrent requests share
        the budget within this server. Other servers of the same store read the spending at the account's next request,
        so running requests can exceed the limit.

        Raises:
            DatabaseError: Reading today's spending failed.
        """
        payers = self._payers(principal)
        if not payers:
            yield None
            return
        day = datetime.now(UTC).date().isoformat()
        mine = Budget()
        both = _Together([*[await self._budget(payer, day) for payer in payers], mine])
        try:
            yield both
        finally:
            if mine.spent.requests:
                accounts = [payer.account for payer in payers]
                await asyncio.shield(asyncio.ensure_future(self._write(accounts, day, mine.spent)))

    @asynccontextmanager
    async def of_account(self, account: str) -> AsyncIterator[Budget | None]:
        """Open the budget of an account, as :meth:`of`, for work without a request.

        Raises:
            DatabaseError: Reading the account's key or today's spending failed.
        """
        stored = await find_key(self._database, account)
        async with self.of(Principal(account, frozenset()) if stored is None else stored.key.principal) as budget:
            yield budget

    def _payers(self, principal: Principal) -> list["_Payer"]:
        payers = []
        if self._policy.tokens_per_day or self._policy.cost_per_day:
            payers.append(_Payer(principal.account, self._policy.tokens_per_day, self._policy.cost_per_day))
        if (common := principal.common_budget) is not None:
            payers.append(_Payer(f"invitation {common.invitation}", common.tokens))
        return payers

    async def _budget(self, payer: "_Payer", day: str) -> Budget:
        """Return a payer's budget for today, less the spending recorded in the graph and in this process."""
        id = f"{payer.account}/{day}"
        records = await self._database.read(cypher.load("answers/spent"), id=id)
        if self._shared is not None:
            for spent in records:
                self._shared.spent(id, tokens=spent["tokens"], cost=spent["cost"])
            return _SharedBudget(self._shared, id, payer)
        limits = Budget(tokens=payer.tokens or None, cost=payer.cost or None)
        budget: Budget = self._budgets.setdefault(id, limits)
        for spent in records:
            n_tokens, cost = spent["tokens"] - budget.spent.tokens, spent["cost"] - budget.spent.cost
            budget.spent += ModelUsage(input_tokens=max(n_tokens, 0), cost=max(cost, 0.0))
        return budget

    async def _write(self, accounts: Sequence[str], day: str, spent: ModelUsage) -> None:
        before = (datetime.now(UTC) - KEPT).date().isoformat()

        async def add(transaction: Transaction) -> None:
            for account in accounts:
                await transaction.run(
                    cypher.load("answers/spend"),
                    id=f"{account}/{day}",
                    account=account,
                    day=day,
                    n_requests=spent.requests,
                    tokens=spent.tokens,
                    cost=spent.cost,
                    before=before,
                )

        try:
            await self._database.transact("answers/spend", add)
        except DatabaseError as error:  # the answer was given; this process still counts it
            log.warning("the spending of %s could not be recorded: %s", " and ".join(accounts), summary(error))


@dataclass(frozen=True)
class _Payer:
    """Account, or invitation, with its limits per day; 0 means unlimited."""

    account: str
    tokens: int = 0
    cost: float = 0.0


class _SharedBudget(Budget):
    """Daily budget of an account or invitation, shared by a server's processes; each call sets its most aside."""

    def __init__(self, shared: Shared, id: str, payer: _Payer) -> None:
        super().__init__()
        self._shared, self._id, self._payer = shared, id, payer

    def set_aside(self, most: ModelUsage) -> None:
        tokens, cost = self._payer.tokens, self._payer.cost
        lacks = self._shared.set_aside(self._id, most.tokens, most.cost, most_tokens=tokens, most_cost=cost)
        if lacks is not None:
            raise BudgetSpentError(lacks)

    def settle(self, most: ModelUsage, spent: ModelUsage) -> None:
        self._shared.settle(self._id, (most.tokens, most.cost), (spent.tokens, spent.cost))


class _Together(Budget):
    """Several budgets that each request is set aside from."""

    def __init__(self, budgets: Sequence[Budget]) -> None:
        super().__init__()
        self._budgets = budgets

    def set_aside(self, most: ModelUsage) -> None:
        with ExitStack() as undone:
            for budget in self._budgets:
                budget.set_aside(most)
                undone.callback(budget.settle, most, ModelUsage())
            undone.pop_all()

    def settle(self, most: ModelUsage, spent: ModelUsage) -> None:
        for budget in self._budgets:
            budget.settle(most, spent)
