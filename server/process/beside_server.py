"""Programs that run beside a server: kept running while it serves, and told to stop with it."""

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from server.process.kept_process import ANSWERS, KeptProcess, ProcessFailedError, Program

log = logging.getLogger(__name__)


@asynccontextmanager
async def kept_beside(programs: Sequence[Program]) -> AsyncIterator[None]:
    """Keep programs running while the context is open; they start meanwhile."""
    stopping = asyncio.Event()
    processes = [KeptProcess(program, stopping) for program in programs]
    keeping = [asyncio.create_task(_begin_and_keep(process)) for process in processes]
    try:
        yield
    finally:
        stopping.set()
        await asyncio.gather(*(process.end() for process in processes))
        for task in keeping:
            task.cancel()  # one that is waiting to start again
        await asyncio.gather(*keeping, return_exceptions=True)


async def _begin_and_keep(process: KeptProcess) -> None:
    try:
        await process.begin()
    except ProcessFailedError as error:
        log.error("%s", error)
    await process.keep()


async def until_told(work: Coroutine[Any, Any, object]) -> None:
    """Work until told to stop, or until the server is gone, which closes standard input."""
    working = asyncio.create_task(work)
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), stopping.set)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    print(ANSWERS, flush=True)  # noqa: T201 for the server
    stopped = asyncio.create_task(stopping.wait())
    await asyncio.wait((working, stopped), return_when=asyncio.FIRST_COMPLETED)
    loop.remove_reader(sys.stdin.fileno())
    stopped.cancel()
    working.cancel()
    await asyncio.gather(working, return_exceptions=not working.done())
