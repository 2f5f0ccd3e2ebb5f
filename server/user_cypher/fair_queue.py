"""Turns: a few at once, one of each asker, in the order that they were asked for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from papergraph.errors import OverloadedError

PAUSE_S = 2


class Turns:
    """Gives turns to askers."""

    def __init__(self, at_once: int, *, most_waiting: int, patience_s: float) -> None:
        """Begin with nobody waiting.

        Args:
            at_once: Turns that are held at the same time.
            most_waiting: Requests that wait; one more is refused.
            patience_s: How long one waits, in seconds.
        """
        self._n_free = at_once
        self._most_waiting = most_waiting
        self._patience_s = patience_s
        self._holding: set[str] = set()
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def turn(self, asker: str) -> AsyncIterator[None]:
        """Wait for a turn of an asker, who has none, and hold it.

        Raises:
            OverloadedError: It did not come in time, or too many wait already.
        """
        if len(self._waiting) >= self._most_waiting:
            raise OverloadedError(retry_after_s=PAUSE_S)
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((asker, given))
        self._give()
        try:
            try:
                async with asyncio.timeout(self._patience_s):
                    await given
            except TimeoutError as error:
                raise OverloadedError(retry_after_s=PAUSE_S) from error
            yield
        finally:
            if given.done() and not given.cancelled():
                self._holding.discard(asker)
                self._n_free += 1
            else:
                self._waiting.remove((asker, given))
            self._give()

    def _give(self) -> None:
        """Give free turns to those who have waited longest and hold none."""
        for waiting in list(self._waiting):
            asker, given = waiting
            if self._n_free == 0:
                return
            if asker not in self._holding and not given.done():
                self._waiting.remove(waiting)
                self._holding.add(asker)
                self._n_free -= 1
                given.set_result(None)
