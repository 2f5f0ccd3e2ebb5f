"""Workers beside a server: each processes queued jobs in a process of its own, ``python -m server.job_worker``.

A process of its own, at a lower priority, leaves searches the processor and the interpreter, and what goes wrong with a
document ends no server. Decision 0063 has the alternatives. The order on standard input is the store's address as JSON.
"""

import asyncio
import json
import os
import sys
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict

from papergraph.progress import silent
from papergraph.settings import Settings
from papergraph.store import Address
from papergraph.telemetry.setup import telling
from server.process.beside_server import kept_beside, until_told
from server.process.kept_process import Program
from server.store_operations import LOW_PRIORITY, work


def job_workers(settings: Settings, address: Address) -> AbstractAsyncContextManager[None]:
    """Keep ``settings.workers`` processes working on queued jobs while the context is open; they start meanwhile."""
    order = json.dumps(asdict(address)) + "\n"
    return kept_beside([Program(f"worker {number}", "server.job_worker", order) for number in range(settings.workers)])


def main() -> None:
    """Work as standard input says."""
    os.nice(LOW_PRIORITY)
    settings, address = Settings(), Address(**json.loads(sys.stdin.readline()))
    with telling(settings, service="papergraph-worker"):
        # its metrics are the server's to tell: the port is taken
        settings = settings.replace(metrics={"address": None})
        asyncio.run(until_told(work(settings, address, once=False, dask=None, progress=silent)))


if __name__ == "__main__":
    main()
