"""``papergraph doctor``: the integrity of the graph."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from cli.common import EXIT_FAILED, Json, Quiet, progress, settings, write_json
from cli.groups import Group, Section, new_app

app = new_app()


@app.command(epilog="Example: papergraph doctor --fix")
def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Apply lossless repairs.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check graph integrity (exit 1 if problems remain)."""
    from papergraph.store import open_store
    from server.local import store_operations as working

    chosen = settings()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        report = asyncio.run(working.doctor(chosen, address, fix=fix, progress=told))
        told.pause()
    if as_json:
        write_json({"healthy": report.healthy, **asdict(report)})
    else:
        from cli.store_output import write_examination

        write_examination(report)
    if not report.healthy:
        raise typer.Exit(EXIT_FAILED)


GROUP = Group("doctor", Section.OPERATE, 51, app, top=True)
