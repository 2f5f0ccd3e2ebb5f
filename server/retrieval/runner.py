"""Runner of pipelines: their steps in order, with the trace and the result of each."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import DeviceMemoryError, InputError
from papergraph.ingest.enrichments.base import LANGUAGE_MODEL, NO_LANGUAGE_MODEL, TEMPLATES
from papergraph.records import Record, described
from papergraph.server.retrieval.candidates import AskedQuery, RankedCandidate, RetrieverName
from papergraph.server.retrieval.pipelines import RERANKER, Pipeline, needs, shipped
from papergraph.server.retrieval.relations import RelationPath
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import Scope, refuse_unknown_collection
from papergraph.server.retrieval.steps.base import State, Step
from papergraph.server.selection.result import SelectionReport
from papergraph.statement import CypherCall, observed
from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.metrics import OTHER

# Result of a run of a pipeline: queries, candidates, and a trace of each step


@dataclass(frozen=True)
class TraceStep(Record):
    """Trace of a step."""

    step: Annotated[str, described("Name of the step.")]
    options: Annotated[Mapping[str, Any], described("Options of the step by name.")]
    ms: Annotated[float, described("Duration in milliseconds.")]
    candidates_in: Annotated[
        int, described("Number of candidates before the step; before fusion, chunks in all rankings.")
    ]
    candidates_out: Annotated[int, described("Number of candidates after the step.")]
    cypher: Annotated[tuple[CypherCall, ...], described("Cypher queries of the step.")]
    notes: Annotated[tuple[str, ...], described("Remarks of the step, such as a fallback.")] = ()


@dataclass
class PipelineResult:
    """Result of a run of a pipeline.

    Attributes:
        pipeline: The pipeline with all options.
        scope: Searched scope.
        queries: Searched queries, the user's first.
        candidates: Candidates, best first.
        trace: One line per step.
        draft: Temporary answer, or None.
        selection: Certificate of a selection, or None.
        passages: Compressed texts by chunk.
        windows: Number of neighbours on each side that belong to a passage.
        generated: Texts by a language model, by step, for repeating the run without it.
        relations: Relations of the graph, as content beside their chunks.
        below: Candidates that a threshold left out, where it left out all.
        warnings: Reasons for skipped steps in a tolerant run.
    """

    pipeline: Pipeline
    scope: Scope
    queries: list[AskedQuery]
    candidates: list[RankedCandidate] = field(default_factory=list)
    trace: list[TraceStep] = field(default_factory=list)
    draft: str | None = None
    selection: SelectionReport | None = None
    passages: dict[str, str] = field(default_factory=dict)
    windows: int = 0
    generated: dict[str, list[str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    relations: list[RelationPath] = field(default_factory=list)
    below: list[RankedCandidate] = field(default_factory=list)


# Why a hit stands where it does: what the retrievers and the steps say of it and of the one before it


def why_not_higher(candidate: RankedCandidate, above: RankedCandidate, outcome: PipelineResult) -> str:
    """Return one sentence on the reason for a candidate's rank below another one.

    It names the last step that changed their order; for a fusion or a single retriever, the retriever with the largest
    difference.
    """
    ours, theirs = candidate.rank_history, above.rank_history
    turned = [
        number
        for number, before in zip([*sorted(ours)[1:], None], sorted(ours), strict=True)
        if number is not None and number in theirs and before in theirs and ours[before] < theirs[before]
    ]
    if turned:
        step = outcome.trace[turned[-1] - 1]
        return (
            f"{step.step} (step {turned[-1]}) put it at {ours[turned[-1]]}, behind {theirs[turned[-1]]}: "
            f"{candidate.score:.4g} against {above.score:.4g}"
        )
    worst: tuple[float, str] | None = None
    for retriever in RetrieverName:
        mine = min((one.rank for one in candidate.retrievers if one.retriever is retriever), default=None)
        other = min((one.rank for one in above.retrievers if one.retriever is retriever), default=None)
        if other is not None and (mine is None or mine > other):
            behind = float("inf") if mine is None else float(mine - other)
            place = "does not find it" if mine is None else f"ranks it {mine}"
            if worst is None or behind > worst[0]:
                worst = behind, f"the {retriever} retriever {place} and the hit before it {other}"
    scores = f"{candidate.score:.4g} against {above.score:.4g}"
    return f"{worst[1]}: {scores}" if worst else scores


# Run a pipeline: its steps in order over one state, each with a trace of what it did


QUESTIONS = "questions"


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
        resources: Resources of pipelines.
        pipeline: The pipeline, already validated (:func:`papergraph.server.retrieval.pipelines.check`).
        query: The query.
        scope: Scope of the query.
        generated: Texts by a language model in an earlier run, by step, to reuse.
        tolerant: True to skip steps whose language model fails, with a warning.

    Raises:
        InputError: The pipeline needs a missing model, reranker or enrichment; nothing was searched.
        LanguageModelError: The language model failed in a run that is not tolerant.
        EmbeddingError: Embedding the query or loading a reranker failed.
        DatabaseError: Neo4j failed.
    """
    await refuse_unusable(resources, pipeline, scope, generated=generated)
    state = State(resources, pipeline.name, pipeline.steps, query, scope, generated or {}, tolerant)
    state.queries.append(AskedQuery(query))
    trace: list[TraceStep] = []
    name = pipeline.name if pipeline.name in shipped() else OTHER
    with tracing.span(f"pipeline {name}"), metrics.PIPELINE_SECONDS.labels(name).time():
        for number, step in enumerate(pipeline.steps, start=1):
            with tracing.span(f"step {step.step}"):
                trace.append(await _run_step(state, number, step))
    if reason := shortfall(state, trace, pipeline.k):
        trace[-1] = replace(trace[-1], notes=(*trace[-1].notes, reason))
    return PipelineResult(
        pipeline,
        scope,
        state.queries,
        state.candidates,
        trace,
        state.draft,
        state.selection,
        state.passages,
        state.windows,
        state.generated,
        state.warnings,
        state.relations,
        state.below,
    )


