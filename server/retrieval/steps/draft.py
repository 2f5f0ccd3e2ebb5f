"""The draft step: a temporary answer, which only a reranker reads."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from server.retrieval.candidates import RankedCandidate
from server.retrieval.resources import Resources
from server.retrieval.steps.base import Plan, State, Step, StepKind
from server.retrieval.steps.passages import PROMPTS, model_of, passages


class Draft(Step):
    """A language model answers from the first ``n`` candidates; only the reranker reads it."""

    step: Literal["draft"] = "draft"
    n: Annotated[int, Field(ge=1, le=50)] = 5

    @property
    def asks_model(self) -> bool:
        """Whether it asks a language model, which it does."""
        return True

    def check(self, plan: Plan) -> None:
        """Note that there is a draft."""
        plan.need_candidates()
        plan.drafted = True

    async def run(self, state: State) -> Sequence[str]:
        """Write the temporary answer."""

        async def make() -> list[str]:
            return [await draft(state.resources, state.query, state.candidates[: self.n])]

        made = await state.generate(make)
        state.draft = made[0] if made else ""
        return [f"draft: {state.draft}"]


async def draft(resources: Resources, query: str, candidates: Sequence[RankedCandidate]) -> str:
    """Return a language model's short answer from the candidates' passages."""
    model = model_of(resources)
    prompt = model.prompt("draft", frozenset({"question", "passages"}), folder=PROMPTS)
    values = {"question": query, "passages": await passages(resources, candidates)}
    return (await model.answer_text(prompt, values)).value.strip()


STEP = StepKind(Draft, order=5)
