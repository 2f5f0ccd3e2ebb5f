"""``papergraph worker``: queued jobs, of all processes."""

import asyncio
import json
from typing import Annotated

import typer

from cli.common import Dask, Json, Quiet, service, settings, write
from cli.groups import Group, Section, new_app

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
    from papergraph.store import open_store
    from server import store_operations as working

    chosen = settings()
    serving = service(chosen, "worker", quiet=quiet)
    with serving as progress, open_store(chosen, progress=progress) as address:
        n = asyncio.run(working.work(chosen, address, once=once, dask=dask, progress=progress))
        progress.pause()
        write(json.dumps({"documents": n}) if as_json else f"Processed {n} documents.")


GROUP = Group("worker", Section.START, 14, app, top=True)
