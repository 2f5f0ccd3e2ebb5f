"""Turns: a few at once, one of each asker, in the order that they were asked for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from papergraph.errors import OverloadedError
from server.shared_counters import Shared

PAUSE_S = 2
KIND = "cypher"
LOOK_AGAIN_S = 0.05
"""After which those who wait look whether another process has given a turn back."""


class FairQueue:
    """Gives turns to askers, of this process or of all that share what they count."""

    def __init__(self, at_once: int, *, most_waiting: int, patience_s: float, shared: Shared | None = None) -> None:
        """Begin with nobody waiting.

        Args:
            at_once: Turns that are held at the same time.
            most_waiting: Requests that wait; one more is refused.
            patience_s: How long one waits, in seconds.
            shared: Where processes count turns together; who waits in which of them is left to chance then.
        """
        self._at_once, self._shared = at_once, shared
        self._looking: asyncio.TimerHandle | None = None
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
                if self._shared is not None:
                    self._shared.give_back(KIND, asker)
            else:
                self._waiting.remove((asker, given))
            self._give()

    def _give(self) -> None:
        """Give free turns to those who have waited longest and hold none."""
        for waiting in list(self._waiting):
            asker, given = waiting
            if len(self._holding) >= self._at_once:
                return
            if asker not in self._holding and not given.done() and self._is_free(asker):
                self._waiting.remove(waiting)
                self._holding.add(asker)
                given.set_result(None)

    def _is_free(self, asker: str) -> bool:
        """Take a turn among those of all processes; where there is none, look again in a while."""
        if self._shared is None or self._shared.take(KIND, asker, most=1, most_of_all=self._at_once) is None:
            return True
        if self._looking is None:
            self._looking = asyncio.get_running_loop().call_later(LOOK_AGAIN_S, self._look_again)
        return False

    def _look_again(self) -> None:
        self._looking = None
        self._give()
