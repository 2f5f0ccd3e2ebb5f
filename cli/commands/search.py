"""``papergraph search``: passages for a query."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from papergraph.cli.common import (
    EXIT_NOTHING_FOUND,
    Json,
    Quiet,
    say,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.cli.request_options import (
    Backfill,
    Collections,
    Diverse,
    Filter,
    Pipeline,
    Server,
    Set,
    given_of,
    selection_of,
    where,
)
from papergraph.errors import InputError

K = Annotated[int | None, typer.Option("--k", "-k", help="Number of hits, 1 to 100 [set by the pipeline].")]
Select = Annotated[list[str] | None, typer.Option(help="Option of the selection, such as pool=40; repeatable.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show the steps, and the reason for each hit.")]
SaveRun = Annotated[Path | None, typer.Option(help="Write the run to this file, for pipelines replay.")]

app = new_app()


@app.command(epilog='Example: papergraph search "Is tabu search better?" -k 5 --diverse 0.7')
def search(
    query: Annotated[str, typer.Argument(help="Query.")],
    k: K = None,
    collection: Collections = None,
    pipeline: Pipeline = None,
    set_: Set = None,
    diverse: Diverse = None,
    select: Select = None,
    filter_: Filter = None,
    backfill: Backfill = False,
    explain: Explain = False,
    save_run: SaveRun = None,
    server: Server = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search for passages.

    Use the running server of this home; without one, open the store.
    """
    from papergraph.cli.client import request

    is_selected = diverse is not None or select
    selection = selection_of(select or (), k=k, alpha=diverse) if is_selected else None
    asked = {"query": query, **where(collection), **given_of(set_, filter_, selection, pipeline=pipeline, k=k)}
    if backfill and filter_ is None:
        raise InputError("--backfill needs --filter.", field="backfill")
    include = ["explanation", *(["trace"] if explain else []), *(["run"] if save_run else [])]
    asked |= {"backfill": backfill, "include": include}
    if save_run is not None and not save_run.parent.is_dir():
        raise InputError(f"There is no folder {save_run.parent}.", field="save_run")
    found = request("/search", asked, server=server, quiet=quiet or as_json)
    if save_run is not None:
        save_run.write_text(json.dumps(found.pop("run"), ensure_ascii=False, indent=1) + "\n")
    _show(found, explain=explain, as_json=as_json)


def _show(found: Mapping[str, Any], *, explain: bool, as_json: bool) -> None:
    if as_json:
        write_json(found)
    else:
        from papergraph.cli.output import write_hits, write_trace

        if explain:
            write_trace(found)
        write_hits(found["hits"], explain=explain)
        for warning in found["warnings"]:
            say(warning)
    if not found["hits"]:
        unknown = (found.get("filter") or {}).get("unknown") or []
        say("nothing found" + (f"; nothing has {', nor '.join(unknown)}" if unknown else ""))
        raise typer.Exit(EXIT_NOTHING_FOUND)


GROUP = Group("search", Section.QUERY, 31, app, top=True)
