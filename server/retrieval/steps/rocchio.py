"""The Rocchio step: the first candidates are ordered again by a query vector that is moved to the best of them."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from papergraph.embedding import Floats
from papergraph.server.retrieval.candidates import Candidate, Ranking, RetrieverName
from papergraph.server.retrieval.steps.base import Count, Plan, State, Step, StepKind
from papergraph.server.retrieval.steps.fuse import Fuse, fused_scores

QUESTION_MARKS = ("?", "？", "؟")


class Rocchio(Step):
    """Order the first ``n`` candidates again, by the query's vector plus ``weight`` times that of the first of them.

    The fusion before runs again with the cosines to this vector. Queries that end with a question mark stay as they
    are: they ask for one fact, from which other passages of the subject lead away.

    Source: Rocchio 1971, Relevance Feedback in Information Retrieval.
    """

    ranks: ClassVar[bool] = True

    step: Literal["rocchio"] = "rocchio"
    n: Annotated[int, Field(ge=2, le=500)] = 30
    weight: Annotated[float, Field(gt=0, le=2)] = 0.5
    k: Count | None = None

    @property
    def n_vectors(self) -> int:
        """Number of candidates that are ordered again."""
        return self.n

    def check(self, plan: Plan) -> None:
        """Refuse a place where no vectors were searched and fused."""
        plan.need_candidates()
        if not plan.fused or RetrieverName.VECTOR not in plan.retrievers:
            raise plan.refuse("it repeats a fusion with vectors: search them and fuse before it")

    async def run(self, state: State) -> Sequence[str]:
        """Fuse the first candidates again."""
        moving = {
            number for number, asked in enumerate(state.queries) if not asked.text.rstrip().endswith(QUESTION_MARKS)
        }
        first = state.candidates[: self.n]
        vectors: dict[str, Floats] = {}
        if moving and first:
            vectors = await state.vectors_of_first(self.n)
            if len(vectors) == len(first):
                await self._order(state, vectors, moving)
        state.candidates = state.candidates[: self.k]
        return ["left out: some passages have no vector"] if vectors and len(vectors) < len(first) else ()

    async def _order(self, state: State, vectors: Mapping[str, Floats], moving: Set[int]) -> None:
        """Order the candidates that have vectors again, for the queries ``moving``; the others follow."""
        if not isinstance(state.last_fuse, Fuse):
            raise AssertionError("unreachable: checked before the pipeline starts")
        rankings = [
            replace(one, candidates=tuple(found for found in one.candidates if found.chunk_id in vectors))
            for one in state.rankings
        ]
        for place, ranking in enumerate(rankings):
            if ranking.retriever is not RetrieverName.VECTOR or ranking.query not in moving:
                continue
            mine = [one for one in rankings if one.query == ranking.query]
            if best := next(iter(fused_scores(mine, state.last_fuse)), None):
                vector = await state.resources.model.vector(state.queries[ranking.query].text)
                moved = np.array(vector, dtype=np.float32) + self.weight * vectors[best]
                rankings[place] = replace(ranking, candidates=_nearest(mine, moved, vectors))
        before = {one.chunk_id: one for one in state.candidates}
        fused = {id: score for id, score in fused_scores(rankings, state.last_fuse).items() if id in before}
        lowest = min(fused.values(), default=np.inf)
        again = [replace(before[id], score=score) for id, score in fused.items()]
        rest = [
            one if one.score <= lowest else replace(one, score=lowest) for id, one in before.items() if id not in fused
        ]
        state.candidates = again + rest


def _nearest(rankings: Sequence[Ranking], query: Floats, vectors: Mapping[str, Floats]) -> tuple[Candidate, ...]:
    """Return all chunks of rankings by their cosine to a query vector of any length, as the vector retriever scores."""
    query = query / np.linalg.norm(query)
    found = {one.chunk_id: one for ranking in rankings for one in ranking.candidates}
    scored = (replace(one, score=float(1 + vectors[id] @ query) / 2) for id, one in found.items())
    return tuple(sorted(scored, key=lambda one: (-one.score, one.chunk_id)))


STEP = StepKind(Rocchio, order=4)
