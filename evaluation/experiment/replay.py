"""Replay fusion of rankings that were found before, in numpy: the order is that of a search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from server.retrieval.candidates import Ranking
from server.retrieval.pipelines import Pipeline
from server.retrieval.retrievers import retrievers
from server.retrieval.steps.expand import Expand, Expansion
from server.retrieval.steps.fuse import Fuse, FuseBy, fuse, order_of, ranks_of, scaled
from server.retrieval.steps.search import Search


def is_replayable(pipeline: Pipeline) -> bool:
    """Say whether a pipeline is a search of some retrievers and a fusion; what is before may only cut the question."""
    steps = pipeline.steps
    if steps and isinstance(steps[0], Expand) and steps[0].by is Expansion.PARTS:
        steps = steps[1:]
    if not steps or not isinstance(steps[0], Search):
        return False
    if len(steps) == 1:
        return len(steps[0].retrievers) == 1 and len(pipeline.steps) == 1
    return len(steps) == 2 and isinstance(steps[1], Fuse)


@dataclass
class Table:
    """The rankings of one question, as a fusion of any kind needs them.

    Attributes:
        rankings: One for each query and retriever.
        papers: Paper of each chunk, by the chunk's id.
    """

    rankings: Sequence[Ranking]
    papers: Mapping[str, str] = field(init=False)
    _ids: list[str] = field(init=False)
    _turn: NDArray[np.int64] = field(init=False)
    _scaled: dict[tuple[FuseBy, int], list[NDArray[np.float64]]] = field(init=False, default_factory=dict)
    _present: list[NDArray[np.bool_]] = field(init=False, default_factory=list)

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

    def order(self, step: Fuse | None) -> list[str]:
        """Return the chunks that a fusion gives, best first; of a single ranking its own order where there is none."""
        if step is None:
            return [one.chunk_id for one in self.rankings[0].candidates]
        if len({ranking.query for ranking in self.rankings}) > 1:
            return [one.chunk_id for one in fuse(self.rankings, step)]
        scores = self._scores(step)
        best = np.lexsort((self._turn, -scores))[: step.k]
        return [self._ids[number] for number in best]

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
