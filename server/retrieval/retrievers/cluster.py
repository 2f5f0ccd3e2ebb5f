"""Retriever ``cluster``: chunks in the clusters nearest to the query."""

from neo4j import Record

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.active_model import ActiveModel, Searched
from papergraph.server.retrieval.candidates import Candidate, RetrieverName, Via
from papergraph.server.retrieval.retrievers.base import COSINE, Context, Retriever
from papergraph.server.retrieval.retrievers.entity import nearest_in_scope
from papergraph.server.retrieval.retrievers.vector import first_passing
from papergraph.server.retrieval.scope import Scope

N_CLUSTERS = 3


async def retrieve_by_cluster(
    database: Database, model: ActiveModel, query: str, scope: Scope, *, k: int
) -> list[Candidate]:
    """Return the ``k`` chunks nearest to the query in the three clusters nearest to it: topics, groups of papers.

    Scores are (1 + cosine) / 2, in [0, 1].

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.
    """

    async def search(n: int) -> list[Candidate]:
        async def ask(searched: Searched, vector: list[float]) -> list[Record]:
            return await database.read(
                cypher.gathered("retrieval/chunks_of_clusters", searched.slot),
                **nearest_in_scope(searched, vector, scope, n),
                collections=scope.collections,
                n_clusters=N_CLUSTERS,
            )

        return [
            Candidate(
                record["chunk_id"],
                record["paper_id"],
                record["score"],
                (Via("Cluster", record["cluster_id"], record["cluster"]),),
            )
            for record in await model.search(database, query, ask)
        ]

    return await first_passing(scope, search, k=k)


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    return await retrieve_by_cluster(on.database, on.model, query, scope, k=k)


RETRIEVER = Retriever(RetrieverName.CLUSTER, 7, _retrieve, score=COSINE, needs=("clusters",))