def shortfall(state: State, trace: Sequence[TraceStep], k: int) -> str:
    """Return why a run has fewer than ``k`` candidates: the passages found, and the steps that left fewer; else ''."""
    if len(state.candidates) >= k:
        return ""
    found = [one.chunk_id for ranking in state.rankings for one in ranking.candidates]
    several = f" among {len(found)} results of {len(state.rankings)} searches" if len(state.rankings) > 1 else ""
    fewer = [
        f"{one.step} (step {number}) left {one.candidates_out} of {one.candidates_in}"
        for number, one in enumerate(trace, start=1)
        if one.candidates_out < min(k, one.candidates_in)
    ]
    return "; ".join([f"{len(state.candidates)} of {k}: {len(set(found))} passages were found{several}", *fewer])


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
        InputError: A retriever searches an enrichment that a collection has nothing of, or a step works in one
            collection only and there are several.
        DatabaseError: Neo4j failed.
    """
    if len(scope.collections) > 1 and any(step.of_one_collection for step in pipeline.steps):
        raise InputError(
            f"pipeline {pipeline.name} plans for papers of one collection: name one, or choose another pipeline",
            field="collections",
        )
    if (step := pipeline.asks_model) and resources.language_model is None and generated is None:
        raise ModelMissingError(pipeline.name, step)
    for name in pipeline.rerankers:
        with suppress(DeviceMemoryError):  # the step tries once more, and the search continues without it
            await resources.rerankers.get(resources.rerankers.name(name, pipeline=pipeline.name))
    for collection, asked in zip(scope.collections, scope.asked, strict=True) if _enrichments(pipeline) else ():
        there = await enrichments_of_collection(resources.database, collection)
        for enrichment in absent(pipeline, there):
            await refuse_unknown_collection(resources.database, collection, asked=asked)
            raise InputError(
                f"pipeline {pipeline.name} searches {enrichment}, and collection {asked!r} has none: "
                f"run {_command(enrichment)} --collection {asked}",
                field="pipeline",
            )


async def enrichments_of_collection(database: Database, collection: str) -> Mapping[str, bool]:
    """Say of each enrichment that pipelines search whether a collection has anything of it.

    Args:
        database: A prepared store.
        collection: The collection as queries take it, from :func:`papergraph.server.retrieval.scope.within`.

    Raises:
        DatabaseError: Neo4j failed.
    """
    (there,) = await database.read(cypher.load("retrieval/enrichments_of_collection"), collection=collection)
    return dict(there)


def missing(resources: Resources, pipeline: Pipeline, there: Mapping[str, bool], collection: str) -> list[str]:
    """Return what keeps a pipeline from running, each with the next step; nothing if it can run.

    Args:
        resources: What it would run with.
        pipeline: The pipeline.
        there: What :func:`enrichments_of_collection` says.
        collection: Name of the collection, for the words.
    """
    found = []
    if pipeline.asks_model and resources.language_model is None:
        found.append(NO_LANGUAGE_MODEL)
    if None in pipeline.rerankers and resources.rerankers.default is None:
        found.append("No reranker is configured. Set PAPERGRAPH_RERANKER_MODEL on the server.")
    return found + [
        f"Collection {collection!r} has no {enrichment}. Start the enrichment, or run {_command(enrichment)} "
        f"--collection {collection}."
        for enrichment in absent(pipeline, there)
    ]


def _enrichments(pipeline: Pipeline) -> list[str]:
    """Return the enrichments that a pipeline searches; questions first, of which others are made."""
    found = [need for need in needs(pipeline) if need not in (LANGUAGE_MODEL, RERANKER)]
    return sorted(found, key=lambda need: need != QUESTIONS)


def _command(enrichment: str) -> str:
    """Return the command that makes an enrichment, questions without a language model."""
    return TEMPLATES if enrichment == QUESTIONS else f"papergraph enrich --enrichments {enrichment}"


def absent(pipeline: Pipeline, there: Mapping[str, bool]) -> list[str]:
    """Return the enrichments that a pipeline searches and a collection has nothing of.

    What a retriever of another package searches is not asked about, and counts as there.
    """
    return [enrichment for enrichment in _enrichments(pipeline) if not there.get(enrichment, True)]


async def _run_step(state: State, number: int, step: Step) -> TraceStep:
    """Run a step, and return what it did."""
    state.number = number
    start, n_in = time.perf_counter(), state.size
    with observed() as calls:
        notes = await step.run(state)
    if step.ranks:
        for place, candidate in enumerate(state.candidates, start=1):
            candidate.rank_history[number] = place
    ms = 1000.0 * (time.perf_counter() - start)
    options = step.model_dump(mode="json", exclude={"step"})
    traced = TraceStep(step.step, options, ms, n_in, state.size, tuple(calls), tuple(notes))
    metrics.STEP_SECONDS.labels(step.step).observe(ms / 1000.0)
    metrics.STEP_CANDIDATES.labels(step.step, "in").observe(traced.candidates_in)
    metrics.STEP_CANDIDATES.labels(step.step, "out").observe(traced.candidates_out)
    return traced
