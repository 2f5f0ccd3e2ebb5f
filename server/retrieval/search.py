"""From a query to the passages that answer it best: a pipeline is run, and its candidates become hits."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import cypher
from papergraph.errors import EmbeddingError, InputError
from schema.ids import DEFAULT_COLLECTION
from schema.records import Chunk, Paper, Section
from server.retrieval.candidates import Chosen, LegScore, Scored, Via
from server.retrieval.explaining import why_not_higher
from server.retrieval.filters import Filter
from server.retrieval.passing import Applied, resolve
from server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline, find
from server.retrieval.resources import Resources
from server.retrieval.run import Outcome, run
from server.retrieval.scope import Reach, Scope, refuse_unknown_collection, within
from server.retrieval.steps import Select

MAX_K = 100
MAX_QUERY_CHARS = 4000


@dataclass(frozen=True)
class Hit:
    """A passage for a query.

    Attributes:
        rank: From 1, best first.
        score: Of the pipeline's last step that gave one; higher is better, comparable within one query only.
        legs: What each leg that found it says.
        chunk: The passage.
        section: The section it stands in, with the headings above.
        paper: The paper it stands in.
        previous: The chunk before it in the paper.
        next: The chunk after it in the paper.
        before, after: Chunks beside it that belong to the passage, where the pipeline says so.
        via: The way from the query to it, where it was come to along the graph.
        stands_for: Ids of the chunks whose place it took, where parts were merged.
        places: Its place after each step that put candidates in an order: the step's number, and the place from 1.
        outside: Whether the filter does not let it pass: it only fills up.
        passage: The shortened text, where the pipeline compresses.
        why_not_higher: What keeps it behind the hit before it; empty for the first.
        chosen: What the selection says of it, where passages were selected.
    """

    rank: int
    score: float
    legs: tuple[LegScore, ...]
    chunk: Chunk
    section: Section
    paper: Paper
    previous: Chunk | None
    next: Chunk | None
    before: tuple[Chunk, ...] = ()
    after: tuple[Chunk, ...] = ()
    via: tuple[Via, ...] = ()
    stands_for: tuple[str, ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    outside: bool = False
    passage: str | None = None
    why_not_higher: str = ""
    chosen: Chosen | None = None

    @property
    def text(self) -> str:
        """What a reader is given: the text, shortened where the pipeline says so, or with the chunks beside it."""
        beside = [chunk.text for chunk in (*self.before, self.chunk, *self.after)]
        return self.passage if self.passage is not None else "\n\n".join(beside)


@dataclass(frozen=True)
class Found:
    """What a search gives.

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
    outcome: Outcome = field(repr=False)
    filter: Filter | None = None
    applied: Applied | None = None
    backfill: bool = False


async def search(
    resources: Resources,
    query: str,
    *,
    pipeline: str | Pipeline = DEFAULT_PIPELINE,
    collection: str = DEFAULT_COLLECTION,
    collections: Reach = None,
    k: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    select: Select | None = None,
    filter: Filter | None = None,
    backfill: bool = False,
    generated: Mapping[str, Sequence[str]] | None = None,
    tolerant: bool = False,
) -> Found:
    """Return the passages that answer ``query`` best.

    Args:
        resources: What pipelines run with.
        query: What is looked for, in any words; 1 to 4000 characters.
        pipeline: How to rank, by name or as it is.
        collection: Where to look.
        collections: The collections that the asker reaches; any other is not there. None for all.
        k: Number of hits, 1 to 100; by default what the pipeline gives.
        overrides: Other options for its steps, such as ``{"search.k": 50}``.
        select: A selection at its end, or instead of its own.
        filter: Which papers and passages every leg looks among.
        backfill: Whether to fill up from the whole collection where the filter lets too few pass; such hits come last
            and are marked.
        generated: What a language model wrote in an earlier run, by step; it is not asked for these again.
        tolerant: Whether to go on without what a language model fails to write.

    Returns:
        At most ``k`` hits, best first; no hits give an empty list.

    Raises:
        InputError: An argument is not acceptable; ``field`` says which. ``PipelineError`` is one.
        UnknownCollectionError: There is no such collection.
        PapergraphError: What :func:`server.retrieval.run.run` raises.
    """
    query = check_query(query)
    chosen = prepared(resources, pipeline, k=k, overrides=overrides, select=select)
    looked_in = within(collection, collections)
    applied = None if filter is None else await _resolve(resources, query, filter, looked_in)
    whole = Scope(looked_in, asked=collection)
    scope = whole if applied is None else Scope.filtered(looked_in, applied.passing, asked=collection)
    outcome = await run(resources, chosen, query, scope, generated=generated, tolerant=tolerant)
    if not outcome.candidates:
        await refuse_unknown_collection(resources.database, looked_in, asked=collection)
    wanted = min(k or chosen.k, MAX_K)
    if backfill and applied is not None and len(outcome.candidates) < wanted:
        outside = await run(resources, chosen, query, whole, generated=outcome.generated)
        outcome = _filled(outcome, outside, wanted)
    hits = await _hits(resources, outcome, outcome.candidates[: k or MAX_K])
    return Found(query, tuple(hits), outcome, filter, applied, backfill)


