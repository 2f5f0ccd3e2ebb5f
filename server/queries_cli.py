"""``papergraph queries``: the questions of the query library, as text to paste or asked of the graph."""

import json
from collections.abc import Awaitable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.errors import InputError
from server.commands import EXIT_NOTHING_FOUND, Json, Quiet, say, with_database, write

if TYPE_CHECKING:
    from papergraph.database import Database
    from papergraph.slots import Slot
    from server.retrieval.rows import Rows

Name = Annotated[str, typer.Argument(help="Its name, as papergraph queries list shows it.")]

queries_app = typer.Typer(
    help="The query library: questions that researchers ask of the graph, each a documented Cypher file.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@queries_app.command("list")
def list_them(as_json: Json = False) -> None:
    """Show all questions with what they can be asked with."""
    from server.retrieval import library

    found = [library.find(name) for name in library.names()]
    if as_json:
        write(json.dumps([asdict(one) for one in found], ensure_ascii=False))
        return
    from server.terminal import write_table

    write_table(
        ("query", "question", "parameters"),
        [(one.name, one.question, ", ".join(parameter.name for parameter in one.parameters)) for one in found],
    )


@queries_app.command("show")
def show_one(name: Name, as_json: Json = False, quiet: Quiet = False) -> None:
    """Show a query with its header, ready to paste into Neo4j Browser after its :param lines."""
    import cypher
    from server.retrieval import library

    found = library.find(name)
    if cypher.describe(cypher.load(f"{library.FOLDER}{name}")).slots:

        def ask(database: "Database") -> "Awaitable[Slot]":
            return library.slot_of(database)

        found = library.find(name, with_database(ask, quiet=quiet or as_json))
    write(json.dumps(asdict(found), ensure_ascii=False) if as_json else found.text.rstrip())


@queries_app.command("run")
def run_one(
    name: Name,
    param: Annotated[
        list[str] | None,
        typer.Option(help="A parameter's value, NAME=VALUE: JSON where it reads as JSON, else text; repeatable."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask the graph a question, with the values of its :param lines where no others are given; status 3 for no row."""
    from server.retrieval import library

    given = values(param or ())

    def ask(database: "Database") -> "Awaitable[Rows]":
        return library.run(database, name, given)

    found = with_database(ask, quiet=quiet or as_json)
    if as_json:
        write(json.dumps(found.plain(), ensure_ascii=False))
    elif found.rows:
        from server.terminal import write_rows

        write_rows(found)
    if not found.rows:
        say(_nothing(found, given.keys()))
        raise typer.Exit(EXIT_NOTHING_FOUND)


def values(pairs: Sequence[str]) -> dict[str, Any]:
    """Return parameters given as NAME=VALUE: a value is JSON where it reads as JSON, else text.

    Raises:
        InputError: One is no such pair.
    """
    given: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (equals and name.isidentifier()):
            raise InputError(f"{pair[:80]!r} is not NAME=VALUE, such as limit=5", field="param")
        try:
            given[name] = json.loads(value)
        except ValueError:
            given[name] = value
    return given


def _nothing(found: "Rows", given: "Sequence[str] | Any") -> str:
    by_default = {name: value for name, value in found.parameters.items() if name not in given}
    asked = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in by_default.items())
    return "nothing found" + (f"; by default {asked}, for others give --param" if asked else "")
