"""The threshold step: candidates whose score is high enough."""

from collections.abc import Sequence
from typing import Literal

from papergraph.server.retrieval.candidates import RetrieverName
from papergraph.server.retrieval.retrievers import retrievers
from papergraph.server.retrieval.steps.base import Plan, State, Step, StepKind
from papergraph.server.retrieval.steps.fuse import Fuse
from papergraph.server.retrieval.steps.rerank import Rerank
from papergraph.server.retrieval.steps.search import Search


class Threshold(Step):
    """Keep the candidates whose score is greater than ``above``, which must lie in the range of that score."""

    step: Literal["threshold"] = "threshold"
    above: float

    def check(self, plan: Plan) -> None:
        """Refuse a threshold that no score, or every score, is above."""
        plan.need_candidates()
        low, high = plan.score
        if not low <= self.above < high:
            raise plan.refuse(f"scores there lie in [{low:g}, {high:g}], so nothing is compared with {self.above:g}")

    async def run(self, state: State) -> Sequence[str]:
        """Keep the candidates above it; all of them where another retriever searched, whose scores it is not for."""
        if (stand_in := _stand_in(state)) is not None:
            state.warnings.append(f"step {state.number}, threshold, was left out: it is not for scores of {stand_in}")
            return ()
        kept = [one for one in state.candidates if one.score > self.above]
        if state.candidates and not kept:
            state.below = state.candidates
            state.warnings.append(
                f"step {state.number}, threshold, left out all {len(state.candidates)} passages: "
                f"the best has {state.candidates[0].score:.3g}, and more than {self.above:g} is asked for"
            )
        state.candidates = kept
        return ()


def _stand_in(state: State) -> RetrieverName | None:
    """Return the retriever whose scores the candidates have, if their range is not that of the retriever asked for."""
    before = reversed(state.steps[: state.number - 1])
    scored_by = next((step for step in before if isinstance(step, Search | Fuse | Rerank)), None)
    if not isinstance(scored_by, Search) or not state.rankings:
        return None
    asked, found = scored_by.retrievers[0], state.rankings[0].retriever
    return found if retrievers()[found].score != retrievers()[asked].score else None


STEP = StepKind(Threshold, order=8)
