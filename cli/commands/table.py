"""``papergraph table``: tables of papers by questions, whose cells have quotes."""

import asyncio
import tomllib
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.cli.commands.notes import ids_of
from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    EXIT_NOTHING_FOUND,
    EXIT_STOPPED,
    Collection,
    Estimate,
    Json,
    Queue,
    Quiet,
    Yes,
    confirm,
    progress,
    say,
    settings,
    show,
    with_database,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.database import Database
    from papergraph.server.operations.tables import RunEstimate, TableCell, TableRow, TableSummary
    from papergraph.server.tables.column import Column

Name = Annotated[str, typer.Argument(help="Name or id of a table.")]
ColumnsFile = Annotated[Path, typer.Option("--columns", help="TOML file with a [[columns]] entry for each.")]

app = new_app("Make tables of papers by questions, with quotes.")


@app.command("create", epilog="Example: papergraph table create trials --columns columns.toml")
def create(
    name: Annotated[str, typer.Argument(help="Name, unique in the collection.")],
    columns: ColumnsFile,
    paper: Annotated[list[str] | None, typer.Option(help="Key or id of a paper; repeatable [all].")] = None,
    filter: Annotated[str, typer.Option(help='Papers as JSON, such as {"years": {"from": 2015}}.')] = "",
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Create a table from a file of columns."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.tables import NewTable, create_table

    wanted = _read_columns(columns)

    async def work(database: "Database") -> "TableSummary":
        ids = None if not paper else await ids_of(database, paper, collection)
        new = NewTable(name=name, columns=wanted, collection=collection, papers=ids, filter=filter)
        return await create_table(database, everything(), new)

    _write_summary(with_database(work, quiet=quiet or as_json), as_json=as_json)


@app.command("list")
def list_(collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False) -> None:
    """List the tables of a collection."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.tables import list_tables

    found = with_database(lambda one: list_tables(one, everything(), collection), quiet=quiet or as_json)
    if as_json:
        write_json([asdict(one) for one in found])
        return
    for one in found:
        write(f"{one.name}  {', '.join(column.name for column in one.columns)}")
    if not found:
        say("There is no table; papergraph table create makes one.")
        raise typer.Exit(EXIT_NOTHING_FOUND)


@app.command("columns", epilog="Example: papergraph table columns trials --columns columns.toml")
def columns_(
    name: Name,
    columns: Annotated[Path | None, typer.Option("--columns", help="TOML file; without it they are shown.")] = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show or replace the columns, with counts.

    A column that keeps its name keeps its cells, which are stale if it changed.
    """
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.tables import change_columns, column_reports

    if columns is not None:
        wanted = _read_columns(columns)
        changed = with_database(
            lambda one: change_columns(one, everything(), name, wanted, collection=collection), quiet=quiet or as_json
        )
        _write_summary(changed, as_json=as_json)
        return
    found = with_database(
        lambda one: column_reports(one, everything(), name, collection=collection), quiet=quiet or as_json
    )
    if as_json:
        write_json([asdict(one) for one in found])
        return
    for one in found:
        told = f"{one.n_values} values, {one.n_not_reported} not reported, {one.n_missing} missing, {one.n_stale} stale"
        agreed = f"; {one.n_agreed} of {one.n_compared} agree with a person" if one.n_compared else ""
        write(f"{one.name}: {told}{agreed}")


@app.command("run", epilog="Example: papergraph table run trials --estimate")
def run(
    name: Name,
    column: Annotated[list[str] | None, typer.Option(help="Column to fill; repeatable [all].")] = None,
    limit: Annotated[int | None, typer.Option(help="Most papers of this run.", min=1)] = None,
    max_cost: Annotated[float | None, typer.Option(help="Stop before the language model costs more.", min=0)] = None,
    estimate: Estimate = False,
    queue: Queue = False,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fill missing and outdated cells; resumable.

    Cells stay until their paper, column or rules change. papergraph jobs cancel stops a run.
    """
    from papergraph.errors import ModelUnavailableError
    from papergraph.language_model import Budget
    from papergraph.language_model.model import NOT_CONFIGURED
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.tables import estimate_run, start_run
    from papergraph.server.startup import language_model
    from papergraph.server.tables.worker import Asked, run_job
    from papergraph.store import open_store

    if estimate:
        names = column or ()
        found = with_database(
            lambda one: estimate_run(one, everything(), name, columns=names, limit=limit, collection=collection),
            quiet=quiet or as_json,
        )
        show(found, _write_estimate, as_json=as_json)
        return
    with progress(quiet=quiet or as_json) as told, open_store(settings(), progress=told) as address:

        async def work() -> dict[str, Any]:
            async with await address.connect() as database, language_model(settings()) as model:
                job, pending = await start_run(
                    database, everything(), name, columns=column or (), limit=limit, collection=collection
                )
                result = {"job": job and job.id, "n_papers": 0, "n_cells": 0, "n_due": len(pending.wanted)}
                if job is None or queue:
                    return result | {"state": "queued" if job else "done"}
                if pending.n_asked and model is None:
                    raise ModelUnavailableError(NOT_CONFIGURED)
                asked = Asked(model, None if max_cost is None else Budget(cost=max_cost))
                state, n_papers, n_cells = await run_job(database, job, to_the_end=True, asked=asked, progress=told)
                return result | {"n_papers": n_papers, "n_cells": n_cells, "state": str(state or "forgotten")}

        result = asyncio.run(work())
        told.pause()
    (write_json if as_json else _write_run)(result)
    if result["state"] not in ("done", "queued"):
        say(f"job {result['job']} is {result['state']}; run the same command again to resume")
        raise typer.Exit(EXIT_STOPPED)


def _write_run(result: dict[str, Any]) -> None:
    if result["state"] == "queued":
        write(f"job {result['job']}: {result['n_due']} papers queued; papergraph serve or papergraph worker fills them")
        return
    n_others = result["n_due"] - result["n_papers"] if result["state"] == "done" else 0
    others = f"; other workers filled those of {n_others} papers" if n_others else ""
    write(f"{result['n_cells']} cells of {result['n_papers']} papers{others}")


@app.command("show", epilog="Example: papergraph table show trials --quotes")
def show_(
    name: Name,
    quotes: Annotated[bool, typer.Option("--quotes", help="Print the quotes of each cell.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Number of papers.", min=1, max=5000)] = 100,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the cells of each paper."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.tables import read_rows

    rows = with_database(
        lambda one: read_rows(one, everything(), name, first=limit, collection=collection, boxes=as_json),
        quiet=quiet or as_json,
    )
    if as_json:
        write_json([asdict(row) for row in rows])
        return
    for row in rows:
        write(_title(row))
        for cell in row.cells:
            write(f"  {cell.column}: {_told(cell)}")
            for one in cell.finding.quotes if quotes and cell.finding else ():
                page = f", page {one.page}" if one.page else ""
                write(f"    “{' '.join(one.text.split())}” ({one.section}{page})")


@app.command("edit", epilog="Example: papergraph table edit trials PAPER dose --value '5 mg' --quote 'words'")
def edit(
    name: Name,
    paper: Annotated[str, typer.Argument(help="Key, id, DOI or arXiv id of a paper.")],
    column: Annotated[str, typer.Argument(help="Name of a column.")],
    value: Annotated[str | None, typer.Option(help="Value to set.")] = None,
    quote: Annotated[list[str] | None, typer.Option(help="Words of the paper; up to three times.")] = None,
    not_reported: Annotated[bool, typer.Option("--not-reported", help="The paper does not report it.")] = False,
    accept: Annotated[bool, typer.Option("--accept", help="Accept what the rules found.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Reject it.")] = False,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Remove the value of a person.")] = False,
    note: Annotated[str, typer.Option(help="Remark.")] = "",
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Set, accept, reject or reopen a cell.

    The value of a person locks the cell; what the rules find stays beside it.
    """
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.tables import CellAction, CellEdit, edit_cell
    from papergraph.server.tables.column import CellState

    if (value is not None) + not_reported + accept + reject + withdraw != 1:
        raise InputError("Pass one of --value, --not-reported, --accept, --reject and --withdraw.", field="value")
    flags = ((accept, CellAction.ACCEPT), (reject, CellAction.REJECT), (withdraw, CellAction.WITHDRAW))
    action = next((one for is_set, one in flags if is_set), CellAction.SET)

    async def work(database: "Database") -> "TableRow":
        (id,) = await ids_of(database, [paper], collection)
        wanted = CellEdit(
            table=name,
            paper=id,
            column=column,
            action=action,
            value=value,
            state=CellState.NOT_REPORTED if not_reported else None,
            quotes=quote or [],
            note=note,
            collection=collection,
        )
        return await edit_cell(database, everything(), wanted)

    row = with_database(work, quiet=quiet or as_json)
    if as_json:
        write_json(asdict(row))
        return
    write(f"{column}: {_told(next(cell for cell in row.cells if cell.column == column))}")


@app.command("diff", epilog="Example: papergraph table diff trials --before 2026-11-01")
def diff(
    name: Name,
    before: Annotated[datetime, typer.Option(help="First date or time (UTC).")],
    after: Annotated[datetime | None, typer.Option(help="Second one [now].")] = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the cells that differ between two dates."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.tables import diff_table

    first, second = before.replace(tzinfo=UTC), None if after is None else after.replace(tzinfo=UTC)
    found = with_database(
        lambda one: diff_table(one, everything(), name, before=first, after=second, collection=collection),
        quiet=quiet or as_json,
    )
    if as_json:
        write_json([asdict(one) for one in found])
        return
    for one in found:
        told = [value or state or "nothing" for state, value in _pairs(one)]
        write(f"{one.title} | {one.column}: {told[0]} -> {told[1]} ({one.maker})")


@app.command("export", epilog="Example: papergraph table export trials --format csv -o trials.csv")
def export(
    name: Name,
    format: Annotated[str, typer.Option(help="xlsx, csv, md, tex (longtable) or jsonld.")] = "csv",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File [standard output].")] = None,
    collection: Collection = DEFAULT_COLLECTION,
    quiet: Quiet = False,
) -> None:
    """Export a table with its quotes and a checksum."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.tables import export_table

    made = with_database(lambda one: export_table(one, everything(), name, format, collection=collection), quiet=quiet)
    if output is not None:
        output.write_bytes(made.content)
    elif format == "xlsx":
        raise InputError("Name a file for the workbook: --output table.xlsx.", field="output")
    else:
        write(made.content.decode().rstrip("\n"))


@app.command("delete", epilog="Example: papergraph table delete trials --yes")
def delete(
    name: Name,
    collection: Collection = DEFAULT_COLLECTION,
    yes: Yes = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Delete a table with its cells."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.tables import delete_table

    confirm(f"Delete the table {name}?", yes=yes, refusal="nothing was deleted; --yes deletes the table")
    gone = with_database(
        lambda one: delete_table(one, everything(), name, collection=collection), quiet=quiet or as_json
    )
    show(gone, lambda one: write(f"deleted {one.name}"), as_json=as_json)


def _read_columns(path: Path) -> "list[Column]":
    """Return the columns of a TOML file.

    Raises:
        InputError: The file cannot be read as TOML, or its columns are missing or invalid.
    """
    from papergraph.requests import read_request
    from papergraph.server.tables.column import Column

    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as TOML: {error}", field="columns") from error
    entries = found.get("columns")
    if not isinstance(entries, list) or not entries or set(found) != {"columns"}:
        raise InputError(f"{path} must have [[columns]] entries and nothing else.", field="columns")
    return [read_request(Column, entry) for entry in entries]


def _write_summary(table: "TableSummary", *, as_json: bool) -> None:
    if as_json:
        write_json(asdict(table))
        return
    write(f"{table.name}: {', '.join(f'{column.name} ({column.type})' for column in table.columns)}")


def _write_estimate(found: "RunEstimate") -> None:
    model = f"{found.n_model_requests} requests to a language model" if found.n_model_requests else "no language model"
    write(f"{found.n_due} of {found.n_papers} papers, {found.n_cells} cells; {model}; nothing was written")


def _title(row: "TableRow") -> str:
    year = f" ({row.year})" if row.year else ""
    flag = f"  [{row.editorial_status}]" if row.editorial_status else ""
    return f"{row.title}{year}{flag}"


def _told(cell: "TableCell") -> str:
    if cell.finding is None:
        return "not run"
    value = cell.finding.value or str(cell.finding.state).replace("_", " ")
    marks = [str(cell.finding.state)] * (cell.finding.state == "contradicts")
    marks += ["person"] * cell.is_locked + ["stale"] * cell.is_stale
    return f"{value}  [{', '.join(marks)}]" if marks else value


def _pairs(one: Any) -> list[tuple[str, str]]:
    return [(one.state_before, one.before), (one.state_after, one.after)]


GROUP = Group("table", Section.QUERY, 37, app)
