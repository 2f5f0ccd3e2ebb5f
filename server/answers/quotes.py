"""Quotes of passages and their positions."""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Annotated

from papergraph.database import Database
from papergraph.records import Record, described
from papergraph.schema.fulltext import LANGUAGES
from papergraph.schema.migrate import analyzer_of
from papergraph.schema.model import DEFAULT_ANALYZER
from papergraph.schema.records import Chunk
from papergraph.server.answers.model_text import without_orders
from papergraph.server.answers.records import Source
from papergraph.server.answers.term_weights import asked_words, stem, weigh
from papergraph.server.retrieval.lucene import FIRST_IDEOGRAPH, MAX_WORDS, STOP_WORDS, query_words
from papergraph.server.retrieval.scope import Collections
from papergraph.text.alignment import folded, visible
from papergraph.text.language import function_words_of
from papergraph.text.sentences import sentence_starts
from papergraph.text.words import n_words, stem_by

# Quotes: literal words of a stored chunk, and the sentences around them


SHORTEST_QUOTE = 3
"""Words of a quote; less says nothing."""
SHORTEST_PART = 2
"""Words of each part of a quote with an ellipsis."""
ELLIPSIS = re.compile(
    r"(?:(?<!\s)\s++)?(?:[\[(]\s{0,9}(?:…|\.{3,}|\. \. \.)\s{0,9}[\])]|…|(?<!\.)\.{3,}(?!\.)|\. \. \.)\s*"
)


@dataclass(frozen=True)
class Quote:
    """Words of a chunk: ``chunk.text[start:end]``."""

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
        """The sentences that contain the words."""
        begin, end = self._bounds()
        return self.chunk.text[begin:end]

    @property
    def before(self) -> str:
        """The preceding sentence in the chunk, may be empty."""
        begin, _ = self._bounds()
        starts = [start for start in _starts(self.chunk.text) if start < begin]
        return self.chunk.text[starts[-1] : begin] if starts else ""

    def _bounds(self) -> tuple[int, int]:
        starts = [*_starts(self.chunk.text), len(self.chunk.text)]
        begin = max((start for start in starts if start <= self.start), default=0)
        return begin, min((start for start in starts if start >= self.end), default=len(self.chunk.text))


def is_quoted(claim: str, quote: Quote) -> bool:
    """Return whether a claim stands word for word in a quote or its sentences."""
    said = " ".join(claim.split()).rstrip(".")
    return said in " ".join(visible(f"{quote.sentence} {quote.text}").split())


def find_quote(words: str, source: Source) -> Quote | None:
    """Return the literal position of words in a source's chunks, ignoring differences of typesetting.

    These are blanks, invisible characters, forms of quotation marks and dashes, and ligatures. A quote of fewer than
    three words is valid only if it is a whole chunk.
    """
    return next(iter(_find([words], source, least=SHORTEST_QUOTE)), None)


def find_quotes(words: str, source: Source) -> tuple[Quote, ...]:
    """Return the positions of a quote's parts between ellipses, in order in one chunk; empty if a part is missing.

    The position of a quoted relation is that of its sentences in the chunk.
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
    """Return the sentences of a chunk for a quoted relation; None for other quotes."""
    quoted = folded(words)[0].split()
    for path in source.hit.relations:
        if quoted == folded(path.text)[0].split():
            for chunk in chunks_of(source):
                if (place := path.place_in(chunk.text)) is not None:
                    return Quote(source, chunk, *place)
    return None


def _find(parts: list[str], source: Source, *, least: int) -> tuple[Quote, ...]:
    for chunk in chunks_of(source):
        if places := places_of_words(parts, chunk.text, least=least):
            return tuple(Quote(source, chunk, start, end) for start, end in places)
    return ()


def places_of_words(parts: Sequence[str], text: str, *, least: int = SHORTEST_QUOTE) -> list[tuple[int, int]]:
    """Return where the parts of a quote stand in a text, in order; empty if one is missing.

    Args:
        parts: The quote, or its parts between ellipses.
        text: The text, whose typesetting may differ: see :func:`find_quote`.
        least: Words of a part; fewer are found only if they are the whole text.
    """
    pieces = [folded(part)[0].split() for part in parts]
    if not all(pieces):
        return []
    seen, places = folded(text)
    found: list[tuple[int, int]] = []
    position = 0
    for words in pieces:
        match = re.compile(r"\s+".join(map(re.escape, words))).search(seen, position)
        if match is None or (n_words(" ".join(words)) < least and match[0] != seen.strip()):
            return []
        position = match.end()
        found.append((places[match.start()], places[match.end() - 1] + 1))
    return found


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


# Highlights of a passage: the words that the full-text index matches, and the sentence that says most of the query


TOKEN = re.compile(
    rf"[{FIRST_IDEOGRAPH}-\U0003ffff]"
    r"|\w++(?:['’.:·,;](?:(?<=[^\W\d_]['’.:·])(?=[^\W\d_])|(?<=\d[.,;'’])(?=\d))\w++)*+"
)
"""Tokens as Lucene's StandardTokenizer cuts them: words, with signs inside them, and each ideograph."""

POSSESSIVE = re.compile(r"['’]s\Z")
STEMMERS = {"brazilian": "portuguese"}
"""Snowball's stemmer of an analyzer whose name is another."""

