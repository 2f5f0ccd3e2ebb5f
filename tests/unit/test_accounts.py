"""Accounts: limits count by the first key of a chain, so making, revoking and remaking keys renews none of them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from papergraph.errors import BudgetSpentError, ConflictError, RateLimitedError
from papergraph.language_model import ModelUsage
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.auth.keys import ApiKey
from papergraph.server.auth.rate_limits import RateLimiter
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.auth.usage_budget import UsageBudget
from papergraph.server.operations.ingest import Allowance, Uploads
from papergraph.shared_counters import Shared

NOW = datetime(2026, 11, 28, tzinfo=UTC)
READ, ASK, INGEST = KeyScope.READ, KeyScope.ASK, KeyScope.INGEST
ROOT = ApiKey("root0000", "root", (READ, ASK, INGEST), None, NOW)


def made(number: int, *creators: str, **changes: Any) -> ApiKey:
    """Return a key that was made with others, the first of them first."""
    return replace(ROOT, id=f"key{number:05}", creators=creators, **changes)


N = 12
CHURNS: dict[str, list[ApiKey]] = {
    "one key": [ROOT],
    "keys beside each other": [made(number, ROOT.id) for number in range(N)],
    "the first key and one that it made": [ROOT, made(1, ROOT.id)],
    "each made with the one before": [
        made(number, ROOT.id, *(f"key{earlier:05}" for earlier in range(number))) for number in range(N)
    ],
    "each revoked before the next": [made(number, ROOT.id, revoked_at=NOW) for number in range(N)],
    "each expired": [made(number, ROOT.id, expires_at=NOW + timedelta(hours=number)) for number in range(N)],
    "fewer scopes": [made(number, ROOT.id, scopes=(scope,)) for number, scope in enumerate([READ, ASK, INGEST] * 4)],
    "other collections": [made(number, ROOT.id, collections=(f"c{number}",)) for number in range(N)],
    "other names": [made(number, ROOT.id, name=f"for {number}") for number in range(N)],
    "own limits per minute": [made(number, ROOT.id, requests_per_minute=100 + number) for number in range(N)],
    "two branches": [made(number, ROOT.id, f"branch0{number % 2}") for number in range(N)],
    "made with a revoked one": [made(number, ROOT.id, "revoked0", f"key{number:05}") for number in range(N)],
}


@pytest.fixture(params=CHURNS)
def churn(request: pytest.FixtureRequest) -> Iterator[Principal]:
    """Return principals of one account, without an end."""
    return cycle([key.principal for key in CHURNS[request.param]])


@pytest.fixture(params=["one process", "several processes"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shared | None]:
    if request.param == "one process":
        yield None
    else:
        with closing(Shared(tmp_path / "counts", 0)) as opened:
            yield opened


@dataclass
class Graph:
    """Spending of a store."""

    spent: dict[str, ModelUsage] = field(default_factory=dict)

    async def read(self, statement: Any, id: str) -> list[dict[str, Any]]:
        found = self.spent.get(id)
        return [] if found is None else [{"tokens": found.tokens, "cost": found.cost}]

    async def transact(self, name: str, work: Callable[[Any], Any]) -> Any:
        return await work(self)

    async def run(self, statement: Any, *, id: str, tokens: int, cost: float, **_: Any) -> None:
        self.spent[id] = self.spent.get(id, ModelUsage()) + ModelUsage(requests=1, input_tokens=tokens, cost=cost)


async def spend(spending: UsageBudget, principal: Principal, tokens: int) -> None:
    async with spending.of(principal) as budget:
        if budget is not None:
            usage = ModelUsage(requests=1, input_tokens=tokens)
            budget.set_aside(usage)
            budget.settle(usage, usage)


def test_all_keys_of_a_chain_have_the_account_of_the_first(churn):
    assert {principal.account for principal in islice(churn, 2 * N)} == {ROOT.id}


def test_sign_ups_have_accounts_of_their_own_whoever_invited():
    invited = [made(number, *creators, signed_up_by="invite00") for number, creators in enumerate([(), ("admin000",)])]
    assert [key.principal.account for key in invited] == [key.id for key in invited]
    assert everything("127.0.0.1").account == "127.0.0.1"


async def test_requests_per_minute_do_not_begin_anew_with_a_key(churn, shared):
    limits = RateLimiter(ServerLimits(requests_per_minute=5), shared)
    for principal in islice(churn, 5):
        await limits.count(principal)
    for principal in islice(churn, N):
        with pytest.raises(RateLimitedError):
            await limits.count(principal)


async def test_costs_per_minute_do_not_begin_anew_with_a_key(churn, shared):
    limits = RateLimiter(ServerLimits(cost_per_minute=50), shared)
    for principal in islice(churn, 5):
        await limits.charge(principal, 10)
    for principal in islice(churn, N):
        with pytest.raises(RateLimitedError):
            await limits.charge(principal, 10)


def test_slots_are_shared_by_all_keys(churn, shared):
    limits = RateLimiter(ServerLimits(requests_at_once=5, all_requests_at_once=100), shared)
    with ExitStack() as held:
        for principal in islice(churn, 5):
            held.enter_context(limits.place(principal))
        for principal in islice(churn, N):
            with pytest.raises(RateLimitedError), limits.place(principal):
                pass
        with limits.place(everything("another")):
            pass
    with limits.place(next(churn)):
        pass


async def test_the_budget_of_the_day_is_spent_once(churn, shared):
    spending = UsageBudget(Graph(), ServerLimits(tokens_per_day=3000), shared)  # type: ignore[arg-type]
    for principal in islice(churn, 3):
        await spend(spending, principal, 1000)
    for principal in islice(churn, N):
        with pytest.raises(BudgetSpentError):
            await spend(spending, principal, 1)
    await spend(spending, everything("another"), 3000)


async def test_the_budget_of_the_day_outlives_the_server(churn):
    graph, policy = Graph(), ServerLimits(tokens_per_day=3000)
    await spend(UsageBudget(graph, policy), next(churn), 3000)  # type: ignore[arg-type]
    with pytest.raises(BudgetSpentError):
        await spend(UsageBudget(graph, policy), next(churn), 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("tokens_per_day", [0, 10_000])
async def test_sign_ups_by_one_invitation_share_its_budget(shared, tokens_per_day: int):
    spending = UsageBudget(Graph(), ServerLimits(tokens_per_day=tokens_per_day), shared)  # type: ignore[arg-type]
    guests = [made(number, signed_up_by="invite00", common_tokens_per_day=3000).principal for number in range(N)]
    for guest in guests[:3]:
        await spend(spending, guest, 1000)
    for guest in guests:
        with pytest.raises(BudgetSpentError):
            await spend(spending, guest, 1)
    await spend(spending, made(1, signed_up_by="invite01", common_tokens_per_day=3000).principal, 3000)


async def test_what_one_budget_refuses_is_not_counted_by_another(shared):
    spending = UsageBudget(Graph(), ServerLimits(tokens_per_day=1000), shared)  # type: ignore[arg-type]
    guest, other = (made(number, signed_up_by="invite00", common_tokens_per_day=500).principal for number in range(2))
    with pytest.raises(BudgetSpentError):
        await spend(spending, guest, 501)
    await spend(spending, other, 500)
    await spend(spending, replace(guest, common_budget=None), 1000)


async def none() -> set[str]:
    return set()


async def bring(uploads: Uploads, principal: Principal, data: bytes = b"text", **named: Any) -> str:
    async def pieces():
        yield data

    return (await uploads.take(principal, "a.md", pieces(), in_use=none, **named)).id


@pytest.mark.parametrize("allowance", [Allowance(100, waiting=3), Allowance(100, waiting_bytes=339)])
async def test_uploads_are_counted_for_all_keys_of_an_account(churn, tmp_path, allowance: Allowance):
    uploads = Uploads(tmp_path, allowance)
    for principal in islice(churn, 3):
        await bring(uploads, principal, b"a" * 80)
    for principal in islice(churn, N):
        with pytest.raises(ConflictError):
            await bring(uploads, principal, b"a" * 80)
    await bring(uploads, everything("another"))


async def test_uploads_end_with_their_key_except_those_of_unfinished_jobs(tmp_path):
    uploads, (kept, ended) = Uploads(tmp_path), [key.principal for key in CHURNS["keys beside each other"][:2]]
    mine, waiting, theirs = await bring(uploads, ended), await bring(uploads, ended), await bring(uploads, kept)

    async def in_use() -> set[str]:
        return {waiting}

    await uploads.end_with([ended], in_use)
    assert [one.id for one in await uploads.all_of(ended)] == [waiting]
    assert [one.id for one in await uploads.all_of(kept)] == [theirs]
    assert mine not in {waiting, theirs}


async def test_uploads_of_keys_that_ended_elsewhere_are_swept(tmp_path):
    uploads, (kept, gone) = Uploads(tmp_path), [key.principal for key in CHURNS["keys beside each other"][:2]]

    async def ended(ids: Any) -> set[str]:
        return {gone.id} & set(ids)

    for principal in (kept, gone):
        await bring(uploads, principal, ended=ended)
    uploads._swept_at = float("-inf")
    await bring(uploads, kept, ended=ended)
    assert (len(await uploads.all_of(kept)), len(await uploads.all_of(gone))) == (2, 0)
