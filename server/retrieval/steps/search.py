"""The search step: every retriever searches every query."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from papergraph import cypher
from papergraph.errors import IndexUnavailableError
from papergraph.server.retrieval.candidates import Candidate, Ranking, RetrieverName, Scale
from papergraph.server.retrieval.retrievers import retrievers
from papergraph.server.retrieval.retrievers.base import Context
from papergraph.server.retrieval.steps.base import Count, Plan, State, Step, StepKind
from papergraph.server.retrieval.steps.fuse import Fuse, FuseBy, collect

Asked = tuple[int, RetrieverName]
"""The number of a query and a retriever."""


class Search(Step):
    """Ask every retriever every query; ``k`` chunks each.

    ``nprobe`` is of the retriever ``prototype``; with ``answered``, ``question`` searches questions with an answer.
    """

    ranks: ClassVar[bool] = True

    step: Literal["search"] = "search"
    retrievers: Annotated[tuple[RetrieverName, ...], Field(min_length=1)]
    k: Count = 200
    nprobe: Annotated[int, Field(ge=1, le=1000)] = 32
    answered: bool = False

    @property
    def needs(self) -> frozenset[str]:
        """Enrichments that its retrievers search."""
        return frozenset(needed for name in self.retrievers for needed in retrievers()[name].needs)

    @property
    def uses(self) -> frozenset[str]:
        """The enrichment with the names of papers."""
        return frozenset(["links"] if RetrieverName.NAME in self.retrievers else [])

    def check(self, plan: Plan) -> None:
        """Refuse a retriever that is named twice; one ranking is a list of candidates already."""
        if len(set(self.retrievers)) < len(self.retrievers):
            raise plan.refuse("a retriever is named twice")
        several = len(self.retrievers) > 1 or any(step.adds_queries for step in plan.before)
        plan.candidates = not (plan.searched or several)
        plan.searched = True
        plan.score = retrievers()[self.retrievers[0]].score

    async def run(self, state: State) -> Sequence[str]:
        """Search the queries that were not searched yet."""
        await search_queries(state, self)
        state.last_search = self
        if len(state.rankings) == 1:
            (ranking,) = state.rankings
            scores = {one.chunk_id: one.score for one in ranking.candidates}
            state.candidates = collect(state.rankings, scores, list(scores))
        return ()


async def search_queries(state: State, step: Search) -> None:
    """Add a ranking for each retriever of a step and each query that was not searched yet, all at the same time.

    A passage that several collections hold is found once: the copy of the collection that is named first.

    Raises:
        EmbeddingError: A query cannot be embedded.
        DatabaseError: Neo4j failed.
    """
    numbers = [n for n in range(state.n_searched, len(state.queries)) if n not in state.skipped]
    state.n_searched = len(state.queries)
    asked = [(number, name) for number in numbers for name in step.retrievers]
    answers = await asyncio.gather(*(_retrieve(state, number, name, step) for number, name in asked))
    if None in answers:
        asked, answers = await _without_absent(state, step, asked, answers)
    found = [candidates or [] for candidates in answers]
    on = _context(state, step)
    scales = [Scale()] * len(found)
    if any(isinstance(one, Fuse) and one.by is FuseBy.SHARE for one in state.steps):
        scales = [
            await retrievers()[name].scale(on, state.queries[number].text, candidates, step.k)
            for (number, name), candidates in zip(asked, found, strict=True)
        ]
    if len(state.scope.collections) > 1:
        found = await _without_copies(state, found)
    state.rankings += [
        Ranking(number, name, tuple(candidates), scale)
        for (number, name), candidates, scale in zip(asked, found, scales, strict=True)
    ]


def _context(state: State, step: Search) -> Context:
    return Context(state.resources.database, state.resources.model, step.nprobe, step.answered)


async def _retrieve(state: State, number: int, name: RetrieverName, step: Search) -> list[Candidate] | None:
    """Return a retriever's candidates for a query; None while its index is missing or being built."""
    if state.scope.is_empty:
        return []
    on = _context(state, step)
    try:
        return await retrievers()[name].retrieve(on, state.queries[number].text, state.scope, step.k)
    except IndexUnavailableError:
        return None


async def _without_absent(
    state: State, step: Search, asked: Sequence[Asked], answers: Sequence[list[Candidate] | None]
) -> tuple[list[Asked], list[list[Candidate] | None]]:
    """Return what was asked and found, with another retriever in place of those whose index is absent if all are.

    Raises:
        IndexUnavailableError: The index of that retriever is absent too.
    """
    absent = {name for (_, name), candidates in zip(asked, answers, strict=True) if candidates is None}
    warning = f"Searched without the retrievers {', '.join(sorted(absent))}, whose indexes are being built"
    asked, answers = list(asked), list(answers)
    if absent >= set(step.retrievers):
        stand_in = RetrieverName.VECTOR if RetrieverName.FULLTEXT in absent else RetrieverName.FULLTEXT
        on = _context(state, step)
        for place, (number, name) in enumerate(asked):
            if name == step.retrievers[0]:
                query = state.queries[number].text
                asked[place] = number, stand_in
                answers[place] = await retrievers()[stand_in].retrieve(on, query, state.scope, step.k)
        warning += f"; {stand_in} searched in their place"
    if f"{warning}." not in state.warnings:
        state.warnings.append(f"{warning}.")
    return asked, answers


async def _without_copies(state: State, found: Sequence[Sequence[Candidate]]) -> list[list[Candidate]]:
    """Return rankings with one candidate for all copies of a passage in different collections."""
    resources, order = state.resources, {name: n for n, name in enumerate(state.scope.collections)}
    every = {candidate.chunk_id: candidate for candidates in found for candidate in candidates}
    rows = await resources.database.rows(
        cypher.gathered("retrieval/chunk_hashes", resources.model.searched.slot), chunk_ids=list(every)
    )
    first: dict[str, tuple[int, str]] = {}
    for chunk_id, collection, hash in rows:
        first[hash] = min(first.get(hash, (order[collection], chunk_id)), (order[collection], chunk_id))
    kept = {chunk_id: first[hash][1] for chunk_id, collection, hash in rows if first[hash][0] < order[collection]}
    rankings: list[list[Candidate]] = []
    for candidates in found:
        once: dict[str, Candidate] = {}
        for one in candidates:
            copy = every[kept.get(one.chunk_id, one.chunk_id)]
            once.setdefault(copy.chunk_id, replace(one, chunk_id=copy.chunk_id, paper_id=copy.paper_id))
        rankings.append(list(once.values()))
    return rankings


STEP = StepKind(Search, order=2)
