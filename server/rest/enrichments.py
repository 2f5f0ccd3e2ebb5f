"""Routes of enrichments: which there are, what they would take, and jobs that make them."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from papergraph.ingest.enrichments.estimate import EnrichmentEstimate, OfferedEnrichment
from papergraph.ingest.enrichments.summaries import Summary
from papergraph.ingest.jobs.model import Job
from papergraph.requests import read_request
from papergraph.server.auth.operations import ENRICH, ESTIMATE, READ, SUMMARIZE
from papergraph.server.operations.context import Context
from papergraph.server.operations.enrich import EnrichEstimateRequest, EnrichRequest
from papergraph.server.operations.summaries import MOST_VALUES, summary_for
from papergraph.server.rest.requests import InCollection, ListResponse, query_parameters
from papergraph.server.retrieval.filters import FieldValue

router = APIRouter()


InQuery = query_parameters(EnrichEstimateRequest)


@router.get("/enrichments", summary="List the enrichments that papers can be given, and what is missing.")
@READ
async def list_enrichments(context: Context) -> ListResponse[OfferedEnrichment]:
    return ListResponse(data=await context.enriching.offered())


@router.get("/enrichments/estimate", summary="Estimate what enrichments would take; nothing is written.")
@ESTIMATE
async def estimate_enrichments(
    context: Context,
    wanted: Annotated[InQuery, Query()],  # type: ignore[valid-type]
) -> EnrichmentEstimate:
    return await context.enriching.estimate(context.principal, read_request(EnrichEstimateRequest, dict(wanted)))


@router.post(
    "/enrichments", status_code=202, summary="Queue a durable job that gives papers the enrichments that they lack."
)
@ENRICH
async def enrich_papers(context: Context, wanted: EnrichRequest, response: Response) -> Job:
    opened = await context.enriching.open_job(context.principal, wanted)
    response.headers["Location"] = f"jobs/{opened.id}"
    return opened


summaries_router = APIRouter()


class SummaryBody(InCollection):
    """Papers to summarize: those of a cluster, or those with metadata."""

    cluster: str | None = Field(default=None, min_length=1, max_length=64)
    """Id of a cluster."""

    metadata: list[FieldValue] = Field(default_factory=list, max_length=MOST_VALUES)
    """Values that the papers have; one of each field is enough."""


@summaries_router.post("/summaries", summary="Summarize the papers of a cluster, or those with metadata.")
@SUMMARIZE
async def summarize_papers(context: Context, body: SummaryBody) -> Summary:
    return await summary_for(
        context.principal,
        context.service.resources,
        context.limits.spending,
        context.collection(body.collection),
        cluster=body.cluster,
        metadata=[(one.field, one.value) for one in body.metadata],
    )
