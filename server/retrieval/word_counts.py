"""Numbers of chunks that have a word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from cachetools import LRUCache

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.lucene import fulltext_query
from papergraph.server.retrieval.scope import SEARCHED_KINDS, Collections

MOST_COUNTED = 10_000
"""Most chunks counted for a word; more frequent words have the same number."""
MOST_WORDS, MOST_SIZES = 20_000, 1000
"""Words, and sets of collections, whose numbers are kept."""


@dataclass(frozen=True)
class Counted:
    """Numbers of chunks in collections.

    Attributes:
        of: Chunks that have a word, by word.
        n_all: All chunks.
    """

    of: Mapping[str, int]
    n_all: int


class WordCounts:
    """Numbers of a store's chunks that have a word; the latest are kept while the store has as many chunks."""

    def __init__(self) -> None:
        self._words: LRUCache[tuple[Collections, str], dict[str, int]] = LRUCache(MOST_WORDS)
        self._sizes: LRUCache[tuple[Collections, int], int] = LRUCache(MOST_SIZES)

    async def count(self, database: Database, words: Sequence[str], collections: Collections) -> Counted:
        """Count the chunks of all collections together that have each of the words, at least one.

        Raises:
            IndexUnavailableError: The index that counts them is missing or being built.
            DatabaseError: Neo4j failed.
        """
        counted, n_in_store = await self._count(database, words, collections)
        return Counted(counted, await self._size(database, collections, n_in_store))

    async def found(self, database: Database, words: Sequence[str], collections: Collections) -> set[str]:
        """Return those of the words that a chunk of the collections has, or had when it was last counted.

        Raises:
            IndexUnavailableError: The index that counts them is missing or being built.
            DatabaseError: Neo4j failed.
        """
        new = [word for word in words if (collections, word) not in self._words]
        counted, _ = await self._count(database, new, collections) if new else ({}, 0)
        return {word for word in words if counted.get(word, 1)}

    def forget(self) -> None:
        """Clear what is kept."""
        self._words.clear()
        self._sizes.clear()

    async def _count(
        self, database: Database, words: Sequence[str], collections: Collections
    ) -> tuple[dict[str, int], int]:
        asked = []
        for word in words:
            query = fulltext_query(word, collections=collections, kinds=SEARCHED_KINDS)
            asked.append({"word": word, "fulltext_query": query, **self._words.get((collections, word), {})})
        records = await database.read(cypher.load("retrieval/chunks_with_words"), words=asked, n_most=MOST_COUNTED)
        counted = {record["word"]: record["n_chunks"] for record in records}
        n_in_store: int = records[0]["n_in_store"]
        for word, n in counted.items():
            if n:  # a word that is nowhere is looked for again
                self._words[collections, word] = {"n_chunks": n, "n_in_store": n_in_store}
        return counted, n_in_store

    async def _size(self, database: Database, collections: Collections, n_in_store: int) -> int:
        """Return the number of chunks of collections.

        Neo4j counts all chunks of a store at once, but those of a collection paper by paper. Zero is not kept, as the
        collection may be created later.
        """
        key = tuple(sorted(collections)), n_in_store
        if (kept := self._sizes.get(key)) is not None:
            return kept
        held = await database.read(cypher.load("graph/collections"), collections=collections)
        n: int = sum(record["n_chunks"] for record in held)
        if n > 0:
            self._sizes[key] = n
        return n


_of_stores: WeakKeyDictionary[Database, WordCounts] = WeakKeyDictionary()


def word_counts(database: Database) -> WordCounts:
    """Return the word counts of a store; all callers share them."""
    return _of_stores.setdefault(database, WordCounts())
