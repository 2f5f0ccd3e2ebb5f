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
from papergraph.server.retrieval.candidates import AskedQuery
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


@dataclass(frozen=True, kw_only=True)
class Hit(retrieval.Hit):
    """Passage found for a query, with its context."""

    paper: Annotated[models.Paper, described("The paper of the passage.")]
    passage: Annotated[str, described("Text for the reader: the passage, compressed or expanded.")]
    previous: Annotated[
        records.Chunk | None,
        described("Previous chunk in the paper, if `neighbours` are included."),
        Included("neighbours"),
    ] = None
    next: Annotated[
        records.Chunk | None,
        described("Next chunk in the paper, if `neighbours` are included."),
        Included("neighbours"),
    ] = None
    explanation: Annotated[
        retrieval.Explanation | None,
        described("Explanation of the rank, if `explanation` is included."),
        Included("explanation"),
    ] = None
    highlights: Annotated[
        tuple[Highlight, ...] | None,
        described("Words of the query in the passage, and its best sentence, if `highlights` are included."),
        Included("highlights"),
    ] = None


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
    """Return the largest number of hits."""
    pipeline = find(wanted.pipeline_name, context.service.pipelines)
    if wanted.overrides:
        pipeline = pipeline.overridden(wanted.overrides)
    return wanted.k or (wanted.selection.k if wanted.selection else min(pipeline.k, MAX_K))


@router.post("/search", summary="Search for passages.")
@replace(SEARCH, length=_length)
async def search_passages(context: Context, wanted: SearchBody) -> SearchAnswer:
    return await search_answer(context, wanted)


async def search_answer(context: RequestContext, wanted: SearchBody) -> SearchAnswer:
    """Return what is found for a search, in the form of REST."""
    service = context.service
    highlighter = Highlighter(context.database, wanted.query) if "highlights" in wanted.include else None
    found = await search_for(
        context.principal,
        service.resources,
        context.limits.spending,
        wanted,
        service.pipelines,
        highlighter,
    )
    return await _answer(context, found, wanted.include, highlighter)


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


async def _answer(
    context: RequestContext, found: SearchResult, include: Sequence[Part], highlighter: Highlighter | None
) -> SearchAnswer:
    outcome, applied = found.outcome, found.applied
    return SearchAnswer(
        hits=await hits_of(context, found.hits, include, highlighter),
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
    context: RequestContext,
    hits: Sequence[retrieval.Hit],
    include: Sequence[Part] = (),
    highlighter: Highlighter | None = None,
) -> list[Hit]:
    """Return hits with their papers' authors, and where they are included with highlights; a query of Neo4j each."""
    papers = await papers_with_authors(context, [hit.paper for hit in hits])
    found = []
    for hit, paper in zip(hits, papers, strict=True):
        shown: dict[str, Any] = {"previous": hit.previous, "next": hit.next} if "neighbours" in include else {}
        if "explanation" in include:
            shown["explanation"] = hit.explained()
        if highlighter is not None:
            marked = await highlighter.highlights(hit.text, collection=hit.chunk.collection)
            shown["highlights"] = tuple(marked)
        plain = vars(hit) | {"previous": None, "next": None, "paper": paper, "passage": hit.text}
        found.append(Hit(**plain | shown))
    return found
