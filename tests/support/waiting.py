"""Free ports, and what comes true after a while."""

import socket
import time
from collections.abc import Callable

PATIENCE_S = 60.0
"""Deadline of a database call in tests that measure no time: a busy machine stands still for seconds."""


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], bool], *, timeout_s: float) -> float:
    """Wait for a condition and return the seconds it took; fail when it does not come true in time."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < timeout_s, f"not within {timeout_s:g} s"
        time.sleep(0.05)
    return time.monotonic() - start
