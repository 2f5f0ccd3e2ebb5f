"""The spread step: at most a number of candidates of each paper."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from papergraph.server.retrieval.steps.base import Count, State, Step, StepKind


class Spread(Step):
    """Keep the best candidates of each paper."""

    ranks: ClassVar[bool] = True

    step: Literal["spread"] = "spread"
    per_paper: Annotated[int, Field(ge=1, le=100)] = 2
    k: Count = 10

    async def run(self, state: State) -> Sequence[str]:
        seen: Counter[str] = Counter()
        kept = []
        for candidate in state.candidates:
            seen[candidate.paper_id] += 1
            kept += [candidate] if seen[candidate.paper_id] <= self.per_paper else []
        state.candidates = kept[: self.k]
        return [f"papers: {len(seen)}"]


STEP = StepKind(Spread, order=70)
