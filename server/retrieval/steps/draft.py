"""Step that drafts an answer, and passages as a prompt has them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from papergraph import cypher
from papergraph.errors import ModelUnavailableError
from papergraph.language_model import LanguageModel
from papergraph.language_model.model import NOT_CONFIGURED
from papergraph.server.retrieval.candidates import RankedCandidate
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.steps.base import Plan, State, Step, StepKind

# Texts of candidates, and the language model that steps ask about them


PROMPTS = Path(__file__).with_name("prompts")
MOST_CHARS = 1000
"""Of a query that a model writes."""
PASSAGE_CHARS = 1500


async def passages(resources: Resources, candidates: Sequence[RankedCandidate]) -> str:
    """Return the candidates' texts as a model is given them: numbered, each with its headings, cut where long."""
    texts = await read_texts(resources, [candidate.chunk_id for candidate in candidates])
    present = [texts[candidate.chunk_id] for candidate in candidates if candidate.chunk_id in texts]
    return "\n\n".join(
        f"[{number}] {context}\n{text[:PASSAGE_CHARS]}" for number, (text, context) in enumerate(present, start=1)
    )


async def read_texts(resources: Resources, chunk_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return text and context of chunks by id; one that was deleted meanwhile is not there."""
    records = await resources.database.read(cypher.load("retrieval/chunk_texts"), chunk_ids=list(chunk_ids))
    return {record["chunk_id"]: (record["text"], record["context"] or "") for record in records}


def model_of(resources: Resources) -> LanguageModel:
    """Return the configured language model.

    Raises:
        ModelUnavailableError: None is configured.
    """
    if resources.language_model is None:
        raise ModelUnavailableError(NOT_CONFIGURED)
    return resources.language_model


def distinct_queries(query: str, queries: Sequence[str], most: int) -> list[str]:
    """Return at most ``most`` texts on one line each, none of them empty, twice or the query."""
    seen = {query.strip().lower()}
    kept = []
    for text in (" ".join(text.split())[:MOST_CHARS] for text in queries):
        if text and text.lower() not in seen:
            seen.add(text.lower())
            kept.append(text)
    return kept[:most]


# The draft step: a temporary answer, which only a reranker reads


class Draft(Step):
    """A language model answers from the first ``n`` candidates; only the reranker reads it."""

    step: Literal["draft"] = "draft"
    n: Annotated[int, Field(ge=1, le=50)] = 5

    @property
    def asks_model(self) -> bool:
        """True: a draft needs a language model."""
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


STEP = StepKind(Draft, order=6)
