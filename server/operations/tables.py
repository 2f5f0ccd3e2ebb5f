"""Operations on evidence tables: create, change, run, edit, show, compare and delete them, for every interface.

Who may ask may make tables and set cells. Nothing is overwritten: a cell keeps what rules and people found before, and
a person's value stays until it is withdrawn.
"""

import asyncio
import json
import math
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import ConflictError, InputError, NotFoundError
from papergraph.ingest.graph.annotations import read_text
from papergraph.ingest.jobs.model import Job
from papergraph.records import Id, Record, described
from papergraph.requests import request
from papergraph.schema.ids import ID
from papergraph.server.auth.access import Principal
from papergraph.server.papers.find import line_boxes_of, passing_papers
from papergraph.server.papers.regions import regions_of
from papergraph.server.retrieval.filters import parse_filter
from papergraph.server.retrieval.scope import refuse_unknown_collection
from papergraph.server.tables.column import (
    MOST_COLUMNS,
    AnsweredBy,
    CellQuote,
    CellState,
    Column,
    Finding,
    StoredFinding,
)
from papergraph.server.tables.column_types import type_of
from papergraph.server.tables.column_types.number import amounts_in
from papergraph.server.tables.export import FORMATS, Exported, ExportedRow
from papergraph.server.tables.store import (
    WITHDRAWN,
    CellFindings,
    EvidenceTable,
    TablePaper,
    cell_row,
    column_row,
    find_table,
    find_tables,
    findings_of,
    papers_of,
    read_papers,
)
from papergraph.server.tables.worker import Pending, find_pending, is_current, open_run

MOST_PAPERS = 5000
MOST_ROWS = 100
MOST_QUOTE_CHARS, MOST_NOTE_CHARS = 2000, 1000
Z = 1.96
"""Normal quantile of intervals of 95 %."""

TableName = Annotated[str, described("Name or id of the table.", min_length=1, max_length=120)]


class CellAction(StrEnum):
    """What a person does with a cell; set and accept lock it, withdraw unlocks it."""

    ACCEPT = "accept"
    REJECT = "reject"
    SET = "set"
    WITHDRAW = "withdraw"


@request(kw_only=True)
class NewTable:
    """Evidence table to create: papers by questions."""

    name: Annotated[str, described("Name, unique in the collection.", min_length=1, max_length=120)]
    columns: Annotated[list[Column], described("Columns in order, at most 50.", min_length=1, max_length=MOST_COLUMNS)]
    collection: Annotated[str | None, described("Collection; default: main.")] = None
    papers: Annotated[
        list[str] | None, described("Ids of papers; default: all of the collection.", max_length=MOST_PAPERS)
    ] = None
    filter: Annotated[
        str, described('Filter of papers as JSON, such as {"years": {"from": 2015}}.', max_length=5000)
    ] = ""


@request(kw_only=True)
class CellEdit:
    """A person's decision about a cell."""

    table: TableName
    paper: Annotated[Id, described("Id of the paper.")]
    column: Annotated[str, described("Name of the column.", max_length=80)]
    action: Annotated[CellAction, described("accept, reject, set or withdraw.")] = CellAction.SET
    value: Annotated[str | None, described("Value to set; null with a state.", max_length=2000)] = None
    state: Annotated[CellState | None, described("State to set instead of a value: not_reported.")] = None
    quotes: Annotated[
        list[Annotated[str, described("Words of the paper.", min_length=1, max_length=MOST_QUOTE_CHARS)]],
        described("1 to 3 quotes of the paper; default: those of the machine.", max_length=3),
    ] = ()  # type: ignore[assignment]
    note: Annotated[str, described("Remark.", max_length=MOST_NOTE_CHARS)] = ""
    collection: Annotated[str | None, described("Collection; default: main.")] = None


@dataclass(frozen=True)
class TableColumn(Record):
    """Column of a table with counts of its cells."""

    id: Annotated[Id, described("Id of the column.")]
    name: Annotated[str, described("Name.")]
    question: Annotated[str, described("Question to each paper.")]
    type: Annotated[str, described("Type.")]
    words: Annotated[tuple[str, ...], described("Phrases to look for.")]
    choices: Annotated[tuple[str, ...], described("Choices with synonyms.")]
    unit: Annotated[str, described("Unit of a number.")]
    intervention: Annotated[str, described("Of a direction: the group compared.")]
    comparator: Annotated[str, described("Of a direction: what it is compared with.")]
    answered_by: Annotated[AnsweredBy, described("What fills the column.")]

    @classmethod
    def of(cls, id: str, column: Column) -> "TableColumn":
        """Return a column with its id."""
        names = ("name", "question", "type", "words", "choices", "unit", "intervention", "comparator", "answered_by")
        return cls(id, **{name: getattr(column, name) for name in names})


