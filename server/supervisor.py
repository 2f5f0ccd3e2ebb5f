"""Serving by several processes that share a listening socket, their limits and their metrics.

Each is started anew when it ends before it is told to. uvicorn's own supervisor is not used: it has no place for what
opens and closes around a server, nor for what is to be done when a process is dead.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from prometheus_client.multiprocess import mark_process_dead

from papergraph.errors import PapergraphError
from papergraph.store import Address
from papergraph.telemetry.metrics import MULTIPROCESS
from server.process.sockets import ENDING
from server.shared_counters import Shared
from server.worker import ANSWERS, Order

READY_S = 120.0
LEAVING_S = 15.0
"""How long a process may take to finish what is under way; one that takes longer is killed."""

SOON_S = 5.0
"""A process that ends so soon after its start is started anew only after a pause as long."""

log = logging.getLogger(__name__)


class WorkerFailedError(PapergraphError):
    """A process of the server ended before it answered; its own log says why."""


class Supervisor:
    """Keeps processes running."""

    def __init__(self, address: Address, sock: socket.socket, folder: Path, n: int) -> None:
        """Start nothing yet.

        Args:
            address: The store.
            sock: What they listen on.
            folder: Where they share what they count and measure; as long-lived as they are.
            n: How many.
        """
        self._address, self._sock, self._n = address, sock, n
        self._counts, self._metrics = folder / "counts.sqlite", folder / "metrics"
        self._metrics.mkdir()
        self._stopping = asyncio.Event()
        self._processes: dict[int, asyncio.subprocess.Process] = {}

    async def start(self) -> list["asyncio.Task[None]"]:
        """Start all; return when each answers.

        Raises:
            WorkerFailedError: One ended before, or took too long.
        """
        Shared(self._counts, -1).close()  # made before several would make it at once
        self._sock.set_inheritable(True)
        await asyncio.gather(*(self._begin(number) for number in range(self._n)))
        return [asyncio.create_task(self._keep(number)) for number in range(self._n)]

    def stop(self) -> None:
        """Have all of them finish."""
        self._stopping.set()

    async def ended(self) -> None:
        """Wait until they are to finish, and then until they have."""
        await self._stopping.wait()
        running = [process for process in self._processes.values() if process.returncode is None]
        for process in running:
            process.send_signal(signal.SIGTERM)
        for process in running:
            try:
                async with asyncio.timeout(LEAVING_S):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()

    async def _begin(self, number: int) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "server.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            pass_fds=(self._sock.fileno(),),
            env=os.environ | {MULTIPROCESS: str(self._metrics)},
            start_new_session=True,  # Ctrl-C is for the supervisor, which tells them
        )
        self._processes[number] = process
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 for mypy; both are pipes
        order = Order(number, self._n, self._sock.fileno(), str(self._counts), self._address)
        process.stdin.write(order.line().encode())
        try:
            async with asyncio.timeout(READY_S):
                said = await process.stdout.readline()
        except TimeoutError:
            said = b""
        if said.strip().decode() != ANSWERS and not self._stopping.is_set():
            if process.returncode is None:
                process.kill()
            await self._clear(number, process)
            raise WorkerFailedError(f"process {number} of the server ended before it answered; the log tells why")

    async def _keep(self, number: int) -> None:
        """Start a process anew each time that it ends."""
        started_at = time.monotonic()
        while not self._stopping.is_set():
            process = self._processes[number]
            status = await process.wait()
            await self._clear(number, process)
            if self._stopping.is_set():
                return
            log.error("process %s of the server ended with status %s; it is started anew", number, status)
            if time.monotonic() - started_at < SOON_S:
                await asyncio.sleep(SOON_S)
            started_at = time.monotonic()
            try:
                await self._begin(number)
            except WorkerFailedError as error:
                log.error("%s", error)

    async def _clear(self, number: int, process: asyncio.subprocess.Process) -> None:
        """Give back what a dead process held."""
        await process.wait()
        mark_process_dead(process.pid, str(self._metrics))  # type: ignore[no-untyped-call]
        with closing(Shared(self._counts, -1)) as shared:
            shared.free(number)


@asynccontextmanager
async def served_by(address: Address, sock: socket.socket, n: int) -> AsyncIterator[Supervisor]:
    """Serve by ``n`` processes while the context is open; SIGINT and SIGTERM end them.

    Raises:
        WorkerFailedError: One of them cannot be started.
    """
    loop = asyncio.get_running_loop()
    with tempfile.TemporaryDirectory(prefix="papergraph-") as folder:
        supervisor = Supervisor(address, sock, Path(folder), n)
        for number in ENDING:
            loop.add_signal_handler(number, supervisor.stop)
        keeping: list[asyncio.Task[None]] = []
        try:
            keeping = await supervisor.start()
            yield supervisor
        finally:
            supervisor.stop()
            await supervisor.ended()
            await asyncio.gather(*keeping)
            for number in ENDING:
                loop.remove_signal_handler(number)
