"""Results of queries as records, CSV, Arrow, and the graph in their rows."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from neo4j.graph import Node

from papergraph.json_values import parts_of, to_json
from papergraph.records import Record, described
from papergraph.server.user_cypher.runner import Cut, Table

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, kw_only=True)
class CypherSummary(Record):
    """Size and duration of the result of a Cypher query."""

    n_rows: Annotated[int, described("Number of rows.")]
    truncated: Annotated[Cut | None, described("Limit that cut the rows: rows, bytes, or null if complete.")]
    ms: Annotated[float, described("Duration of the query in milliseconds.")]
    as_of: Annotated[datetime | None, described("Creation time of the replica, if a replica is queried.")]


@dataclass(frozen=True, kw_only=True)
class CypherResult(CypherSummary):
    """Result of a Cypher query."""

    columns: Annotated[tuple[str, ...], described("Names of the columns.")]
    rows: Annotated[list[list[Any]], described("Rows; values in the order of the columns.")]


def summary_of(table: Table) -> dict[str, Any]:
    """Return the fields of a :class:`CypherSummary`."""
    end = table.end
    return {"n_rows": end.n_rows, "truncated": end.cut, "ms": round(end.ms, 1), "as_of": table.head.as_of}


def result_of(table: Table) -> dict[str, Any]:
    """Return the fields of a :class:`CypherResult`."""
    return summary_of(table) | {"columns": tuple(table.head.columns), "rows": [row.values for row in table.rows]}


def csv_of(table: Table) -> str:
    """Return rows as CSV with a header (RFC 4180): texts as they are, null as nothing, everything else as JSON."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(table.head.columns)
    writer.writerows([_cell(value) for value in row.values] for row in table.rows)
    return written.getvalue()


def arrow_of(table: Table) -> bytes:
    """Return rows as a stream of Arrow's IPC: numbers, texts and lists of them as such, everything else as JSON."""
    import pyarrow
    import pyarrow.ipc

    columns = [_column([row.values[place] for row in table.rows]) for place in range(len(table.head.columns))]
    # names as Cypher has them may be anything, and are no two the same
    found = pyarrow.Table.from_arrays(columns, names=[str(name) for name in table.head.columns])
    written = io.BytesIO()
    with pyarrow.ipc.new_stream(written, found.schema) as stream:
        stream.write_table(found)
    return written.getvalue()


def graph_of(table: Table) -> dict[str, list[dict[str, Any]]]:
    """Return the nodes and relationships in the rows, each once, in the order that they came."""
    found: dict[str, dict[str, dict[str, Any]]] = {"nodes": {}, "relationships": {}}
    for row in table.rows:
        for part in parts_of(list(row.record.values())):
            found["nodes" if isinstance(part, Node) else "relationships"].setdefault(part.element_id, to_json(part))
    return {kind: list(parts.values()) for kind, parts in found.items()}


def _cell(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _column(values: Sequence[Any]) -> "pyarrow.Array":
    import pyarrow

    if not any(isinstance(value, dict) for value in values):
        try:
            return pyarrow.array(values)
        except (pyarrow.ArrowException, OverflowError):  # of several kinds, or an integer with numbers it cannot be
            pass
    return pyarrow.array(
        [value if value is None else json.dumps(value, ensure_ascii=False) for value in values], type=pyarrow.string()
    )
