"""Routes of searches, and their requests and responses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from papergraph.errors import NotFoundError
from papergraph.records import described
from papergraph.requests import request
from papergraph.schema import records
from papergraph.server.answers.quotes import Highlight, Highlighter
from papergraph.server.auth.operations import READ, SEARCH, Included
from papergraph.server.operations.context import Context, RequestContext
from papergraph.server.operations.search import search_for
from papergraph.server.rest import models
from papergraph.server.rest.pagination import papers_with_authors
from papergraph.server.rest.requests import (
    InCollection,
    ListResponse,
    ResponseModel,
)
from papergraph.server.retrieval import pipelines
from papergraph.server.retrieval import saved_run as saving
from papergraph.server.retrieval import search as retrieval
from papergraph.server.retrieval.candidates import AskedQuery, RetrieverScore, SelectionDetail, StepPlace, Via
from papergraph.server.retrieval.filters import AppliedFilter
from papergraph.server.retrieval.pipelines import find
from papergraph.server.retrieval.request import MAX_K, SearchRequest
from papergraph.server.retrieval.runner import TraceStep, enrichments_of_collection, missing
from papergraph.server.retrieval.scope import within
from papergraph.server.retrieval.search import SearchResult
from papergraph.server.selection.result import SelectionReport

# Models of a search over REST: request, hits, explanation, trace and certificate


Part = Literal["explanation", "neighbours", "highlights", "trace", "run"]


@request(kw_only=True)
class SearchBody(SearchRequest):
    """Search query and options."""

    include: Annotated[
        tuple[Part, ...],
        described(
            "Optional parts: explanation of hits, their highlights, neighbouring chunks, trace of steps, saved run.",
            max_length=5,
        ),
    ] = ()


class Explanation(ResponseModel):
    """Explanation of the rank of a hit."""

    retrievers: list[RetrieverScore]
    """Scores of the retrievers that found the hit."""

    via: list[Via]
    """Graph path from the query to this passage, if any."""

    rank_history: list[StepPlace]
    """Rank after each ordering step."""

    merged_chunk_ids: list[str]
    """Chunks that were merged into this one."""

    why_not_higher: str
    """Reasons for the rank below the previous hit; empty for the first."""


class Hit(ResponseModel):
    """Passage found for a query, with its context."""

    rank: int
    """From 1, best first."""

    score: float
    """Score of the last scoring step; comparable within this query only."""

    passage: str
    """Text for the reader: the passage, compressed or expanded."""

    outside_filter: bool
    """True if the hit is outside the filter and only fills the list."""

    chunk: records.Chunk
    section: records.Section
    paper: models.Paper
    previous: Annotated[records.Chunk | None, Included("neighbours")]
    """Previous chunk in the paper, if ``neighbours`` are included."""

    next: Annotated[records.Chunk | None, Included("neighbours")]
    explanation: Annotated[Explanation | None, Included("explanation")]
    highlights: Annotated[list[Highlight] | None, Included("highlights")]
    """Words of the query in the passage, and its best sentence, if ``highlights`` are included."""

    selection: SelectionDetail | None
    """Selection details, if passages were selected."""


class SearchAnswer(ResponseModel):
    """Hits of a search, best first, with the trace of their retrieval."""

    hits: list[Hit]
    pipeline: str
    queries: list[AskedQuery]
    """Executed queries: the original and derived ones."""

    filter: AppliedFilter | None
    selection: SelectionReport | None
    """Certificate, if passages were selected."""

    draft: str | None
    """Draft answer for the reranker, if any."""

    warnings: list[str]
    """Differences from the pipeline, such as other chunks."""

    trace: list[TraceStep] | None
    run: Any
    """Saved run for `papergraph pipelines replay`."""


@dataclass(frozen=True, kw_only=True)
class Pipeline(pipelines.PipelineInfo):
    """Named, reproducible list of retrieval steps."""

    missing: Annotated[
        tuple[str, ...], described("Obstacles to running it, each with the next step; empty if it can run.")
    ]


# Search over REST, and the retrieval pipelines


router = APIRouter()


def _length(context: RequestContext, wanted: SearchBody) -> int:
    """Return the number of hits; the most where overrides may change it."""
    own_k = MAX_K if wanted.overrides else find(wanted.pipeline_name, context.service.pipelines).k
    return wanted.k or (wanted.selection.k if wanted.selection else min(own_k, MAX_K))


@router.post("/search", summary="Search for passages.")
@replace(SEARCH, length=_length)
async def search_passages(context: Context, wanted: SearchBody) -> SearchAnswer:
    return await search_answer(context, wanted)


async def search_answer(context: RequestContext, wanted: SearchBody) -> SearchAnswer:
    """Return what is found for a search, in the form of REST."""
    service = context.service
    found = await search_for(context.principal, service.resources, context.limits.spending, wanted, service.pipelines)
    return await _answer(context, found, wanted.include)


@router.get("/pipelines", summary="List retrieval pipelines, and what is missing in a collection for each.")
@READ
async def list_pipelines(context: Context, wanted: Annotated[InCollection, Query()]) -> ListResponse[Pipeline]:
    return ListResponse(data=await _with_missing(context, context.service.pipelines.values(), wanted.collection))


@router.get("/pipelines/{name}", summary="Get a pipeline by name, and what is missing in a collection for it.")
@READ
async def get_pipeline(context: Context, name: str, wanted: Annotated[InCollection, Query()]) -> Pipeline:
    if (found := context.service.pipelines.get(name)) is None:
        raise NotFoundError("pipeline", name[:80], field="name")
    (pipeline,) = await _with_missing(context, [found], wanted.collection)
    return pipeline


async def _with_missing(
    context: RequestContext, found: Iterable[pipelines.Pipeline], collection: str | None
) -> list[Pipeline]:
    name = context.collection(collection)
    there = await enrichments_of_collection(context.database, within(name, context.collections))
    return [Pipeline.of(one, missing=tuple(missing(context.service.resources, one, there, name))) for one in found]


async def _answer(context: RequestContext, found: SearchResult, include: Sequence[Part]) -> SearchAnswer:
    outcome, applied = found.outcome, found.applied
    return SearchAnswer(
        hits=await hits_of(context, found.hits, include, query=found.query),
        pipeline=outcome.pipeline.name,
        queries=outcome.queries,
        filter=applied,
        selection=outcome.selection,
        draft=outcome.draft,
        warnings=list(outcome.warnings),
        trace=outcome.trace if "trace" in include else None,
        run=saving.saved(context.service.resources, found).model_dump(mode="json") if "run" in include else None,
    )


async def hits_of(
    context: RequestContext, hits: Sequence[retrieval.Hit], include: Sequence[Part] = (), *, query: str = ""
) -> list[Hit]:
    """Return hits with their papers' authors, and where they are included with highlights; a query of Neo4j each."""
    papers = await papers_with_authors(context, [hit.paper for hit in hits])
    highlighter = Highlighter(context.database, query)
    marked: list[list[Highlight] | None] = [
        await highlighter.highlights(hit.text, collection=hit.chunk.collection) if "highlights" in include else None
        for hit in hits
    ]
    return [_hit(hit, paper, spans, include) for hit, paper, spans in zip(hits, papers, marked, strict=True)]


def _hit(hit: retrieval.Hit, paper: models.Paper, spans: list[Highlight] | None, include: Sequence[Part]) -> Hit:
    with_neighbours = "neighbours" in include
    return Hit.model_validate(
        vars(hit)
        | {
            "passage": hit.text,
            "paper": paper,
            "highlights": spans,
            "previous": hit.previous if with_neighbours else None,
            "next": hit.next if with_neighbours else None,
            "explanation": Explanation.model_validate(hit) if "explanation" in include else None,
        }
    )
