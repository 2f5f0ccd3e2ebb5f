"""The full-text retriever: chunks that match the query's words best."""

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.candidates import Candidate, RetrieverName
from papergraph.server.retrieval.lucene import MOST_PAPERS, fulltext_query
from papergraph.server.retrieval.retrievers.base import Context, Retriever
from papergraph.server.retrieval.retrievers.vector import looks
from papergraph.server.retrieval.scope import Scope


async def retrieve_by_fulltext(database: Database, query: str, scope: Scope, *, k: int) -> list[Candidate]:
    """Return the ``k`` chunks that match the query's words best, best first; none for a query of stop words only.

    Where a filter lets ``k`` matching chunks pass, ``k`` come back, and they are the best of these. The index is
    narrowed to the papers where they are few; else as many matches are looked through as it takes. Scores are BM25's
    over the whole index: above 0, comparable within one query only.

    Raises:
        DatabaseError: Neo4j failed.

    Source: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, doi:10.1561/1500000019.
    """
    papers, chunks, passing = scope.papers, scope.chunks, scope.passing
    named = _named_papers(scope, k)
    text = fulltext_query(query, collections=scope.collections, kinds=scope.kinds, paper_ids=named)
    if text is None or scope.is_empty:
        return []
    if papers is None and chunks is None:
        rows = await database.rows(cypher.gathered("retrieval/fulltext_top_k"), fulltext_query=text, k=k)
        return [Candidate(*row) for row in rows]
    if named:
        counts = [k] if passing is None or chunks is None else looks(k, passing.share(of_papers=True), passing.n_chunks)
    elif passing is None:
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


def _named_papers(scope: Scope, k: int) -> list[str]:
    """Return the papers to name in the query; empty to check them after the search.

    They are named if they are few enough for a query, and have at most as many chunks as the search would examine
    otherwise: it then scores each match in these papers.
    """
    papers, passing = scope.looked_in, scope.passing
    if papers is None or len(papers) > MOST_PAPERS:
        return []
    if passing is None or passing.n_chunks_of_papers <= looks(k, passing.share(of_papers=False), passing.n_chunks)[0]:
        return papers
    return []


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    return await retrieve_by_fulltext(on.database, query, scope, k=k)


RETRIEVER = Retriever(RetrieverName.FULLTEXT, 2, _retrieve)
