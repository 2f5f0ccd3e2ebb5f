"""Work that is done side by side, all of it or none."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
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


def apart(coming: AsyncGenerator[T, None], *, ahead: int = 1) -> AsyncGenerator[T, None]:
    """Return what a generator yields, made in a task of its own, so many pieces ahead; with 0 as many as there are.

    Short work that holds a resource ends however slowly its pieces are taken.
    """
    pieces: asyncio.Queue[T | Exception | None] = asyncio.Queue(maxsize=ahead)

    async def make() -> None:
        async with aclosing(coming):
            async for piece in coming:
                await pieces.put(piece)

    return _taken(make, pieces)


def emitted(work: Callable[[Callable[[T], None]], Awaitable[None]]) -> AsyncGenerator[T, None]:
    """Return the pieces that work emits through its argument; it runs in a task of its own."""
    pieces: asyncio.Queue[T | Exception | None] = asyncio.Queue()
    return _taken(lambda: work(pieces.put_nowait), pieces)


async def _taken(
    make: Callable[[], Awaitable[None]], pieces: "asyncio.Queue[T | Exception | None]"
) -> AsyncGenerator[T, None]:
    """Yield pieces of work that runs in a task of its own.

    A client that leaves may cancel its task again and again, as within a task group of AnyIO, and a connection that is
    being closed would stay half closed. Here leaving cancels the work once, and its end is undisturbed.
    """

    async def run() -> None:
        try:
            await make()
            await pieces.put(None)
        except Exception as error:
            await pieces.put(error)

    making = asyncio.create_task(run())
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
