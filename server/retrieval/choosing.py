"""The selection step: candidates to k passages, as a QUBO over their vectors, with a certificate."""

import asyncio
from collections.abc import Sequence

import numpy as np

import cypher
from server.retrieval.candidates import Scored
from server.retrieval.resources import Resources
from server.retrieval.steps import Select
from server.selection.backends import OwnBackend, backend, select_with
from server.selection.problem import Problem
from server.selection.result import Selection
from server.selection.solver import select


async def choose(
    resources: Resources, candidates: Sequence[Scored], step: Select
) -> tuple[list[Scored], Selection | None]:
    """Return the chosen candidates, best first, and the certificate; None where there are no candidates.

    Relevance is the candidates' score, scaled to [0, 1] over all that are given; similarity is the cosine of their
    vectors, which are read anew each time, so that they are never out of date.

    Raises:
        SelectionError: The back end cannot solve it.
        DatabaseError: Neo4j failed.
    """
    searched = resources.model.searched
    near = candidates[: step.n]
    records = await resources.database.read(
        cypher.load("retrieval/chunk_vectors", searched.slot),
        chunk_ids=[candidate.chunk_id for candidate in near],
        model=searched.embedder.card.sha256,
        state=searched.state,
    )
    vectors = {record["chunk_id"]: record["vector"] for record in records}
    given = [candidate for candidate in near if candidate.chunk_id in vectors]
    without = [candidate for candidate in near if candidate.chunk_id not in vectors]  # parents have no vectors
    k = min(step.k, len(given))
    if not k:
        return list(near[: step.k]), None
    scores = np.array([candidate.score for candidate in given])
    spread = float(np.ptp(scores))
    problem = Problem.from_vectors(
        np.array([vectors[candidate.chunk_id] for candidate in given], dtype=np.float32),
        (scores - scores.min()) / spread if spread > 0.0 else np.ones(len(given)),
        k=k,
        alpha=step.alpha,
        form=step.form,
        ids=[candidate.chunk_id for candidate in given],
    )
    solver = backend(step.backend)
    if isinstance(solver, OwnBackend):
        found = await asyncio.to_thread(select, problem, deadline_ms=step.deadline_ms, seed=step.seed)
    else:
        found = await asyncio.to_thread(select_with, solver, problem, deadline_ms=step.deadline_ms, seed=step.seed)
    chosen = set(found.ids)
    kept = [candidate for candidate in given if candidate.chunk_id in chosen]
    return kept + without[: step.k - len(kept)], found
