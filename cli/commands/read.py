"""``papergraph read``: simple reads of the graph, made of ``server/endpoints``."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from papergraph.cli.common import EXIT_NOTHING_FOUND, Json, Quiet, write, write_json
from papergraph.cli.groups import Group, Section, new_app
from papergraph.cli.request_options import Server, values

app = new_app()


@app.command(epilog="Example: papergraph read suggest text=tab first=3")
def read(
    name: Annotated[str | None, typer.Argument(help="Name of the read; without it, all are listed.")] = None,
    fields: Annotated[list[str] | None, typer.Argument(help="Fields as name=value, the value JSON or text.")] = None,
    server: Server = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Read one of the simple lists of the graph.

    Without a name, list them with their fields. Exit 3 if the list is empty.
    """
    from papergraph.cli.client import request
    from papergraph.server.endpoints import find

    if name is None:
        _write_all()
        return
    found = request(find(name).route, values(fields or ()), server=server, quiet=quiet or as_json, method="GET")
    if as_json:
        write_json(found)
    else:
        for record in found["data"]:
            write(_line(record))
    if not found["data"]:
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _write_all() -> None:
    from papergraph.requests import NOT_IN_CLI, PYTHON_ONLY, offered
    from papergraph.server.endpoints import endpoints

    for one in endpoints().values():
        write(f"{one.name}: {one.about}")
        for name, field in offered(one.request, NOT_IN_CLI, PYTHON_ONLY).items():
            default = "" if field.is_required() or field.default is None else f" [{field.default}]"
            write(f"  {name}  {field.description}{default}")


def _line(record: Mapping[str, Any]) -> str:
    """Return the title or name of a record, and its id."""
    return "  ".join(
        str(record[name]) for name in ("title", "name", "text", "year", "id", "nodeId") if record.get(name)
    )


GROUP = Group("read", Section.EXPLORE, 45, app, top=True)
