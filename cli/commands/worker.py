"""``papergraph worker``: queued jobs, of all processes."""

import asyncio
import json
import signal
import sys
from typing import Annotated, Any, NoReturn

import typer

from papergraph.cli.common import Dask, Json, Quiet, service, settings, write
from papergraph.cli.groups import Group, Section, new_app

LEAVING_S = 8
"""Seconds that a worker has to finish after SIGTERM; then it is killed, and others take over its tasks."""

app = new_app()


@app.command(epilog="Example: papergraph ingest ~/papers --queue; papergraph worker --once")
def worker(
    once: Annotated[bool, typer.Option("--once", help="Exit when the queue is empty.")] = False,
    dask: Dask = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Process queued jobs.

    Run until Ctrl-C. Several workers share the queue.
    """
    from papergraph.server.local import store_operations as working
    from papergraph.store import open_store

    signal.signal(signal.SIGTERM, _leave)
    chosen = settings()
    serving = service(chosen, "worker", quiet=quiet)
    with serving as progress, open_store(chosen, progress=progress) as address:
        n = asyncio.run(working.work(chosen, address, once=once, dask=dask, progress=progress))
        progress.pause()
        write(json.dumps({"documents": n}) if as_json else f"Processed {n} documents.")


def _leave(*_: Any) -> NoReturn:
    """End what is under way; a thread that waits for a parser or for the network must not hold up the end."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LEAVING_S)
    sys.exit(128 + signal.SIGTERM)


GROUP = Group("worker", Section.START, 14, app, top=True)
