"""Number with its unit and interval: of the best sentence, or of a row of a table.

Signs stay, decimal commas and points between thousands are told apart by the tokens of the verifier, and years,
numbers of references and levels of confidence are no values.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from papergraph.errors import InputError
from papergraph.server.answers.term_weights import stem, terms_of
from papergraph.server.tables.column import Column
from papergraph.server.tables.column_types import ColumnType, Reading
from papergraph.server.tables.evidence import LEAST_OF_BEST, MOST_QUOTES, Evidence, Weighed, cells_of_row

NUMBER = re.compile(
    r"(?<![\w.,·])[-−–+]?(?:\d{1,3}(?:[,\u2009\u202f]\d{3}){1,4}(?!\d)|\d{1,15})(?:[.·]\d{1,15})?(?![\d])"
)
UNIT = re.compile(r"\s{0,2}(%|°\s?[CF]|[^\W\d_µμ]*[µμ]?[^\W\d_]{1,30}(?:/[^\W\d_]{1,20}){0,2})")
INTERVAL = re.compile(
    r"\s{0,3}[,;]?\s{0,3}[(\[]?\s{0,3}(?:\d{2}(?:\.\d)?\s{0,2}%\s{0,2})?(?:CI|confidence interval|range|IQR)s?\b"
    r"\s{0,3}[:=,]?\s{0,3}[(\[]?\s{0,3}([-−–]?\d{1,9}(?:[.·]\d{1,9})?)\s{0,2}%?\s{0,2}"
    r"(?:to|–|-|−|,|;)\s{0,2}([-−–]?\d{1,9}(?:[.·]\d{1,9})?)",
    re.IGNORECASE,
)
P_VALUE = re.compile(r"\b[Pp](?:[- ]?values?)?\s{0,2}(?:of|was)?\s{0,2}[<>=≤≥]\s{0,2}(0?[.·]\d{1,9})")
BRACKETS = re.compile(r"\[[\d,;–\s-]{1,60}\]")
YEAR = re.compile(r"(?:19|20)\d\d")
RATIO = re.compile(r"\s?:\s?\d")
BEFORE_COLON = re.compile(r"\d\s?:\s?\Z")
CONFIDENCE = re.compile(r"\s{0,2}%\s{0,2}(?:CI\b|confidence)", re.IGNORECASE)
_LABEL = re.compile(
    r"\b(?:tables?|fig(?:ure)?s?|sections?|chapters?|eq(?:uation)?s?|phase|stage|grade|type|group|arm|day|week|month|visit|"
    r"version|step|refs?|no|number|trial|study|class|level|model|appendix)\.?\s\Z",
    re.IGNORECASE,
)
"""Words before a number that names something and counts nothing, in columns without a unit."""
FAR = 60
"""Characters beyond which a number is not near to a looked-for word."""


@dataclass(frozen=True)
class Amount:
    """Number in a text, with its interval, unit, and place."""

    value: float
    text: str
    unit: str
    start: int
    low: float | None = None
    high: float | None = None


def read(column: Column, evidence: Evidence) -> Reading | None:
    """Return the number of the best sentence or row that has one of the column's unit."""
    terms = frozenset(stem(word) for word in evidence.words)
    found: list[tuple[Weighed, Amount]] = []
    for one in evidence.weighed:
        if found and (one.score < LEAST_OF_BEST * found[0][0].score or len(found) == MOST_QUOTES):
            break
        amount = _of_row(column, one, terms) if one.piece.is_row else _of_sentence(column, one, terms)
        if amount is not None and (not found or amount.value == found[0][1].value):
            found.append((one, amount))
    if not found:
        return None
    amount = found[0][1]
    is_written = amount.unit == column.unit or terms_of(amount.unit) == terms_of(column.unit)
    unit = amount.unit if is_written or not column.unit else "" if _is_p(column) else column.unit
    value = f"{amount.text}{'' if unit in ('', '%') else ' '}{unit}"
    quotes = [one for one, _ in found]
    return Reading(value, quotes, number=amount.value, low=amount.low, high=amount.high, unit=unit)


