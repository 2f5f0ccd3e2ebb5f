"""From a query to the passages that answer it best: a pipeline is run, and its candidates become hits."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Annotated

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding.files import query_warning
from papergraph.errors import EmbeddingError, IndexUnavailableError
from papergraph.records import NOT_IN_GRAPHQL, Id, Record, described, internal
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
from papergraph.server.retrieval.lucene import STOP_WORDS, query_words
from papergraph.server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline
from papergraph.server.retrieval.relations import RelationPath
from papergraph.server.retrieval.request import MAX_K, PlannedSearch, SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.runner import PipelineResult, run, why_not_higher
from papergraph.server.retrieval.scope import AllowedCollections, Collections, Scope, reached, refuse_unknown_collection
from papergraph.server.retrieval.word_counts import word_counts

LEAST_LETTERS, MOST_LOOKED_FOR = 4, 3
"""Letters of a word, and number of words, that are looked for in the collection if no hit has them."""


@dataclass(frozen=True)
class PassageSection(Record):
    """Section that a passage reaches into."""

    section_id: Annotated[Id, described("Id of the section.")]
    path: Annotated[tuple[str, ...], described("Headings above the text, outermost first.")]
    start_char: Annotated[int, described("First character of the section in the source text, from 0.")]
    end_char: Annotated[int, described("Character after the last one of the section in the source text.")]


@dataclass(frozen=True)
class Explanation(Record):
    """Explanation of the rank of a hit."""

    retrievers: Annotated[
        tuple[RetrieverScore, ...], described("Scores of the retrievers that found the hit."), NOT_IN_GRAPHQL
    ]
    via: Annotated[tuple[Via, ...], described("Graph path from the query to this passage, if any.")]
    rank_history: Annotated[tuple[StepPlace, ...], described("Rank after each ordering step.")]
    merged_chunk_ids: Annotated[tuple[Id, ...], described("Chunks that were merged into this one.")]
    why_not_higher: Annotated[str, described("Reasons for the rank below the previous hit; empty for the first.")]


@dataclass(frozen=True)
class Hit(Record):
    """Passage found for a query, with its context.

    >>> hit = library.search("Is tabu search better than annealing?")[0]
    >>> hit.rank, hit.paper.title, hit.section.title
    (1, 'Simulated Annealing and Tabu Search for Binary Optimisation', 'Short and long runs')
    """

    rank: Annotated[int, described("From 1, best first.")]
    score: Annotated[float, described("Score of the last scoring step; comparable within this query only.")]
    retrievers: Annotated[tuple[RetrieverScore, ...], internal("Scores of the retrievers that found it.")]
    chunk: Annotated[Chunk, described("The chunk of the passage.")]
    section: Annotated[Section, described("The section in which the passage begins.")]
    paper: Annotated[Paper, described("The paper of the passage.")]
    previous: Annotated[Chunk | None, described("Previous chunk in the paper.")]
    next: Annotated[Chunk | None, described("Next chunk in the paper.")]
    before: Annotated[tuple[Chunk, ...], internal("Chunks before it that belong to the passage.")] = ()
    after: Annotated[tuple[Chunk, ...], internal("Chunks after it that belong to the passage.")] = ()
    sections: Annotated[
        tuple[PassageSection, ...],
        described("Sections of the passage in reading order; several if it crosses headings."),
    ] = ()
    relations: Annotated[
        tuple[RelationPath, ...], described("Relations of entities near to the query, if the pipeline adds them.")
    ] = ()
    outside_filter: Annotated[bool, described("True if the hit is outside the filter and only fills the list.")] = False
    selection: Annotated[SelectionDetail | None, described("Selection details, if passages were selected.")] = None
    via: Annotated[tuple[Via, ...], internal("Path from the query along the graph.")] = ()
    merged_chunk_ids: Annotated[tuple[str, ...], internal("Chunks whose place it took.")] = ()
    rank_history: Annotated[tuple[StepPlace, ...], internal("Rank after each ordering step.")] = ()
    why_not_higher: Annotated[str, internal("Reasons for the rank below the previous hit; empty for the first.")] = ""
    shortened: Annotated[str | None, internal("The shortened text, where the pipeline compresses.")] = None
    query: Annotated[str, internal("The query.")] = ""

    @property
    def text(self) -> str:
        """Text for the reader: that of the chunk, shortened or with neighbouring chunks as the pipeline says."""
        beside = [chunk.text for chunk in (*self.before, self.chunk, *self.after)]
        return self.shortened if self.shortened is not None else "\n\n".join(beside)

    @property
    def section_paths(self) -> tuple[tuple[str, ...], ...]:
        """Headings above each part of the passage, in reading order."""
        return tuple(dict.fromkeys(one.path for one in self.sections)) or (self.section.path,)

    @property
    def headings(self) -> str:
        """Title of the paper, and all headings above the passage, as one text."""
        return " ".join((self.paper.title, *(heading for path in self.section_paths for heading in path)))

    def section_path_at(self, char: int) -> tuple[str, ...]:
        """Return the headings above a character of the source text; those of a heading include it."""
        return next((one.path for one in self.sections if char < one.end_char), self.section_paths[-1])

    def explained(self) -> Explanation:
        """Return the explanation of its rank."""
        return Explanation(self.retrievers, self.via, self.rank_history, self.merged_chunk_ids, self.why_not_higher)


@dataclass(frozen=True)
class SearchResult:
    """Result of a search.

    Attributes:
        query: The query.
        hits: The passages, best first.
        outcome: Result of the pipeline: candidates, trace and warnings.
        filter: The filter of the request, or None.
        applied: The filter as it was applied, with what it matches; None without a filter.
        backfill: True if hits outside the filter may fill the list.
        nearest: Best passages below the threshold, if all passages are below it.
    """

    query: str
    hits: tuple[Hit, ...]
    outcome: PipelineResult = field(repr=False)
    filter: Filter | None = None
    applied: AppliedFilter | None = None
    backfill: bool = False
    nearest: tuple[Hit, ...] = ()


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
        tolerant: True to continue when the language model fails; its text is then left out.

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
    hits = await _hits(resources, query, outcome, outcome.candidates[: k or MAX_K])
    nearest = [] if hits else await _hits(resources, query, outcome, outcome.below[: k or MAX_K])
    if (warning := _other_chunks(chosen, hits)) is not None:
        outcome.warnings.append(warning)
    if chosen.retrievers != {RetrieverName.FULLTEXT}:
        outcome.warnings += [foreign] if foreign is not None else []
        outcome.warnings += _unknown_words_warning(await _unknown_words(resources.database, query, hits, looked_in))
    applied = None if resolved is None else resolved.applied
    return SearchResult(query, tuple(hits), outcome, filter, applied, planned.backfill, tuple(nearest))


async def _unknown_words(database: Database, query: str, hits: Sequence[Hit], collections: Collections) -> list[str]:
    """Return the words of a query that no chunk of the collections has; only the first few are looked for."""
    if not hits:
        return []
    seen = " ".join(f"{hit.text} {hit.headings} {hit.paper.title}" for hit in hits).lower()
    words = [word for word in dict.fromkeys(query_words(query)) if word not in STOP_WORDS and word not in seen]
    looked_for = [word for word in words if len(word) >= LEAST_LETTERS and word.isalpha()][:MOST_LOOKED_FOR]
    try:
        found = await word_counts(database).found(database, looked_for, collections)
    except IndexUnavailableError:
        return []
    return [word for word in looked_for if word not in found]


def _unknown_words_warning(words: Sequence[str]) -> list[str]:
    if not words:
        return []
    quoted = " or ".join(f"“{word}”" for word in words)
    return [f"No passage of the collection has {quoted}."]


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


async def _hits(
    resources: Resources, query: str, outcome: PipelineResult, candidates: Sequence[RankedCandidate]
) -> list[Hit]:
    if not candidates:
        return []
    ids = [candidate.chunk_id for candidate in candidates]
    by_id, beside = await asyncio.gather(passages(resources.database, ids), _beside(resources, ids, outcome.windows))
    present = [one for one in candidates if one.chunk_id in by_id]  # one may have been deleted since it was found
    hits = []
    for place, candidate in enumerate(present):
        hit = by_id[candidate.chunk_id]
        before, after = beside.get(candidate.chunk_id, ((), ()))
        hits.append(
            replace(
                hit,
                rank=place + 1,
                score=candidate.score,
                retrievers=candidate.retrievers,
                before=tuple(one.chunk for one in before),
                after=tuple(one.chunk for one in after),
                sections=tuple(dict.fromkeys(part for one in (*before, hit, *after) for part in one.sections)),
                via=candidate.via,
                merged_chunk_ids=candidate.merged_chunk_ids,
                rank_history=tuple(StepPlace(*place) for place in candidate.rank_history.items()),
                outside_filter=candidate.outside_filter,
                shortened=outcome.passages.get(candidate.chunk_id),
                why_not_higher=_why(present, place, outcome),
                selection=candidate.selection,
                relations=_relations(outcome, {candidate.chunk_id, *candidate.merged_chunk_ids}, hit.chunk.text),
                query=query,
            )
        )
    return hits


async def passages(database: Database, chunk_ids: Sequence[str]) -> dict[str, Hit]:
    """Return chunks with their context, by id, as hits without rank; those that were deleted are missing.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("retrieval/passages"), chunk_ids=list(chunk_ids))
    hits = (
        Hit(
            rank=0,
            score=1.0,
            retrievers=(),
            chunk=Chunk.of(record["chunk"]),
            section=Section.of(record["section"], path=record["path"], parent_id=record["parent_id"]),
            paper=Paper.of(record["paper"]),
            previous=record["previous"] and Chunk.of(record["previous"]),
            next=record["next"] and Chunk.of(record["next"]),
            sections=tuple(PassageSection(**one | {"path": tuple(one["path"])}) for one in record["sections"]),
        )
        for record in records
    )
    return {hit.chunk.id: hit for hit in hits}


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


