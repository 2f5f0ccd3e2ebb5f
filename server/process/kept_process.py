"""A program of this package that runs beside a server, and is started anew each time that it ends by itself."""

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from papergraph.errors import PapergraphError

READY_S = 120.0
LEAVING_S = 15.0
"""How long a process may take to finish what is under way; one that takes longer is killed."""

SOON_S = 5.0
"""A process that ends so soon after its start is started anew only after a pause as long."""

ANSWERS = "answers"
"""The line by which a process says that it is ready."""

log = logging.getLogger(__name__)


class ProcessFailedError(PapergraphError):
    """A process ended before it was ready; its own log says why."""


@dataclass(frozen=True)
class Program:
    """What is started.

    Attributes:
        name: What the log calls it.
        module: Run with ``python -m``. It reads its order on standard input, and says :data:`ANSWERS` on standard
            output when it is ready. It ends when standard input is closed: when its parent is gone.
        order: That line, with its end.
        environment: Variables besides those of this process.
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
        program: What is started.
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
        """Start it anew each time that it ends, until it is to stop."""
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
