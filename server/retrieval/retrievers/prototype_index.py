"""Inverted question matching: a query to the nearest prototypes, to the nearest of their questions, to their chunks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neo4j import Record

import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from schema.ids import check_collection
from server.retrieval.active_model import ActiveModel, Searched
from server.retrieval.candidates import Candidate
from server.retrieval.scope import SEARCHED_KINDS, Collections

NPROBE = 32
"""Prototypes that a query is compared behind; QuIM-RAG's one finds fewer (benchmarks/README.md#prototypes)."""
MAX_NPROBE = 1000
MAX_K = 5000
MAX_QUERY_CHARS = 4000


@dataclass(frozen=True)
class QuestionHit:
    """A question near to a query.

    Attributes:
        question_id: Its id.
        question: Its text.
        paper_id: Of its paper.
        chunk_ids: Chunks that answer it, in the order of the paper.
        spans_paper: Whether the paper as a whole answers it.
        score: (1 + cosine) / 2, in [0, 1].
        answer: The answer that was made with it, None without one.
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
        database: A store whose collections have prototypes of questions; without them nothing is found.
        embedder: The model of the vectors in use.
        query: What is asked.
        collections: Where to look.
        k: How many, 1 to 5000.
        nprobe: Prototypes that are probed, 1 to 1000.
        paper_ids: Papers whose questions are looked at, or None for all.

    Raises:
        InputError: An argument is out of its range.
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