@dataclass(frozen=True)
class TableSummary(Record):
    """Evidence table without its rows."""

    id: Annotated[Id, described("Id of the table.")]
    name: Annotated[str, described("Name.")]
    collection: Annotated[str, described("Collection of its papers.")]
    columns: Annotated[tuple[TableColumn, ...], described("Columns in order.")]
    filter: Annotated[str, described("Filter of its papers as JSON; empty for none.")]
    is_selection: Annotated[bool, described("True if its papers were chosen one by one.")]
    created_at: Annotated[datetime, described("Time when it was created.")]
    changed_at: Annotated[datetime, described("Time of the last change of its columns.")]

    @classmethod
    def of(cls, table: EvidenceTable) -> "TableSummary":
        """Return the summary of a stored table."""
        columns = tuple(TableColumn.of(id, column) for id, column in table.columns)
        return cls(
            table.id,
            table.name,
            table.collection,
            columns,
            table.filter,
            table.sources is not None,
            table.created_at,
            table.changed_at,
        )


@dataclass(frozen=True)
class TableCell(Record):
    """Cell of a table: the finding that counts, and beside a person's that of the machine."""

    column: Annotated[str, described("Name of the column.")]
    finding: Annotated[StoredFinding | None, described("Finding that counts; null before the first run.")]
    machine: Annotated[StoredFinding | None, described("Finding of the machine beside a person's.")]
    is_locked: Annotated[bool, described("True if a person set the value.")]
    is_stale: Annotated[bool, described("True if the text, the column or the rules changed since.")]


@dataclass(frozen=True)
class TableRow(Record):
    """Paper of a table with its cells."""

    paper_id: Annotated[Id, described("Id of the paper.")]
    key: Annotated[str, described("Key of the paper.")]
    title: Annotated[str, described("Title.")]
    year: Annotated[int | None, described("Year, if known.")]
    doi: Annotated[str | None, described("DOI, if any.")]
    editorial_status: Annotated[
        str | None, described("retracted, concern, corrected or reinstated; null for none. It flags the row.")
    ]
    cells: Annotated[tuple[TableCell, ...], described("Cells in the order of the columns.")]


@dataclass(frozen=True)
class RunEstimate(Record):
    """What a run would take; nothing is written."""

    n_papers: Annotated[int, described("Number of papers of the table.")]
    n_due: Annotated[int, described("Number of papers with missing or outdated cells.")]
    n_cells: Annotated[int, described("Number of such cells.")]
    n_model_requests: Annotated[int, described("Requests to a language model; 0 for rules.")] = 0


@dataclass(frozen=True)
class ColumnReport(Record):
    """Counts of a column, and the agreement of machine and person."""

    name: Annotated[str, described("Name of the column.")]
    n_papers: Annotated[int, described("Number of papers.")]
    n_values: Annotated[int, described("Number of cells with a value.")]
    n_not_reported: Annotated[int, described("Number of papers that do not report it.")]
    n_contradicts: Annotated[int, described("Number of papers that contradict themselves.")]
    n_unchecked: Annotated[int, described("Number of unchecked cells.")]
    n_missing: Annotated[int, described("Number of cells before their first run.")]
    n_stale: Annotated[int, described("Number of outdated cells.")]
    n_locked: Annotated[int, described("Number of cells that a person set.")]
    n_compared: Annotated[int, described("Number of cells with a finding of both machine and person.")]
    n_agreed: Annotated[int, described("Number of those with equal values.")]
    agreement: Annotated[float | None, described("Share of equal ones, in [0, 1]; null without any.")]
    agreement_low: Annotated[float | None, described("Lower end of its 95 % interval, by Wilson.")]
    agreement_high: Annotated[float | None, described("Upper end.")]
    median: Annotated[float | None, described("Median of numbers; null for other types.")]
    least: Annotated[float | None, described("Smallest number.")]
    largest: Annotated[float | None, described("Largest number.")]


