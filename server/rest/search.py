"""Routes of searches, and their requests and responses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BeforeValidator, Field

from papergraph.errors import NotFoundError
from papergraph.records import described
from schema import records
from server.answers.quotes import Highlight, Highlighter
from server.auth import costs as prices
from server.auth.access import Deadline, KeyScope, access
from server.operations.context import Context, RequestContext
from server.operations.search import search_for
from server.rest import models
from server.rest.nodes import papers_with_authors
from server.rest.requests import (
    InCollection,
    InCollections,
    ListResponse,
    RequestModel,
    ResponseModel,
    page_price,
    price_of,
    read_body,
    within_a_page,
)
from server.retrieval import pipelines
from server.retrieval import saved_run as saving
from server.retrieval import search as retrieval
from server.retrieval.candidates import AskedQuery, RetrieverScore, SelectionDetail, StepPlace, Via
from server.retrieval.filters import AppliedFilter, Filter, parse_filter
from server.retrieval.pipelines import DEFAULT_PIPELINE
from server.retrieval.request import MAX_K, MAX_QUERY_CHARS, MOST_OVERRIDES, SearchRequest
from server.retrieval.runner import TraceStep, enrichments_of_collection, missing
from server.retrieval.scope import Collections, within
from server.retrieval.search import SearchResult
from server.retrieval.steps.select import Select
from server.selection.problem import Form
from server.selection.result import SelectionReport

# Models of a search over REST: request, hits, explanation, trace and certificate


class SelectionBody(RequestModel):
    """Selection of relevant, diverse passages with a certificate."""

    k: int = 10
    pool: int = 500
    """Number of candidates to select from."""

    alpha: float = 0.7
    """Weight of relevance against redundancy, 0 to 1."""

    form: Form = Form.MEAN
    backend: str = "exact"
    """exact, cpsat, anneal, mmr, top_k or pbit."""

    deadline_ms: float = 20.0
    """Time limit of the selection; device, CP-SAT and annealing need more."""

    token_budget: int | None = None
    """Maximum tokens of all passages together; fewer than k are selected if k do not fit."""

    max_per_paper: int | None = None
    """Maximum passages per paper."""

    seed: int = 0

    def step(self) -> Select:
        """Return the step.

        Raises:
            InputError: A value is out of its range.
        """
        return read_body(Select, self.model_dump(), within="selection")


Part = Literal["explanation", "neighbours", "highlights", "trace", "run"]


class SearchBody(InCollections):
    """Search query and options."""

    query: str = Field(min_length=1, max_length=MAX_QUERY_CHARS, examples=["Is tabu search better than annealing?"])
    k: int | None = Field(default=None, ge=1, le=MAX_K, examples=[10])
    """Number of hits; default: that of the pipeline."""

    pipeline: str = DEFAULT_PIPELINE
    """Retrieval pipeline, by name."""

    overrides: dict[str, Any] = Field(default_factory=dict, max_length=MOST_OVERRIDES)
    """Other values for options of its steps, such as search.k, or fuse2.by for the second fuse."""

    selection: SelectionBody | None = None
    """Selection after the pipeline, or instead of its own."""

    filter: Annotated[Filter, BeforeValidator(parse_filter)] | None = None
    """Filter on papers and passages; see docs/filters.md."""

    backfill: bool = False
    """Fill the list from the whole collections if too few hits pass the filter."""

    include: list[Part] = Field(default_factory=list, max_length=5)
    """Optional parts: explanation of hits, their highlights, neighbouring chunks, trace of steps, saved run."""

    def request(self, collections: Collections) -> SearchRequest:
        """Return the search of collections as every interface passes it on."""
        return SearchRequest(
            self.query,
            pipeline=self.pipeline,
            collections=collections,
            k=self.k,
            overrides=self.overrides,
            selection=self.selection.step() if self.selection else None,
            filter=self.filter,
            backfill=self.backfill,
        )


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
    previous: records.Chunk | None
    """Previous chunk in the paper, if ``neighbours`` are included."""

    next: records.Chunk | None
    explanation: Explanation | None
    highlights: list[Highlight] | None
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
    """What the search did otherwise than the pipeline says, such as on other chunks."""

    trace: list[TraceStep] | None
    run: Any
    """Saved run for `papergraph pipelines replay`."""


@dataclass(frozen=True, kw_only=True)
class Pipeline(pipelines.PipelineInfo):
    """Named, reproducible list of retrieval steps."""

    missing: Annotated[
        tuple[str, ...], described("What keeps it from running, each with the next step; empty if it can run.")
    ]


# Search over REST, and the retrieval pipelines


router = APIRouter()


class Neighbours(ResponseModel):
    """The chunks beside a hit, for the price of both."""

    previous: records.Chunk
    next: records.Chunk


class Highlights(ResponseModel):
    """The highlights of a hit, for their price."""

    highlights: list[Highlight]


PARTS_OF_HITS: dict[Part, type[ResponseModel]] = {
    "explanation": Explanation,
    "neighbours": Neighbours,
    "highlights": Highlights,
}
"""What a hit has only where it is asked for."""


def search_cost(context: RequestContext, wanted: SearchBody) -> int:
    """Return the cost of a search with as many hits, each with the parts that are asked for."""
    k = wanted.request(()).resolved(context.service.pipelines).planned().k
    left_out = [model for part, model in PARTS_OF_HITS.items() if part not in wanted.include]
    searching = prices.for_several(prices.SEARCH, wanted.collections)
    return searching + page_price(Hit, k) - within_a_page(k) * sum(map(price_of, left_out))


@router.post("/search", summary="Search for passages.")
@access(KeyScope.READ, cost=search_cost, deadline=Deadline.MODEL, queued=True)
async def search_passages(context: Context, wanted: SearchBody) -> SearchAnswer:
    return await search_answer(context, wanted)


async def search_answer(context: RequestContext, wanted: SearchBody) -> SearchAnswer:
    """Return what is found for a search, in the form of REST."""
    service, request = context.service, wanted.request(context.searched(wanted.collection, wanted.collections))
    found = await search_for(context.principal, service.resources, context.limits.spending, request, service.pipelines)
    return await _answer(context, found, wanted.include)


@router.get("/pipelines", summary="List retrieval pipelines, and what is missing in a collection for each.")
@access(KeyScope.READ, cost=1 + prices.LIST_LENGTH * price_of(Pipeline), queued=True)
async def list_pipelines(context: Context, wanted: Annotated[InCollection, Query()]) -> ListResponse[Pipeline]:
    return ListResponse(data=await _with_missing(context, context.service.pipelines.values(), wanted.collection))


@router.get("/pipelines/{name}", summary="Get a pipeline by name, and what is missing in a collection for it.")
@access(KeyScope.READ, cost=1 + price_of(Pipeline), queued=True)
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


async def _answer(context: RequestContext, found: SearchResult, include: list[Part]) -> SearchAnswer:
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