def amounts_in(text: str) -> Iterator[Amount]:
    """Yield the numbers of a text that can be values."""
    text = BRACKETS.sub(lambda match: " " * len(match[0]), text)
    intervals = [match.span() for match in INTERVAL.finditer(text)]
    for match in NUMBER.finditer(text):
        before = text[max(0, match.start() - 4) : match.start()]
        if YEAR.fullmatch(match[0]) or RATIO.match(text, match.end()) or BEFORE_COLON.search(before):
            continue
        if CONFIDENCE.match(text, match.end()):
            continue
        if any(start < match.start() < end for start, end in intervals):
            continue
        unit = UNIT.match(text, match.end())
        behind = text[unit.end() if unit and unit[1] == "%" else match.end() :]
        interval = INTERVAL.match(behind)
        low, high = (value_of(interval[1]), value_of(interval[2])) if interval else (None, None)
        yield Amount(value_of(match[0]), match[0].replace("−", "-"), unit[1] if unit else "", match.start(), low, high)


def value_of(text: str) -> float:
    """Return the value of a number as written.

    Raises:
        ValueError: It is no number.
    """
    text = re.sub(r"[,\s\u2009\u202f]", "", text).replace("·", ".")
    return float(re.sub(r"^[−–]", "-", text))


def _of_sentence(column: Column, one: Weighed, terms: frozenset[str]) -> Amount | None:
    text = one.piece.text
    if _is_p(column):
        match = P_VALUE.search(text)
        return None if match is None else Amount(value_of(match[1]), match[1], "", match.start())
    p_values = [match.span() for match in P_VALUE.finditer(text)]
    near = (terms - terms_of(column.unit)) or terms
    places = [match.start() for match in re.finditer(r"[^\W\d_]+", text) if stem(match[0].lower()) in near]
    candidates = []
    for amount in amounts_in(text):
        if any(start <= amount.start < end for start, end in p_values) or not _has_unit(column, amount, text):
            continue
        far = min((abs(place - amount.start) for place in places), default=FAR)
        if column.unit:
            candidates.append((0, min(far, FAR), amount.start, amount))
        elif not _is_name(text, amount) and (counts := _counts(amount, text, terms)) + (far < FAR):
            candidates.append((not counts, far, amount.start, amount))
    return min(candidates)[3] if candidates else None


def _is_name(text: str, amount: Amount) -> bool:
    """Say whether a number counts nothing: of a thing ("Table 2"), of a footnote, or part of a word ("2-D")."""
    behind = text[amount.start + len(amount.text) :]
    is_note = amount.start == 0 and re.match(r"\s[A-Z]", behind) is not None and len(amount.text) < 3
    return is_note or re.match(r"-[A-Za-z]", behind) is not None or _LABEL.search(text[: amount.start]) is not None


def _counts(amount: Amount, text: str, terms: frozenset[str]) -> bool:
    """Say whether a number counts looked-for things: one of the three words behind it is looked for."""
    behind = re.split(r"[,;.()]", text[amount.start + len(amount.text) :][:FAR])[0]
    return any(stem(word.lower()) in terms for word in behind.split()[:3])


def _is_p(column: Column) -> bool:
    return column.unit.lower().rstrip("s") in ("p", "p-value", "p value")


def _has_unit(column: Column, amount: Amount, text: str) -> bool:
    if not column.unit:
        return True
    if not any(letter.isalpha() for letter in column.unit):
        return amount.unit == column.unit
    behind = text[amount.start + len(amount.text) : amount.start + len(amount.text) + FAR].split("(")[0]
    near = " ".join(re.split(r"[,;.]\s", behind)[0].split()[:4])
    return column.unit == amount.unit or terms_of(column.unit) <= terms_of(near) != frozenset()


def _of_row(column: Column, one: Weighed, terms: frozenset[str]) -> Amount | None:
    """Return the number of a row in the table's column that has looked-for words, else its only number."""
    cells, head = cells_of_row(one.piece.text), one.piece.head
    if len(cells) != len(head):
        return None
    with_number = [
        (name, amount) for name, cell in zip(head[1:], cells[1:], strict=True) for amount in list(amounts_in(cell))[:1]
    ]
    named = [amount for name, amount in with_number if terms & terms_of(name)]
    chosen = named[:1] or [amount for _, amount in with_number if len(with_number) == 1]
    unit_stands = not column.unit or terms_of(column.unit) & terms_of(f"{cells[0]} {' '.join(head)}")
    symbol_stands = column.unit in f"{one.piece.text} {' '.join(head)}"
    return chosen[0] if chosen and (unit_stands or symbol_stands) else None


def check(column: Column, value: str) -> str:
    """Return a text with exactly one number, or a number with its interval."""
    text = " ".join(value.split())
    if not 0 < len(text) <= 200 or next(amounts_in(text), None) is None:
        raise InputError(f"{value[:40]!r} is no number.", field="value")
    return text


COLUMN_TYPE = ColumnType("number", 20, "Number with unit, and its interval if there is one.", read, check)
