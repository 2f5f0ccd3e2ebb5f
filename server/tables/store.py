"""Evidence tables in the graph: tables, columns, papers and cells."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import NotFoundError
from papergraph.schema.ids import sha256
from papergraph.server.papers.find import passing_papers
from papergraph.server.retrieval.filters import parse_filter
from papergraph.server.retrieval.scope import AllowedCollections
from papergraph.server.tables.column import PERSON, VERSION, CellQuote, CellState, Column, Finding, Read, StoredFinding
from papergraph.server.tables.evidence import PaperText, Passage

PAPERS_PER_QUERY = 100
WITHDRAWN = "open"
"""State of a stored cell by which a person withdrew their value."""


@dataclass(frozen=True)
class EvidenceTable:
    """A table as it is stored.

    Attributes:
        id: Its id.
        collection: Collection of its papers.
        name: Its name.
        columns: Its columns with their ids, in order.
        sources: Ids of sources, for the papers that have one; None for all papers.
        filter: Filter of papers, as JSON; empty for none.
        created_at, changed_at: Times.
    """

    id: str
    collection: str
    name: str
    columns: tuple[tuple[str, Column], ...]
    sources: tuple[str, ...] | None
    filter: str
    created_at: datetime
    changed_at: datetime


@dataclass(frozen=True)
class TablePaper:
    """A paper of a table; ``text_hash`` is another one when its text changes."""

    id: str
    key: str
    title: str
    year: int | None
    doi: str | None
    status: str | None
    source: str
    text_hash: str

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "TablePaper":
        """Return a paper from a record of ``tables/papers``."""
        values = {name: record[name] for name in ("id", "key", "title", "year", "doi", "status", "source")}
        return cls(**values, text_hash=sha256(record["content_hash"], record["config_hash"]))


@dataclass(frozen=True)
class CellFindings:
    """What was found for a cell, each None if nobody did: by rules, and by a person."""

    machine: StoredFinding | None = None
    person: StoredFinding | None = None


async def find_tables(
    database: Database, collection: str, *, name: str | None = None, collections: AllowedCollections = None
) -> list[EvidenceTable]:
    """Return the tables of a collection, by name.

    Raises:
        DatabaseError: Neo4j failed.
    """
    reached = None if collections is None else list(collections)
    records = await database.read(cypher.load("tables/list"), collection=collection, name=name, collections=reached)
    return [_table(record["table"], record["columns"]) for record in records]


async def find_table(
    database: Database, collection: str, name: str, *, collections: AllowedCollections = None
) -> EvidenceTable:
    """Return a table by name or id.

    Raises:
        NotFoundError: It is missing or forbidden.
        DatabaseError: Neo4j failed.
    """
    found = await find_tables(database, collection, name=name, collections=collections)
    if not found:
        raise NotFoundError("table", name[:80], field="table")
    return found[0]


def _table(table: Mapping[str, Any], columns: Iterable[Mapping[str, Any]]) -> EvidenceTable:
    return EvidenceTable(
        table["id"],
        table["collection"],
        table["name"],
        tuple((one["id"], _column(one)) for one in columns),
        None if table.get("sources") is None else tuple(table["sources"]),
        table.get("filter") or "",
        table["createdAt"].to_native(),
        table["changedAt"].to_native(),
    )


def _column(stored: Mapping[str, Any]) -> Column:
    names = ("name", "question", "type", "unit", "intervention", "comparator")
    lists: dict[str, Any] = {name: tuple(stored[name]) for name in ("words", "choices")}
    values: dict[str, Any] = {name: stored[name] for name in names} | lists
    return Column(**values, answered_by=stored["answeredBy"])


def column_row(table: str, position: int, column: Column) -> dict[str, Any]:
    """Return a column as a row of ``tables/write_columns``."""
    values = asdict(column)
    properties = {name: values[name] for name in ("name", "question", "type", "unit", "intervention", "comparator")}
    properties |= {
        "words": list(column.words),
        "choices": list(column.choices),
        "answeredBy": column.answered_by.value,
        "position": position,
    }
    return {"id": sha256("TableColumn", table, column.name), "properties": properties}


async def papers_of(
    database: Database,
    table: EvidenceTable,
    *,
    among: Sequence[str] | None = None,
    after: Sequence[str] = (),
    limit: int = 1_000_000,
) -> list[TablePaper]:
    """Return papers of a table, by title.

    Args:
        database: The store.
        table: The table.
        among: Ids of papers, of which others are left out; None for all.
        after: Title and id of the last paper of the page before.
        limit: Most papers.

    Raises:
        InputError: The filter is not acceptable for papers.
        DatabaseError: Neo4j failed.
    """
    filter = parse_filter(json.loads(table.filter)) if table.filter else None
    records = await database.read(
        cypher.load("tables/papers"),
        collection=table.collection,
        sources=None if table.sources is None else list(table.sources),
        **await passing_papers(database, filter, table.collection),
        among=None if among is None else list(among),
        after=list(after),
        limit=limit,
    )
    return [TablePaper.of(record) for record in records]


async def read_papers(database: Database, ids: Sequence[str]) -> dict[str, PaperText]:
    """Return the texts of papers by id.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("tables/passages"), ids=list(ids))
    return {
        record["paper_id"]: PaperText([_passage(one, record["line_boxes"] or "") for one in record["passages"]])
        for record in records
    }