@dataclass(frozen=True)
class CellChange(Record):
    """Cell whose value differs between two times."""

    paper_id: Annotated[Id, described("Id of the paper.")]
    title: Annotated[str, described("Title of the paper.")]
    column: Annotated[str, described("Name of the column.")]
    state_before: Annotated[str, described("State at the first time; empty for none.")]
    before: Annotated[str, described("Value at the first time.")]
    state_after: Annotated[str, described("State at the second time; empty for none.")]
    after: Annotated[str, described("Value at the second time.")]
    maker: Annotated[str, described("Maker of the later one.")]


@dataclass(frozen=True)
class TableRun(Record):
    """Job that fills a table."""

    job_id: Annotated[Id | None, described("Id of the job; null if no cell is missing or outdated.")]
    n_due: Annotated[int, described("Number of papers with such cells.")]


@dataclass(frozen=True)
class TableFile:
    """Exported table: name, media type and bytes of the file."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True)
class DeletedTable(Record):
    """Table that was deleted."""

    id: Annotated[Id, described("Its id.")]
    name: Annotated[str, described("Its name.")]


async def create_table(database: Database, principal: Principal, wanted: NewTable) -> TableSummary:
    """Create a table and return it.

    Raises:
        InputError: A column or the filter is invalid, or two columns have one name.
        NotFoundError: The collection or a paper is missing or forbidden.
        ConflictError: The collection has a table of this name.
        DatabaseError: Neo4j failed.
    """
    collection = await _collection(database, principal, wanted.collection)
    _check_columns(wanted.columns)
    if wanted.filter:
        await passing_papers(database, parse_filter(_json(wanted.filter)), collection)
    if await find_tables(database, collection, name=wanted.name):
        raise ConflictError(
            f"The collection has a table {wanted.name!r}. Choose another name, or delete it.", field="name"
        )
    sources = None
    if wanted.papers is not None:
        sources = await _sources(database, principal, collection, wanted.papers)
    id = secrets.token_hex(32)
    properties: dict[str, Any] = {
        "collection": collection,
        "name": wanted.name,
        "owner": principal.owner,
        "sources": sources,
        "filter": wanted.filter,
    }
    await database.run_alone(cypher.load("tables/create"), id=id, properties=properties)
    return await change_columns(database, principal, id, wanted.columns, collection=collection)


async def change_columns(
    database: Database, principal: Principal, table: str, columns: Sequence[Column], *, collection: str | None = None
) -> TableSummary:
    """Replace the columns of a table; a column that keeps its name keeps its cells, stale if it changed.

    Raises:
        InputError: A column is invalid, or two have one name.
        NotFoundError: The table is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    _check_columns(columns)
    stored = await _table(database, principal, table, collection)
    rows = [column_row(stored.id, position, column) for position, column in enumerate(columns)]
    await database.run_alone(cypher.load("tables/write_columns"), table=stored.id, rows=rows)
    return TableSummary.of(await _table(database, principal, stored.id, stored.collection))


async def list_tables(database: Database, principal: Principal, collection: str | None) -> list[TableSummary]:
    """Return the tables of a collection, by name.

    Raises:
        NotFoundError: The collection is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    name = await _collection(database, principal, collection)
    return [TableSummary.of(one) for one in await find_tables(database, name)]


async def delete_table(
    database: Database, principal: Principal, table: str, *, collection: str | None = None
) -> DeletedTable:
    """Delete a table with its cells.

    Raises:
        NotFoundError: It is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    stored = await _table(database, principal, table, collection)
    await database.run_alone(cypher.load("tables/delete"), ids=[stored.id])
    return DeletedTable(stored.id, stored.name)


