"""Retriever of vectors: chunks nearest to the query, exactly or by the index."""

import math
from collections.abc import Awaitable, Callable
from typing import Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.schema.embedding_models import State
from papergraph.server.retrieval.active_model import ActiveModel, Searched
from papergraph.server.retrieval.candidates import Candidate, RetrieverName
from papergraph.server.retrieval.retrievers.base import COSINE, Context, Retriever
from papergraph.server.retrieval.scope import Scope
from papergraph.vector_slots import VectorSlot

# Number of candidates to fetch when a filter is applied after the index


LEAST_ASKED = 200
"""Least number of neighbours requested from a vector index; with fewer it misses some of the nearest."""
GROWTH = 4
MARGIN = 1.5
"""Safety factor: matching chunks can cluster at lower ranks."""


def looks(k: int, share: float, n_all: int) -> list[int]:
    """Return how many to look through for ``k`` that pass: first what should do, then every one.

    Args:
        k: How many are wanted, at least 1.
        share: About which share passes, in (0, 1].
        n_all: How many there are to look through.
    """
    first = max(math.ceil(MARGIN * k / share), k)
    return [first, n_all] if first < n_all else [max(k, n_all)]


async def first_passing(
    scope: Scope,
    ask: Callable[[int], Awaitable[list[Candidate]]],
    *,
    k: int,
    most: int | None = None,
) -> list[Candidate]:
    """Return the first ``k`` candidates that pass; ask a retriever for more until there are as many or no more come.

    Args:
        scope: Where is looked.
        ask: The retriever: returns as many as it is asked for, best first, fewer where it has no more.
        k: How many are wanted.
        most: Where it is asked for something else than chunks, such as questions: how many it can be asked for.
    """
    n_all = k if scope.passing is None else most or max(k, scope.passing.n_chunks)
    asked = k
    while True:
        found = await ask(asked)
        let_in = [candidate for candidate in found if scope.passes(candidate.chunk_id, candidate.paper_id)]
        if len(let_in) >= k or (len(found) < asked and not most) or asked >= n_all:
            return let_in[:k]
        asked = min(n_all, GROWTH * asked)


# The vector retriever: chunks whose vectors are nearest to the query's


Row = list[Any]
"""``chunk_id``, ``paper_id`` and ``score``."""

MOST_COMPARED = 100
"""Chunks that are compared one by one rather than by the index; benchmarks/README.md#filters."""

LEAST_LOOKED_THROUGH = 0.25
"""Share of matches above which the index is searched deeper instead of being narrowed to papers."""


async def retrieve_by_vector(
    database: Database, model: ActiveModel, query: str, scope: Scope, *, k: int, first: int | None = None
) -> list[Candidate]:
    """Return the ``k`` chunks nearest to the query's vector, best first; exactly if the papers are given.

    ``first`` limits the number of returned chunks.

    Few matches of a filter are compared one by one. Otherwise the index is narrowed to papers or, with many matches,
    searched deeper; ``k`` chunks are returned if as many match. Scores are (1 + cosine) / 2, in [0, 1].

    Raises:
        EmbeddingError: The query cannot be embedded with the model of the vectors in use.
        DatabaseError: Neo4j failed.

    Source: Karpukhin et al. 2020, Dense Passage Retrieval, arXiv:2004.04906.
    """
    if scope.is_empty:
        return []

    async def ask(searched: Searched, vector: list[float]) -> list[Row]:
        model, state = searched.embedder.card.sha256, searched.state
        if first is not None and first < k and scope.papers is None and scope.chunks is None:
            asked: dict[str, Any] = {"query_vector": vector, "model": model, "state": state, "k": k}
            nearest = cypher.gathered("retrieval/vector_top_k", searched.slot).beginning
            return await database.rows(
                nearest, collections=scope.collections, kinds=list(scope.kinds), first_rows=first, **asked
            )
        return await nearest_chunks(database, scope, searched.slot, vector, model=model, state=state, k=k)

    return [Candidate(*row) for row in (await model.search(database, query, ask))[:first]]


async def nearest_chunks(
    database: Database,
    scope: Scope,
    slot: VectorSlot,
    vector: list[float],
    *,
    model: str,
    state: State,
    k: int,
) -> list[Row]:
    """Return ``chunk_id``, ``paper_id`` and ``score`` of the ``k`` chunks nearest to a vector, as the retriever does.

    Args:
        database: A prepared store.
        scope: Where to look; not empty.
        slot: The place where the vectors stand.
        vector: What they are compared with, shape (d,).
        model: sha-256 of the weights of their model; there is nothing to be found if they are of another one now.
        state: Whether they are in use.
        k: Number of chunks, at least 1.

    Raises:
        DatabaseError: Neo4j failed.
    """
    asked: dict[str, Any] = {"query_vector": vector, "model": model, "state": state, "kinds": list(scope.kinds), "k": k}
    papers, chunks, passing = scope.papers, scope.chunks, scope.passing
    if papers is None and chunks is None:
        nearest = cypher.gathered("retrieval/vector_top_k", slot)
        return await database.rows(nearest, collections=scope.collections, **asked)
    chunk_ids = [] if chunks is None else list(chunks.ids)
    if chunks is not None and not chunks.all_but and (len(chunk_ids) <= MOST_COMPARED or scope.paper_ids is not None):
        nearest = cypher.gathered("retrieval/vector_of_chunks", slot)
        found = await database.rows(nearest, chunk_ids=chunk_ids, **asked | {"k": len(chunk_ids)})
        return [row for row in found if scope.passes(row[0], row[1])][:k]
    paper_ids = [] if papers is None else list(papers.ids)
    if passing is None or scope.paper_ids is not None or _are_few(scope):
        nearest = cypher.gathered("retrieval/vector_of_papers", slot)
        found = await database.rows(nearest, paper_ids=paper_ids, **asked | {"k": k + len(chunk_ids)})
        return [row for row in found if scope.passes(row[0], row[1])][:k]
    asked |= {"collections": scope.collections, "paper_ids": paper_ids, "chunk_ids": chunk_ids}
    asked["all_but_chunks"] = chunks is None or chunks.all_but
    let_in = papers is not None and not papers.all_but
    rows: list[Row] = []
    if not let_in or passing.share(of_papers=False) >= LEAST_LOOKED_THROUGH:
        statement = cypher.gathered("retrieval/vector_passing", slot)
        asked_of_all = asked | {"all_but_papers": not let_in}
        counts = looks(k, passing.share(of_papers=False), passing.n_chunks)
        for n_looked in counts[:1] if let_in else counts:
            rows = await database.rows(statement, n_looked=n_looked, **asked_of_all)
            if len(rows) == k:
                return rows
    if let_in:
        statement = cypher.gathered("retrieval/vector_in_papers", slot)
        counts = [k] if chunks is None else looks(k, passing.share(of_papers=True), passing.n_chunks)
        for n_looked in counts:
            rows = await database.rows(statement, n_looked=n_looked, **asked)
            if len(rows) == k:
                break
    return rows


def _are_few(scope: Scope) -> bool:
    """Say whether a filter lets only papers in that have few chunks."""
    passing = scope.passing
    if passing is None or passing.papers is None or passing.papers.all_but:
        return False
    return scope.chunks is None and passing.n_chunks_of_papers <= MOST_COMPARED


async def _retrieve(on: Context, query: str, scope: Scope, k: int) -> list[Candidate]:
    return await retrieve_by_vector(on.database, on.model, query, scope, k=max(k, LEAST_ASKED), first=k)


RETRIEVER = Retriever(RetrieverName.VECTOR, 1, _retrieve, score=COSINE)
