"""Turns among askers, without anything that they are for."""

import asyncio

import pytest

from papergraph.errors import OverloadedError
from papergraph.server.user_cypher.runner import FairQueue


async def hold(turns: FairQueue, asker: str, held: list[str], until: asyncio.Event) -> None:
    async with turns.turn(asker):
        held.append(asker)
        await until.wait()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_one_asker_holds_one_turn_and_the_others_go_before_its_next_one():
    turns, held, until = FairQueue(2, most_waiting=9, patience_s=60), [], asyncio.Event()
    tasks = [asyncio.create_task(hold(turns, asker, held, until)) for asker in ("a", "a", "a", "b", "c")]
    await settle()

    assert held == ["a", "b"]

    until.set()
    await asyncio.gather(*tasks)
    assert sorted(held) == ["a", "a", "a", "b", "c"]


async def test_who_waits_too_long_or_behind_too_many_is_told_to_come_again():
    turns, until = FairQueue(1, most_waiting=1, patience_s=0.01), asyncio.Event()
    holding = asyncio.create_task(hold(turns, "a", [], until))
    await settle()

    waiting = asyncio.create_task(hold(turns, "b", [], until))
    await settle()
    with pytest.raises(OverloadedError):
        async with turns.turn("c"):
            pass
    with pytest.raises(OverloadedError):
        await waiting

    until.set()
    await holding
    async with turns.turn("c"):
        pass


@pytest.mark.parametrize("waits", [True, False])
async def test_who_leaves_gives_the_turn_back(waits: bool):
    turns, held, until = FairQueue(1, most_waiting=9, patience_s=60), [], asyncio.Event()
    first = asyncio.create_task(hold(turns, "a", held, until))
    second = asyncio.create_task(hold(turns, "b", held, until))
    await settle()

    (second if waits else first).cancel()
    await settle()
    third = asyncio.create_task(hold(turns, "c", held, until))
    until.set()
    await asyncio.gather(first, second, third, return_exceptions=True)

    assert held == (["a", "c"] if waits else ["a", "b", "c"])
