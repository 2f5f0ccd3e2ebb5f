"""Search over REST, and the retrieval pipelines."""

from collections.abc import Sequence

from fastapi import APIRouter

from papergraph.errors import NotFoundError
from server.answers.highlights import Highlight, Highlighter
from server.auth import costs as prices
from server.auth.access import Deadline, access
from server.auth.principal import KeyScope
from server.context import Context, RequestContext
from server.operations.search import search_for
from server.rest import models, search_models
from server.rest.costs import page_price, price_of, within_a_page
from server.rest.nodes import papers_with_authors
from server.rest.responses import ListResponse, ResponseModel
from server.rest.search_models import (
    AppliedFilter,
    AskedQuery,
    CypherCall,
    Explanation,
    Hit,
    Part,
    Pipeline,
    SearchAnswer,
    SearchBody,
    SelectionReport,
    StepPlace,
    TraceStep,
)
from server.retrieval import saved_run as saving
from server.retrieval import search as retrieval
from server.retrieval.request import MAX_K
from server.retrieval.search import SearchResult

router = APIRouter()


class Neighbours(ResponseModel):
    """The chunks beside a hit, for the price of both."""

    previous: models.Chunk
    next: models.Chunk


class Highlights(ResponseModel):
    """The highlights of a hit, for their price."""

    highlights: list[search_models.Highlight]


PARTS_OF_HITS: dict[Part, type[ResponseModel]] = {
    "explanation": Explanation,
    "neighbours": Neighbours,
    "highlights": Highlights,
}
"""What a hit has only where it is asked for."""


def search_cost(wanted: SearchBody) -> int:
    """Return the cost of a search with as many hits, each with the parts that are asked for."""
    k = wanted.k or (wanted.selection.k if wanted.selection else MAX_K)
    left_out = [model for part, model in PARTS_OF_HITS.items() if part not in wanted.include]
    return prices.SEARCH + page_price(Hit, k) - within_a_page(k) * sum(map(price_of, left_out))


@router.post("/search", summary="Search for passages.")
@access(KeyScope.READ, cost=search_cost, deadline=Deadline.MODEL, queued=True)
async def search_passages(context: Context, wanted: SearchBody) -> SearchAnswer:
    service, request = context.service, wanted.request()
    found = await search_for(context.principal, service.resources, context.limits.spending, request, service.pipelines)
    return await _answer(context, found, wanted.include)


@router.get("/pipelines", summary="List retrieval pipelines.")
@access(KeyScope.READ, cost=1 + prices.LIST_LENGTH * price_of(Pipeline), queued=True)
async def list_pipelines(context: Context) -> ListResponse[Pipeline]:
    return ListResponse(data=[Pipeline.of(one) for one in context.service.pipelines.values()])


@router.get("/pipelines/{name}", summary="Get a pipeline by name.")
@access(KeyScope.READ, cost=1 + price_of(Pipeline), queued=True)
async def get_pipeline(context: Context, name: str) -> Pipeline:
    if (found := context.service.pipelines.get(name)) is None:
        raise NotFoundError("pipeline", name[:80], field="name")
    return Pipeline.of(found)


async def _answer(context: RequestContext, found: SearchResult, include: list[Part]) -> SearchAnswer:
    outcome, applied = found.outcome, found.applied
    return SearchAnswer(
        hits=await hits_of(context, found.hits, include, query=found.query),
        pipeline=outcome.pipeline.name,
        queries=[AskedQuery.model_validate(asked) for asked in outcome.queries],
        filter=applied
        and AppliedFilter(filter=applied.filter, match_summary=str(applied.passing), unknown=list(applied.unknown)),
        selection=outcome.selection and SelectionReport.model_validate(outcome.selection),
        draft=outcome.draft,
        warnings=list(outcome.warnings),
        trace=_trace(found) if "trace" in include else None,
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
            "explanation": _explanation(hit) if "explanation" in include else None,
        }
    )


def _explanation(hit: retrieval.Hit) -> Explanation:
    history = [StepPlace(step=step, rank=rank) for step, rank in hit.rank_history]
    return Explanation.model_validate(vars(hit) | {"rank_history": history})


def _trace(found: SearchResult) -> list[TraceStep]:
    return [
        TraceStep(
            step=step.step,
            options=step.options,
            ms=step.ms,
            candidates_in=step.n_in,
            candidates_out=step.n_out,
            cypher=[
                CypherCall(file=call.name, parameters=call.parameters, ms=call.ms, records=call.n_records)
                for call in step.calls
            ],
            notes=list(step.notes),
        )
        for step in found.outcome.trace
    ]
