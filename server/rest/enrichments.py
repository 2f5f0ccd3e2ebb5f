"""Routes of enrichments: which there are, what they would take, and jobs that make them."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from papergraph.ingest.enrichments.estimate import EnrichmentEstimate, OfferedEnrichment
from papergraph.ingest.jobs.model import Job
from papergraph.requests import read_request
from papergraph.server.auth.operations import ENRICH, ESTIMATE, READ
from papergraph.server.operations.context import Context
from papergraph.server.operations.enrich import EnrichEstimateRequest, EnrichRequest
from papergraph.server.rest.requests import ListResponse, query_parameters

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
