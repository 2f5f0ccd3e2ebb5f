"""``papergraph cypher``: a query that only reads, as a table, JSON, CSV, Arrow, or the graph that it returns."""

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.errors import InputError
from server.commands import EXIT_NOTHING_FOUND, Quiet, say, settings, with_database, write
from server.queries_cli import values

if TYPE_CHECKING:
    from server.querying.desk import Question, Table


class Format(StrEnum):
    """How an answer is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    ARROW = "arrow"
    GRAPH = "graph"


Param = Annotated[
    list[str] | None,
    typer.Option("--param", "-p", help="A value, as name=value; JSON where it reads as JSON. Repeatable."),
]
RowLimit = Annotated[int, typer.Option("--rows", help="How many rows at most, 1 to 10,000.")]
As = Annotated[Format, typer.Option("--format", "-f", help="How the answer is written.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="A file to write to; needed for arrow.")]


def cypher(
    query: Annotated[str | None, typer.Argument(help="One statement; - or none for standard input.")] = None,
    param: Param = None,
    rows: RowLimit = 1000,
    format: As = Format.TABLE,
    out: Out = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    quiet: Quiet = False,
) -> None:
    """Run a query of Cypher that only reads, checked and within a deadline. Status 3 where it returns nothing."""
    from server.querying.desk import Question

    text = sys.stdin.read() if query in (None, "-") else str(query)
    table = ask(Question(text, values(param or ()), rows), quiet=quiet or as_json)
    show(table, Format.JSON if as_json else format, out)


def ask(question: "Question", *, quiet: bool) -> "Table":
    """Run a query on the store, or on the copy that the settings name, as whoever may do everything.

    Raises:
        PapergraphError: As of :meth:`server.querying.desk.Desk.ask`.
    """
    from papergraph.database import Database
    from server.access.grants import everything
    from server.access.querying import table_for
    from server.opening import desk_of

    chosen = settings()

    async def run(database: Database) -> "Table":
        async with desk_of(chosen, database) as desk:
            return await table_for(everything("command line"), desk, question)

    return with_database(run, quiet=quiet, chosen=chosen)


def show(table: "Table", format: Format, out: Path | None) -> None:
    """Write an answer.

    Raises:
        InputError: Arrow has no file to go to.
    """
    from server.querying.formats import arrow_of, csv_of, graph_of

    told: dict[str, Any] = {"truncated": table.end.cut, "ms": round(table.end.ms, 1)}
    told |= {"asOf": table.head.as_of.isoformat()} if table.head.as_of else {}
    if format is Format.ARROW:
        if out is None:
            raise InputError("arrow is written to a file: --out FILE", field="out")
        out.write_bytes(arrow_of(table))
    elif format is Format.TABLE and out is None:
        _write_table(table)
    else:
        text = {
            Format.CSV: lambda: csv_of(table),
            Format.GRAPH: lambda: json.dumps(graph_of(table) | told, ensure_ascii=False) + "\n",
        }.get(format, lambda: _json_of(table, told) + "\n")()
        if out is None:
            write(text.rstrip("\n"))
        else:
            out.write_text(text, encoding="utf-8")
    if table.end.cut is not None:
        say(f"there are more rows: what came has as many {table.end.cut} as are given at once")
    if not table.rows:
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _json_of(table: "Table", told: Mapping[str, Any]) -> str:
    rows = ",".join(row.text for row in table.rows)
    rest = json.dumps({"nRows": table.end.n_rows, **told}, ensure_ascii=False)[1:]
    return f'{{"columns":{json.dumps(list(table.head.columns), ensure_ascii=False)},"rows":[{rows}],{rest}'


def _write_table(table: "Table") -> None:
    from server.retrieval.rows import Rows
    from server.terminal import write_rows

    rows = tuple(tuple(row.record.values()) for row in table.rows)
    write_rows(Rows(tuple(table.head.columns), rows, {}))
    copied = f", of a copy made at {table.head.as_of:%Y-%m-%d %H:%M} UTC" if table.head.as_of else ""
    say(f"{table.end.n_rows} rows in {table.end.ms:.0f} ms{copied}")