async def estimate_run(
    database: Database,
    principal: Principal,
    table: str,
    *,
    columns: Sequence[str] = (),
    limit: int | None = None,
    collection: str | None = None,
) -> RunEstimate:
    """Return what a run would take.

    Raises:
        NotFoundError: The table or a column is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    pending = await find_pending(
        database, await _table(database, principal, table, collection), names=columns, limit=limit
    )
    return RunEstimate(len(pending.papers), len(pending.wanted), pending.n_cells, pending.n_asked)


async def start_run(
    database: Database,
    principal: Principal,
    table: str,
    *,
    columns: Sequence[str] = (),
    limit: int | None = None,
    collection: str | None = None,
) -> tuple[Job | None, Pending]:
    """Open a job for missing and outdated cells; it is None if there are none.

    Raises:
        NotFoundError: The table or a column is missing or forbidden.
        ConflictError: The account has too many unfinished jobs.
        DatabaseError: The outcome is unknown; the same call continues.
    """
    stored = await _table(database, principal, table, collection)
    pending = await find_pending(database, stored, names=columns, limit=limit)
    return await open_run(database, stored, pending, names=columns, account=principal.account), pending


async def queue_run(
    database: Database,
    principal: Principal,
    table: str,
    *,
    columns: Sequence[str] = (),
    limit: int | None = None,
    collection: str | None = None,
) -> TableRun:
    """Open a job for missing and outdated cells; a worker fills them. See :func:`start_run`."""
    job, pending = await start_run(database, principal, table, columns=columns, limit=limit, collection=collection)
    return TableRun(None if job is None else job.id, len(pending.wanted))


async def read_rows(
    database: Database,
    principal: Principal,
    table: str,
    *,
    after: str | None = None,
    first: int = MOST_ROWS,
    collection: str | None = None,
    boxes: bool = False,
) -> list[TableRow]:
    """Return rows of a table, by title.

    Args:
        database: A prepared store.
        principal: The caller.
        table: Name or id of the table.
        after: Id of the paper of the last row of the page before.
        first: Number of rows.
        collection: Collection of the table.
        boxes: Add the rectangles of quotes on the pages.

    Raises:
        NotFoundError: The table, or the paper ``after`` in it, is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    stored = await _table(database, principal, table, collection)
    place: tuple[str, ...] = ()
    if after is not None:
        last = await _paper(database, stored, after)
        place = (last.title, last.id)
    papers = await papers_of(database, stored, after=place, limit=first)
    findings = await findings_of(database, stored, [paper.id for paper in papers])
    rows = [row_of(stored, paper, findings) for paper in papers]
    return await _with_boxes(database, rows) if boxes else rows


def row_of(table: EvidenceTable, paper: TablePaper, findings: Mapping[tuple[str, str], CellFindings]) -> TableRow:
    """Return a paper with its cells."""
    cells = []
    for id, column in table.columns:
        found = findings.get((paper.id, id), CellFindings())
        counts = found.person or found.machine
        outdated = counts is not None and (
            (counts.content_hash, counts.column_hash) != (paper.text_hash, column.hash)
            if found.person
            else not is_current(found, paper, column)
        )
        beside = found.machine if found.person else None
        cells.append(TableCell(column.name, counts, beside, found.person is not None, outdated))
    return TableRow(paper.id, paper.key, paper.title, paper.year, paper.doi, paper.status, tuple(cells))


async def export_table(
    database: Database, principal: Principal, table: str, format: str, *, collection: str | None = None
) -> TableFile:
    """Return a table as a file: xlsx, csv, md, tex or jsonld.

    Raises:
        InputError: There is no such format.
        NotFoundError: The table is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    if format not in FORMATS:
        raise InputError(f"There is no format {format[:20]!r}. Choose {', '.join(FORMATS)}.", field="format")
    stored = await _table(database, principal, table, collection)
    rows = await read_rows(database, principal, stored.id, first=MOST_PAPERS, collection=stored.collection)
    exported = Exported(
        stored.name,
        [column.name for _, column in stored.columns],
        [column.question for _, column in stored.columns],
        [
            ExportedRow(
                {
                    "id": row.paper_id,
                    "title": row.title,
                    "year": row.year,
                    "doi": row.doi,
                    "status": row.editorial_status,
                },
                [cell.finding for cell in row.cells],
            )
            for row in rows
        ],
    )
    media_type, writer = FORMATS[format]
    made = await asyncio.to_thread(writer, exported)
    name = re.sub(r"[^\w.-]+", "-", stored.name, flags=re.ASCII).strip("-") or "table"
    return TableFile(f"{name}.{format}", media_type, made.encode() if isinstance(made, str) else made)


async def edit_cell(database: Database, principal: Principal, edit: CellEdit) -> TableRow:
    """Store a person's decision about a cell, and return its row.

    Raises:
        InputError: The value does not fit the column, a quote is not in the paper, or there is nothing to accept.
        NotFoundError: The table, the paper or the column is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    table = await _table(database, principal, edit.table, edit.collection)
    paper = await _paper(database, table, edit.paper)
    names = {column.name: (id, column) for id, column in table.columns}
    if edit.column not in names:
        raise NotFoundError("column", edit.column, field="column")
    id, column = names[edit.column]
    before = (await findings_of(database, table, [paper.id])).get((paper.id, id), CellFindings())
    state = WITHDRAWN if edit.action is CellAction.WITHDRAW else None
    finding = await _decided(database, edit, column, paper, before)
    row = cell_row(
        secrets.token_hex(32),
        (id, column.hash),
        paper,
        finding,
        owner=principal.owner,
        state=state,
    )
    await database.run_alone(cypher.load("tables/write_cells"), rows=[row])
    findings = await findings_of(database, table, [paper.id])
    (shown,) = await _with_boxes(database, [row_of(table, paper, findings)])
    return shown


