"""From a query to the passages that answer it best: a pipeline is run, and its candidates become hits."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from papergraph import cypher
from papergraph.embedding.files import query_warning
from papergraph.errors import EmbeddingError
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.schema.records import Chunk, Paper, Section
from papergraph.server.retrieval.candidates import (
    RankedCandidate,
    RetrieverName,
    RetrieverScore,
    SelectionDetail,
    StepPlace,
    Via,
)
from papergraph.server.retrieval.filters import AppliedFilter, Filter, ResolvedFilter, resolve
from papergraph.server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline
from papergraph.server.retrieval.relations import RelationPath
from papergraph.server.retrieval.request import MAX_K, PlannedSearch, SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.runner import PipelineResult, run, why_not_higher
from papergraph.server.retrieval.scope import AllowedCollections, Collections, Scope, reached, refuse_unknown_collection


@dataclass(frozen=True)
class Hit:
    """A passage for a query.

    Attributes:
        rank: From 1, best first.
        score: Of the pipeline's last step that gave one; higher is better, comparable within one query only.
        retrievers: What each retriever that found it says.
        chunk: The passage.
        section: The section it stands in, with the headings above.
        paper: The paper it stands in.
        previous: The chunk before it in the paper.
        next: The chunk after it in the paper.
        before, after: Chunks beside it that belong to the passage, where the pipeline says so.
        via: The way from the query to it, where it was come to along the graph.
        merged_chunk_ids: Ids of the chunks whose place it took, where parts were merged.
        rank_history: Its place after each step that put candidates in an order.
        outside_filter: Whether the filter does not let it pass: it only fills up.
        passage: The shortened text, where the pipeline compresses.
        why_not_higher: What keeps it behind the hit before it; empty for the first.
        selection: What the selection says of it, where passages were selected.
        relations: Relations of the graph that it says and that are content beside it.
    """

    rank: int
    score: float
    retrievers: tuple[RetrieverScore, ...]
    chunk: Chunk
    section: Section
    paper: Paper
    previous: Chunk | None
    next: Chunk | None
    before: tuple[Chunk, ...] = ()
    after: tuple[Chunk, ...] = ()
    via: tuple[Via, ...] = ()
    merged_chunk_ids: tuple[str, ...] = ()
    rank_history: tuple[StepPlace, ...] = ()
    outside_filter: bool = False
    passage: str | None = None
    why_not_higher: str = ""
    selection: SelectionDetail | None = None
    relations: tuple[RelationPath, ...] = ()

    @property
    def text(self) -> str:
        """Text for the reader: that of the chunk, shortened or with neighbouring chunks as the pipeline says."""
        beside = [chunk.text for chunk in (*self.before, self.chunk, *self.after)]
        return self.passage if self.passage is not None else "\n\n".join(beside)


@dataclass(frozen=True)
class SearchResult:
    """Result of a search.

    Attributes:
        query: What was asked.
        hits: The passages, best first.
        outcome: How they were come by.
        filter: The filter as it was given, where there was one.
        applied: What it let through.
        backfill: Whether hits from outside were to fill up.
    """

    query: str
    hits: tuple[Hit, ...]
    outcome: PipelineResult = field(repr=False)
    filter: Filter | None = None
    applied: AppliedFilter | None = None
    backfill: bool = False


async def search(
    resources: Resources, request: SearchRequest, *, collections: AllowedCollections = None
) -> SearchResult:
    """Return the passages that answer a query best, by one of the pipelines that come with papergraph.

    Raises:
        PipelineError: The pipeline cannot run as the request says; ``field`` names the option.
        PapergraphError: As of :func:`run_search`.
    """
    return await run_search(resources, request.planned(), collections=collections)


async def run_search(
    resources: Resources,
    planned: PlannedSearch,
    *,
    collections: AllowedCollections = None,
    generated: Mapping[str, Sequence[str]] | None = None,
    tolerant: bool = False,
) -> SearchResult:
    """Return the passages that answer a query best.

    Args:
        resources: What pipelines run with.
        planned: The query, and where and how to search.
        collections: Collections that the caller may use; all others do not exist for it. None for all.
        generated: Texts that a language model wrote in an earlier run, by step; it is not asked for these again.
        tolerant: Whether to go on without what a language model fails to write.

    Returns:
        At most ``planned.k`` hits, best first; no hits give an empty list.

    Raises:
        NotFoundError: There is no such collection, or not each of several.
        PapergraphError: What :func:`papergraph.server.retrieval.runner.run` raises.
    """
    query, filter, k, chosen = planned.query, planned.filter, planned.k, planned.pipeline
    model = resources.model.searched.embedder.card.name
    foreign = await asyncio.to_thread(query_warning, query, model)  # may load what detects languages
    asked = planned.collections
    looked_in = reached(asked, collections)
    if len(looked_in) > 1:  # of one collection it is seen where nothing is found
        await _refuse_unknown(resources, looked_in, asked)
    resolved = None if filter is None else await _resolve(resources, query, filter, looked_in)
    whole = Scope(looked_in, asked=asked)
    scope = whole
    if resolved is not None:
        scope = Scope.filtered(looked_in, resolved.passing, asked=asked, filter=filter)
    outcome = await run(resources, chosen, query, scope, generated=generated, tolerant=tolerant)
    if not outcome.candidates:
        await _refuse_unknown(resources, looked_in, asked)
    wanted = min(k or chosen.k, MAX_K)
    if planned.backfill and resolved is not None and len(outcome.candidates) < wanted:
        outside = await run(resources, chosen, query, replace(whole, fills_up=True), generated=outcome.generated)
        outcome = _filled(outcome, outside, wanted)
    hits = await _hits(resources, outcome, outcome.candidates[: k or MAX_K])
    if (warning := _other_chunks(chosen, hits)) is not None:
        outcome.warnings.append(warning)
    if foreign is not None and chosen.retrievers != {RetrieverName.FULLTEXT}:
        outcome.warnings.append(foreign)
    applied = None if resolved is None else resolved.applied
    return SearchResult(query, tuple(hits), outcome, filter, applied, planned.backfill)


async def _refuse_unknown(resources: Resources, looked_in: Collections, asked: Collections) -> None:
    named = zip(looked_in, asked, strict=True)
    await asyncio.gather(*(refuse_unknown_collection(resources.database, one, asked=name) for one, name in named))


def _filled(inside: PipelineResult, outside: PipelineResult, wanted: int) -> PipelineResult:
    """Return the outcome of a filtered run with candidates of one without the filter behind its own."""
    known = {candidate.chunk_id for candidate in inside.candidates}
    known |= {part for candidate in inside.candidates for part in candidate.merged_chunk_ids}
    more = [replace(one, outside_filter=True) for one in outside.candidates if one.chunk_id not in known]
    return replace(
        inside,
        candidates=[*inside.candidates, *more[: wanted - len(inside.candidates)]],
        trace=[*inside.trace, *outside.trace],
        passages=outside.passages | inside.passages,
        relations=[*inside.relations, *(one for one in outside.relations if one not in inside.relations)],
    )


async def _resolve(resources: Resources, query: str, filter: Filter, collections: Collections) -> ResolvedFilter:
    """Resolve a filter while the query is being embedded; whether that fails the retrievers will tell."""
    resolved, _ = await asyncio.gather(resolve(resources.database, filter, collections), _embedded(resources, query))
    return resolved


async def _embedded(resources: Resources, query: str) -> None:
    with suppress(EmbeddingError):
        await resources.model.vector(query)


async def rank(
    resources: Resources,
    query: str,
    *,
    pipeline: str | Pipeline = DEFAULT_PIPELINE,
    collection: str = DEFAULT_COLLECTION,
    k: int = 10,
    paper_ids: Sequence[str] | None = None,
) -> list[RankedCandidate]:
    """Return the ``k`` chunks that a pipeline ranks first, without their texts; for evaluation.

    Args:
        resources: What pipelines run with.
        query: What is looked for, in any words; 1 to 4000 characters.
        pipeline: How to rank.
        collection: Where to look.
        k: Number of chunks, at least 1.
        paper_ids: Papers of the collection to look in, or None for all; see
        :class:`papergraph.server.retrieval.scope.Scope`.

    Raises:
        PapergraphError: As of :func:`search`.
    """
    scope = Scope((collection,), paper_ids=None if paper_ids is None else tuple(paper_ids))
    planned = SearchRequest(query, pipeline=pipeline).planned()
    return (await run(resources, planned.pipeline.giving(k), planned.query, scope)).candidates[:k]


async def _hits(resources: Resources, outcome: PipelineResult, candidates: Sequence[RankedCandidate]) -> list[Hit]:
    ids = [candidate.chunk_id for candidate in candidates]
    if not ids:
        return []
    records = await resources.database.read(cypher.load("retrieval/passages"), chunk_ids=ids)
    by_id = {record["chunk"]["id"]: record for record in records}
    present = [one for one in candidates if one.chunk_id in by_id]  # one may have been deleted since it was found
    beside = await _beside(resources, ids, outcome.windows) if outcome.windows else {}
    hits = []
    for place, candidate in enumerate(present):
        record = by_id[candidate.chunk_id]
        before, after = beside.get(candidate.chunk_id, ((), ()))
        hits.append(
            Hit(
                rank=place + 1,
                score=candidate.score,
                retrievers=candidate.retrievers,
                chunk=Chunk.of(record["chunk"]),
                section=Section.of(record["section"], path=record["path"], parent_id=record["parent_id"]),
                paper=Paper.of(record["paper"]),
                previous=record["previous"] and Chunk.of(record["previous"]),
                next=record["next"] and Chunk.of(record["next"]),
                before=before,
                after=after,
                via=candidate.via,
                merged_chunk_ids=candidate.merged_chunk_ids,
                rank_history=tuple(candidate.rank_history),
                outside_filter=candidate.outside_filter,
                passage=outcome.passages.get(candidate.chunk_id),
                why_not_higher=_why(present, place, outcome),
                selection=candidate.selection,
                relations=_relations(outcome, {candidate.chunk_id, *candidate.merged_chunk_ids}),
            )
        )
    return hits


def _other_chunks(pipeline: Pipeline, hits: Sequence[Hit]) -> str | None:
    """Return a warning where passages were cut otherwise than the pipeline's method was published for."""
    others = [hit.paper for hit in hits if hit.paper.chunker != pipeline.chunker]
    if pipeline.chunker is None or not others:
        return None
    names = sorted({paper.collection for paper in others})
    collection, chunkers = names[0], sorted({paper.chunker or "unknown" for paper in others})
    return (
        f"pipeline {pipeline.name} is published for chunks of {pipeline.chunker}, and those of collection "
        f"{', '.join(names)} are of {', '.join(chunkers)}: it ran on these. A collection for "
        f"it: papergraph ingest SOURCE --chunker {pipeline.chunker} --collection {collection}-{pipeline.chunker}"
    )


def _relations(outcome: PipelineResult, chunk_ids: set[str]) -> tuple[RelationPath, ...]:
    """Return the relations that one of the chunks says, or holds the words of."""
    return tuple(path for path in outcome.relations if not chunk_ids.isdisjoint(path.holder_ids))


def _why(present: Sequence[RankedCandidate], place: int, outcome: PipelineResult) -> str:
    if not place:
        return ""
    if present[place].outside_filter != present[place - 1].outside_filter:
        return "the filter does not let it pass"
    return why_not_higher(present[place], present[place - 1], outcome)


async def _beside(
    resources: Resources, ids: Sequence[str], window: int
) -> dict[str, tuple[tuple[Chunk, ...], tuple[Chunk, ...]]]:
    records = await resources.database.read(cypher.load("retrieval/chunks_beside"), chunk_ids=list(ids), window=window)
    return {
        record["chunk_id"]: (
            tuple(Chunk.of(chunk) for chunk in record["before"]),
            tuple(Chunk.of(chunk) for chunk in record["after"]),
        )
        for record in records
    }
