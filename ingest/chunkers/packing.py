"""Whole sentences or words packed into pieces of limited length, with exact places and an overlap of whole units.

The greedy way of LlamaIndex' SentenceSplitter (a test compares them), but over places in the text: SentenceSplitter
hands out strings without their blanks and looks for them again, which finds another place where a text repeats itself.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tokenizers import Tokenizer

from ingest.chunkers.method import Unit
from papergraph.text.sentences import sentence_starts

WORD = re.compile(r"\S+\s*")


@dataclass(frozen=True)
class Packer:
    """Packs units of a text, see :class:`ingest.chunkers.options.ChunkOptions` for the sizes.

    Exactly one of ``max_tokens`` and ``max_chars`` is given, and at most one of the overlaps. Blanks at the end of a
    piece do not count.
    """

    tokenizer: Tokenizer
    unit: Unit
    overlap_unit: Unit
    max_tokens: int | None = None
    max_chars: int | None = None
    overlap_tokens: int | None = None
    overlap_chars: int | None = None

    def chunk_indices(self, text: str) -> list[tuple[int, str]]:
        """Return the pieces of a text with where they begin; see :meth:`spans`."""
        return [(start, text[start:end]) for start, end in self.spans(text)]

    def spans(self, text: str, *, whole: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[int, int]]:
        """Yield start and end of a text's pieces; each ends after the one before, and no unit is left out.

        A unit that is too long by itself is cut between words, a word between tokens or characters.

        Args:
            text: What is cut.
            whole: Starts and ends within it of what is one unit, whatever stands there.
        """
        measure = _Measure(text, self.tokenizer)
        units = list(pairwise([*self._units(text, measure, whole), len(text)]))
        overlaps = _starts(text, self.overlap_unit) if self.overlap_tokens or self.overlap_chars else []
        start, first = 0, 0
        while first < len(units):
            last = first
            while last + 1 < len(units) and self._fits(measure, start, units[last + 1][1]):
                last += 1
            while last > first and not self._holds(text[start : units[last][1]]):
                last -= 1  # cut out of its text a piece can have more tokens than it had in it
            if last == first and start < units[first][0] and not self._holds(text[start : units[first][1]]):
                start = units[first][0]
                continue
            end = units[last][1]
            if last == first and not self._holds(text[start:end]):
                yield from self._halves(text, start, end)
            else:
                yield start, end
            first = last + 1
            if first < len(units):
                start = self._next_start(measure, overlaps, start, end, units[first][1])

    def _units(self, text: str, measure: "_Measure", whole: Sequence[tuple[int, int]]) -> Iterator[int]:
        starts = _starts(text, self.unit)
        for first, after in whole:
            starts[bisect_right(starts, first) : bisect_left(starts, after)] = []
        for start, end in pairwise([*starts, len(text)]):
            if self._fits(measure, start, end):
                yield start
                continue
            words = [start, *(at for at in _starts(text[start:end], Unit.WORD, start) if at > start)]
            for word, after in pairwise([*words, end]):
                if self._fits(measure, word, after):
                    yield word
                elif self.max_chars is not None:
                    yield from range(word, after, self.max_chars)
                else:
                    yield from measure.tokens_within(word, after)

    def _next_start(self, measure: "_Measure", overlaps: list[int], start: int, end: int, next_end: int) -> int:
        """Return where the next piece begins: as early as its overlap, and its first new unit, allow."""
        for at in overlaps[bisect_left(overlaps, start + 1) : bisect_left(overlaps, end)]:
            if self.overlap_tokens is not None:
                short = measure.n_tokens(at, end) <= self.overlap_tokens
            else:
                short = measure.n_chars(at, end) <= (self.overlap_chars or 0)
            if short and self._fits(measure, at, next_end):
                return at
        return end

    def _fits(self, measure: "_Measure", start: int, end: int) -> bool:
        if self.max_chars is not None:
            return measure.n_chars(start, end) <= self.max_chars
        return measure.n_tokens(start, end) <= (self.max_tokens or 0)

    def _holds(self, piece: str) -> bool:
        if self.max_tokens is None:
            return True
        return len(self.tokenizer.encode(piece.rstrip(), add_special_tokens=False).ids) <= self.max_tokens

    def _halves(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        if end - start < 2 or self._holds(text[start:end]):
            yield start, end
            return
        middle = (start + end) // 2
        yield from self._halves(text, start, middle)
        yield from self._halves(text, middle, end)


class _Measure:
    """Lengths of stretches of one text, by the tokens that it has as a whole."""

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self._text = text
        encoding = tokenizer.encode(text, add_special_tokens=False)
        self._tokens = sorted(start for start, _ in encoding.offsets)

    def n_tokens(self, start: int, end: int) -> int:
        return bisect_left(self._tokens, end) - bisect_left(self._tokens, start)

    def n_chars(self, start: int, end: int) -> int:
        return len(self._text[start:end].rstrip())

    def tokens_within(self, start: int, end: int) -> Iterator[int]:
        yield start
        within = self._tokens[bisect_left(self._tokens, start + 1) : bisect_left(self._tokens, end)]
        yield from dict.fromkeys(within)


def _starts(text: str, unit: Unit, offset: int = 0) -> list[int]:
    if unit is Unit.SENTENCE:
        return sentence_starts(text)
    starts = [offset + match.start() for match in WORD.finditer(text)]
    return [offset, *(start for start in starts if start > offset)] if text else []
