"""Choice: the choice whose name or synonym stands in the best sentences."""

from collections.abc import Mapping

from papergraph.errors import InputError
from papergraph.server.answers.term_weights import terms_of
from papergraph.server.tables.column import Column
from papergraph.server.tables.column_types import ColumnType, Reading
from papergraph.server.tables.column_types.yes_no import agreed
from papergraph.server.tables.evidence import LEAST_OF_BEST, MOST_QUOTES, Evidence, Weighed


def read(column: Column, evidence: Evidence) -> Reading | None:
    """Return the choice that the best sentence with one names, several if sentences of about its score differ."""
    wanted = {name: [terms for word in words if (terms := terms_of(word))] for name, words in names_of(column).items()}
    found: list[tuple[Weighed, str]] = []
    for one in evidence.weighed:
        if found and (one.score < LEAST_OF_BEST * found[0][0].score or len(found) == MOST_QUOTES):
            break
        named = [name for name, several in wanted.items() if any(terms <= one.piece.terms for terms in several)]
        if len(named) == 1:
            found.append((one, named[0]))
    return agreed([name for _, name in found], [one for one, _ in found])


def names_of(column: Column) -> Mapping[str, tuple[str, ...]]:
    """Return the words of each choice by its name."""
    made = {}
    for choice in column.choices:
        name, _, words = choice.partition(":")
        made[name.strip()] = (name.strip(), *(word.strip() for word in words.split(",") if word.strip()))
    return made


def check(column: Column, value: str) -> str:
    """Return the name of a choice."""
    known = {name.lower(): name for name in names_of(column)}
    if (found := known.get(value.strip().lower())) is None:
        raise InputError(f"{value[:40]!r} is no choice. Choose {', '.join(known.values())}.", field="value")
    return found


def check_column(column: Column) -> None:
    """Require two choices or more.

    Raises:
        InputError: There are fewer.
    """
    if len(names_of(column)) < 2:
        raise InputError(f"Column {column.name!r} needs at least two choices.", field="choices")


COLUMN_TYPE = ColumnType("choice", 40, "One of the choices of the column.", read, check, check_column)
