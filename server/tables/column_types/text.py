"""Text: the sentences that answer best."""

from papergraph.errors import InputError
from papergraph.server.tables.column import Column
from papergraph.server.tables.column_types import ColumnType, Reading
from papergraph.server.tables.evidence import Evidence

MOST_CHARS = 2000


def read(column: Column, evidence: Evidence) -> Reading | None:
    """Return the best sentence as the value, and further ones as quotes."""
    quotes = evidence.quotes()
    return Reading(" ".join(quotes[0].piece.text.split()), quotes) if quotes else None


def check(column: Column, value: str) -> str:
    """Return a text without blanks around it."""
    text = " ".join(value.split())
    if not 0 < len(text) <= MOST_CHARS:
        raise InputError(f"Write a text of 1 to {MOST_CHARS} characters.", field="value")
    return text


COLUMN_TYPE = ColumnType("text", 10, "Sentences of the paper.", read, check)
