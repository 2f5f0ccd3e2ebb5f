"""The vector leg: chunks whose vectors are nearest to the query's."""

from typing import Any

from neo4j import Record

import cypher
from papergraph.database import Database
from server.retrieval.candidates import Candidate
from server.retrieval.followed import FollowedModel, Searched
from server.retrieval.scope import Scope


async def vector_leg(database: Database, model: FollowedModel, query: str, scope: Scope, *, k: int) -> list[Candidate]:
    """Return the ``k`` chunks nearest to the query's vector, best first; exactly if the papers are given.

    Scores are (1 + cosine) / 2, in [0, 1].

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.

    Source: Karpukhin et al. 2020, Dense Passage Retrieval, arXiv:2004.04906.
    """

    async def ask(searched: Searched, vector: list[float]) -> list[Record]:
        asked: dict[str, Any] = {
            "query_vector": vector,
            "model": searched.embedder.card.sha256,
            "state": searched.state,
            "kinds": list(scope.kinds),
            "k": k,
        }
        if scope.paper_ids is None:
            nearest = cypher.load("retrieval/vector_top_k", searched.slot)
            return await database.read(nearest, collection=scope.collection, **asked)
        nearest = cypher.load("retrieval/vector_of_papers", searched.slot)
        return await database.read(nearest, paper_ids=list(scope.paper_ids), **asked)

    return [Candidate(**record.data()) for record in await model.search(database, query, ask)]
