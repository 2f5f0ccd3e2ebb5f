"""Yes or no: no if the sentence that has the question's words negates them."""

from collections.abc import Sequence

from papergraph.errors import InputError
from papergraph.server.answers.facts import is_negation
from papergraph.server.tables.column import CellState, Column
from papergraph.server.tables.column_types import ColumnType, Reading
from papergraph.server.tables.evidence import WORDS, Evidence, Weighed

VALUES = ("yes", "no")
LEAST_COVERED = 0.5
"""Least share of the looked-for words' weight in a sentence that says yes or no."""


def read(column: Column, evidence: Evidence) -> Reading | None:
    """Return yes or no, both if sentences of about the same score differ."""
    quotes = [one for one in evidence.quotes() if one.covered >= LEAST_COVERED and not one.piece.is_row]
    answers = [says(one) for one in quotes]
    return agreed(answers, quotes)


def agreed(answers: Sequence[str], quotes: Sequence[Weighed]) -> Reading | None:
    """Return the answer of quotes, or that they contradict each other."""
    if not quotes:
        return None
    different = list(dict.fromkeys(answers))
    if len(different) > 1:
        return Reading(" / ".join(different), quotes, CellState.CONTRADICTS)
    return Reading(different[0], quotes)


def says(one: Weighed) -> str:
    """Return no for a sentence with a negation, else yes."""
    return VALUES[any(is_negation(match[0].lower()) for match in WORDS.finditer(one.piece.text))]


def check(column: Column, value: str) -> str:
    """Return yes or no."""
    if (text := value.strip().lower()) not in VALUES:
        raise InputError(f"{value[:40]!r} is neither yes nor no.", field="value")
    return text


COLUMN_TYPE = ColumnType("yes-no", 30, "Yes or no.", read, check)
