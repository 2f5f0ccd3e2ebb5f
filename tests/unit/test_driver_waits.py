"""Waits of the driver that make no task for each read."""

import asyncio

import pytest

from papergraph.server.process.uvicorn_server import wait_for


async def test_what_is_awaited_runs_in_the_task_that_waits():
    async def task():
        await asyncio.sleep(0)
        return asyncio.current_task()

    assert await wait_for(task(), 60) is asyncio.current_task() is await wait_for(task(), None)


async def test_what_takes_too_long_is_cancelled_and_told_as_a_timeout():
    cancelled = []

    async def endless():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    with pytest.raises(TimeoutError):
        await wait_for(endless(), 0.01)
    assert cancelled == [True]


async def test_who_is_cancelled_meanwhile_stays_cancelled():
    waiting = asyncio.create_task(wait_for(asyncio.Event().wait(), 60))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
