"""``papergraph queries``: list, print and run named queries."""

import json
from collections.abc import Awaitable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.cli.common import EXIT_NOTHING_FOUND, Json, Quiet, say, with_database, write, write_json
from papergraph.cli.groups import Group, Section, new_app
from papergraph.cli.request_options import values

if TYPE_CHECKING:
    from papergraph.database import Database
    from papergraph.server.graph.values import Rows
    from papergraph.vector_slots import VectorSlot

Name = Annotated[str, typer.Argument(help="Name of the query.")]

app = new_app("List, print and run named queries.")


@app.command("list")
def list_them(as_json: Json = False) -> None:
    """List named queries."""
    from papergraph.server.graph import named_queries as library

    found = [library.find(name) for name in library.names()]
    if as_json:
        write_json([asdict(one) for one in found])
        return
    from papergraph.cli.output import write_table

    write_table(
        ("query", "question", "parameters"),
        [(one.name, one.question, ", ".join(parameter.name for parameter in one.parameters)) for one in found],
    )


@app.command("show")
def show_one(name: Name, as_json: Json = False, quiet: Quiet = False) -> None:
    """Print a named query.

    Paste it into Neo4j Browser after its :param lines.
    """
    from papergraph import cypher
    from papergraph.server.graph import named_queries as library

    found = library.find(name)
    if cypher.describe(cypher.load(f"{library.FOLDER}{name}")).slots:

        def ask(database: "Database") -> "Awaitable[VectorSlot]":
            return library.slot_of(database)

        found = library.find(name, with_database(ask, quiet=quiet or as_json))
    write(json.dumps(asdict(found), ensure_ascii=False) if as_json else found.cypher.rstrip())


@app.command("run", epilog="Example: papergraph queries run coauthors --param limit=5")
def run_one(
    name: Name,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", help="Parameter as name=value, the value JSON or text; repeatable."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a named query.

    Parameters default to the :param lines of the query. Exit 3 if it returns no rows.
    """
    from papergraph.server.graph import named_queries as library

    given = values(param or ())

    def ask(database: "Database") -> "Awaitable[Rows]":
        return library.run(database, name, given)

    found = with_database(ask, quiet=quiet or as_json)
    if as_json:
        write_json(found.plain())
    elif found.rows:
        from papergraph.cli.output import write_rows

        write_rows(found)
    if not found.rows:
        say(_nothing(found, given.keys()))
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _nothing(found: "Rows", given: "Sequence[str] | Any") -> str:
    by_default = {name: value for name, value in found.parameters.items() if name not in given}
    asked = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in by_default.items())
    return "nothing found" + (f"; by default {asked}, for others give --param" if asked else "")


GROUP = Group("queries", Section.QUERY, 34, app)
