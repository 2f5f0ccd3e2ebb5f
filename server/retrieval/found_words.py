"""Words of queries that are in chunks of collections."""

from collections.abc import Sequence

from cachetools import LRUCache

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.lucene import fulltext_query
from papergraph.server.retrieval.scope import Collections, Scope

MOST_KEPT = 20_000


class FoundWords:
    """Words that chunks of collections were found to have; the latest are kept, so that each is looked for once."""

    def __init__(self) -> None:
        self._kept: LRUCache[tuple[Collections, str], bool] = LRUCache(MOST_KEPT)

    async def found(self, database: Database, words: Sequence[str], scope: Scope) -> set[str]:
        """Return those of the words that a chunk of the collections has, or had when it was last looked for.

        Raises:
            DatabaseError: Neo4j failed.
        """
        new = [word for word in words if (scope.collections, word) not in self._kept]
        if new:
            queries = [fulltext_query(word, collections=scope.collections, kinds=scope.kinds) for word in new]
            rows = await database.rows(cypher.gathered("retrieval/words_found"), fulltext_queries=queries)
            self._kept.update({(scope.collections, new[place]): True for (place,) in rows})
        return {word for word in words if (scope.collections, word) in self._kept}
