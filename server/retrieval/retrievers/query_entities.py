"""Retrievers along the graph: what mentions the query's entities, is in its clusters, is cited or cites."""

import asyncio
from typing import Any

from neo4j import Record

import cypher
from papergraph.database import Database
from server.retrieval.active_model import ActiveModel, Searched
from server.retrieval.entity_linking import link_in
from server.retrieval.scope import Scope

N_SEEDS = 10
MOST_ENTITIES = 10
LEAST_COSINE = 0.64
"""Between the query and an entity that it does not name, ten at most. The thesis has .5 with all-MiniLM-L6-v2; as many
pairs of questions and names lie above .64 with the packaged model."""


async def entities_of_query(database: Database, model: ActiveModel, query: str, scope: Scope) -> list[str]:
    """Return ids of the entities that the query names, and of those near to its vector, ten at most."""

    async def near(searched: Searched, vector: list[float]) -> list[Record]:
        return await database.read(
            cypher.load("retrieval/entities_near", searched.slot),
            query_vector=vector,
            collections=scope.collections,
            model=searched.embedder.card.sha256,
            k=MOST_ENTITIES,
        )

    named, close = await asyncio.gather(
        link_in(database, scope.collections, query, k=MOST_ENTITIES), model.search(database, query, near)
    )
    ids = [one.entity_id for one in named]
    ids += [record["id"] for record in close if 2.0 * record["score"] - 1.0 > LEAST_COSINE]
    return list(dict.fromkeys(ids))[:MOST_ENTITIES]


def nearest_in_scope(searched: Searched, vector: list[float], scope: Scope, k: int) -> dict[str, Any]:
    return {
        "query_vector": vector,
        "model": searched.embedder.card.sha256,
        "paper_ids": scope.looked_in,
        "kinds": list(scope.kinds),
        "k": k,
    }
