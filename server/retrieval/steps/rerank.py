"""The rerank step: scores by a model that reads query and passage together."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from papergraph.errors import DeviceMemoryError, EmbeddingError, ModelServerError
from papergraph.server.retrieval.steps.base import Count, Plan, State, Step, StepKind
from papergraph.server.retrieval.steps.draft import read_texts

log = logging.getLogger(__name__)


class Rerank(Step):
    """A cross-encoder reads query and passage together: scores in [0, 1], the first ``n`` candidates, ``k`` stay.

    ``model`` is a name or path, by default that of ``PAPERGRAPH_RERANKER_MODEL``; with ``draft`` the query is read
    together with the temporary answer. An ``optional`` step keeps the order without a reranker, and for queries of
    several questions.
    """

    ranks: ClassVar[bool] = True

    step: Literal["rerank"] = "rerank"
    model: str | None = None
    draft: bool = False
    optional: bool = False
    n: Annotated[int, Field(ge=1, le=500)] = 100
    k: Count | None = None

    @property
    def rerankers(self) -> tuple[str | None, ...]:
        """The cross-encoder, if the step cannot do without."""
        return () if self.optional else (self.model,)

    def limited(self, k: int) -> Self:
        """Return the step with the limit ``k``; it reads at least as many candidates."""
        return self.changed(k=k, n=max(self.n, k))

    def leaving(self, n: int) -> Self:
        """Return the step with all candidates that it reads as its limit: it is slow, so it reads no more."""
        return self if self.k is None else self.changed(k=self.n)

    def check(self, plan: Plan) -> None:
        """Refuse a missing draft, and a limit above the number of candidates that it reads."""
        plan.need_candidates()
        if self.draft and not plan.drafted:
            raise plan.refuse("there is no draft to rerank against: draft before it")
        if self.k is not None and self.k > self.n:
            raise plan.refuse(f"k is {self.k} of n = {self.n} candidates")
        if not self.optional:
            plan.score = (0.0, 1.0)

    async def run(self, state: State) -> Sequence[str]:
        """Score the first candidates, and order them by these scores; of equal ones, the order stays.

        Where the server of a reranker fails, the memory of its GPU is too small, or an optional one cannot be loaded,
        their scores before, scaled to [0, 1], and a warning take its place.
        """
        if self.optional and not (self.model or state.resources.rerankers.ranks):
            return ["no reranker is configured"]
        if self.optional and len(state.queries) > 1:
            return ["several questions"]
        name = state.resources.rerankers.name(self.model, pipeline=state.pipeline)
        near = state.candidates[: self.n]
        texts = await read_texts(state.resources, [candidate.chunk_id for candidate in near])
        near = [candidate for candidate in near if candidate.chunk_id in texts]
        against = f"{state.query}\n{state.draft}" if self.draft and state.draft else state.query
        said = {id: path.text for path in reversed(state.relations) for id in path.holder_ids}
        passages = [
            "\n".join([*([said[one.chunk_id]] if one.chunk_id in said else []), texts[one.chunk_id][0]]) for one in near
        ]
        try:
            reranker = await state.resources.rerankers.get(name)
            scores = await asyncio.to_thread(reranker.scores, against, passages)
        except EmbeddingError as error:
            if not (self.optional or isinstance(error, ModelServerError | DeviceMemoryError)):
                raise
            log.warning("%s", error)
            failed = f"the server of the reranker {name} failed"
            if isinstance(error, DeviceMemoryError):
                failed = f"the GPU has too little memory for the reranker {name}"
            elif not isinstance(error, ModelServerError):
                failed = f"the reranker {name} cannot be loaded"
            state.warnings.append(f"step rerank was left out: {failed}")
            scores = scaled([candidate.score for candidate in near])
        scored = [replace(candidate, score=score) for candidate, score in zip(near, scores, strict=True)]
        state.candidates = sorted(scored, key=lambda one: -one.score)[: self.k]
        return [f"reranker: {name}"]


def scaled(scores: Sequence[float]) -> list[float]:
    """Return scores scaled to [0, 1], the best at 1."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


STEP = StepKind(Rerank, order=7)
