"""Work that is done side by side, all of it or none."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def all_or_first_error(work: Iterable[Awaitable[T]]) -> list[T]:
    """Return the results in order; the first error ends the rest, waits for it, and is raised as itself."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