async def _decided(
    database: Database, edit: CellEdit, column: Column, paper: TablePaper, before: CellFindings
) -> Finding:
    machine = before.machine
    if edit.action is CellAction.WITHDRAW:
        return Finding(state=CellState.UNCHECKED)
    if edit.action is CellAction.REJECT:
        return Finding(state=CellState.UNCHECKED, note=edit.note or "rejected")
    if edit.action is CellAction.ACCEPT:
        if machine is None or machine.state is CellState.UNCHECKED:
            raise InputError("The cell has no finding to accept. Run the table, or set a value.", field="action")
        names = ("state", "value", "number", "low", "high", "unit", "quotes")
        return Finding(**{name: getattr(machine, name) for name in names}, note=edit.note)
    if edit.state is not None:
        if edit.state is not CellState.NOT_REPORTED or edit.value is not None:
            raise InputError("Set a value, or the state not_reported.", field="state")
        return Finding(state=CellState.NOT_REPORTED, note=edit.note)
    if edit.value is None:
        raise InputError("Pass a value, or the state not_reported.", field="value")
    value = type_of(column).check(column, edit.value)
    quotes = await _found(database, paper, edit.quotes) if edit.quotes else (machine.quotes if machine else ())
    if not quotes:
        raise InputError("A value needs a quote of the paper: pass one to three quotes.", field="quotes")
    amount = next(amounts_in(value), None) if column.type == "number" else None
    return Finding(
        state=CellState.VALUE,
        value=value,
        number=amount.value if amount else None,
        low=amount.low if amount else None,
        high=amount.high if amount else None,
        unit=amount.unit if amount else "",
        quotes=tuple(quotes),
        note=edit.note,
    )


async def _found(database: Database, paper: TablePaper, quotes: Sequence[str]) -> list[CellQuote]:
    """Return quotes with their places in the paper.

    Raises:
        InputError: The paper lacks one.
    """
    text = await read_text(database, paper.id)
    passages = (await read_papers(database, [paper.id]))[paper.id].passages
    found = []
    for quote in quotes:
        start, end = text.find(quote) or (0, 0)
        passage = next((one for one in passages if one.start <= start < min(end, one.start + len(one.text))), None)
        if passage is None:
            raise InputError(
                f"The paper does not have the words {quote[:80]!r} in a passage. Copy them from its text.",
                field="quotes",
            )
        place = (passage.section, passage.page_of(start), start, end)
        found.append(CellQuote(quote, *place, passage.id, passage.kind))
    return found


async def column_reports(
    database: Database, principal: Principal, table: str, *, collection: str | None = None
) -> list[ColumnReport]:
    """Return counts of the columns of a table, and the agreement of machine and person.

    Raises:
        NotFoundError: The table is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    stored = await _table(database, principal, table, collection)
    papers = await papers_of(database, stored)
    findings = await findings_of(database, stored, [paper.id for paper in papers])
    rows = [row_of(stored, paper, findings) for paper in papers]
    return [
        _report(column.name, [row.cells[place] for row in rows]) for place, (_, column) in enumerate(stored.columns)
    ]


def _report(name: str, cells: Sequence[TableCell]) -> ColumnReport:
    states = [cell.finding.state for cell in cells if cell.finding]
    numbers = sorted(cell.finding.number for cell in cells if cell.finding and cell.finding.number is not None)
    both = [(cell.finding, cell.machine) for cell in cells if cell.finding and cell.machine]
    agreed = sum((one.state, one.value.lower()) == (other.state, other.value.lower()) for one, other in both)
    low, high = wilson(agreed, len(both))
    middle = len(numbers) // 2
    return ColumnReport(
        name=name,
        n_papers=len(cells),
        n_values=states.count(CellState.VALUE),
        n_not_reported=states.count(CellState.NOT_REPORTED),
        n_contradicts=states.count(CellState.CONTRADICTS),
        n_unchecked=states.count(CellState.UNCHECKED),
        n_missing=len(cells) - len(states),
        n_stale=sum(cell.is_stale for cell in cells),
        n_locked=sum(cell.is_locked for cell in cells),
        n_compared=len(both),
        n_agreed=agreed,
        agreement=agreed / len(both) if both else None,
        agreement_low=low,
        agreement_high=high,
        median=(numbers[middle] + numbers[-middle - 1]) / 2 if numbers else None,
        least=numbers[0] if numbers else None,
        largest=numbers[-1] if numbers else None,
    )


def wilson(n_of: int, n: int) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a share, None without cases.

    Source: Wilson 1927, Probable Inference, doi:10.1080/01621459.1927.10502953.
    """
    if n == 0:
        return None, None
    share = n_of / n
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