def _filled(inside: Outcome, outside: Outcome, wanted: int) -> Outcome:
    """Return the outcome of a filtered run with candidates of one without the filter behind its own."""
    known = {candidate.chunk_id for candidate in inside.candidates}
    known |= {part for candidate in inside.candidates for part in candidate.stands_for}
    more = [replace(one, outside=True) for one in outside.candidates if one.chunk_id not in known]
    return replace(
        inside,
        candidates=[*inside.candidates, *more[: wanted - len(inside.candidates)]],
        trace=[*inside.trace, *outside.trace],
        passages=outside.passages | inside.passages,
    )


async def _resolve(resources: Resources, query: str, filter: Filter, collection: str) -> Applied:
    """Resolve a filter while the query is being embedded; whether that fails the legs will tell."""
    applied, _ = await asyncio.gather(resolve(resources.database, filter, collection), _embedded(resources, query))
    return applied


async def _embedded(resources: Resources, query: str) -> None:
    with suppress(EmbeddingError):
        await resources.model.vector(query)


def prepared(
    resources: Resources,
    pipeline: str | Pipeline,
    *,
    k: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    select: Select | None = None,
) -> Pipeline:
    """Return the pipeline that is run for a search's arguments.

    Raises:
        InputError: An argument is not acceptable.
    """
    chosen = pipeline if isinstance(pipeline, Pipeline) else find(pipeline, resources.pipelines)
    if overrides:
        chosen = chosen.overridden(overrides)
    if select is not None:
        chosen = chosen.selecting(select)
    if k is not None:
        check_k(k)
        chosen = chosen.giving(k)
    return chosen


async def rank(
    resources: Resources,
    query: str,
    *,
    pipeline: str | Pipeline = DEFAULT_PIPELINE,
    collection: str = DEFAULT_COLLECTION,
    k: int = 10,
    paper_ids: Sequence[str] | None = None,
) -> list[Scored]:
    """Return the ``k`` chunks that a pipeline ranks first, without their texts; for evaluation.

    Args:
        resources: What pipelines run with.
        query: What is looked for, in any words; 1 to 4000 characters.
        pipeline: How to rank.
        collection: Where to look.
        k: Number of chunks, at least 1.
        paper_ids: Papers of the collection to look in, or None for all; see :class:`server.retrieval.scope.Scope`.

    Raises:
        PapergraphError: As of :func:`search`.
    """
    scope = Scope(collection, paper_ids=None if paper_ids is None else tuple(paper_ids))
    chosen = prepared(resources, pipeline).giving(k)
    return (await run(resources, chosen, check_query(query), scope)).candidates[:k]


def check_query(query: str) -> str:
    """Return ``query`` without white space around it.

    Raises:
        InputError: Nothing is left, or it is longer than 4000 characters.
    """
    query = query.strip()
    if not query:
        raise InputError("the query is empty", field="query")
    if len(query) > MAX_QUERY_CHARS:
        raise InputError(f"the query has {len(query)} characters, at most {MAX_QUERY_CHARS} are allowed", field="query")
    return query


def check_k(k: int) -> None:
    """Raise ``InputError`` unless 1 <= k <= 100."""
    if not 1 <= k <= MAX_K:
        raise InputError(f"k must be 1 to {MAX_K}, got {k}", field="k")


async def _hits(resources: Resources, outcome: Outcome, candidates: Sequence[Scored]) -> list[Hit]:
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
                legs=candidate.legs,
                chunk=Chunk.of(record["chunk"]),
                section=Section.of(record["section"], path=record["path"], parent_id=record["parent_id"]),
                paper=Paper.of(record["paper"]),
                previous=record["previous"] and Chunk.of(record["previous"]),
                next=record["next"] and Chunk.of(record["next"]),
                before=before,
                after=after,
                via=candidate.via,
                stands_for=candidate.stands_for,
                places=candidate.places,
                outside=candidate.outside,
                passage=outcome.passages.get(candidate.chunk_id),
                why_not_higher=_why(present, place, outcome),
                chosen=candidate.chosen,
            )
        )
    return hits


def _why(present: Sequence[Scored], place: int, outcome: Outcome) -> str:
    if not place:
        return ""
    if present[place].outside != present[place - 1].outside:
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
