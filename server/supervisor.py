"""Supervisor of several server processes that share a listening socket, limits and metrics.

A process that ends unexpectedly is restarted. uvicorn's own supervisor lacks hooks for setup and teardown around a
server, and for the death of a process.
"""

import asyncio
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from prometheus_client.multiprocess import mark_process_dead

from papergraph.server.process.kept_process import KeptProcess, Program
from papergraph.server.process.sockets import ENDING
from papergraph.server.worker import Order
from papergraph.shared_counters import Shared
from papergraph.store import Address
from papergraph.telemetry.metrics import MULTIPROCESS


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
        self._processes = [self._process(number) for number in range(n)]

    def _process(self, number: int) -> KeptProcess:
        order = Order(number, self._n, self._sock.fileno(), str(self._counts), self._address)
        program = Program(
            f"process {number} of the server",
            "papergraph.server.worker",
            order.line(),
            {MULTIPROCESS: str(self._metrics)},
            (self._sock.fileno(),),
        )

        async def clear(pid: int) -> None:
            """Release the slots of a dead process."""
            mark_process_dead(pid, str(self._metrics))  # type: ignore[no-untyped-call]
            with closing(Shared(self._counts, -1)) as shared:
                shared.free(number)

        return KeptProcess(program, self._stopping, clear)

    async def start(self) -> list["asyncio.Task[None]"]:
        """Start all; return when each answers.

        Raises:
            ProcessFailedError: One ended before, or took too long.
        """
        Shared(self._counts, -1).close()  # made before several would make it at once
        self._sock.set_inheritable(True)
        await asyncio.gather(*(process.begin() for process in self._processes))
        return [asyncio.create_task(process.keep()) for process in self._processes]

    def stop(self) -> None:
        """Have all of them finish."""
        self._stopping.set()

    async def ended(self) -> None:
        """Wait until they are to finish, and then until they have."""
        await self._stopping.wait()
        await asyncio.gather(*(process.end() for process in self._processes))


@asynccontextmanager
async def served_by(address: Address, sock: socket.socket, n: int) -> AsyncIterator[Supervisor]:
    """Serve by ``n`` processes while the context is open; SIGINT and SIGTERM end them.

    Raises:
        ProcessFailedError: One of them cannot be started.
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
