"""Meta Knowledge Summaries over REST."""

from fastapi import APIRouter
from pydantic import Field

from papergraph.ingest.enrichments.summaries import Summary
from papergraph.server.auth.operations import SUMMARIZE
from papergraph.server.operations.context import Context
from papergraph.server.operations.summaries import MOST_VALUES, summary_for
from papergraph.server.rest.requests import InCollection
from papergraph.server.retrieval.filters import FieldValue

router = APIRouter()


class SummaryBody(InCollection):
    """Papers to summarize: those of a cluster, or those with metadata."""

    cluster: str | None = Field(default=None, min_length=1, max_length=64)
    """Id of a cluster."""

    metadata: list[FieldValue] = Field(default_factory=list, max_length=MOST_VALUES)
    """Values that the papers have; one of each field is enough."""


@router.post("/summaries", summary="Summarize the papers of a cluster, or those with metadata.")
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
