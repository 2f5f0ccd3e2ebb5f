"""File lock that reports waiting and raises a typed error after a timeout."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from papergraph.errors import LocalNeo4jError
from papergraph.progress import Progress, silent


@contextmanager
def locked(path: Path, *, waiting: str, timeout_s: float, progress: Progress = silent) -> Iterator[None]:
    """Hold the lock on ``path``; ``progress`` gets ``waiting`` once if another process holds it.

    Raises:
        LocalNeo4jError: The other process did not finish within ``timeout_s``.
    """
    lock = FileLock(path, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress.step(waiting)
        try:
            lock.acquire(timeout=timeout_s, poll_interval=0.2)
        except Timeout as error:
            message = f"{waiting}, and has not finished within {timeout_s:g} s; end the process that holds {path}"
            raise LocalNeo4jError(message) from error
    try:
        yield
    finally:
        lock.release()
