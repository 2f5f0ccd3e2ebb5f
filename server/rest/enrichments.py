"""Routes of enrichments: which there are, what they would take, and jobs that make them."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from ingest.enrichments.estimate import EnrichmentEstimate, OfferedEnrichment
from ingest.jobs.model import Job
from server.auth import costs as prices
from server.auth.access import Deadline, KeyScope, access
from server.operations.context import Context
from server.operations.enrich import MOST_NAME_CHARS, MOST_NAMES
from server.rest.requests import InCollection, ListResponse, price_of

router = APIRouter()


Name = Annotated[str, Field(max_length=MOST_NAME_CHARS, pattern="^[^,]+$")]


class EnrichmentsOf(InCollection):
    """Enrichments of the papers of a collection, to estimate."""

    enrichments: list[Name] = Field(default_factory=list, max_length=MOST_NAMES)
    """Names of enrichments; default: all."""


class EnrichBody(InCollection):
    """Enrichments to make of the papers of a collection."""

    enrichments: list[Name] = Field(min_length=1, max_length=MOST_NAMES, examples=[["questions", "entities"]])
    """Names of enrichments."""


@router.get("/enrichments", summary="List the enrichments that papers can be given, and what is missing.")
@access(KeyScope.READ, cost=1 + prices.LIST_LENGTH * price_of(OfferedEnrichment), queued=True)
async def list_enrichments(context: Context) -> ListResponse[OfferedEnrichment]:
    return ListResponse(data=await context.enriching.offered())


@router.get("/enrichments/estimate", summary="Estimate what enrichments would take; nothing is written.")
@access(KeyScope.INGEST, cost=prices.ESTIMATE, deadline=Deadline.MODEL, queued=True)
async def estimate_enrichments(context: Context, wanted: Annotated[EnrichmentsOf, Query()]) -> EnrichmentEstimate:
    into = context.collection(wanted.collection)
    return await context.enriching.estimate(wanted.enrichments, into, collections=context.collections)


@router.post(
    "/enrichments", status_code=202, summary="Queue a durable job that gives papers the enrichments that they lack."
)
@access(KeyScope.INGEST, cost=1 + price_of(Job), deadline=Deadline.MODEL, queued=True)
async def enrich_papers(context: Context, wanted: EnrichBody, response: Response) -> Job:
    opened = await context.enriching.open_job(
        wanted.enrichments,
        context.collection(wanted.collection),
        collections=context.collections,
        asker=context.principal.id,
    )
    response.headers["Location"] = f"/v1/jobs/{opened.id}"
    return opened
