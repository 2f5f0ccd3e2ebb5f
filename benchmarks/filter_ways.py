"""Ways of a vector search with a filter, by the share of papers that pass: where does each become the fastest?

The ways are those of ``papergraph.server.retrieval.retrievers.vector``: the index over all chunks, of which others are
dropped afterwards; the index among the papers that pass; the comparison of each of their chunks. ``python -m
benchmarks.large`` measures them at each of its sizes.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.filters import IDS
from papergraph import cypher
from papergraph.database import Database
from papergraph.schema.embedding_models import State
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.filters import Ids, Passing
from papergraph.server.retrieval.retrievers.vector import looks, nearest_chunks
from papergraph.server.retrieval.scope import SEARCHED_KINDS, Scope
from papergraph.vector_slots import VectorSlot

SHARES = (0.5, 0.25, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
K, N_WARM_UP = 200, 3
MOST_COMPARED = 10_000
"""Chunks beyond which comparing each is not measured: it takes seconds."""
LONG_S = 300.0


async def measured(database: Database, model: ActiveModel, queries: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the median milliseconds of each way, and of the one that the retriever takes, by the share of papers."""
    ids = sorted(record["id"] for record in await database.read(IDS, deadline_s=LONG_S))
    (counted,) = await database.read(cypher.load("papers/count_chunks"), deadline_s=LONG_S)
    drawn = np.random.default_rng(0).permutation(ids).tolist()
    vectors = [await model.vector(query) for query in queries]
    figures: dict[str, dict[str, Any]] = {"1": {"index": await _median(vectors, _taken(database, model, None))}}
    for share in SHARES:
        papers = drawn[: max(1, round(share * len(drawn)))]
        passing = Passing(Ids(frozenset(papers)), n_papers=len(ids), n_chunks=counted["n_chunks"])
        scope = Scope.filtered((DEFAULT_COLLECTION,), passing)
        n_looked = looks(K, passing.share(of_papers=False), passing.n_chunks)[0]
        of = {
            "model": model.searched.embedder.card.sha256,
            "state": State.ACTIVE,
            "kinds": list(SEARCHED_KINDS),
            "paper_ids": papers,
            "k": K,
        }
        narrowed = of | {"collections": [DEFAULT_COLLECTION], "chunk_ids": [], "all_but_chunks": True}
        ways: dict[str, Callable[[list[float]], Awaitable[Any]]] = {
            "index, others dropped": _way(
                database, "retrieval/vector_passing", narrowed | {"all_but_papers": False, "n_looked": n_looked}
            ),
            "index among these papers": _way(database, "retrieval/vector_in_papers", narrowed | {"n_looked": K}),
        }
        if passing.n_chunks_of_papers <= MOST_COMPARED:
            ways["each compared"] = _way(database, "retrieval/vector_of_papers", of)
        ways["as searched"] = _taken(database, model, scope)
        figures[f"{share:g}"] = {name: await _median(vectors, way) for name, way in ways.items()}
        figures[f"{share:g}"]["chunks"] = round(passing.n_chunks_of_papers)
    return figures


def _way(database: Database, name: str, given: dict[str, Any]) -> Callable[[list[float]], Awaitable[Any]]:
    statement = cypher.gathered(name, VectorSlot.FIRST)
    return lambda vector: database.rows(statement, query_vector=vector, deadline_s=LONG_S, **given)


def _taken(database: Database, model: ActiveModel, scope: Scope | None) -> Callable[[list[float]], Awaitable[Any]]:
    sha256 = model.searched.embedder.card.sha256
    where = scope or Scope((DEFAULT_COLLECTION,))
    return lambda vector: nearest_chunks(
        database, where, VectorSlot.FIRST, vector, model=sha256, state=State.ACTIVE, k=K
    )


async def _median(vectors: Sequence[list[float]], way: Callable[[list[float]], Awaitable[Any]]) -> float:
    ms = []
    for vector in vectors:
        start = time.perf_counter()
        await way(vector)
        ms.append(1000 * (time.perf_counter() - start))
    return round(float(np.median(ms[N_WARM_UP:])), 1)
