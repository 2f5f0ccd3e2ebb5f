"""GraphQL fields of enrichments: which there are, what they would take, and jobs that make them."""

from typing import Annotated

import strawberry

from ingest.enrichments.estimate import EnrichmentEstimate, OfferedEnrichment
from ingest.jobs.model import Job
from server.auth import costs as prices
from server.auth.access import KeyScope, access
from server.graphql.connections import Info
from server.graphql.derive import field, mutation, type_
from server.graphql.types.closed_lists import outcome
from server.graphql.types.collections import READ, Collection
from server.graphql.types.jobs import JobResult

ESTIMATE = access(KeyScope.INGEST, cost=prices.ESTIMATE, queued=True)
ENRICH = access(KeyScope.INGEST, queued=True)
Names = Annotated[list[str], strawberry.argument(description="Names of enrichments, from the field enrichments.")]
NamesOrAll = Annotated[
    list[str], strawberry.argument(description="Names of enrichments, from the field enrichments; default: all.")
]


@type_()
class EnrichmentQueries:
    """What can be read of enrichments."""

    @field("Enrichments that papers can be given, and what is missing.", READ)
    async def enrichments(self, info: Info) -> list[OfferedEnrichment] | None:
        return await info.context.enriching.offered()

    @field("What enrichments would take: papers, chunks, and at most so many requests to the language model.", ESTIMATE)
    async def enrichment_estimate(
        self,
        info: Info,
        enrichments: NamesOrAll = [],  # noqa: B006 nobody changes it
        collection: Collection = None,
    ) -> EnrichmentEstimate | None:
        context = info.context
        into = context.collection(collection)
        return await context.enriching.estimate(enrichments, into, collections=context.collections)


@type_()
class EnrichmentMutations:
    """What can be done with enrichments."""

    @mutation("Queue a durable job that gives the papers of a collection the enrichments that they lack.", ENRICH)
    async def enrich(self, info: Info, enrichments: Names, collection: Collection = None) -> JobResult:
        async def opened() -> Job:
            context = info.context
            into = context.collection(collection)
            asker, reached = context.principal.id, context.collections
            return await context.enriching.open_job(enrichments, into, collections=reached, asker=asker)

        return await outcome(opened())
