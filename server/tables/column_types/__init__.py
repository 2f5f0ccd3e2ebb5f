"""Types of columns, one file each with the constant ``COLUMN_TYPE``: how a value is read from quotes, and checked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from papergraph.errors import InputError
from papergraph.registry import parts
from papergraph.server.tables.column import CellState, Column
from papergraph.server.tables.evidence import Evidence, Weighed


@dataclass(frozen=True)
class Reading:
    """Value that a type read from the pieces of a paper.

    Attributes:
        value: Value as text.
        quotes: Pieces that state it, best first, 1 to 3.
        state: value or contradicts.
        number, low, high: Value and interval of a number.
        unit: Its unit as written.
    """

    value: str
    quotes: Sequence[Weighed]
    state: CellState = CellState.VALUE
    number: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""


@dataclass(frozen=True)
class ColumnType:
    """Type of a column.

    Attributes:
        name: Its name.
        order: Position in lists.
        about: One sentence about its values.
        read: Returns the value that evidence states, or None.
        check: Returns a value of a person or a model in its normal form; raises ``InputError`` for others.
        check_column: Raises ``InputError`` for a column that lacks what the type needs.
        wants_result: Prefer sentences that state a result.
    """

    name: str
    order: int
    about: str
    read: Callable[[Column, Evidence], Reading | None]
    check: Callable[[Column, str], str]
    check_column: Callable[[Column], None] = lambda column: None
    wants_result: bool = False


def type_of(column: Column) -> ColumnType:
    """Return the type of a column.

    Raises:
        InputError: There is none of this name.
    """
    if (found := column_types().get(column.type)) is None:
        raise InputError(f"There is no type {column.type[:40]!r}. Choose {', '.join(column_types())}.", field="type")
    return found


@cache
def column_types() -> Mapping[str, ColumnType]:
    """Return all types by name."""
    return parts("papergraph.server.tables.column_types", "COLUMN_TYPE", ColumnType)
