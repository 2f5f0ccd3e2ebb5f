"""Answers to queries in the forms that other programs read: CSV, Arrow, and the graph that was returned."""

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from neo4j.graph import Node

from papergraph.json_values import parts_of, to_json
from papergraph.server.user_cypher.runner import Table

if TYPE_CHECKING:
    import pyarrow


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
