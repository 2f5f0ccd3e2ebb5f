"""More queries of one: by a language model, or by rules, entities and what was found first."""

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, Field, StringConstraints

import cypher
from server.retrieval.candidates import RankedCandidate
from server.retrieval.entity_linking import link_in
from server.retrieval.lucene import QUESTION_WORDS
from server.retrieval.resources import Resources
from server.retrieval.scope import Scope
from server.retrieval.steps.base import Plan, State, Step, StepKind
from server.retrieval.steps.passages import PROMPTS, distinct_queries, model_of, read_texts
from server.retrieval.steps.plan import PaperGroup, choose_group
from server.retrieval.steps.query_parts import parts

N_READ, N_COMPARED, N_TERMS = 3, 50, 10
_WORD = re.compile(r"[^\W\d_][\w-]{2,}")


class _Queries(BaseModel):
    queries: list[str] = Field(min_length=1)


class Expansion(StrEnum):
    """Where more queries come from; the first four ask a language model."""

    REWRITE = "rewrite"
    AUGMENTATION = "augmentation"
    HYPOTHESIS = "hypothesis"
    PLAN = "plan"
    PARTS = "parts"
    SYNONYMS = "synonyms"
    FEEDBACK = "feedback"

    @property
    def asks_model(self) -> bool:
        """Whether a language model makes them."""
        return self in (Expansion.REWRITE, Expansion.AUGMENTATION, Expansion.HYPOTHESIS, Expansion.PLAN)


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class Expand(Step):
    """More queries; the query itself stays among them unless ``keep`` is false.

    ``metadata`` are fields and values of interest for a plan, such as ``{"area": ["Robotics"]}``: its summary is that
    of their papers, and only these are searched (:func:`server.retrieval.steps.plan.choose_group`).
    """

    adds_queries: ClassVar[bool] = True

    step: Literal["expand"] = "expand"
    by: Expansion
    n: Annotated[int, Field(ge=1, le=8)] = 3
    keep: bool = True
    metadata: Annotated[dict[Name, Annotated[tuple[Name, ...], Field(min_length=1)]], Field(max_length=20)] = Field(
        default_factory=dict
    )

    @property
    def asks_model(self) -> bool:
        """Whether a language model makes the queries."""
        return self.by.asks_model

    @property
    def of_one_collection(self) -> bool:
        """Whether it plans, from the summary of papers of a collection."""
        return self.by is Expansion.PLAN

    def check(self, plan: Plan) -> None:
        """Refuse feedback where nothing was found before."""
        if self.by is Expansion.FEEDBACK and not plan.candidates:
            raise plan.refuse("feedback comes from candidates: search and fuse before it")
        if self.metadata and self.by is not Expansion.PLAN:
            raise plan.refuse("metadata are of a plan")

    async def run(self, state: State) -> Sequence[str]:
        """Add queries."""
        group: PaperGroup | None = None
        notes: list[str] = []
        if self.by is Expansion.PLAN:
            group, within = await choose_group(state.resources, state.query, state.scope, self.metadata)
            chosen = "metadata of interest" if group.is_of_interest else "nearest metadata"
            searched = group.name if within is not state.scope or group.is_of_interest else "all papers"
            notes = [f"{chosen}: {group.name}", f"summary: {group.name}", f"searched: {searched}"]
            state.scope = within

        async def make() -> list[str]:
            return await expand(state.resources, state.query, state.scope, self, state.candidates, group=group)

        made = await (state.generate(make) if self.asks_model else make())
        if made and not self.keep:
            state.skipped |= set(range(state.n_searched, len(state.queries)))
        state.add_queries(made, self.by.value)
        return [*notes, *(f"{self.by.value}: {text}" for text in made)]


async def expand(
    resources: Resources,
    query: str,
    scope: Scope,
    step: Expand,
    candidates: Sequence[RankedCandidate],
    *,
    group: PaperGroup | None = None,
) -> list[str]:
    """Return further queries, at most ``step.n``, none of them the query itself.

    Args:
        resources: What the pipeline runs with.
        query: What was asked.
        scope: Where it looks.
        step: How, and how many.
        candidates: What was found so far, for feedback.
        group: Papers whose summary a plan is made from.

    Raises:
        LanguageModelError: A model is asked and fails.
        EmbeddingError: The query cannot be embedded.
        DatabaseError: Neo4j failed.
    """
    match step.by:
        case Expansion.PARTS:
            found = await parts(resources, query, step.n)
        case Expansion.SYNONYMS:
            found = await _synonyms(resources, query, scope, step.n)
        case Expansion.FEEDBACK:
            found = [await _feedback(resources, query, candidates)]
        case _:
            found = await _by_model(resources, query, scope, step, group)
    return distinct_queries(query, found, step.n)


async def _synonyms(resources: Resources, query: str, scope: Scope, most: int) -> list[str]:
    """Return the query with each entity that it names under its other names, one at a time."""
    links = await link_in(resources.database, scope.collections, query)
    records = await resources.database.read(
        cypher.load("retrieval/entities_by_id"), ids=[one.entity_id for one in links]
    )
    names = {record["id"]: [record["name"], *record["aliases"]] for record in records}
    variants = []
    for one in links:
        said = query[one.start : one.end]
        for name in names.get(one.entity_id, ()):
            if name.lower() != said.lower():
                variants.append(query[: one.start] + name + query[one.end :])
    return variants[:most]


async def _feedback(resources: Resources, query: str, candidates: Sequence[RankedCandidate]) -> str:
    """Return the query with the words that set the first passages apart from those that follow.

    Source: pseudo-relevance feedback, Rocchio 1971, Relevance Feedback in Information Retrieval; words are weighed by
    their count in the first 3 passages and their rarity among the first 50.
    """
    near = candidates[:N_COMPARED]
    texts = await read_texts(resources, [candidate.chunk_id for candidate in near])
    bags = [Counter(word.lower() for word in _WORD.findall(texts.get(c.chunk_id, ("", ""))[0])) for c in near]
    df = Counter(word for bag in bags for word in bag)
    first: Counter[str] = sum(bags[:N_READ], Counter())
    known = {word.lower() for word in _WORD.findall(query)} | QUESTION_WORDS
    weights = {word: n * float(np.log((1 + len(bags)) / df[word])) for word, n in first.items() if word not in known}
    best = sorted(weights, key=lambda word: (-weights[word], word))[:N_TERMS]
    return f"{query} {' '.join(best)}" if best else query


async def _by_model(
    resources: Resources, query: str, scope: Scope, step: Expand, group: PaperGroup | None
) -> list[str]:
    model = model_of(resources)
    values = {"question": query, "n": str(step.n)}
    if group is not None:
        values["summary"] = (await group.summary(resources, scope)).text
    prompt = model.prompt(step.by.value, frozenset(values), folder=PROMPTS)
    return (await model.answer_json(prompt, values, answer=_Queries)).value.queries


STEP = StepKind(Expand, order=1)
