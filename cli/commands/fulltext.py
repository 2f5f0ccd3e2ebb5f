"""``papergraph fulltext``: the language of full-text search."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import Json, Quiet, progress, settings, show, write
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from papergraph.schema.fulltext import AnalyzerStatus

app = new_app("Change the language of full-text search.")


@app.command("status")
def status(as_json: Json = False) -> None:
    """Show the analyzer and those to choose from."""
    from papergraph.server.local import store_operations as working
    from papergraph.store import open_store

    with progress(quiet=as_json) as told, open_store(settings(), progress=told) as address:
        found = asyncio.run(working.fulltext_status(address))
    show(found, _write_status, as_json=as_json)


@app.command("switch", epilog="Example: papergraph fulltext switch german")
def switch_to(
    analyzer: Annotated[str, typer.Argument(help="Name of an analyzer; papergraph fulltext status lists them.")],
    quiet: Quiet = False,
) -> None:
    """Choose an analyzer and build the indexes again.

    Searches skip full text until the indexes are built. Repeat an interrupted command.
    """
    from papergraph.server.local import store_operations as working
    from papergraph.store import open_store

    with progress(quiet=quiet) as told, open_store(settings(), progress=told) as address:
        asyncio.run(working.switch_analyzer(address, analyzer, progress=told))


def _write_status(found: "AnalyzerStatus") -> None:
    write(f"analyzer: {found.analyzer}")
    write("available: " + ", ".join(found.available))


GROUP = Group("fulltext", Section.OPERATE, 58, app)
