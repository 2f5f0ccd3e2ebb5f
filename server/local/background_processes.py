"""Background processes of a server: workers of queued jobs, daily backups, and watches.

Each is a process of its own at a lower priority, ``python -m papergraph.server.local.background_processes KIND``, so
that searches
have the processor and the interpreter, and a failure with a document ends no server. Its order on
standard input is the store's address as JSON.
"""

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from papergraph.errors import PapergraphError
from papergraph.progress import silent
from papergraph.schema.archive.schedule import is_due, last_verified
from papergraph.server.local.backup_operations import take_backup
from papergraph.server.local.store_operations import LOW_PRIORITY, work
from papergraph.server.local.watch_operations import keep_watching
from papergraph.server.process.kept_process import ANSWERS, KeptProcess, ProcessFailedError, Program
from papergraph.settings import Settings
from papergraph.store import Address
from papergraph.telemetry.tracing import telling

MODULE = "papergraph.server.local.background_processes"
JOBS, BACKUPS, WATCHES = "jobs", "backups", "watches"
POLL_S, RETRY_S = 30.0, 3600.0

log = logging.getLogger(__name__)


@asynccontextmanager
async def background_processes(settings: Settings, address: Address) -> AsyncIterator[None]:
    """Keep ``settings.workers`` workers, and backups and watches by the settings, running while the context is open.

    They start meanwhile.
    """
    order = json.dumps(asdict(address)) + "\n"
    programs = [Program(f"worker {number}", MODULE, order, arguments=(JOBS,)) for number in range(settings.workers)]
    if settings.backup.dir is not None:
        programs.append(Program("the process of backups", MODULE, order, arguments=(BACKUPS,)))
    if settings.watch.enabled:
        programs.append(Program("the process of watches", MODULE, order, arguments=(WATCHES,)))
    async with _kept(programs):
        yield


@asynccontextmanager
async def _kept(programs: Sequence[Program]) -> AsyncIterator[None]:
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


async def keep_backed_up(settings: Settings, address: Address, folder: Path) -> None:
    """Take a backup each time that one is due, without end; one that failed is tried again after an hour."""
    while True:
        pause_s = POLL_S
        if is_due(datetime.now().astimezone(), settings.backup.at, last_verified(folder)):
            try:
                found = await take_backup(address, folder, settings.backup.keep, progress=silent)
                log.info(
                    "backup taken and verified", extra={"snapshot": found.snapshot.name, "objects": found.n_objects}
                )
            except (PapergraphError, OSError) as error:
                log.error("the backup failed and is tried again in an hour: %s", error)
                pause_s = RETRY_S
        await asyncio.sleep(pause_s)


async def _until_told(work: Coroutine[Any, Any, object]) -> None:
    """Work until stopped, or until standard input closes at the end of the server."""
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


def main() -> None:
    """Run the process of the kind that the argument names."""
    os.nice(LOW_PRIORITY)
    kind, settings, address = sys.argv[1], Settings(), Address(**json.loads(sys.stdin.readline()))
    with telling(settings, service="papergraph-worker" if kind == JOBS else f"papergraph-{kind}"):
        if kind == JOBS:
            # its metrics are the server's to tell: the port is taken
            alone = settings.replace(metrics={"address": None})
            asyncio.run(_until_told(work(alone, address, once=False, dask=None, progress=silent)))
        elif kind == WATCHES:
            asyncio.run(_until_told(keep_watching(settings, address)))
        elif settings.backup.dir is not None:
            asyncio.run(_until_told(keep_backed_up(settings, address, settings.backup.dir)))


if __name__ == "__main__":
    main()