SHORTEST_STEMMED = 3
"""Characters; Lucene leaves shorter words as they are."""


class HighlightKind(StrEnum):
    """Kind of a highlight: a word of the query, or the best sentence of the passage."""

    TERM = "term"
    BEST_SENTENCE = "best_sentence"


@dataclass(frozen=True)
class Highlight(Record):
    """Marked part of a passage; offsets count characters (code points) from 0."""

    start: Annotated[int, described("First character.")]
    end: Annotated[int, described("Character after the last one.")]
    kind: Annotated[
        HighlightKind, described("A word of the query, or the sentence of the passage that says most of the query.")
    ]


def highlights_of(
    passage: str, query: str, weights: Mapping[str, float] | None = None, *, analyzer: str = DEFAULT_ANALYZER
) -> list[Highlight]:
    """Return the highlights of a passage by position, a sentence before its words.

    Args:
        passage: The text.
        query: The query; question words are ignored, as in the full-text index.
        weights: Weight of each term, at least 0; the default is 1.
        analyzer: Analyzer of the full-text index.

    Returns:
        All occurrences of the query's terms, and the first sentence with the largest weight of distinct terms. Empty
        without terms in the passage.

    Source of the terms: Lucene's EnglishAnalyzer, whose stems are those of Porter 1980, An algorithm for suffix
    stripping, doi:10.1108/eb046814.
    """
    wanted = terms_of_query(query, analyzer)
    found = [(start, end, term) for start, end, term in index_terms(passage, analyzer) if term in wanted]
    if not found:
        return []
    starts = sorted({0, *sentence_starts(passage), len(passage)})
    weighed = weights or {}
    best, most = None, -1.0
    for first, last in pairwise(starts):
        said = {term for start, _, term in found if first <= start < last}
        weight = sum(weighed.get(term, 1.0) for term in said)
        if said and weight > most:
            best, most = (first, last), weight
    marked = [Highlight(start, end, HighlightKind.TERM) for start, end, _ in found]
    if best is not None:
        text = passage[best[0] : best[1]]
        start = best[0] + len(text) - len(text.lstrip())
        marked.append(Highlight(start, start + len(text.strip()), HighlightKind.BEST_SENTENCE))
    return sorted(marked, key=lambda one: (one.start, -one.end))


@lru_cache(maxsize=1024)
def terms_of_query(query: str, analyzer: str = DEFAULT_ANALYZER) -> frozenset[str]:
    """Return the terms that the full-text index is asked for a query."""
    return frozenset(term for word in query_words(query)[:MAX_WORDS] for _, _, term in index_terms(word, analyzer))


def index_terms(text: str, analyzer: str = DEFAULT_ANALYZER) -> Iterator[tuple[int, int, str]]:
    """Yield each term of a text that the full-text index holds, with its place; words that it leaves out are not."""
    for match in TOKEN.finditer(text):
        if (term := index_term(match[0], analyzer)) is not None:
            yield match.start(), match.end(), term


@lru_cache(maxsize=65_536)
def index_term(word: str, analyzer: str = DEFAULT_ANALYZER) -> str | None:
    """Return the term of a word as an analyzer has it, or None for one of its stop words.

    Those of ``english`` are the index's own. Of other languages they are Snowball's, which come near to Lucene's.
    """
    if analyzer == DEFAULT_ANALYZER:
        word, stop_words, stemmer = POSSESSIVE.sub("", word).lower(), STOP_WORDS, "porter"
    else:
        word, stop_words = word.lower(), function_words_of(LANGUAGES.get(analyzer, ""))
        stemmer = STEMMERS.get(analyzer, analyzer)
    if word in stop_words:
        return None
    return word if len(word) < SHORTEST_STEMMED else stem_by(stemmer, word)


class Highlighter:
    """Highlights of the passages of one query, with the weights that its words have in a collection."""

    def __init__(self, database: Database, query: str) -> None:
        self._database = database
        self._query = query
        self._weighed: dict[str, asyncio.Task[tuple[str, Mapping[str, float]]]] = {}

    def begin(self, collections: Collections) -> None:
        """Weigh the words in collections while their passages are still being searched."""
        for collection in collections:
            self._weighing(collection)

    async def highlights(self, passage: str, *, collection: str) -> list[Highlight]:
        """Return the highlights of a passage of a collection; the words are weighed once for all passages.

        Raises:
            DatabaseError: Neo4j failed.
        """
        analyzer, weights = await self._weighing(collection)
        return highlights_of(passage, self._query, weights, analyzer=analyzer)

    def _weighing(self, collection: str) -> "asyncio.Task[tuple[str, Mapping[str, float]]]":
        if (task := self._weighed.get(collection)) is None:
            task = self._weighed[collection] = asyncio.create_task(self._weigh(collection))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # a search may have failed before
        return task

    async def _weigh(self, collection: str) -> tuple[str, Mapping[str, float]]:
        analyzer, found = await asyncio.gather(
            analyzer_of(self._database), weigh(self._database, self._query, collections=(collection,))
        )
        words = {word: found.of.get(stem(word, found.language), 0.0) for word in asked_words(self._query)}
        terms = ((index_term(word, analyzer), weight) for word, weight in words.items())
        return analyzer, {term: weight for term, weight in terms if term is not None}
