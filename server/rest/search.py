"""Search over REST, and the retrieval pipelines."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from fastapi import APIRouter, Query

from papergraph.errors import NotFoundError
from schema import records
from server.answers.quotes import Highlight, Highlighter
from server.auth import costs as prices
from server.auth.access import Deadline, access
from server.auth.principal import KeyScope
from server.context import Context, RequestContext
from server.operations.search import search_for
from server.rest import models
from server.rest.costs import page_price, price_of, within_a_page
from server.rest.nodes import papers_with_authors
from server.rest.requests import InCollection
from server.rest.responses import ListResponse, ResponseModel
from server.rest.search_models import (
    Explanation,
    Hit,
    Part,
    Pipeline,
    SearchAnswer,
    SearchBody,
)
from server.retrieval import pipelines
from server.retrieval import saved_run as saving
from server.retrieval import search as retrieval
from server.retrieval.runner import enrichments_of_collection, missing
from server.retrieval.scope import within
from server.retrieval.search import SearchResult

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
    return [Pipeline.of(one, missing(context.service.resources, one, there, name)) for one in found]


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
