"""The full-text retriever: chunks that match the query's words best."""

import math

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.candidates import Candidate, RetrieverName
from papergraph.server.retrieval.lucene import MOST_PAPERS, STOP_WORDS, fulltext_query, query_words
from papergraph.server.retrieval.retrievers.base import Context, Retriever
from papergraph.server.retrieval.retrievers.vector import looks
from papergraph.server.retrieval.scope import Scope

LEAST_ASKED = 100
"""Least number of matches requested: beside terms of weight 0, Lucene takes longer for the best 10 than for 100."""
SHARE_OF_BEST = 0.62
"""Typical share of the highest possible score that the best chunk reaches."""
SCORE_OF_A_WORD = 5.0
"""Typical inverse document frequency of a query's words, among thousands of chunks."""


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
        best = cypher.gathered("retrieval/fulltext_top_k").beginning
        rows = await database.rows(best, fulltext_query=text, k=max(k, LEAST_ASKED), first_rows=k)
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


def perfect_score(query: str, best: float) -> float:
    """Estimate the BM25 score of a chunk with all words of a query, often.

    The bound is the sum of the words' inverse document frequencies, which Neo4j does not give. The geometric mean of
    two estimates stands for it: of the best chunk, which has most of it, and of the number of words, each at a typical
    frequency. Over five sets it correlates with the bound by .51 to .95; docs/design/retrieval.md#the-default-pipeline
    has the effect.

    Args:
        query: The query.
        best: Score of the best chunk, at least 0.
    """
    n_words = sum(word not in STOP_WORDS for word in query_words(query))
    return math.sqrt(best / SHARE_OF_BEST * max(1, n_words) * SCORE_OF_A_WORD)


RETRIEVER = Retriever(RetrieverName.FULLTEXT, 2, _retrieve, perfect=perfect_score)
