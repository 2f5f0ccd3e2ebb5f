"""Concurrent work: groups that fail together, generators in tasks of their own, and fair turns."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing, asynccontextmanager
from typing import TypeVar

from papergraph.errors import OverloadedError, RateLimitedError
from papergraph.shared_counters import Full, OwnSlots, Slots

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
                try:
                    await pieces.put(piece)
                except asyncio.CancelledError as error:
                    await coming.athrow(error)  # its own timeout may have cancelled this task

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
    is_left = False

    async def run() -> None:
        try:
            await make()
            await pieces.put(None)
        except (Exception, asyncio.CancelledError) as error:
            if is_left:
                raise
            await pieces.put(error if isinstance(error, Exception) else RuntimeError("The work was cancelled."))

    making = asyncio.create_task(run())
    _MAKING.add(making)
    making.add_done_callback(_MAKING.discard)
    try:
        while (piece := await pieces.get()) is not None:
            if isinstance(piece, Exception):
                raise piece
            yield piece
    finally:
        is_left = True
        making.cancel()
        await asyncio.shield(asyncio.gather(making, return_exceptions=True))


PAUSE_S = 1
ACTIVE_S = 10.0
"""Time for which an account that wanted a turn counts as active, in seconds: active accounts share all turns."""

LOOK_AGAIN_S = 0.05
"""Time after which waiting requests look for turns that other processes gave back, in seconds."""


class FairQueue:
    """Turns for accounts, of this process or of all that share slots.

    The account with the fewest turns is next. Several active accounts have equal shares of a quarter of the turns:
    these share processors, so the number of another account's turns decides how long one takes.
    """

    def __init__(
        self,
        kind: str,
        at_once: int,
        *,
        of_one: int = 0,
        most_waiting: int = 0,
        most_waiting_of_one: int = 0,
        slots: Slots | None = None,
    ) -> None:
        """Create an empty queue; 0 means unlimited.

        Args:
            kind: Name of its slots, and of its turns in errors.
            at_once: Most concurrent turns.
            of_one: Most concurrent turns of an account.
            most_waiting: Most waiting requests; further ones are refused.
            most_waiting_of_one: Most waiting requests of an account.
            slots: Slots of several processes; the order between processes is random.
        """
        self._kind, self._at_once, self._of_one = kind, at_once, of_one
        self._most_waiting, self._most_waiting_of_one = most_waiting, most_waiting_of_one
        self._slots, self._is_shared = slots or OwnSlots(), slots is not None
        self._looking: asyncio.TimerHandle | None = None
        self._n_held: Counter[str] = Counter()
        self._wanted_s: dict[str, float] = {}
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def turn(self, account: str, *, patience_s: float | None) -> AsyncIterator[None]:
        """Wait for a turn of an account for at most so many seconds (None: without an end), and hold it.

        Raises:
            RateLimitedError: Too many requests of the account wait.
            OverloadedError: The wait was too long, or too many requests wait.
        """
        await self._wait(account, patience_s)
        try:
            yield
        finally:
            self._release(account)
            self._give()

    async def _wait(self, account: str, patience_s: float | None) -> None:
        waiting, most = f"{self._kind} waiting", self._most_waiting_of_one
        full = self._slots.take(waiting, account, most=most, most_of_all=self._most_waiting)
        if full is Full.ONE:
            raise RateLimitedError(f"{most} {self._kind} requests waiting", retry_after_s=PAUSE_S)
        if full is Full.ALL:
            raise OverloadedError(retry_after_s=PAUSE_S)
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((account, given))
        self._wanted_s[account] = time.monotonic()
        self._give()
        try:
            async with asyncio.timeout(patience_s):
                await asyncio.shield(given)
        except BaseException as error:
            if given.done():
                self._release(account)
            else:
                self._waiting.remove((account, given))
            self._give()
            if isinstance(error, TimeoutError):
                raise OverloadedError(retry_after_s=PAUSE_S) from error
            raise
        finally:
            self._slots.give_back(waiting, account)

    def _release(self, account: str) -> None:
        self._slots.give_back(self._kind, account)
        self._n_held[account] -= 1
        if not self._n_held[account]:
            del self._n_held[account]

    def _give(self) -> None:
        """Give free turns to accounts with the fewest, of these to the longest waiting."""
        refused: set[str] = set()
        share = self._share()
        while self._waiting:
            able = [one for one in self._waiting if one[0] not in refused]
            if not able:
                return
            one = min(able, key=lambda waiting: self._n_held[waiting[0]])
            full = self._slots.take(self._kind, one[0], most=share, most_of_all=self._at_once)
            if full is None:
                self._waiting.remove(one)
                self._n_held[one[0]] += 1
                one[1].set_result(None)
                continue
            if self._is_shared and self._looking is None:
                self._looking = asyncio.get_running_loop().call_later(LOOK_AGAIN_S, self._look_again)
            if full is Full.ALL:
                return
            refused.add(one[0])

    def _share(self) -> int:
        """Return the most turns of an account."""
        since_s = time.monotonic() - ACTIVE_S
        self._wanted_s = {account: at_s for account, at_s in self._wanted_s.items() if at_s > since_s}
        n_active = len(self._wanted_s)
        share = -(-self._at_once // (4 * n_active)) if n_active > 1 else self._at_once
        return min(share, self._of_one or share)

    def _look_again(self) -> None:
        self._looking = None
        self._give()
