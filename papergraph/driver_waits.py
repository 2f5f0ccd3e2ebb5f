"""Have the driver wait for Neo4j's bytes without a task for each wait, as it does by itself from Python 3.12 on.

On Python 3.11 the driver brings a ``wait_for`` of its own, which makes a task for every read that has a time limit: 45
for a search of three statements, a third of what the driver takes of the processor.
"""

import asyncio
import sys
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def wait_for(awaited: Awaitable[T], timeout: float | None) -> T:  # noqa: ASYNC109 the driver gives it
    """Return what is awaited, or raise ``TimeoutError`` after so many seconds, as Python 3.12's function does."""
    if timeout is None:
        return await awaited
    async with asyncio.timeout(timeout):
        return await awaited


def wait_without_tasks() -> None:
    """Have this process's drivers wait so; harmless where the driver has no such function."""
    if sys.version_info < (3, 12):
        from neo4j._async_compat.network import _bolt_socket

        if hasattr(_bolt_socket, "wait_for"):
            _bolt_socket.wait_for = wait_for
