"""Retriever of prototypes: questions behind the prototypes nearest to the query, and chunks that answer them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from neo4j import Record

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.schema.ids import check_collection
from papergraph.server.retrieval.active_model import ActiveModel, Searched
from papergraph.server.retrieval.candidates import Candidate, RetrieverName, Via
from papergraph.server.retrieval.retrievers.base import COSINE, Context, Retriever
from papergraph.server.retrieval.retrievers.vector import retrieve_by_vector
from papergraph.server.retrieval.scope import SEARCHED_KINDS, Collections, Scope

# Inverted question matching: a query to the nearest prototypes, to the nearest of their questions, to their chunks


NPROBE = 32
"""Prototypes that a query is compared behind; QuIM-RAG's one finds fewer (docs/enrichment.md#prototypes)."""
MAX_NPROBE = 1000
FURTHER = 8
"""Times as many prototypes and questions while there are too few chunks."""
MAX_K = 5000
MAX_QUERY_CHARS = 4000


@dataclass(frozen=True)
class QuestionHit:
    """A question near to a query.

    Attributes:
        question_id: Its id.
        question: Its text.
        paper_id: Id of its paper.
        chunk_ids: Chunks that answer it, in the order of the paper.
        spans_paper: True for a question about the whole paper.
        score: (1 + cosine) / 2, in [0, 1].
        answer: Its stored answer, or None.
    """

    question_id: str
    question: str
    paper_id: str
    chunk_ids: tuple[str, ...]
    spans_paper: bool
    score: float
    answer: str | None = None


async def questions_by_prototypes(
    database: Database,
    embedder: Embedder | ActiveModel,
    query: str,
    *,
    collections: Collections,
    k: int = 3,
    nprobe: int = NPROBE,
    paper_ids: Sequence[str] | None = None,
) -> list[QuestionHit]:
    """Return the ``k`` questions nearest to a query among those of the ``nprobe`` nearest prototypes, best first.

    Args:
        database: A store whose collections have prototypes of questions; else the result is empty.
        embedder: The model of the vectors in use.
        query: The query.
        collections: Collections to search.
        k: Most questions, 1 to 5000.
        nprobe: Prototypes that are probed, 1 to 1000.
        paper_ids: Papers of the questions, or None for all.

    Raises:
        InputError: An argument is out of range.
        DatabaseError: Neo4j failed.

    Source: Saha, Saha and Malik 2024, QuIM-RAG, doi:10.1109/ACCESS.2024.3513155, which probes one.
    """
    asked = _checked(query, collections, k=k, nprobe=nprobe)
    asked["paper_ids"] = None if paper_ids is None else list(paper_ids)

    async def ask(searched: Searched, vector: list[float]) -> Sequence[Record]:
        near = cypher.gathered("retrieval/questions_by_prototypes", searched.slot)
        return await database.read(near, query_vector=vector, model=searched.embedder.card.sha256, **asked)

    records = await _followed(embedder).search(database, query, ask)
    return [QuestionHit(**record.data() | {"chunk_ids": tuple(record["chunk_ids"])}) for record in records]


async def chunks_by_prototypes(
    database: Database,
    embedder: Embedder | ActiveModel,
    query: str,
    *,
    collections: Collections,
    k: int = 10,
    nprobe: int = NPROBE,
) -> list[Candidate]:
    """Return the ``k`` chunks nearest to a query among those of the ``nprobe`` nearest prototypes, best first.

    Arguments and errors are those of :func:`questions_by_prototypes`.
    """
    asked = _checked(query, collections, k=k, nprobe=nprobe) | {"kinds": list(SEARCHED_KINDS)}

    async def ask(searched: Searched, vector: list[float]) -> list[list[Any]]:
        near = cypher.gathered("retrieval/chunks_by_prototypes", searched.slot)
        return await database.rows(near, query_vector=vector, model=searched.embedder.card.sha256, **asked)

    return [Candidate(*row) for row in await _followed(embedder).search(database, query, ask)]


def _checked(query: str, collections: Collections, *, k: int, nprobe: int) -> dict[str, Any]:
    for collection in collections:
        check_collection(collection)
    if not 1 <= k <= MAX_K:
        raise InputError(f"k is {k}; it must be 1 to {MAX_K}.", field="k")
    if not 1 <= nprobe <= MAX_NPROBE:
        raise InputError(f"nprobe is {nprobe}; it must be 1 to {MAX_NPROBE}.", field="nprobe")
    if not query.strip() or len(query) > MAX_QUERY_CHARS:
        raise InputError(f"The query must have 1 to {MAX_QUERY_CHARS} characters.", field="query")
    return {"collections": collections, "k": k, "nprobe": nprobe}


def _followed(embedder: Embedder | ActiveModel) -> ActiveModel:
    return embedder if isinstance(embedder, ActiveModel) else ActiveModel(embedder)


async def retrieve_by_prototype(
    database: Database, model: ActiveModel, query: str, scope: Scope, *, k: int, nprobe: int
) -> list[Candidate]:
    """Return the chunks of the ``k`` questions nearest to the query behind the ``nprobe`` nearest prototypes.

    Questions behind further prototypes follow until there are ``k`` chunks. Scores are those of the questions:
    (1 + cosine) / 2. A question about a whole paper leads to the paper's chunk nearest to the query.

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.

    Source: Saha, Saha and Malik 2024, QuIM-RAG, doi:10.1109/ACCESS.2024.3513155.
    """
    found: dict[str, Candidate] = {}
    asked, n_hits = k, -1
    while True:
        hits = await questions_by_prototypes(
            database, model, query, collections=scope.collections, k=asked, nprobe=nprobe, paper_ids=scope.looked_in
        )
        await _add_chunks(found, hits, (database, model), query, scope, most=None if n_hits < 0 else k)
        if len(found) >= k or (nprobe == MAX_NPROBE and len(hits) in (n_hits, 0)) or asked == MAX_K:
            return list(found.values())
        nprobe, asked, n_hits = min(nprobe * FURTHER, MAX_NPROBE), min(asked * FURTHER, MAX_K), len(hits)


async def _add_chunks(
    found: dict[str, Candidate],
    hits: Sequence[QuestionHit],
    on: tuple[Database, ActiveModel],
    query: str,
    scope: Scope,
    *,
    most: int | None,
) -> None:
    """Add the chunks that answer questions, up to ``most`` in all; None for no limit."""
    database, model = on
    for hit in hits:
        if scope.papers is None or hit.paper_id in scope.papers:
            via = (Via("Question", hit.question_id, hit.question, hit.answer or ""),)
            chunk_ids = hit.chunk_ids or await _nearest_of(database, model, query, scope, hit.paper_id)
            for chunk_id in chunk_ids:
                if scope.passes(chunk_id, hit.paper_id) and (most is None or len(found) < most):
                    found.setdefault(chunk_id, Candidate(chunk_id, hit.paper_id, hit.score, via))


async def _nearest_of(
    database: Database, model: ActiveModel, query: str, scope: Scope, paper_id: str
) -> tuple[str, ...]:
    of_paper = replace(scope, paper_ids=(paper_id,))
    return tuple(one.chunk_id for one in await retrieve_by_vector(database, model, query, of_paper, k=1))


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    return await retrieve_by_prototype(on.database, on.model, query, scope, k=k, nprobe=on.nprobe)


RETRIEVER = Retriever(RetrieverName.PROTOTYPE, 4, _retrieve, score=COSINE, needs=("questions", "prototypes"))
