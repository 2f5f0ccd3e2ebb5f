"""The full-text leg: chunks that match the query's words best."""

import cypher
from papergraph.database import Database
from server.retrieval.candidates import Candidate
from server.retrieval.lucene import fulltext_query
from server.retrieval.scope import Scope


async def fulltext_leg(database: Database, query: str, scope: Scope, *, k: int) -> list[Candidate]:
    """Return the ``k`` chunks that match the query's words best, best first; none for a query without a word.

    Scores are BM25's: at least 0, comparable within one query only.

    Raises:
        DatabaseError: Neo4j failed.

    Source: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, doi:10.1561/1500000019.
    """
    text = fulltext_query(query, collection=scope.collection, kinds=scope.kinds)
    if text is None:
        return []
    if scope.paper_ids is None:
        records = await database.read(cypher.load("retrieval/fulltext_top_k"), fulltext_query=text, k=k)
    else:
        counted = await database.read(cypher.load("papers/count_chunks"))
        records = await database.read(
            cypher.load("retrieval/fulltext_of_papers"),
            fulltext_query=text,
            n_chunks=max(1, counted[0]["n_chunks"]),
            paper_ids=list(scope.paper_ids),
            k=k,
        )
    return [Candidate(**record.data()) for record in records]
