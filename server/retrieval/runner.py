"""Run a pipeline: its steps in order over one state, each with a trace of what it did."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import cypher
from papergraph.errors import InputError, LanguageModelError
from papergraph.statement import observed
from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.metrics import OTHER
from server.retrieval.candidates import Candidate, RankedCandidate, Ranking, RetrieverName
from server.retrieval.pipelines import Pipeline, needs, shipped
from server.retrieval.resources import Resources
from server.retrieval.result import ExpandedQuery, PipelineResult, StepTrace
from server.retrieval.retrievers import retrievers
from server.retrieval.retrievers.base import Context
from server.retrieval.scope import Scope
from server.retrieval.steps import (
    Across,
    Compress,
    Draft,
    Expand,
    Expansion,
    Fuse,
    Iterate,
    Merge,
    MergeBy,
    Rerank,
    Search,
    Select,
    Threshold,
)
from server.retrieval.steps import expand as expansion
from server.retrieval.steps import merge as merging
from server.retrieval.steps.compress import compress
from server.retrieval.steps.fuse import collect, fuse, queries_of, take_turns
from server.retrieval.steps.select import choose

MOST_QUERIES = 20


async def run(
    resources: Resources,
    pipeline: Pipeline,
    query: str,
    scope: Scope,
    *,
    generated: Mapping[str, Sequence[str]] | None = None,
    tolerant: bool = False,
) -> PipelineResult:
    """Run a pipeline for a query.

    Args:
        resources: What it can use.
        pipeline: What is done; checked before (:func:`server.retrieval.pipelines.check`).
        query: What is looked for.
        scope: Where.
        generated: What a language model wrote in an earlier run, by step; it is not asked for these again.
        tolerant: Whether to go on without what a language model fails to write; ``warnings`` then says so.

    Raises:
        InputError: The pipeline needs a model, a reranker or an enrichment that is not there; nothing was searched.
        LanguageModelError: A model was asked and failed, and the run is not tolerant.
        EmbeddingError: The query cannot be embedded, or a reranker cannot be loaded.
        DatabaseError: Neo4j failed.
    """
    await refuse_unusable(resources, pipeline, scope, generated=generated)
    running = _Running(
        resources, query, PipelineResult(pipeline, scope, [ExpandedQuery(query)]), generated or {}, tolerant
    )
    name = pipeline.name if pipeline.name in shipped() else OTHER
    with tracing.span(f"pipeline {name}"), metrics.PIPELINE_SECONDS.labels(name).time():
        for number, step in enumerate(pipeline.steps, start=1):
            with tracing.span(f"step {step.step}"):
                await running.do(number, step)
    return running.outcome


class ModelMissingError(InputError):
    """A pipeline asks a language model, and none is configured; ``step`` says where."""

    def __init__(self, pipeline: str, step: str) -> None:
        super().__init__(
            f"pipeline {pipeline}, {step}, asks a language model and none is configured: set PAPERGRAPH_LLM_URL and "
            "PAPERGRAPH_LLM_MODEL, or choose another pipeline",
            field="pipeline",
        )
        self.step = step


async def refuse_unusable(
    resources: Resources, pipeline: Pipeline, scope: Scope, *, generated: Mapping[str, Sequence[str]] | None = None
) -> None:
    """Refuse a pipeline that lacks something, before it starts.

    Raises:
        ModelMissingError: A step asks a language model, and none is configured.
        RerankerMissingError: A step reranks, and no reranker is configured.
        InputError: A retriever searches an enrichment that the collection has nothing of.
        DatabaseError: Neo4j failed.
    """
    if (step := pipeline.asks_model) and resources.language_model is None and generated is None:
        raise ModelMissingError(pipeline.name, step)
    for name in pipeline.rerankers:
        await resources.rerankers.get(resources.rerankers.name(name, pipeline=pipeline.name))
    enrichments = [need for need in needs(pipeline) if need not in ("language model", "reranker")]
    if enrichments:
        (there,) = await resources.database.read(
            cypher.load("retrieval/enrichments_of_collection"), collection=scope.collection
        )
        for enrichment in enrichments:
            if not there[enrichment]:
                raise InputError(
                    f"pipeline {pipeline.name} searches {enrichment}, and collection {scope.asked!r} has none: "
                    f"run papergraph enrich --enrichments {enrichment} --collection {scope.asked}",
                    field="pipeline",
                )


class _Running:
    def __init__(
        self,
        resources: Resources,
        query: str,
        outcome: PipelineResult,
        replayed: Mapping[str, Sequence[str]],
        tolerant: bool,
    ) -> None:
        self.resources, self.query, self.outcome, self.replayed = resources, query, outcome, replayed
        self.tolerant = tolerant
        self.rankings: list[Ranking] = []
        self.n_searched = 0
        self.skipped: set[int] = set()  # queries that are not searched for
        self.last_search: Search | None = None
        self.last_fuse: Fuse | None = None

    async def do(self, number: int, step: Any) -> None:
        start, n_in = time.perf_counter(), self._size()
        with observed() as calls:
            notes = await self._do(number, step)
        ranks = isinstance(step, Fuse | Merge | Rerank | Select | Iterate) or (
            isinstance(step, Search) and bool(self.outcome.candidates)
        )
        if ranks:
            for place, candidate in enumerate(self.outcome.candidates, start=1):
                candidate.rank_history.append((number, place))
        ms = 1000.0 * (time.perf_counter() - start)
        options = step.model_dump(mode="json", exclude={"step"})
        traced = StepTrace(step.step, options, ms, n_in, self._size(), tuple(calls), tuple(notes))
        self.outcome.trace.append(traced)
        metrics.STEP_SECONDS.labels(step.step).observe(ms / 1000.0)
        metrics.STEP_CANDIDATES.labels(step.step, "in").observe(traced.n_in)
        metrics.STEP_CANDIDATES.labels(step.step, "out").observe(traced.n_out)

    def _size(self) -> int:
        return len(self.outcome.candidates) or sum(len(ranking.candidates) for ranking in self.rankings)

    async def _do(self, number: int, step: Any) -> Sequence[str]:
        candidates = self.outcome.candidates
        match step:
            case Expand():
                return await self._expand(f"{number}", step)
            case Search():
                await self._search(step)
                self.last_search = step
                if len(self.rankings) == 1:
                    (ranking,) = self.rankings
                    scores = {one.chunk_id: one.score for one in ranking.candidates}
                    self.outcome.candidates = collect(self.rankings, scores, list(scores))
            case Fuse():
                self.outcome.candidates = fuse(self.rankings, step)
                self.last_fuse = step
            case Merge():
                return await self._merge(number, step)
            case Draft():
                made = await self._generated(
                    f"{number}", lambda: _listed(expansion.draft(self.resources, self.query, candidates[: step.n]))
                )
                self.outcome.draft = made[0] if made else ""
                return [f"draft: {self.outcome.draft}"]
            case Rerank():
                return await self._rerank(step)
            case Threshold():
                self.outcome.candidates = [one for one in candidates if one.score > step.above]
            case Select():
                of_parts = (
                    self.last_fuse if any(one.origin == Expansion.PARTS for one in self.outcome.queries) else None
                )
                chosen = await choose(self.resources, candidates, step, of_parts=of_parts)
                self.outcome.candidates, self.outcome.selection = chosen
            case Compress():
                self.outcome.passages = await compress(self.resources, self.query, candidates, step)
            case Iterate():
                return await self._iterate(number, step)
        return ()

    async def _generated(self, key: str, make: Any) -> list[str]:
        """Return what was written for a step: in an earlier run, or now."""
        if key in self.replayed:
            made = list(self.replayed[key])
        else:
            try:
                made = await make()
            except LanguageModelError as error:
                if not self.tolerant:
                    raise
                step = self.outcome.pipeline.steps[int(key.partition(".")[0]) - 1].step
                self.outcome.warnings.append(f"step {key}, {step}, was left out: {error.briefly}")
                made = []
        self.outcome.generated[key] = made
        return made

    async def _expand(self, key: str, step: Expand) -> Sequence[str]:
        async def make() -> list[str]:
            return await expansion.expand(self.resources, self.query, self.outcome.scope, step, self.outcome.candidates)

        made = await (self._generated(key, make) if step.by.asks_model else make())
        if made and not step.keep:
            self.skipped |= set(range(self.n_searched, len(self.outcome.queries)))
        self._ask(made, step.by.value)
        return [f"{step.by.value}: {text}" for text in made]

    def _ask(self, texts: Sequence[str], origin: str) -> bool:
        """Add queries that were not asked yet; say whether there were any."""
        known = {asked.text.lower() for asked in self.outcome.queries}
        new = [ExpandedQuery(text, origin) for text in texts if text.lower() not in known]
        self.outcome.queries += new[: max(0, MOST_QUERIES - len(self.outcome.queries))]
        return bool(new)

    async def _search(self, step: Search) -> None:
        """Ask all retrievers the queries that were not searched yet, at the same time."""
        numbers = [n for n in range(self.n_searched, len(self.outcome.queries)) if n not in self.skipped]
        self.n_searched = len(self.outcome.queries)
        asked = [(number, retriever) for number in numbers for retriever in step.retrievers]
        found = await asyncio.gather(
            *(self._ask_retriever(retriever, self.outcome.queries[number].text, step) for number, retriever in asked)
        )
        self.rankings += [
            Ranking(number, retriever, tuple(candidates))
            for (number, retriever), candidates in zip(asked, found, strict=True)
        ]

    async def _ask_retriever(self, retriever: RetrieverName, query: str, step: Search) -> list[Candidate]:
        scope = self.outcome.scope
        if scope.is_empty:
            return []
        on = Context(self.resources.database, self.resources.model, step.nprobe)
        return await retrievers()[retriever].retrieve(on, query, scope, step.k)

    async def _merge(self, number: int, step: Merge) -> Sequence[str]:
        candidates = self.outcome.candidates
        match step.by:
            case MergeBy.PARENTS:
                candidates = await merging.merge_parents(self.resources, candidates, ratio=step.ratio)
            case MergeBy.LINKS:
                candidates = await self._follow_links(number, step)
            case MergeBy.GRAPH:
                candidates = await merging.graph_context(
                    self.resources, self.query, self.outcome.scope, candidates, step
                )
            case MergeBy.NEIGHBOURS:
                self.outcome.windows = step.window
        self.outcome.candidates = candidates[: step.k]
        return ()

    async def _follow_links(self, number: int, step: Merge) -> list[RankedCandidate]:
        """Follow links from the candidates; where queries take turns, from those of each query, before they do."""
        before = self.outcome.pipeline.steps[number - 2]
        named = {
            ranking.query for ranking in self.rankings if ranking.retriever is RetrieverName.NAME and ranking.candidates
        }
        queries = queries_of(self.rankings)

        async def follow(text: str, candidates: list[RankedCandidate]) -> list[RankedCandidate]:
            return await merging.merge_links(self.resources, text, self.outcome.scope, candidates, seeds=step.seeds)

        async def list_of(query: int, step_before: Fuse) -> list[RankedCandidate]:
            candidates = fuse([ranking for ranking in self.rankings if ranking.query == query], step_before)
            if step.named and query not in named:
                return candidates
            return await follow(self.outcome.queries[query].text, candidates)

        if step.named and not named:
            return self.outcome.candidates
        if isinstance(before, Fuse) and before.across is Across.INTERLEAVE and len(queries) > 1:
            return take_turns(await asyncio.gather(*(list_of(query, before) for query in queries)))
        return await follow(self.query, self.outcome.candidates)

    async def _rerank(self, step: Rerank) -> Sequence[str]:
        name = self.resources.rerankers.name(step.model, pipeline=self.outcome.pipeline.name)
        reranker = await self.resources.rerankers.get(name)
        near = self.outcome.candidates[: step.n]
        texts = await expansion.read_texts(self.resources, [candidate.chunk_id for candidate in near])
        near = [candidate for candidate in near if candidate.chunk_id in texts]
        against = f"{self.query}\n{self.outcome.draft}" if step.draft and self.outcome.draft else self.query
        passages = [texts[candidate.chunk_id][0] for candidate in near]
        scores = await asyncio.to_thread(reranker.scores, against, passages)
        scored = [replace(candidate, score=score) for candidate, score in zip(near, scores, strict=True)]
        self.outcome.candidates = sorted(scored, key=lambda one: -one.score)[: step.k]  # stable: ties as before
        return [f"reranker: {name}"]

    async def _iterate(self, number: int, step: Iterate) -> Sequence[str]:
        """Search for what was found, until nothing new comes."""
        if self.last_search is None or self.last_fuse is None:
            raise AssertionError("unreachable: checked before the pipeline starts")
        notes = []
        for round_ in range(1, step.rounds + 1):
            seeds = self.outcome.candidates[: step.seeds]
            last = self.outcome.queries[-1].text

            async def make(seeds: list[RankedCandidate] = seeds, last: str = last) -> list[str]:
                if step.by == "follow-up":
                    return await expansion.follow_up(self.resources, self.query, seeds)
                return await expansion.found_entities(self.resources, last, self.outcome.scope, seeds)

            made = await (self._generated(f"{number}.{round_}", make) if step.by == "follow-up" else make())
            before = {candidate.chunk_id for candidate in self.outcome.candidates[: step.seeds]}
            if not self._ask(made, step.by):
                break
            notes += [f"{step.by}: {text}" for text in made]
            await self._search(self.last_search)
            self.outcome.candidates = fuse(self.rankings, self.last_fuse)
            if {candidate.chunk_id for candidate in self.outcome.candidates[: step.seeds]} <= before:
                break
        return notes


async def _listed(made: Any) -> list[str]:
    return [await made]
