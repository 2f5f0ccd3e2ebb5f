"""The full-text retriever: chunks that match the query's words best."""

import cypher
from papergraph.database import Database
from server.retrieval.candidates import Candidate, RetrieverName
from server.retrieval.lucene import fulltext_query
from server.retrieval.retrievers.base import Context, Retriever
from server.retrieval.retrievers.overfetch import looks
from server.retrieval.scope import Scope


async def retrieve_by_fulltext(database: Database, query: str, scope: Scope, *, k: int) -> list[Candidate]:
    """Return the ``k`` chunks that match the query's words best, best first; none for a query of stop words only.

    Where a filter lets ``k`` matching chunks pass, ``k`` come back, and they are the best of these: the index cannot be
    narrowed to papers, so as many matches are looked through as it takes. Scores are BM25's over the whole index: above
    0, comparable within one query only.

    Raises:
        DatabaseError: Neo4j failed.

    Source: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, doi:10.1561/1500000019.
    """
    text = fulltext_query(query, collections=scope.collections, kinds=scope.kinds)
    if text is None or scope.is_empty:
        return []
    papers, chunks, passing = scope.papers, scope.chunks, scope.passing
    if papers is None and chunks is None:
        rows = await database.rows(cypher.gathered("retrieval/fulltext_top_k"), fulltext_query=text, k=k)
        return [Candidate(*row) for row in rows]
    if passing is None:
        counted = await database.read(cypher.load("papers/count_chunks"))
        counts = [max(1, counted[0]["n_chunks"])]
    else:
        counts = looks(k, passing.share(of_papers=False), passing.n_chunks)
    for n_looked in counts:
        rows = await database.rows(
            cypher.gathered("retrieval/fulltext_passing"),
            fulltext_query=text,
            n_looked=n_looked,
            paper_ids=[] if papers is None else list(papers.ids),
            all_but_papers=papers is None or papers.all_but,
            chunk_ids=[] if chunks is None else list(chunks.ids),
            all_but_chunks=chunks is None or chunks.all_but,
            k=k,
        )
        if len(rows) == k:
            break
    return [Candidate(*row) for row in rows]


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    return await retrieve_by_fulltext(on.database, query, scope, k=k)


RETRIEVER = Retriever(RetrieverName.FULLTEXT, 2, _retrieve)
