"""Turns among accounts, without anything that they are for."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from papergraph.concurrency import FairQueue
from papergraph.errors import OverloadedError, RateLimitedError
from papergraph.shared_counters import Shared, Slots


async def hold(
    turns: FairQueue, account: str, held: list[str], until: asyncio.Event, *, patience_s: float = 60
) -> None:
    async with turns.turn(account, patience_s=patience_s):
        held.append(account)
        await until.wait()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture(params=["one process", "several processes"])
def slots(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Slots | None]:
    if request.param == "one process":
        yield None
    else:
        with closing(Shared(tmp_path / "counts", 0)) as shared:
            yield shared


async def test_an_account_holds_one_turn_and_the_others_go_before_its_next_one(slots):
    turns, held, until = FairQueue("Cypher", 2, of_one=1, slots=slots), [], asyncio.Event()
    tasks = [asyncio.create_task(hold(turns, account, held, until)) for account in ("a", "a", "a", "b", "c")]
    await settle()

    assert held == ["a", "b"]

    until.set()
    await asyncio.gather(*tasks)
    assert sorted(held) == ["a", "a", "a", "b", "c"]


async def test_the_account_with_the_fewest_turns_is_next_however_many_wait(slots):
    turns, held, until = FairQueue("requests", 3, slots=slots), [], [asyncio.Event() for _ in range(40)]
    flood = [asyncio.create_task(hold(turns, "flood", held, one)) for one in until]
    await settle()
    assert held == ["flood"] * 3  # nobody else waits

    others = [asyncio.create_task(hold(turns, account, held, asyncio.Event())) for account in ("b", "c", "b")]
    await settle()
    until[0].set()
    await settle()
    until[1].set()
    await settle()
    assert held[3:] == ["b", "c"]
    until[2].set()
    await settle()
    assert held[5:] == ["flood"]  # it holds none now, and has waited for longer than the second of b
    for task in flood + others:
        task.cancel()
    await asyncio.gather(*flood, *others, return_exceptions=True)


@pytest.mark.parametrize("n_others", [1, 2, 3, 7, 20])
async def test_active_accounts_share_the_turns(slots, n_others: int):
    turns, held, until = FairQueue("requests", 8, slots=slots), [], asyncio.Event()
    others = [asyncio.create_task(hold(turns, f"b{number}", [], until)) for number in range(n_others)]
    await settle()
    until.set()
    await asyncio.gather(*others)
    flood = [asyncio.create_task(hold(turns, "flood", held, asyncio.Event())) for _ in range(20)]
    await settle()
    assert len(held) == -(-2 // (1 + n_others))

    turns._wanted_s = {"flood": turns._wanted_s["flood"]}  # the others are not active any more
    turns._give()
    await settle()
    assert len(held) == 8
    for task in flood:
        task.cancel()
    await asyncio.gather(*flood, return_exceptions=True)


async def test_who_waits_too_long_or_behind_too_many_is_told_to_come_again(slots):
    turns, until = FairQueue("Cypher", 1, of_one=1, most_waiting=1, slots=slots), asyncio.Event()
    holding = asyncio.create_task(hold(turns, "a", [], until))
    await settle()

    waiting = asyncio.create_task(hold(turns, "b", [], until, patience_s=0.01))
    await settle()
    with pytest.raises(OverloadedError):
        async with turns.turn("c", patience_s=60):
            pass
    with pytest.raises(OverloadedError):
        await waiting

    until.set()
    await holding
    async with turns.turn("c", patience_s=60):
        pass


@pytest.mark.parametrize("n_others", [1, 5])
async def test_an_account_cannot_fill_the_queue(slots, n_others: int):
    turns = FairQueue("Cypher", 1, of_one=1, most_waiting=32, most_waiting_of_one=4, slots=slots)
    until, held = asyncio.Event(), []
    flood = [asyncio.create_task(hold(turns, "a", held, until)) for _ in range(40)]
    await settle()
    others = [asyncio.create_task(hold(turns, f"b{number}", held, until)) for number in range(n_others)]
    await settle()
    until.set()
    results = await asyncio.gather(*flood, return_exceptions=True)
    await asyncio.gather(*others)

    assert [type(one) for one in results].count(RateLimitedError) == 40 - 5
    assert set(held) == {"a", *(f"b{number}" for number in range(n_others))}


@pytest.mark.parametrize("waits", [True, False])
async def test_who_leaves_gives_the_turn_back(slots, waits: bool):
    turns, held, until = FairQueue("Cypher", 1, of_one=1, slots=slots), [], asyncio.Event()
    first = asyncio.create_task(hold(turns, "a", held, until))
    second = asyncio.create_task(hold(turns, "b", held, until))
    await settle()

    (second if waits else first).cancel()
    await settle()
    third = asyncio.create_task(hold(turns, "c", held, until))
    until.set()
    await asyncio.gather(first, second, third, return_exceptions=True)

    assert held == (["a", "c"] if waits else ["a", "b", "c"])
