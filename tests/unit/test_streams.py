"""What comes piece by piece, made apart from whoever takes it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import pytest

from papergraph.concurrency import apart, emitted


async def counting(made: list[int], n: int) -> AsyncGenerator[int, None]:
    try:
        for number in range(n):
            made.append(number)
            yield number
    finally:
        made.append(-1)


@pytest.mark.parametrize(("ahead", "n_made"), [(1, 3), (0, 51)])
async def test_it_is_so_far_ahead_of_a_taker_that_stops_taking(ahead: int, n_made: int):
    made: list[int] = []
    async with aclosing(apart(counting(made, 50), ahead=ahead)) as pieces:
        assert await anext(pieces) == 0
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(made) == n_made  # with none ahead to its end, the last being what it does there

    assert made[-1] == -1


@pytest.mark.parametrize("ahead", [0, 1])
async def test_all_comes_in_order_and_an_error_where_it_happened(ahead: int):
    async def broken() -> AsyncGenerator[int, None]:
        yield 1
        yield 2
        raise ValueError("broken")

    taken = []
    with pytest.raises(ValueError, match="broken"):
        async for piece in apart(broken(), ahead=ahead):
            taken.append(piece)

    assert taken == [1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [0, 1, 2])
@pytest.mark.parametrize("is_yielding", [True, False])
@pytest.mark.parametrize("n_before", [0, 1, 3])
async def test_a_timeout_within_a_generator_is_its_error_wherever_it_waits(
    ahead: int, is_yielding: bool, n_before: int
):
    async def late() -> AsyncGenerator[int, None]:
        for number in range(n_before):
            yield number
        try:
            async with asyncio.timeout(0.001):
                while is_yielding:
                    yield 7
                    await asyncio.sleep(0)
                await asyncio.sleep(3600)
        except TimeoutError:
            raise ValueError("late") from None

    taken = []
    with pytest.raises(ValueError, match="late"):
        async for piece in apart(late(), ahead=ahead):
            taken.append(piece)
            await asyncio.sleep(0.01 if is_yielding else 0)  # the timeout passes while it waits to be taken

    assert taken[:n_before] == list(range(n_before))


async def test_work_that_was_cancelled_by_another_is_an_error_for_its_taker():
    async def work(emit: Callable[[int], None]) -> None:
        emit(1)
        waiting = asyncio.create_task(asyncio.sleep(3600))
        asyncio.get_running_loop().call_soon(waiting.cancel)
        await waiting

    taken = []
    with pytest.raises(RuntimeError, match="was cancelled"):
        async for piece in emitted(work):
            taken.append(piece)

    assert taken == [1]


async def test_pieces_that_work_emits_come_in_order_and_an_error_where_it_happened():
    async def work(emit: Callable[[int], None]) -> None:
        emit(1)
        await asyncio.sleep(0)
        emit(2)
        raise ValueError("broken")

    taken = []
    with pytest.raises(ValueError, match="broken"):
        async for piece in emitted(work):
            taken.append(piece)

    assert taken == [1, 2]


async def test_leaving_cancels_work_that_emits_and_waits_for_its_end():
    ended = []

    async def work(emit: Callable[[int], None]) -> None:
        emit(1)
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0)
            ended.append(True)

    async with aclosing(emitted(work)) as pieces:
        assert await anext(pieces) == 1

    assert ended == [True]
