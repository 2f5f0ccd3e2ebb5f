"""Yes or no: no if a negation in the sentence is about the question's words."""

import re
from collections.abc import Sequence, Set

from papergraph.errors import InputError
from papergraph.server.answers.facts import is_negation
from papergraph.server.answers.term_weights import stem
from papergraph.server.tables.column import CellState, Column
from papergraph.server.tables.column_types import ColumnType, Reading
from papergraph.server.tables.evidence import WORDS, Evidence, Weighed

VALUES = ("yes", "no")
LEAST_COVERED = 0.5
"""Least share of the looked-for words' weight in a sentence that says yes or no."""
BEHIND, BEFORE = 6, 4
"""Words behind a negation and before it, of which one must be looked for: "not blinded", "blinding was not done"."""
_CLAUSE = re.compile(r"[,;:.()]|\b(?:but|although|though|whereas|while|however|despite)\b", re.IGNORECASE)


def read(column: Column, evidence: Evidence) -> Reading | None:
    """Return yes or no, both if sentences of about the same score differ."""
    quotes = [one for one in evidence.quotes() if one.covered >= LEAST_COVERED and not one.piece.is_row]
    terms = frozenset(stem(word) for word in evidence.words)
    return agreed([says(one.piece.text, terms) for one in quotes], quotes)


def agreed(answers: Sequence[str], quotes: Sequence[Weighed]) -> Reading | None:
    """Return the answer of quotes, or that they contradict each other."""
    if not quotes:
        return None
    different = list(dict.fromkeys(answers))
    if len(different) > 1:
        return Reading(" / ".join(different), quotes, CellState.CONTRADICTS)
    return Reading(different[0], quotes)


def says(text: str, terms: Set[str]) -> str:
    """Return no for a sentence with a negation near to looked-for words in the same clause, else yes.

    Args:
        text: The sentence.
        terms: Stems of the looked-for words.
    """
    for clause in _CLAUSE.split(text):
        words = [match[0].lower() for match in WORDS.finditer(clause)]
        for place, word in enumerate(words):
            near = (*words[max(0, place - BEFORE) : place], *words[place + 1 : place + 1 + BEHIND])
            if is_negation(word) and terms & {stem(part) for one in near for part in (one, *one.split("-"))}:
                return VALUES[1]
    return VALUES[0]


def check(column: Column, value: str) -> str:
    """Return yes or no."""
    if (text := value.strip().lower()) not in VALUES:
        raise InputError(f"{value[:40]!r} is neither yes nor no.", field="value")
    return text


COLUMN_TYPE = ColumnType("yes-no", 30, "Yes or no.", read, check)
