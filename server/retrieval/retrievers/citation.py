"""The retriever along citations: what the nearest papers cite, and what cites them."""

from neo4j import Record

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.active_model import ActiveModel, Searched
from papergraph.server.retrieval.candidates import Candidate, RetrieverName, Via
from papergraph.server.retrieval.retrievers.base import COSINE, Context, Retriever
from papergraph.server.retrieval.retrievers.entity import N_SEEDS, nearest_in_scope
from papergraph.server.retrieval.retrievers.vector import first_passing
from papergraph.server.retrieval.scope import Scope


async def retrieve_by_citation(
    database: Database, model: ActiveModel, query: str, scope: Scope, *, k: int
) -> list[Candidate]:
    """Return the ``k`` chunks nearest to the query in papers that cite, or are cited by, those of the nearest chunks.

    Scores are (1 + cosine) / 2, in [0, 1].

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.
    """

    async def search(n: int) -> list[Candidate]:
        async def ask(searched: Searched, vector: list[float]) -> list[Record]:
            return await database.read(
                cypher.gathered("retrieval/chunks_of_citations", searched.slot),
                **nearest_in_scope(searched, vector, scope, n),
                collections=scope.collections,
                n_seeds=N_SEEDS,
                state=searched.state,
            )

        return [
            Candidate(
                record["chunk_id"],
                record["paper_id"],
                record["score"],
                (Via("Paper", record["from_id"], record["from_title"]),),
            )
            for record in await model.search(database, query, ask)
        ]

    return await first_passing(scope, search, k=k)


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    return await retrieve_by_citation(on.database, on.model, query, scope, k=k)


RETRIEVER = Retriever(RetrieverName.CITATION, 8, _retrieve, score=COSINE)
