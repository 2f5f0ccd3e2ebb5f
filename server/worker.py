"""One of several server processes: ``python -m papergraph.server.worker``, started by :mod:`supervisor`.

It reads its order from standard input, a line of JSON, and ends when that is closed, as at the end of the supervisor.
It writes a line to standard output when it is ready.
"""

import asyncio
import json
import socket
import sys
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from papergraph.progress import Progress, silent
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.graphql.options import Rules
from papergraph.server.process.kept_process import ANSWERS
from papergraph.server.process.metrics_server import telling_metrics
from papergraph.server.process.uvicorn_server import serving
from papergraph.server.selection.kernels import compile_all
from papergraph.server.startup import following, open_service
from papergraph.settings import Settings
from papergraph.shared_counters import Shared
from papergraph.store import Address
from papergraph.telemetry.tracing import telling


@dataclass(frozen=True)
class Order:
    """Order of a worker.

    Attributes:
        number: Index of the process, from 0.
        n_processes: Number of processes.
        socket: File descriptor of the inherited listening socket.
        counts: File of the common counters.
        address: The store.
    """

    number: int
    n_processes: int
    socket: int
    counts: str
    address: Address

    def line(self) -> str:
        """Return it as a line."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> Self:
        """Read it from a line."""
        written: dict[str, Any] = json.loads(line)
        return cls(**written | {"address": Address(**written["address"])})


def policy_of(settings: Settings, n_processes: int) -> ServerLimits:
    """Return the policy of one of so many processes: what each has a processor for, they share among them."""
    at_once = settings.server.max_active_requests
    share = at_once and max(1, at_once // n_processes)
    return ServerLimits.of(settings.replace(server={"max_active_requests": share}))


async def work(settings: Settings, order: Order, progress: Progress) -> None:
    """Serve until stopped.

    Raises:
        PapergraphError: As of :func:`papergraph.server.startup.open_service`.
    """
    policy = policy_of(settings, order.n_processes)
    with closing(Shared(Path(order.counts), order.number)) as shared, socket.socket(fileno=order.socket) as sock:
        rules = Rules.of(settings, shared)
        async with open_service(settings, order.address, progress=progress, unchanged=True) as service:
            await asyncio.to_thread(service.embedder.encode_query, "")
            await asyncio.to_thread(compile_all)
            # metrics are of all processes: one of them is enough for a port of their own
            port = settings if order.number == 0 else settings.replace(metrics={"address": None})
            telling_them, opening = (
                telling_metrics(port, service.database),
                following(service, settings, shared, is_kept=True),
            )
            async with telling_them, opening as followed, serving(followed, sock, policy, rules, shared) as server:
                print(ANSWERS, flush=True)  # noqa: T201 for the supervisor
                left = asyncio.create_task(_supervisor_is_gone())
                await asyncio.wait((server, left), return_when=asyncio.FIRST_COMPLETED)
                left.cancel()


async def _supervisor_is_gone() -> None:
    """Return when standard input is closed, on which nothing comes any more."""
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin.fileno(), gone.set)
    try:
        await gone.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())


def main() -> None:
    """Work as standard input says."""
    settings, order = Settings(), Order.read(sys.stdin.readline())
    with telling(settings, service="papergraph-server"):
        asyncio.run(work(settings, order, silent))


if __name__ == "__main__":
    main()
