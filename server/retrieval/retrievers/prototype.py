"""The retriever of prototypes: questions behind the prototypes nearest to the query, and chunks that answer them."""

from dataclasses import replace

from papergraph.database import Database
from server.retrieval.active_model import ActiveModel
from server.retrieval.candidates import Candidate, RetrieverName, Via
from server.retrieval.retrievers.base import COSINE, Context, Retriever
from server.retrieval.retrievers.prototype_index import questions_by_prototypes
from server.retrieval.retrievers.vector import retrieve_by_vector
from server.retrieval.scope import Scope


async def retrieve_by_prototype(
    database: Database, model: ActiveModel, query: str, scope: Scope, *, k: int, nprobe: int
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
        database, model, query, collections=scope.collections, k=k, nprobe=nprobe, paper_ids=scope.looked_in
    )
    for hit in hits:
        if scope.papers is None or hit.paper_id in scope.papers:
            via = (Via("Question", hit.question_id, hit.question, hit.answer or ""),)
            chunk_ids = hit.chunk_ids or await _nearest_of(database, model, query, scope, hit.paper_id)
            for chunk_id in chunk_ids:
                if scope.passes(chunk_id, hit.paper_id):
                    found.setdefault(chunk_id, Candidate(chunk_id, hit.paper_id, hit.score, via))
    return list(found.values())


async def _nearest_of(
    database: Database, model: ActiveModel, query: str, scope: Scope, paper_id: str
) -> tuple[str, ...]:
    of_paper = replace(scope, paper_ids=(paper_id,))
    return tuple(one.chunk_id for one in await retrieve_by_vector(database, model, query, of_paper, k=1))


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    return await retrieve_by_prototype(on.database, on.model, query, scope, k=k, nprobe=on.nprobe)


RETRIEVER = Retriever(RetrieverName.PROTOTYPE, 4, _retrieve, score=COSINE, needs=("questions", "prototypes"))
