"""Retrievers by questions: those nearest to the query, and from them to the chunks that answer them."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from neo4j import Record

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.active_model import ActiveModel, Searched
from papergraph.server.retrieval.candidates import Candidate, RetrieverName, Via
from papergraph.server.retrieval.retrievers.base import COSINE, Context, Retriever
from papergraph.server.retrieval.retrievers.vector import LEAST_ASKED, first_passing
from papergraph.server.retrieval.scope import Scope

MOST_COMPARED = 20
"""Papers whose questions are compared one by one rather than by the index."""
MOST_QUESTIONS = 20_000
"""Questions that are looked through at most for chunks that pass a filter."""


async def retrieve_by_question(
    database: Database, model: ActiveModel, query: str, scope: Scope, *, k: int, answered: bool = False
) -> list[Candidate]:
    """Return the chunks of the ``k`` questions nearest to the query, best first; exactly if the papers are given.

    With ``answered`` questions without an answer, such as those made of single chunks, are passed over, unless there
    are no others.

    Scores are those of the questions: (1 + cosine) / 2, in [0, 1]. A question about a whole paper leads to the paper's
    chunk nearest to the query.

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.

    Source: Saha, Saha and Malik 2024, QuIM-RAG, doi:10.1109/ACCESS.2024.3513155.
    """
    paper_ids = scope.looked_in
    few = scope.paper_ids is not None or (paper_ids is not None and len(paper_ids) <= MOST_COMPARED)

    async def search(n: int, only_answered: bool = False) -> list[Candidate]:
        async def ask(searched: Searched, vector: list[float]) -> list[Record]:
            asked: dict[str, Any] = {
                "query_vector": vector,
                "model": searched.embedder.card.sha256,
                "state": searched.state,
                "kinds": list(scope.kinds),
                "answered": only_answered,
                "k": n,
            }
            if paper_ids is not None and few:
                nearest = cypher.gathered("retrieval/question_of_papers", searched.slot)
                return await database.read(nearest, paper_ids=paper_ids, **asked)
            if paper_ids is not None:
                nearest = cypher.gathered("retrieval/question_in_papers", searched.slot)
                return await database.read(nearest, collections=scope.collections, paper_ids=paper_ids, **asked)
            nearest = cypher.gathered("retrieval/question_top_k", searched.slot)
            return await database.read(nearest, collections=scope.collections, **asked)

        return [
            Candidate(
                record["chunk_id"],
                record["paper_id"],
                record["score"],
                (Via("Question", record["question_id"], record["question"], record["answer"] or ""),),
            )
            for record in await model.search(database, query, ask)
        ]

    chosen = partial(_with_answers, search) if answered else search
    if scope.passing is None:
        return await chosen(k)
    return await first_passing(scope, chosen, k=k, most=MOST_QUESTIONS)


async def _with_answers(search: Callable[[int, bool], Awaitable[list[Candidate]]], n: int) -> list[Candidate]:
    """Return the ``n`` nearest whose questions have an answer, by looking through more; all if none has one."""
    asked, found = n, await search(n, True)
    while len(found) < n and asked < MOST_QUESTIONS:
        asked, before = min(4 * asked, MOST_QUESTIONS), len(found)
        found = await search(asked, True)
        if before and len(found) == before:
            break
    return found[:n] or await search(n, False)


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    n, answered = max(k, LEAST_ASKED), on.answered
    return (await retrieve_by_question(on.database, on.model, query, scope, k=n, answered=answered))[:k]


RETRIEVER = Retriever(RetrieverName.QUESTION, 3, _retrieve, score=COSINE, needs=("questions",))
