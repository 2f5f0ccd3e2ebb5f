"""One process at a time: a file that is locked while something must not be done twice at once."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from papergraph.errors import LocalNeo4jError
from papergraph.progress import Progress, silent

POLL_S = 0.2


@contextmanager
def locked(path: Path, *, waiting: str, timeout_s: float, progress: Progress = silent) -> Iterator[None]:
    """Hold the lock on ``path``; the kernel lets go of it when this process ends, however it ends.

    Args:
        path: File to lock, made if missing and left in place: another process may be waiting on it.
        waiting: What to tell when another process holds the lock, for example ``another start is under way``.
        timeout_s: How long to wait for it, in seconds.
        progress: Hears ``waiting`` once.

    Raises:
        LocalNeo4jError: The other process did not finish in time.
    """
    deadline = time.monotonic() + timeout_s
    with path.open("a") as file:
        told = False
        while not _try_lock(file.fileno()):
            if not told:
                progress.step(waiting)
                told = True
            if time.monotonic() > deadline:
                raise LocalNeo4jError(
                    f"{waiting}, and has not finished within {timeout_s:g} s; end the process that holds {path}"
                )
            time.sleep(POLL_S)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
