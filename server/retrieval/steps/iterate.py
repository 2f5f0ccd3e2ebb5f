"""The iterate step: further rounds of search, for what the rounds before found."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, Field

from papergraph import cypher
from papergraph.server.retrieval.candidates import RankedCandidate
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import Scope
from papergraph.server.retrieval.steps.base import Plan, State, Step, StepKind
from papergraph.server.retrieval.steps.draft import PROMPTS, distinct_queries, model_of, passages
from papergraph.server.retrieval.steps.fuse import Fuse, fuse
from papergraph.server.retrieval.steps.search import Search, search_queries


class _Next(BaseModel):
    queries: list[str]


class Iterate(Step):
    """Search again for what was found, by the search and fusion before, up to ``rounds`` times or till nothing is new.

    The next query is the one before with names that the first ``seeds`` candidates mention and it does not, or a
    language model's follow-up question.
    """

    ranks: ClassVar[bool] = True

    step: Literal["iterate"] = "iterate"
    by: Literal["entities", "follow-up"] = "entities"
    rounds: Annotated[int, Field(ge=1, le=5)] = 2
    seeds: Annotated[int, Field(ge=1, le=20)] = 5

    @property
    def asks_model(self) -> bool:
        """True if a language model writes the next question."""
        return self.by == "follow-up"

    def check(self, plan: Plan) -> None:
        """Refuse a place where no search and fusion come before."""
        plan.need_candidates()
        if not plan.fused:
            raise plan.refuse("it repeats search and fuse: both come before it")

    async def run(self, state: State) -> Sequence[str]:
        """Search again until nothing new comes."""
        if not (isinstance(state.last_search, Search) and isinstance(state.last_fuse, Fuse)):
            raise AssertionError("unreachable: checked before the pipeline starts")
        notes = []
        for round_ in range(1, self.rounds + 1):
            seeds = state.candidates[: self.seeds]
            made = await self._next_queries(state, seeds, round_)
            if not state.add_queries(made, self.by):
                break
            notes += [f"{self.by}: {text}" for text in made]
            await search_queries(state, state.last_search)
            state.candidates = fuse(state.rankings, state.last_fuse)
            if {one.chunk_id for one in state.candidates[: self.seeds]} <= {one.chunk_id for one in seeds}:
                break
        return notes

    async def _next_queries(self, state: State, seeds: list[RankedCandidate], round_: int) -> list[str]:
        if self.by == "entities":
            return await found_entities(state.resources, state.queries[-1].text, state.scope, seeds)
        return await state.generate(lambda: follow_up(state.resources, state.query, seeds), round_=round_)


async def follow_up(resources: Resources, query: str, candidates: Sequence[RankedCandidate]) -> list[str]:
    """Return the question that a language model would search for next, or none if it has what an answer needs."""
    model = model_of(resources)
    prompt = model.prompt("follow_up", frozenset({"question", "passages"}), folder=PROMPTS)
    values = {"question": query, "passages": await passages(resources, candidates)}
    answer = (await model.answer_json(prompt, values, answer=_Next)).value
    return distinct_queries(query, answer.queries, 1)


async def found_entities(
    resources: Resources, query: str, scope: Scope, candidates: Sequence[RankedCandidate]
) -> list[str]:
    """Return the query extended by further names in the candidates; empty without such names."""
    records = await resources.database.read(
        cypher.gathered("retrieval/mentions_around"),
        chunk_ids=[candidate.chunk_id for candidate in candidates],
        entity_ids=[],
        most=100,
        paper_ids=scope.looked_in,
        kinds=list(scope.kinds),
        limit=5000,
    )
    here = {candidate.chunk_id for candidate in candidates}
    counts = Counter(record["entity"] for record in records if record["chunk_id"] in here)
    known = query.lower()
    names = [
        name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if name.lower() not in known
    ]
    return [f"{query} {' '.join(names[:3])}"] if names else []


STEP = StepKind(Iterate, order=11)
