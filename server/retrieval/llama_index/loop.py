"""An event loop in a thread of its own, so that what waits and what does not can use the same database."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """Runs coroutines for callers on any thread, with or without an event loop of their own, until it is closed."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="papergraph-llama-index", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what ``work`` returns, and wait for it; where the waiting is broken off, it is cancelled."""
        future = self._begin(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what ``work`` returns, without keeping the caller's event loop from other things."""
        return await asyncio.wrap_future(self._begin(work))

    @property
    def closed(self) -> bool:
        """Whether nothing is run any more."""
        return self._loop.is_closed()

    def close(self) -> None:
        """Stop; what still runs is cancelled. Safe to call twice."""
        if self.closed:
            return
        self.run(_cancelled_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _begin(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        if self.closed:
            work.close()
            raise RuntimeError("the graph store is closed")
        return asyncio.run_coroutine_threadsafe(work, self._loop)


async def _cancelled_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
