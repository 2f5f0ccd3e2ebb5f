"""A gate that lets one request through at a time, and none sooner than some seconds after the one before."""

import threading
import time
from collections.abc import Callable
from types import TracebackType


class HostThrottle:
    """Used as a context around each request; several threads queue up before it."""

    def __init__(
        self,
        interval_s: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Open at once.

        Args:
            interval_s: Seconds from the beginning of one request to that of the next, at least.
            clock: Tells the time, in seconds.
            sleep: Waits so many seconds.
        """
        self._interval_s, self._clock, self._sleep = interval_s, clock, sleep
        self._lock = threading.Lock()
        self._next = -float("inf")

    def __enter__(self) -> None:
        self._lock.acquire()
        try:
            wait_s = self._next - self._clock()
            if wait_s > 0:
                self._sleep(wait_s)
            self._next = self._clock() + self._interval_s
        except BaseException:
            self._lock.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()

    def slow_down(self, interval_s: float) -> None:
        """Let one through each so many seconds, if that is slower than now."""
        with self._lock:
            self._interval_s = max(self._interval_s, interval_s)

    def hold(self, seconds: float) -> None:
        """Let nobody through for so many seconds from now, because the other side asked for it."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)


ARXIV_GATE = HostThrottle(3.0)
"""arXiv's terms allow one request each three seconds and one connection, for its API and downloads together."""
