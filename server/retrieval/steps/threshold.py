"""The threshold step: candidates whose score is high enough."""

from collections.abc import Sequence
from typing import Literal

from server.retrieval.steps.base import Plan, State, Step, StepKind


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
        """Keep the candidates above it."""
        state.candidates = [one for one in state.candidates if one.score > self.above]
        return ()


STEP = StepKind(Threshold, order=7)