def _relations(outcome: PipelineResult, chunk_ids: set[str], text: str) -> tuple[RelationPath, ...]:
    """Return the relations that one of the chunks says, or holds the words of, each with its sentences of a text."""
    found = (path for path in outcome.relations if not chunk_ids.isdisjoint(path.holder_ids))
    return tuple(
        replace(path, quote=text[slice(*place)] if (place := path.place_in(text)) is not None else None)
        for path in found
    )


def _why(present: Sequence[RankedCandidate], place: int, outcome: PipelineResult) -> str:
    if not place:
        return ""
    if present[place].outside_filter != present[place - 1].outside_filter:
        return "the filter does not let it pass"
    return why_not_higher(present[place], present[place - 1], outcome)


Beside = Mapping[str, tuple[tuple[Hit, ...], tuple[Hit, ...]]]


async def _beside(resources: Resources, ids: Sequence[str], window: int) -> Beside:
    """Return ``window`` chunks before and after chunks, each beside the first one only, and none that is one of them.

    Chunks that were deleted meanwhile are missing.
    """
    if not window:
        return {}
    found = await resources.database.read(cypher.load("retrieval/chunks_beside"), chunk_ids=list(ids), window=window)
    records = {record["chunk_id"]: record for record in found}
    shown = set(ids)
    beside: dict[str, tuple[list[str], list[str]]] = {}
    for id in (id for id in ids if id in records):
        before, after = ([one for one in records[id][side] if one not in shown] for side in ("before", "after"))
        beside[id] = before, after
        shown |= {*before, *after}
    by_id = await passages(resources.database, sorted(shown - set(ids)))

    def there(side: Sequence[str]) -> tuple[Hit, ...]:
        return tuple(by_id[one] for one in side if one in by_id)

    return {id: (there(before), there(after)) for id, (before, after) in beside.items()}
