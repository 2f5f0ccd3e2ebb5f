"""Workers beside a server: each processes queued jobs in a process of its own, ``python -m server.job_worker``.

A process of its own, at a lower priority, leaves searches the processor and the interpreter, and what goes wrong with a
document ends no server. Decision 0063 has the alternatives. The order on standard input is the store's address as JSON.
"""

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict

from papergraph.progress import silent
from papergraph.settings import Settings
from papergraph.store import Address
from papergraph.telemetry.setup import telling
from server.process.kept_process import ANSWERS, KeptProcess, ProcessFailedError, Program
from server.store_operations import LOW_PRIORITY, work

log = logging.getLogger(__name__)


@asynccontextmanager
async def job_workers(settings: Settings, address: Address) -> AsyncIterator[None]:
    """Keep ``settings.workers`` processes working on queued jobs while the context is open; they start meanwhile."""
    stopping, order = asyncio.Event(), json.dumps(asdict(address)) + "\n"
    programs = [Program(f"worker {number}", "server.job_worker", order) for number in range(settings.workers)]
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


async def _work(settings: Settings, address: Address) -> None:
    """Work until told to stop, or until the server is gone."""
    # its metrics are the server's to tell: the port is taken
    settings = settings.replace(metrics={"address": None})
    working = asyncio.create_task(work(settings, address, once=False, dask=None, progress=silent))
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


def main() -> None:
    """Work as standard input says."""
    os.nice(LOW_PRIORITY)
    settings, address = Settings(), Address(**json.loads(sys.stdin.readline()))
    with telling(settings, service="papergraph-worker"):
        asyncio.run(_work(settings, address))


if __name__ == "__main__":
    main()
