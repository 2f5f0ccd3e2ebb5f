"""Quantities: what a number counts, how it is bounded, and the same quantity in another unit or as a share."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from server.answers.tokens import Kind, Token, is_decimal, key_of

_FACTORS: Mapping[str, Mapping[str, str]] = {
    "time": {
        "nanosecond": "1e-9", "microsecond": "1e-6", "millisecond": "1e-3", "second": "1", "minute": "60",
        "hour": "3600", "day": "86400", "week": "604800",
    },
    "length": {
        "nanometre": "1e-9", "micrometre": "1e-6", "millimetre": "1e-3", "centimetre": "1e-2", "metre": "1",
        "kilometre": "1e3",
    },
    "mass": {"microgram": "1e-6", "milligram": "1e-3", "gram": "1", "kilogram": "1e3", "tonne": "1e6"},
    "volume": {"microlitre": "1e-6", "millilitre": "1e-3", "litre": "1"},
    "memory": {"byte": "1", "kilobyte": "1e3", "megabyte": "1e6", "gigabyte": "1e9", "terabyte": "1e12"},
    "frequency": {"hertz": "1", "kilohertz": "1e3", "megahertz": "1e6", "gigahertz": "1e9"},
}  # fmt: skip
DIMENSIONS: Mapping[str, tuple[str, Decimal]] = {
    unit: (dimension, Decimal(factor)) for dimension, units in _FACTORS.items() for unit, factor in units.items()
}
"""Dimension of each unit, and the factor to the base unit of its dimension."""
CURRENCIES = ("$", "€", "£")
_LOWER, _UPPER = frozenset({"≥", ">"}), frozenset({"≤", "<"})
_MAYBE_LOWER = frozenset({"over", "above", "exceeding", "exceeds", "exceeded"})
_MAYBE_UPPER = frozenset({"under", "below"})
_THIRDS: Mapping[str, str] = {
    "33": "0.3333", "33.3": "0.3333", "33.33": "0.3333", "67": "0.6667", "66.7": "0.6667", "66.67": "0.6667",
}  # fmt: skip
_YEAR_FOLLOWS = frozenset(
    {"in", "of", "since", "before", "after", "until", "from", "to", "by", "during", "and", "or", "the", "year", "years",
     "early", "late", "mid", "around", "about", "al", "for", "between", "circa", "than"}
)  # fmt: skip


def text_at(tokens: Sequence[Token], place: int) -> str:
    """Return a token's text in small letters, empty outside of the sentence."""
    return tokens[place].text.lower() if 0 <= place < len(tokens) else ""


def keys_of_share(tokens: Sequence[Token], place: int) -> Iterator[str]:
    """Yield the keys that a number may have in its source: its own, and a share for a percentage and back."""
    key = tokens[place].key
    yield key
    if not is_decimal(key):
        return
    value = Decimal(key)
    if text_at(tokens, place + 1) == "%":
        yield key_of(value / 100)
        if key in _THIRDS:
            yield _THIRDS[key]
    elif 0 < value < 1:
        yield key_of(value * 100)
        yield from (percent for percent, share in _THIRDS.items() if share == key)


def is_year(tokens: Sequence[Token], place: int) -> bool:
    """Say whether a number is a year, not a count as in "covered 1998 households"."""
    if re.fullmatch(r"(?:1[5-9]|20)\d\d", tokens[place].text) is None:
        return False
    before = tokens[place - 1] if place else None
    if before is None or before.kind is not Kind.WORD:
        return True
    return before.text.lower() in _YEAR_FOLLOWS or before.text[:1].isupper()


def currency(tokens: Sequence[Token], place: int) -> str:
    """Return the sign of a currency before a number; the dollar signs around a formula are none."""
    before = text_at(tokens, place - 1)
    return before if before in CURRENCIES and text_at(tokens, place + 1) != "$" else ""


def bounds_alike(said: Sequence[Token], place: int, known: Sequence[Token], at: int) -> bool:
    """Say whether a number is bounded as in its source: "more than 20" is neither "20" nor "at most 20"."""
    (sign, is_strong), (other, is_strong_there) = _bound(said, place), _bound(known, at)
    if sign == other:
        return True
    return not (sign and other) and not (is_strong or is_strong_there)


def _bound(tokens: Sequence[Token], place: int) -> tuple[int, bool]:
    """Return 1 for a lower bound, -1 for an upper one, 0 for none, and whether the words mean nothing else."""
    before = text_at(tokens, place - 1)
    if before in CURRENCIES:
        place, before = place - 1, text_at(tokens, place - 2)
    if before in _LOWER or before in _UPPER:
        return (1 if before in _LOWER else -1), True
    if before in _MAYBE_LOWER:
        return 1, False
    is_upper = before in _MAYBE_UPPER or (before == "to" and text_at(tokens, place - 2) == "up")
    return (-1 if is_upper else 0), False


def same_in_another_unit(said: Sequence[Token], place: int, known: Sequence[Token], at: int) -> bool:
    """Say whether two numbers with different units of one dimension are one quantity, as 2 hours and 120 minutes."""
    if not (is_decimal(said[place].key) and is_decimal(known[at].key)):
        return False
    one, other = (
        DIMENSIONS.get(tokens[i + 1].key) if i + 1 < len(tokens) else None for tokens, i in ((said, place), (known, at))
    )
    if one is None or other is None or one[0] != other[0]:
        return False
    return Decimal(said[place].key) * one[1] == Decimal(known[at].key) * other[1]
