"""An event loop in a thread of its own, so that blocking and awaiting callers can use the same database."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any, TypeVar

from anyio.from_thread import start_blocking_portal

T = TypeVar("T")


class BackgroundLoop:
    """Runs coroutines for callers on any thread, with or without an event loop of their own, until it is closed."""

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._portal = self._opened.enter_context(start_blocking_portal(name="papergraph-llama-index"))
        self.closed = False

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``work``; an interrupted caller cancels it."""
        future = self._begin(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``work`` without blocking the caller's event loop."""
        return await asyncio.wrap_future(self._begin(work))

    def close(self) -> None:
        """Stop, and cancel unfinished work; safe to call twice."""
        if not self.closed:
            self.closed = True
            self._portal.call(self._portal.stop, True)
            self._opened.close()

    def _begin(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        if self.closed:
            work.close()
            raise RuntimeError("the graph store is closed")
        return self._portal.start_task_soon(_result_of, work)


async def _result_of(work: Coroutine[Any, Any, T]) -> T:
    return await work