async def diff_table(
    database: Database,
    principal: Principal,
    table: str,
    *,
    before: datetime,
    after: datetime | None = None,
    collection: str | None = None,
) -> list[CellChange]:
    """Return the cells whose state or value differs between two times; ``after`` is now if None.

    Raises:
        NotFoundError: The table is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    stored = await _table(database, principal, table, collection)
    papers = {paper.id: paper for paper in await papers_of(database, stored)}
    first = await findings_of(database, stored, list(papers), until=before)
    second = await findings_of(database, stored, list(papers), until=after)
    changes = []
    for paper in papers.values():
        for id, column in stored.columns:
            one, other = (_counting(found.get((paper.id, id))) for found in (first, second))
            told = [(str(each.state), each.value) if each else ("", "") for each in (one, other)]
            if told[0] != told[1]:
                maker = other.maker if other else ""
                changes.append(CellChange(paper.id, paper.title, column.name, *told[0], *told[1], maker))
    return changes


def _counting(found: CellFindings | None) -> StoredFinding | None:
    return (found.person or found.machine) if found else None


async def _with_boxes(database: Database, rows: Sequence[TableRow]) -> list[TableRow]:
    ids = [row.paper_id for row in rows]
    lines = await line_boxes_of(database, ids) if ids else []
    return [_row_with_boxes(row, boxes) for row, boxes in zip(rows, lines, strict=True)]


def _row_with_boxes(row: TableRow, lines: str) -> TableRow:
    if not lines:
        return row

    def placed(one: StoredFinding | None) -> StoredFinding | None:
        if one is None:
            return None
        quotes = (
            replace(
                quote,
                boxes=tuple(tuple(map(float, box)) for box in regions_of(lines, quote.start_char, quote.end_char)),
            )
            for quote in one.quotes
        )
        return replace(one, quotes=tuple(quotes))

    cells = (replace(cell, finding=placed(cell.finding), machine=placed(cell.machine)) for cell in row.cells)
    return replace(row, cells=tuple(cells))


def _check_columns(columns: Sequence[Column]) -> None:
    if not 1 <= len(columns) <= MOST_COLUMNS:
        raise InputError(f"A table has 1 to {MOST_COLUMNS} columns.", field="columns")
    names = [column.name.strip() for column in columns]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"Two columns have the name {twice[0]!r}.", field="columns")
    for column in columns:
        type_of(column).check_column(column)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"The filter is no JSON: {error}", field="filter") from error


async def _collection(database: Database, principal: Principal, name: str | None) -> str:
    collection = name or principal.default_collection
    if principal.collections is not None and collection not in principal.collections:
        raise NotFoundError.collection(collection)
    await refuse_unknown_collection(database, collection)
    return collection


async def _table(database: Database, principal: Principal, name: str, collection: str | None) -> EvidenceTable:
    where = collection or principal.default_collection
    return await find_table(database, where, name, collections=principal.collections)


async def _paper(database: Database, table: EvidenceTable, id: str) -> TablePaper:
    found = await papers_of(database, table, among=[id])
    if not found:
        raise NotFoundError("paper of the table", id[:80], field="paper")
    return found[0]


async def _sources(database: Database, principal: Principal, collection: str, papers: Sequence[str]) -> list[str]:
    if wrong := [id for id in papers if ID.fullmatch(id) is None]:
        raise InputError(f"{wrong[0][:40]!r} is no id of a paper.", field="papers")
    reached = None if principal.collections is None else list(principal.collections)
    ids = list(dict.fromkeys(papers))
    records = await database.read(cypher.load("annotations/sources"), ids=ids, collections=reached)
    found = {record["paper_id"]: record["source"] for record in records if record["collection"] == collection}
    if missing := [id for id in ids if id not in found]:
        raise NotFoundError("paper with id", missing[0], field="papers")
    return [found[id] for id in ids]
