"""Replay what follows a search from rankings that were found before: the order is that of a search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from evaluation.experiment.plan import Unit
from evaluation.experiment.questions import Question
from evaluation.experiment.rankings import Rankings, head_of
from server.retrieval.candidates import RankedCandidate, Ranking
from server.retrieval.pipelines import Pipeline
from server.retrieval.retrievers import retrievers
from server.retrieval.steps.base import Step
from server.retrieval.steps.expand import Expand, Expansion
from server.retrieval.steps.fuse import Fuse, FuseBy, collect, fuse, order_of, ranks_of, scaled
from server.retrieval.steps.search import Search
from server.retrieval.steps.select import Select, choose_by
from server.retrieval.steps.threshold import Threshold
from server.selection.backends import ExactBackend


def is_replayable(pipeline: Pipeline) -> bool:
    """Say whether a pipeline asks the store in its search alone.

    What is before may only cut the question; behind it come a fusion, thresholds and selections by the own solver.
    """
    steps = list(pipeline.steps)
    if steps and isinstance(steps[0], Expand) and steps[0].by is Expansion.PARTS:
        steps = steps[1:]
    if not steps or not isinstance(search := steps[0], Search):
        return False
    others = steps[1:]
    if not others or not isinstance(others[0], Fuse):
        return len(search.retrievers) == 1 and len(others) + 1 == len(pipeline.steps) and all(map(_follows, others))
    return all(map(_follows, others[1:]))


def _follows(step: Step) -> bool:
    return isinstance(step, Threshold) or (isinstance(step, Select) and step.backend == ExactBackend.name)


@dataclass(frozen=True)
class Recipe:
    """A replayable arm, taken apart once for all questions.

    Attributes:
        pipeline: As deep as it is compared.
        model: The embedding model, '' the store's own.
        head: What it asks the store, so that arms that ask the same share it.
        fuse: How rankings are fused; None of a single ranking.
        rest: What follows the fusion.
    """

    pipeline: Pipeline
    model: str
    head: str
    fuse: Fuse | None
    rest: tuple[Step, ...]

    @classmethod
    def of(cls, pipeline: Pipeline, model: str = "") -> Self:
        """Take a replayable pipeline apart."""
        head = head_of(pipeline)
        after = pipeline.steps[1 if head[0] is None else 2 :]
        fused = after[0] if after and isinstance(after[0], Fuse) else None
        return cls(pipeline, model, repr((model, head)), fused, after if fused is None else after[1:])


def replay(
    recipes: Sequence[Recipe],
    rankings: Mapping[str, Rankings],
    question: Question,
    *,
    unit: Unit,
    depth: int,
) -> list[list[str]]:
    """Return the first ``depth`` papers, or chunks, that each of the arms gives for a question.

    Args:
        recipes: The arms, all of one place.
        rankings: What was found there, by model.
        question: The question.
        unit: What is ranked.
        depth: How many count.
    """
    tables: dict[str, Table] = {}
    found = []
    for recipe in recipes:
        if recipe.head not in tables:
            of_model = rankings[recipe.model]
            tables[recipe.head] = Table(of_model.of(question, recipe.pipeline), of_model)
        table = tables[recipe.head]
        ids = table.ids(recipe)
        if question.left_out:
            ids = [id for id in ids if table.papers[id] not in question.left_out]
        found.append(ids[:depth] if unit is Unit.CHUNK else papers_in_order(ids, table.papers, depth=depth))
    return found


@dataclass
class Table:
    """The rankings of one question, as what follows of any kind needs them.

    Attributes:
        rankings: One for each query and retriever.
        kept: Where they were found, with vectors and lengths for selections.
        papers: Paper of each chunk, by the chunk's id.
    """

    rankings: Sequence[Ranking]
    kept: Rankings = field(default_factory=Rankings)
    papers: Mapping[str, str] = field(init=False)
    _ids: list[str] = field(init=False)
    _turn: NDArray[np.int64] = field(init=False)
    _scaled: dict[tuple[FuseBy, int], list[NDArray[np.float64]]] = field(init=False, default_factory=dict)
    _present: list[NDArray[np.bool_]] = field(init=False, default_factory=list)
    _fused: dict[str, list[RankedCandidate]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Give each chunk a number, in the order that decides between equal scores."""
        self.papers = {one.chunk_id: one.paper_id for ranking in self.rankings for one in ranking.candidates}
        self._ids = order_of(dict.fromkeys(self.papers, 0.0), ranks_of(self.rankings))
        self._turn = np.arange(len(self._ids))
        self._place = {id: number for number, id in enumerate(self._ids)}
        for ranking in self.rankings:
            present = np.zeros(len(self._ids), dtype=bool)
            present[[self._place[one.chunk_id] for one in ranking.candidates]] = True
            self._present.append(present)

    def ids(self, recipe: Recipe) -> list[str]:
        """Return the chunks that a replayable arm gives, best first."""
        step = recipe.fuse
        if not recipe.rest:
            return self.order(step)
        candidates = self._candidates(step)
        for one in recipe.rest:
            if isinstance(one, Threshold):
                candidates = [candidate for candidate in candidates if candidate.score > one.above]
            elif isinstance(one, Select):
                in_parts = step is not None and any(ranking.query for ranking in self.rankings)
                candidates, _ = choose_by(
                    ExactBackend(),
                    candidates,
                    one,
                    vectors=self.kept.vectors,
                    lengths=None if one.token_budget is None else self.kept.lengths,
                    of_parts=step if in_parts else None,
                )
        return [candidate.chunk_id for candidate in candidates]

    def order(self, step: Fuse | None) -> list[str]:
        """Return the chunks that a fusion gives, best first; of a single ranking its own order where there is none."""
        if step is None:
            return [one.chunk_id for one in self.rankings[0].candidates]
        if step.by is FuseBy.INTERLEAVE or len({ranking.query for ranking in self.rankings}) > 1:
            return [one.chunk_id for one in self._candidates(step)]
        scores = self._scores(step)
        best = np.lexsort((self._turn, -scores))[: step.k]
        return [self._ids[number] for number in best]

    def _candidates(self, step: Fuse | None) -> list[RankedCandidate]:
        key = repr(step)
        if key not in self._fused:
            if step is not None:
                self._fused[key] = fuse(self.rankings, step)
            else:
                scores = {one.chunk_id: one.score for one in self.rankings[0].candidates}
                self._fused[key] = collect(self.rankings, scores, list(scores))
        return self._fused[key]

    def _scores(self, step: Fuse) -> NDArray[np.float64]:
        weights = [step.weights.get(ranking.retriever, 1.0) for ranking in self.rankings]
        total = sum(weights) if step.by is not FuseBy.RRF else 1.0
        values = self._values(step)
        scores = np.zeros(len(self._ids))
        shares = [weight / total if total else 0.0 for weight in weights]
        for share, column in zip(shares, values, strict=True):
            scores += share * column
        for share, column, present, ranking in zip(shares, values, self._present, self.rankings, strict=True):
            if step.by is FuseBy.Z_SCORE or (step.by is FuseBy.MAXIMUM and retrievers()[ranking.retriever].is_cosine):
                lowest = share * float(column[present].min()) if present.any() else 0.0
                if lowest:
                    scores[~present] += lowest
        return scores

    def _values(self, step: Fuse) -> list[NDArray[np.float64]]:
        key = (step.by, step.constant)
        if key not in self._scaled:
            columns = []
            for ranking in self.rankings:
                column = np.zeros(len(self._ids))
                column[[self._place[one.chunk_id] for one in ranking.candidates]] = scaled(ranking, step)
                columns.append(column)
            self._scaled[key] = columns
        return self._scaled[key]


def papers_in_order(chunks: Sequence[str], paper_of: Mapping[str, str], *, depth: int) -> list[str]:
    """Return the papers of chunks, each at the place of its best one; at most ``depth``."""
    found: dict[str, None] = {}
    for chunk in chunks:
        found.setdefault(paper_of[chunk])
        if len(found) == depth:
            break
    return list(found)
