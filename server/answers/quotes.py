"""Quotes: words that stand in a stored chunk, found letter by letter, and the sentences around them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from papergraph.text.sentences import sentence_starts
from papergraph.text.words import n_words
from schema.records import Chunk
from server.answers.injection import visible, without_orders
from server.answers.records import Source

SHORTEST_QUOTE = 3
"""Words of a quote; less says nothing."""
SHORTEST_PART = 2
"""Words of each part of a quote with an ellipsis."""
ELLIPSIS = re.compile(
    r"(?:(?<!\s)\s++)?(?:[\[(]\s{0,9}(?:…|\.{3,}|\. \. \.)\s{0,9}[\])]|…|(?<!\.)\.{3,}(?!\.)|\. \. \.)\s*"
)
_SPELLINGS: Mapping[str, str] = {
    "‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-", "−": "-", "–": "-", "—": "-",
    "ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl",
}  # fmt: skip
"""Letters that typesetting changes and no reader tells apart."""


@dataclass(frozen=True)
class Quote:
    """Words that stand in a chunk: ``chunk.text[start:end]``."""

    source: Source
    chunk: Chunk
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words, letter by letter."""
        return self.chunk.text[self.start : self.end]

    @property
    def sentence(self) -> str:
        """The whole sentences that the words stand in."""
        begin, end = self._bounds()
        return self.chunk.text[begin:end]

    @property
    def before(self) -> str:
        """The sentence before those, empty where there is none in the chunk."""
        begin, _ = self._bounds()
        starts = [start for start in _starts(self.chunk.text) if start < begin]
        return self.chunk.text[starts[-1] : begin] if starts else ""

    def _bounds(self) -> tuple[int, int]:
        starts = [*_starts(self.chunk.text), len(self.chunk.text)]
        begin = max((start for start in starts if start <= self.start), default=0)
        return begin, min((start for start in starts if start >= self.end), default=len(self.chunk.text))


def find_quote(words: str, source: Source) -> Quote | None:
    """Return where words stand in a source's chunks: letter by letter, but for what typesetting changes.

    That are blanks, letters that nobody sees, the form of quotation marks and dashes, and ligatures. A quote of fewer
    than three words counts only if it is the whole of a chunk.
    """
    return next(iter(_find([words], source, least=SHORTEST_QUOTE)), None)


def find_quotes(words: str, source: Source) -> tuple[Quote, ...]:
    """Return where the parts of a quote stand between its ellipses, in their order in one chunk; none if one is not.

    A relation of the source that is quoted stands where its chunk says it.
    """
    if (whole := find_quote(words, source) or _relation(words, source)) is not None:
        return (whole,)
    parts = [part for part in ELLIPSIS.split(words) if part.strip()]
    if len(parts) < 2 and parts == [words]:
        return ()
    if sum(map(n_words, parts)) < SHORTEST_QUOTE or any(n_words(part) < SHORTEST_PART for part in parts):
        return ()
    return _find(parts, source, least=SHORTEST_PART)


def sentences_of_source(source: Source) -> list[Quote]:
    """Return the sentences of a source's chunks that say something and give no orders, with their places."""
    return [
        Quote(source, chunk, start, end)
        for chunk in chunks_of(source)
        for start, end in _spans(without_orders(chunk.text))
    ]


def chunks_of(source: Source) -> tuple[Chunk, ...]:
    """Return a source's chunk first, then those beside it that belong to the passage."""
    return (source.hit.chunk, *source.hit.before, *source.hit.after)


def _relation(words: str, source: Source) -> Quote | None:
    """Return the sentences of a chunk that say the relation that is quoted, None where none is."""
    quoted = _folded(words)[0].split()
    for path in source.hit.relations:
        if quoted == _folded(path.text)[0].split():
            for chunk in chunks_of(source):
                if (place := path.place_in(chunk.text)) is not None:
                    return Quote(source, chunk, *place)
    return None


def _find(parts: list[str], source: Source, *, least: int) -> tuple[Quote, ...]:
    pieces = [_folded(part)[0].split() for part in parts]
    if not all(pieces):
        return ()
    for chunk in chunks_of(source):
        text, places = _folded(chunk.text)
        found: list[Quote] = []
        position = 0
        for words in pieces:
            match = re.compile(r"\s+".join(map(re.escape, words))).search(text, position)
            if match is None or (n_words(" ".join(words)) < least and match[0] != text.strip()):
                break
            position = match.end()
            found.append(Quote(source, chunk, places[match.start()], places[match.end() - 1] + 1))
        if len(found) == len(pieces):
            return tuple(found)
    return ()


@lru_cache(maxsize=256)
def _folded(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text in one spelling, and the place in it of each letter."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        for one in _SPELLINGS.get(letter, letter if visible(letter) else ""):
            letters.append(one)
            places.append(place)
    return "".join(letters), tuple(places)


@lru_cache(maxsize=1024)
def _starts(text: str) -> tuple[int, ...]:
    return tuple(sentence_starts(text))


@lru_cache(maxsize=1024)
def _spans(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_said(text))


def _said(text: str) -> Iterator[tuple[int, int]]:
    for start, end in pairwise([*sentence_starts(text), len(text)]):
        sentence = text[start:end]
        if n_words(sentence) >= SHORTEST_QUOTE:
            yield start + len(sentence) - len(sentence.lstrip()), start + len(sentence.rstrip())
