"""Retriever of entities: chunks that mention the entities of a query."""

import asyncio
from collections.abc import Sequence
from typing import Any

from neo4j import Record

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.active_model import ActiveModel, Searched
from papergraph.server.retrieval.candidates import Candidate, RetrieverName, Via
from papergraph.server.retrieval.entity_linking import link_in
from papergraph.server.retrieval.retrievers.base import Context, Retriever
from papergraph.server.retrieval.retrievers.vector import first_passing
from papergraph.server.retrieval.scope import Scope

# Retrievers along the graph: what mentions the query's entities, is in its clusters, is cited or cites


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


async def retrieve_by_entity(
    database: Database, model: ActiveModel, query: str, scope: Scope, *, k: int
) -> list[Candidate]:
    """Return the ``k`` chunks that mention the entities which the query names, or which are near to it, best first.

    An entity counts 1 / (1 + ln n) where n chunks mention it; the sum and the chunk's (1 + cosine) / 2 are the score.

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.
    """
    ids = await entities_of_query(database, model, query, scope)
    return await chunks_of_entities(database, model, query, scope, ids, k=k) if ids else []


async def chunks_of_entities(
    database: Database, model: ActiveModel, query: str, scope: Scope, ids: Sequence[str], *, k: int
) -> list[Candidate]:
    """Return the ``k`` chunks that mention entities, best first; scores and errors of :func:`retrieve_by_entity`."""

    async def search(n: int) -> list[Candidate]:
        async def ask(searched: Searched, vector: list[float]) -> list[Record]:
            return await database.read(
                cypher.gathered("retrieval/chunks_of_entities", searched.slot),
                **nearest_in_scope(searched, vector, scope, n),
                entity_ids=list(ids),
                state=searched.state,
            )

        return [
            Candidate(
                record["chunk_id"],
                record["paper_id"],
                record["score"],
                tuple(Via("Entity", entity["id"], entity["name"]) for entity in record["entities"]),
            )
            for record in await model.search(database, query, ask)
        ]

    return await first_passing(scope, search, k=k)


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    return await retrieve_by_entity(on.database, on.model, query, scope, k=k)


RETRIEVER = Retriever(RetrieverName.ENTITY, 6, _retrieve, needs=("entities",))
