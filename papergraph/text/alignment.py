"""Positions of quoted words in a text, ignoring differences of typesetting."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Letters that are not seen: of no width, of the direction of writing, those that fill, tags, and controls."""

SPELLINGS: Mapping[str, str] = {
    "‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-", "−": "-", "–": "-", "—": "-",
    "ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl",
}  # fmt: skip
"""Letters that typesetting changes and no reader tells apart."""


def visible(text: str) -> str:
    """Return a text without invisible characters and terminal control codes."""
    return UNSEEN.sub("", text)


@lru_cache(maxsize=256)
def folded(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text in one spelling, and the place in it of each letter."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        for one in SPELLINGS.get(letter, letter if visible(letter) else ""):
            letters.append(one)
            places.append(place)
    return "".join(letters), tuple(places)


class Piece(NamedTuple):
    """Part of a text: characters ``start`` to ``end``, of which ``text`` may be a cleaned form."""

    text: str
    start: int
    end: int


class PiecedText:
    """A text given by pieces in order of their starts, which may overlap, in which quotes are found."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        letters: list[str] = []
        self._places: list[int] = []
        end = -1
        for piece in pieces:
            squeezed, places = _squeezed(piece.text)
            for letter, place in zip(squeezed, places, strict=True):
                at = min(piece.start + place, piece.end - 1)
                if at >= end:
                    letters.append(letter)
                    self._places.append(at)
            end = max(end, piece.end)
        self._letters = "".join(letters)

    def find(
        self, quote: str, *, prefix: str = "", suffix: str = "", near: int | None = None
    ) -> tuple[int, int] | None:
        """Return the first character of a quote and the one after its last, or None if the text lacks it.

        Blanks and hyphens do not count, because lines are broken differently. Of several places that with the longest
        agreement with the words around the quote is returned, of these the nearest to ``near``.
        """
        words, before, after = (_squeezed(text)[0] for text in (quote, prefix, suffix))
        target = 0 if near is None else bisect_left(self._places, near)
        found = [(self._agreed(at, at + len(words), before, after), -abs(at - target), at) for at in self._all(words)]
        if not found:
            return None
        start = max(found)[2]
        return self._places[start], self._places[start + len(words) - 1] + 1

    def letters(self, start: int, end: int) -> str:
        """Return the letters of characters ``start`` to ``end``, without blanks and hyphens."""
        return self._letters[bisect_left(self._places, start) : bisect_left(self._places, end)]

    def _all(self, words: str) -> Iterator[int]:
        start = self._letters.find(words) if words else -1
        while start >= 0:
            yield start
            start = self._letters.find(words, start + 1)

    def _agreed(self, start: int, end: int, before: str, after: str) -> int:
        left = _common(self._letters[max(0, start - len(before)) : start][::-1], before[::-1])
        return left + _common(self._letters[end : end + len(after)], after)


def squeezed(text: str) -> str:
    """Return the letters of a text in one spelling, without blanks and hyphens, as quotes are compared."""
    return _squeezed(text)[0]


def _squeezed(text: str) -> tuple[str, list[int]]:
    letters, places = folded(text)
    kept = [n for n, letter in enumerate(letters) if not letter.isspace() and letter != "-"]
    return "".join(letters[n] for n in kept), [places[n] for n in kept]


def _common(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