def _passage(stored: Mapping[str, Any], line_boxes: str) -> Passage:
    values = {name: value for name, value in stored.items() if name != "crosses"}
    return Passage(**values, lines=line_boxes if stored["crosses"] else "")


async def findings_of(
    database: Database, table: EvidenceTable, papers: Sequence[str], *, until: datetime | None = None
) -> dict[tuple[str, str], CellFindings]:
    """Return the last findings of cells, by ids of paper and column.

    Raises:
        DatabaseError: Neo4j failed.
    """
    found: dict[tuple[str, str], CellFindings] = {}
    for paper, column, one in await _stored(database, table, papers, until=until):
        before = found.get((paper, column), CellFindings())
        machine, person = (before.machine, one) if one.by_person else (one, before.person)
        found[paper, column] = CellFindings(machine, person)
    return {
        place: CellFindings(one.machine, None if one.person and one.person.note == WITHDRAWN else one.person)
        for place, one in found.items()
    }


async def _stored(
    database: Database, table: EvidenceTable, papers: Sequence[str], *, until: datetime | None
) -> list[tuple[str, str, StoredFinding]]:
    query, found = cypher.load("tables/cells"), []
    for start in range(0, len(papers), PAPERS_PER_QUERY):
        ids = list(papers[start : start + PAPERS_PER_QUERY])
        records = await database.read(query, table=table.id, ids=ids, until=until)
        found += [
            (record["paper_id"], record["cell"]["columnId"], _finding(record["cell"], record["author"]))
            for record in records
        ]
    return found


def _finding(cell: Mapping[str, Any], author: str | None) -> StoredFinding:
    is_withdrawn = cell["state"] == WITHDRAWN
    read = json.loads(cell["read"]) if cell["read"] else None
    return StoredFinding(
        state=CellState.UNCHECKED if is_withdrawn else CellState(cell["state"]),
        value=cell["value"],
        number=cell.get("number"),
        low=cell.get("low"),
        high=cell.get("high"),
        unit=cell["unit"],
        quotes=tuple(CellQuote(**one | {"head": tuple(one["head"])}) for one in json.loads(cell["quotes"])),
        read=read and Read(**read | {name: tuple(read[name]) for name in ("words", "missing")}),
        note=WITHDRAWN if is_withdrawn else cell["note"],
        id=cell["id"],
        maker=cell["maker"],
        author=author,
        by_person=cell["byPerson"],
        made_at=cell["madeAt"].to_native(),
        content_hash=cell["textHash"],
        column_hash=cell["columnHash"],
    )


def cell_row(
    id: str,
    column: tuple[str, str],
    paper: TablePaper,
    finding: Finding,
    *,
    owner: str | None = None,
    state: str | None = None,
    maker: str = VERSION,
) -> dict[str, Any]:
    """Return a finding as a row of ``tables/write_cells``.

    Args:
        id: Id of the cell.
        column: Id and hash of the column.
        paper: The paper.
        finding: What was found.
        owner: Account of a person; None for a machine.
        state: State, if it is not that of the finding.
        maker: What made it, with its version.
    """
    quotes = [{name: value for name, value in asdict(one).items() if name != "boxes"} for one in finding.quotes]
    properties = {
        "state": state or finding.state.value,
        "value": finding.value,
        "number": finding.number,
        "low": finding.low,
        "high": finding.high,
        "unit": finding.unit,
        "quotes": json.dumps(quotes, ensure_ascii=False),
        "read": "" if finding.read is None else json.dumps(asdict(finding.read), ensure_ascii=False),
        "note": finding.note,
        "maker": maker if owner is None else PERSON,
        "byPerson": owner is not None,
        "owner": owner or "",
        "textHash": paper.text_hash,
        "columnHash": column[1],
    }
    return {"id": id, "column": column[0], "source": paper.source, "properties": properties}
