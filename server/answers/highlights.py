"""Highlights of a passage: the words that the full-text index matches, and the sentence that says most of the query."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Annotated

from papergraph.database import Database
from papergraph.records import Record, described
from papergraph.text.language import function_words_of
from papergraph.text.sentences import sentence_starts
from papergraph.text.stems import stem_by
from schema.fulltext import LANGUAGES
from schema.migrate import analyzer_of
from schema.model import DEFAULT_ANALYZER
from server.answers.term_weights import asked_words, stem, weigh
from server.retrieval.lucene import FIRST_IDEOGRAPH, MAX_WORDS, STOP_WORDS, query_words

TOKEN = re.compile(
    rf"[{FIRST_IDEOGRAPH}-\U0003ffff]"
    r"|\w+(?:(?:(?<=[^\W\d_])['’.:·](?=[^\W\d_])|(?<=\d)[.,;'’](?=\d))\w+)*"
)
"""Tokens as Lucene's StandardTokenizer cuts them: words, with signs inside them, and each ideograph."""

POSSESSIVE = re.compile(r"['’]s\Z")
STEMMERS = {"brazilian": "portuguese"}
"""Snowball's stemmer of an analyzer whose name is another."""

SHORTEST_STEMMED = 3
"""Characters; Lucene leaves shorter words as they are."""


class HighlightKind(StrEnum):
    """What a highlight marks: a word of the query, or the sentence of the passage that says most of the query."""

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
    """Return the highlights of a passage in the order of their places, a sentence before its words.

    Args:
        passage: The text.
        query: What was looked for; its words without question words count, as for the full-text index.
        weights: Weight of each term, at least 0; a term without one weighs 1.
        analyzer: That of the full-text index.

    Returns:
        Each place where a term of the query stands, and the sentence whose different terms weigh most together; the
        first of equals. Nothing where no term stands in the passage.

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
        self._analyzer: asyncio.Task[str] | None = None
        self._weighed: dict[str, asyncio.Task[Mapping[str, float]]] = {}

    async def highlights(self, passage: str, *, collection: str) -> list[Highlight]:
        """Return the highlights of a passage of a collection; the words are weighed once for all passages.

        Raises:
            DatabaseError: Neo4j failed.
        """
        if collection not in self._weighed:
            self._weighed[collection] = asyncio.create_task(self._weigh(collection))
        weights = await self._weighed[collection]
        return highlights_of(passage, self._query, weights, analyzer=await self._store_analyzer())

    async def _weigh(self, collection: str) -> Mapping[str, float]:
        analyzer, found = await asyncio.gather(
            self._store_analyzer(), weigh(self._database, self._query, collections=(collection,))
        )
        words = {word: found.of.get(stem(word, found.language), 0.0) for word in asked_words(self._query)}
        return {term: weight for word, weight in words.items() if (term := index_term(word, analyzer)) is not None}

    async def _store_analyzer(self) -> str:
        if self._analyzer is None:
            self._analyzer = asyncio.create_task(analyzer_of(self._database))
        return await self._analyzer
