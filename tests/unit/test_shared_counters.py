"""What processes count together: each of these tests has two of them, as two connections to one file."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from papergraph import shared_counters as module
from papergraph.concurrency import FairQueue
from papergraph.errors import BudgetSpentError, OverloadedError, PapergraphError, RateLimitedError
from papergraph.language_model import ModelUsage
from papergraph.server.auth.access import Principal
from papergraph.server.auth.rate_limits import ANONYMOUS_OF_ONE, RateLimiter
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.auth.usage_budget import _Payer, _SharedBudget
from papergraph.server.graphql.options import PersistedQueries, hash_of
from papergraph.server.worker import Order, policy_of
from papergraph.settings import Settings
from papergraph.shared_counters import Full, Shared
from papergraph.store import Address

QUERY = "{ papers { totalCount } }"
ASKED = {"version": 1, "sha256Hash": hash_of(QUERY)}


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Shared, Shared]]:
    with closing(Shared(tmp_path / "counts", 0)) as one, closing(Shared(tmp_path / "counts", 1)) as other:
        yield one, other


def principal(id: str) -> Principal:
    return Principal(id, frozenset(), ())


async def test_requests_per_minute_are_counted_over_all_processes(both):
    limits = [RateLimiter(ServerLimits(requests_per_minute=3), shared) for shared in both]
    for number in range(3):
        await limits[number % 2].count(principal("a"))
    for one in limits:
        with pytest.raises(RateLimitedError, match="3 requests per minute") as refused:
            await one.count(principal("a"))
        assert 0 < refused.value.retry_after_s <= 60
        assert '"requests";r=0' in (await one.headers(principal("a")))["RateLimit"]
        await one.count(principal("another"))


async def test_what_another_process_takes_between_looking_and_counting_is_not_given_twice(both, monkeypatch):
    limits = [RateLimiter(ServerLimits(cost_per_minute=10), shared) for shared in both]
    hit = limits[0]._counter.hit

    async def after_the_other(*arguments, **named):
        await limits[1].charge(principal("a"), 8)
        return await hit(*arguments, **named)

    monkeypatch.setattr(limits[0]._counter, "hit", after_the_other)
    with pytest.raises(RateLimitedError, match="cost of 10 per minute"):
        await limits[0].charge(principal("a"), 5)


async def test_handshakes_are_counted_over_all_processes(both):
    one, other = (RateLimiter(ServerLimits(), shared) for shared in both)
    with ExitStack() as held:
        for limits in (one, other) * (ANONYMOUS_OF_ONE // 2):
            held.enter_context(limits.handshake("10.0.0.1"))
        with pytest.raises(RateLimitedError, match="handshakes"):
            held.enter_context(other.handshake("10.0.0.1"))
        held.enter_context(other.handshake("10.0.0.2"))
    with one.handshake("10.0.0.1"):
        pass


def test_a_count_begins_anew_after_its_time_and_is_swept(both, monkeypatch):
    one, other = both
    now = [one._swept_at]
    begun = now[0]
    monkeypatch.setattr(module.time, "time", lambda: now[0])
    assert one.add("requests", 2, seconds=60) == 2
    now[0] += 59
    assert other.add("requests", 1, seconds=60) == 3
    assert other.count("requests") == (3, begun + 60)
    now[0] += 2
    assert other.count("requests")[0] == 0
    assert one.add("requests", 1, seconds=60) == 1
    now[0] += 10_000
    one.add("others", 1, seconds=60)
    assert one._one("SELECT count(*) FROM counts", ()) == (1,)


def test_requests_at_once_are_counted_over_all_processes_and_given_back(both):
    one, other = (RateLimiter(ServerLimits(requests_at_once=2, all_requests_at_once=3), shared) for shared in both)
    with one.place(principal("a")), other.place(principal("a")):
        with pytest.raises(RateLimitedError, match="2 requests at once"), one.place(principal("a")):
            pass
        with other.place(principal("b")), pytest.raises(OverloadedError), one.place(principal("c")):
            pass
        with other.place(principal("b")):
            pass
    assert both[0]._one("SELECT count(*) FROM places", ()) == (0,)


def test_what_a_dead_process_held_is_given_back(both):
    one, other = both
    assert one.take("requests", "a", most=1) is None
    assert one.set_aside("a/day", 5, 0.0, most_tokens=9, most_cost=0) is None
    assert other.take("requests", "a", most=1) is Full.ONE
    other.free(0)
    assert other.take("requests", "a", most=1) is None
    assert other.set_aside("a/day", 9, 0.0, most_tokens=9, most_cost=0) is None


def test_a_failure_amid_a_change_leaves_nothing_half_done(both):
    one, other = both
    with pytest.raises(sqlite3.IntegrityError), one._transaction():
        one._connection.execute("INSERT INTO texts VALUES ('a', 'b', 0)")
        one._connection.execute("INSERT INTO texts VALUES ('a', 'b', 0)")
    assert other.text("a") is None
    assert one.take("requests", "a") is None


def test_processes_set_aside_from_one_budget_of_the_day(both):
    one, other = (_SharedBudget(shared, "a/day", _Payer("a", 100, 2.0)) for shared in both)
    most = ModelUsage(input_tokens=40, output_tokens=20, cost=0.5)
    one.set_aside(most)
    with pytest.raises(BudgetSpentError, match="100 tokens"):
        other.set_aside(most)
    one.settle(most, ModelUsage(input_tokens=30, cost=0.25))
    other.set_aside(most)
    other.settle(most, ModelUsage(input_tokens=1, cost=1.5))
    with pytest.raises(BudgetSpentError, match=r"2 \(cost\)"):
        one.set_aside(ModelUsage(cost=0.5))
    assert both[0].spent("a/day", tokens=20, cost=1.9) == (31, 1.9)  # what the graph knows counts where it is more


def test_a_query_that_was_registered_with_one_process_is_known_to_all(both):
    one, other = (PersistedQueries(shared=shared) for shared in both)
    with pytest.raises(PapergraphError, match="PersistedQueryNotFound"):
        other.text_of(None, ASKED)
    one.register(QUERY)
    assert other.text_of(None, ASKED) == QUERY


def test_of_many_texts_the_one_that_was_not_used_for_longest_is_forgotten(both):
    one, other = both
    for name in "abc":
        one.keep_text(name, name, most=3)
    assert other.text("a") == "a"
    one.keep_text("d", "d", most=3)
    assert [other.text(name) for name in "abcd"] == ["a", None, "c", "d"]


async def test_queries_of_cypher_take_turns_over_all_processes(both):
    one, other = (FairQueue("Cypher", 1, of_one=1, slots=shared) for shared in both)
    held = []

    async def hold(turns: FairQueue, principal: str, until: asyncio.Event) -> None:
        async with turns.turn(principal, patience_s=30):
            held.append(principal)
            await until.wait()

    first, second = asyncio.Event(), asyncio.Event()
    holding = asyncio.create_task(hold(one, "a", first))
    await asyncio.sleep(0)
    waiting = [asyncio.create_task(hold(other, principal, second)) for principal in ("b", "c")]
    await asyncio.sleep(0.2)
    assert held == ["a"]
    first.set()
    second.set()
    await asyncio.gather(holding, *waiting)
    assert sorted(held) == ["a", "b", "c"]
    assert both[0]._one("SELECT count(*) FROM places", ()) == (0,)


async def test_an_asker_has_one_turn_in_all_processes_together(both):
    one, other = (FairQueue("Cypher", 2, of_one=1, slots=shared) for shared in both)
    async with one.turn("a", patience_s=30):
        with pytest.raises(OverloadedError):
            async with other.turn("a", patience_s=0.1):
                pass
        async with other.turn("b", patience_s=30):
            pass


def test_processes_share_what_is_worked_on_at_once():
    settings = Settings(server={"max_active_requests": 8})
    assert [policy_of(settings, n).worked_on_at_once for n in (2, 3, 64)] == [4, 2, 1]
    assert policy_of(Settings(server={"max_active_requests": 0}), 2).worked_on_at_once == 0
    assert policy_of(settings, 2).requests_per_minute == settings.limits.requests_per_minute


def test_an_order_is_read_as_it_was_given():
    order = Order(1, 2, 7, "/a/file", Address("bolt://127.0.0.1:7687", "neo4j", 'a "secret"\n', "neo4j", 8.0))
    line = order.line()
    assert line.count("\n") == 1
    assert Order.read(line) == order
