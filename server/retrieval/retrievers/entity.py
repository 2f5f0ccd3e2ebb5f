"""The retriever of entities: what mentions the entities of the query."""

from collections.abc import Sequence

from neo4j import Record

import cypher
from papergraph.database import Database
from server.retrieval.active_model import ActiveModel, Searched
from server.retrieval.candidates import Candidate, RetrieverName, Via
from server.retrieval.retrievers.base import Context, Retriever
from server.retrieval.retrievers.overfetch import first_passing
from server.retrieval.retrievers.query_entities import entities_of_query, nearest_in_scope
from server.retrieval.scope import Scope


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
