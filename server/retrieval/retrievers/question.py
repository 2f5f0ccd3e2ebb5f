"""Legs by questions: those nearest to the query, and from them to the chunks that answer them."""

from dataclasses import replace
from typing import Any

from neo4j import Record

import cypher
from papergraph.database import Database
from server.retrieval.candidates import Candidate, Via
from server.retrieval.followed import FollowedModel, Searched
from server.retrieval.legs.looking import first_passing
from server.retrieval.legs.vector import vector_leg
from server.retrieval.prototypes import questions_by_prototypes
from server.retrieval.scope import Scope

MOST_COMPARED = 20
"""Papers whose questions are compared one by one rather than by the index."""
MOST_QUESTIONS = 20_000
"""Questions that are looked through at most for chunks that pass a filter."""


async def question_leg(
    database: Database, model: FollowedModel, query: str, scope: Scope, *, k: int
) -> list[Candidate]:
    """Return the chunks of the ``k`` questions nearest to the query, best first; exactly if the papers are given.

    Scores are the questions': (1 + cosine) / 2, in [0, 1]. A question of a whole paper stands for the paper's chunk
    that is nearest to the query.

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.

    Source: Saha, Saha and Malik 2024, QuIM-RAG, doi:10.1109/ACCESS.2024.3513155.
    """
    paper_ids = scope.looked_in
    few = scope.paper_ids is not None or (paper_ids is not None and len(paper_ids) <= MOST_COMPARED)

    async def search(n: int) -> list[Candidate]:
        async def ask(searched: Searched, vector: list[float]) -> list[Record]:
            asked: dict[str, Any] = {
                "query_vector": vector,
                "model": searched.embedder.card.sha256,
                "state": searched.state,
                "kinds": list(scope.kinds),
                "k": n,
            }
            if paper_ids is not None and few:
                nearest = cypher.gathered("retrieval/question_of_papers", searched.slot)
                return await database.read(nearest, paper_ids=paper_ids, **asked)
            if paper_ids is not None:
                nearest = cypher.gathered("retrieval/question_in_papers", searched.slot)
                return await database.read(nearest, collection=scope.collection, paper_ids=paper_ids, **asked)
            nearest = cypher.gathered("retrieval/question_top_k", searched.slot)
            return await database.read(nearest, collection=scope.collection, **asked)

        return [
            Candidate(
                record["chunk_id"],
                record["paper_id"],
                record["score"],
                (Via("Question", record["question_id"], record["question"]),),
            )
            for record in await model.search(database, query, ask)
        ]

    if scope.passing is None:
        return await search(k)
    return await first_passing(scope, search, k=k, most=MOST_QUESTIONS)


async def prototype_leg(
    database: Database, model: FollowedModel, query: str, scope: Scope, *, k: int, nprobe: int
) -> list[Candidate]:
    """Return the chunks of the ``k`` questions nearest to the query behind the ``nprobe`` nearest prototypes.

    Scores are the questions': (1 + cosine) / 2. A question of a whole paper stands for the paper's chunk that is
    nearest to the query.

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.

    Source: Saha, Saha and Malik 2024, QuIM-RAG, doi:10.1109/ACCESS.2024.3513155.
    """
    found: dict[str, Candidate] = {}
    hits = await questions_by_prototypes(
        database, model, query, collection=scope.collection, k=k, nprobe=nprobe, paper_ids=scope.looked_in
    )
    for hit in hits:
        if scope.papers is None or hit.paper_id in scope.papers:
            via = (Via("Question", hit.question_id, hit.question),)
            chunk_ids = hit.chunk_ids or await _nearest_of(database, model, query, scope, hit.paper_id)
            for chunk_id in chunk_ids:
                if scope.passes(chunk_id, hit.paper_id):
                    found.setdefault(chunk_id, Candidate(chunk_id, hit.paper_id, hit.score, via))
    return list(found.values())


async def _nearest_of(
    database: Database, model: FollowedModel, query: str, scope: Scope, paper_id: str
) -> tuple[str, ...]:
    of_paper = replace(scope, paper_ids=(paper_id,))
    return tuple(one.chunk_id for one in await vector_leg(database, model, query, of_paper, k=1))
