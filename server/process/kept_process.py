"""Processes that are kept running, Neo4j among them."""

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from papergraph import local_neo4j
from papergraph.errors import PapergraphError
from papergraph.local_neo4j.process import Record
from papergraph.local_neo4j.state import Kind, count_restart, crashed_record, kept_homes, replica_is_used
from papergraph.settings import Settings

# Program of this package that runs beside a server and is restarted whenever it ends


READY_S = 120.0
LEAVING_S = 15.0
"""Seconds that a process has to finish its work before it is killed."""

SOON_S = 5.0
"""Shortest expected run in seconds; a process that ends sooner is restarted after a pause of this length."""

ANSWERS = "answers"
"""The line by which a process says that it is ready."""

log = logging.getLogger(__name__)


class ProcessFailedError(PapergraphError):
    """A process ended before it was ready; its own log says why."""


@dataclass(frozen=True)
class Program:
    """Program to run.

    Attributes:
        name: Name in the log.
        module: Module for ``python -m``. It reads its order from standard input, and writes :data:`ANSWERS` to
            standard output when it is ready. It ends when standard input is closed, as at the end of its parent.
        order: Line for its standard input, with the line end.
        environment: Further environment variables.
        files: Numbers of the open files that it inherits.
        arguments: Arguments of the module.
    """

    name: str
    module: str
    order: str
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[int] = ()
    arguments: Sequence[str] = ()


async def _nothing(pid: int) -> None:
    """Take no notice of a process that is dead."""


class KeptProcess:
    """Keeps one program running.

    Args:
        program: Program to run.
        stopping: Set when it is not to be started any more.
        cleared: Called with the number of each process that has ended.
    """

    def __init__(
        self, program: Program, stopping: asyncio.Event, cleared: Callable[[int], Awaitable[None]] = _nothing
    ) -> None:
        self._program, self._stopping, self._cleared = program, stopping, cleared
        self._process: asyncio.subprocess.Process | None = None

    async def begin(self) -> None:
        """Start it, and return when it is ready.

        Raises:
            ProcessFailedError: It ended before, or took too long.
        """
        program = self._program
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            program.module,
            *program.arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            pass_fds=tuple(program.files),
            env=os.environ | dict(program.environment),
            start_new_session=True,  # Ctrl-C is for the parent, which tells it
        )
        self._process = process
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 for mypy; both are pipes
        process.stdin.write(program.order.encode())
        try:
            async with asyncio.timeout(READY_S):
                said = await process.stdout.readline()
        except TimeoutError:
            said = b""
        if said.strip().decode() != ANSWERS and not self._stopping.is_set():
            if process.returncode is None:
                process.kill()
            await self._clear(process)
            raise ProcessFailedError(f"{program.name} ended before it was ready; the log tells why")

    async def keep(self) -> None:
        """Restart the process whenever it ends, until it is stopped."""
        started_at = time.monotonic()
        while not self._stopping.is_set():
            if (process := self._process) is not None:
                status = await process.wait()
                await self._clear(process)
                if self._stopping.is_set():
                    return
                log.error("%s ended with status %s; it is started anew", self._program.name, status)
            if time.monotonic() - started_at < SOON_S:
                await asyncio.sleep(SOON_S)
            started_at = time.monotonic()
            try:
                await self.begin()
            except ProcessFailedError as error:
                self._process = None
                log.error("%s", error)

    async def end(self) -> None:
        """Have it finish what is under way, and kill it where that takes too long."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(LEAVING_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _clear(self, process: asyncio.subprocess.Process) -> None:
        await process.wait()
        await self._cleared(process.pid)


# Restarts of local Neo4j servers: one that has ended without having been stopped is started again, with back-off


POLL_S = 0.5
FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 60.0
STABLE_S = 300.0
"""A server that ran for so long, in seconds, is started again at once; one that ended earlier after a pause."""


class Neo4jKeeper:
    """Keeps one local server running until it is stopped by a command."""

    def __init__(self, kind: Kind, home: Path, start: Callable[[Record], bool]) -> None:
        """Watch nothing yet.

        Args:
            kind: What the log calls it.
            home: Its papergraph home, which may be made later.
            start: Starts the server whose record is given, returns when it answers, and says whether it was started: a
                command that creates a replica starts it again by itself.
        """
        self._kind, self._home, self._start = kind, home, start
        self._started_at = -STABLE_S
        self._n_tries = 0

    async def keep(self) -> None:
        """Start the server each time that it has crashed; returns never."""
        while True:
            await self._restart(await self._crash())

    async def _crash(self) -> Record:
        """Return the record of the server once it has crashed."""
        while True:
            await asyncio.sleep(POLL_S)
            if (record := await asyncio.to_thread(crashed_record, self._home)) is not None:
                await asyncio.sleep(POLL_S)  # a command that stops it removes the record after its process has ended
                if await asyncio.to_thread(crashed_record, self._home) == record:
                    return record

    async def _restart(self, record: Record) -> None:
        if time.monotonic() - self._started_at > STABLE_S:
            self._n_tries = 0
        while True:
            pause_s = self.pause_s(self._n_tries)
            log.error("the Neo4j of the %s (process %s) has ended; restart in %g s", self._kind, record.pid, pause_s)
            await asyncio.sleep(pause_s)
            if await asyncio.to_thread(crashed_record, self._home) is None:
                return  # a command has started it meanwhile, or has stopped it
            self._n_tries += 1
            begun = time.monotonic()
            try:
                is_started = await asyncio.to_thread(self._start, record)
            except (PapergraphError, OSError) as error:
                log.error("the Neo4j of the %s cannot be restarted: %s", self._kind, error)
                continue
            if is_started:
                await asyncio.to_thread(count_restart, self._home)
            self._started_at = time.monotonic()
            log.warning("the Neo4j of the %s runs again, after %.0f s", self._kind, self._started_at - begun)
            return

    @staticmethod
    def pause_s(n_tries: int) -> float:
        """Return the pause before a start after ``n_tries`` lately, in seconds: none at first, then 2, then doubled."""
        return min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (n_tries - 1)) if n_tries else 0.0


@asynccontextmanager
async def keeping_neo4j(settings: Settings) -> AsyncIterator[None]:
    """Restart the local servers that the settings use while the context is open, and start a replica that they use.

    One process of a server does so: that which started the store.
    """
    keepers = []
    if settings.neo4j.uri is None:
        keepers.append(Neo4jKeeper("store", settings.home, lambda record: _start_store(settings, record)))
    if replica_is_used(settings):
        home = local_neo4j.replica_home(settings)
        start = lambda record: local_neo4j.start_replica(settings, memory=record.memory).started_here  # noqa: E731
        keepers.append(Neo4jKeeper("replica", home, start))
    tasks = [asyncio.create_task(keeper.keep()) for keeper in keepers]
    if "replica" in kept_homes(settings) and (settings.server.require_api_key or settings.cypher.uri):
        tasks.append(asyncio.create_task(_start_replica(settings)))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _start_store(settings: Settings, record: Record) -> bool:
    """Start the store's server as it was: to end with this process, if it was to end with one."""
    return local_neo4j.start(settings, memory=record.memory, owner=record.owner_pid is not None).started_here


async def _start_replica(settings: Settings) -> None:
    try:
        await asyncio.to_thread(local_neo4j.start_replica, settings)
    except (PapergraphError, OSError) as error:
        log.error("the Neo4j of the replica cannot be started: %s", error)
