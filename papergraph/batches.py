"""Batches of rows, which bound the size of statements and of reads."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, TypeVar

from neo4j import Record

from papergraph.database import Database
from papergraph.statement import Statement

ROWS_PER_STATEMENT = 500
PAGE_ROWS = 5000
DEADLINE_S = 120.0
T = TypeVar("T")
Row = dict[str, Any]
"""Properties of a node by name, as a statement writes them."""


def batches(rows: Sequence[T], size: int = ROWS_PER_STATEMENT) -> Iterator[Sequence[T]]:
    """Yield the rows in order, at most ``size`` at a time."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


async def pages(
    database: Database, statement: Statement, *, limit: int = PAGE_ROWS, after: str = "", **parameters: Any
) -> AsyncGenerator[list[Record], None]:
    """Yield what a statement returns page by page, by its parameters ``$after`` and ``$limit`` and its column ``id``.

    Args:
        database: The store.
        statement: What is asked.
        limit: Rows of a page.
        after: What the first page comes after.
        parameters: The statement's other parameters.

    Raises:
        DatabaseError: Neo4j failed.
    """
    while True:
        found = await database.read(statement, after=after, limit=limit, deadline_s=DEADLINE_S, **parameters)
        if found:
            yield found
        if len(found) < limit:
            return
        after = found[-1]["id"]
