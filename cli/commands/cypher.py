"""``papergraph cypher``: a read-only query as a table, JSON, CSV, Arrow or graph."""

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.cli.common import EXIT_NOTHING_FOUND, Json, Quiet, say, settings, with_database, write
from papergraph.cli.groups import Group, Section, new_app
from papergraph.cli.request_options import values
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.server.user_cypher.request import CypherRequest
    from papergraph.server.user_cypher.runner import Table


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    ARROW = "arrow"
    GRAPH = "graph"


Param = Annotated[
    list[str] | None,
    typer.Option("--param", "-p", help="Parameter as name=value, the value JSON or text; repeatable."),
]
RowLimit = Annotated[int | None, typer.Option("--rows", help="Maximum number of rows, 1 to 10,000 [1000].")]
As = Annotated[Format, typer.Option("--format", "-f", help="Output format.")]
Out = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file; required for arrow.")]

app = new_app()


@app.command(epilog='Example: papergraph cypher "MATCH (p:Paper) RETURN p.title" --format csv')
def cypher(
    query: Annotated[str | None, typer.Argument(help="Statement; - or nothing for standard input.")] = None,
    param: Param = None,
    rows: RowLimit = None,
    format: As = Format.TABLE,
    output: Out = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a read-only Cypher query.

    Exit 3 if it returns no rows.
    """
    from papergraph.server.user_cypher.request import CypherRequest

    text = sys.stdin.read() if query in (None, "-") else str(query)
    limit = {} if rows is None else {"rows": rows}
    table = ask(CypherRequest(text, values(param or ()), **limit), quiet=quiet or as_json)
    show(table, Format.JSON if as_json else format, output)


def ask(question: "CypherRequest", *, quiet: bool) -> "Table":
    """Run a read-only query on all collections, on the store or the configured replica.

    Raises:
        PapergraphError: As of :meth:`papergraph.server.user_cypher.runner.CypherRunner.ask`.
    """
    from papergraph.database import Database
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.cypher import table_for
    from papergraph.server.startup import desk_of

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
    from papergraph.server.user_cypher.formats import arrow_of, csv_of, graph_of

    told: dict[str, Any] = {"truncated": table.end.cut, "ms": round(table.end.ms, 1)}
    told |= {"asOf": table.head.as_of.isoformat()} if table.head.as_of else {}
    if format is Format.ARROW:
        if out is None:
            raise InputError("Arrow needs a file: --output FILE.", field="output")
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
        say(f"More rows exist; the result has the maximum number of {table.end.cut}.")
    if not table.rows:
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _json_of(table: "Table", told: Mapping[str, Any]) -> str:
    rows = ",".join(row.text for row in table.rows)
    rest = json.dumps({"nRows": table.end.n_rows, **told}, ensure_ascii=False)[1:]
    return f'{{"columns":{json.dumps(list(table.head.columns), ensure_ascii=False)},"rows":[{rows}],{rest}'


def _write_table(table: "Table") -> None:
    from papergraph.cli.output import write_rows
    from papergraph.server.graph.values import Rows

    rows = tuple(tuple(row.record.values()) for row in table.rows)
    write_rows(Rows(tuple(table.head.columns), rows, {}))
    replica = f", of a replica created at {table.head.as_of:%Y-%m-%d %H:%M} UTC" if table.head.as_of else ""
    say(f"{table.end.n_rows} rows in {table.end.ms:.0f} ms{replica}")


GROUP = Group("cypher", Section.QUERY, 33, app, top=True)
