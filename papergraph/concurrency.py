"""Work that is done side by side, all of it or none."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Iterable
from contextlib import aclosing
from typing import TypeVar

T = TypeVar("T")


async def gather_or_cancel(work: Iterable[Awaitable[T]]) -> list[T]:
    """Return the results in order; the first error ends the rest, waits for it, and is raised as itself."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


_MAKING: set["asyncio.Task[None]"] = set()
"""Strong references to running tasks; the event loop holds weak ones only."""


async def apart(coming: AsyncGenerator[T, None], *, ahead: int = 1) -> AsyncGenerator[T, None]:
    """Yield what comes, made in a task of its own, so many pieces ahead; with 0 as many as there are.

    What is short and holds something that others wait for is made to its end however slowly it is taken.

    A taker's task may be cancelled again and again where a client has left, as within a task group of AnyIO: a
    connection that is being closed then would stay half closed. Here leaving cancels once, and the end is undisturbed.
    """
    pieces: asyncio.Queue[T | Exception | None] = asyncio.Queue(maxsize=ahead)

    async def make() -> None:
        try:
            async with aclosing(coming):
                async for piece in coming:
                    await pieces.put(piece)
            await pieces.put(None)
        except Exception as error:
            await pieces.put(error)

    making = asyncio.create_task(make())
    _MAKING.add(making)
    making.add_done_callback(_MAKING.discard)
    try:
        while (piece := await pieces.get()) is not None:
            if isinstance(piece, Exception):
                raise piece
            yield piece
    finally:
        making.cancel()
        await asyncio.shield(asyncio.gather(making, return_exceptions=True))
