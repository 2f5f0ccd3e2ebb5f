"""GraphQL field of Meta Knowledge Summaries."""

from typing import Annotated

import strawberry

from ingest.enrichments.summaries import Summary
from server.auth import costs as prices
from server.auth.access import Deadline, access
from server.auth.principal import KeyScope
from server.graphql.connections import Info
from server.graphql.derive import field, type_
from server.graphql.types.places import Collection
from server.graphql.types.search_input import MetadataInput
from server.operations.summaries import summary_for

SUMMARY = access(KeyScope.ASK, cost=prices.ANSWER, deadline=Deadline.MODEL)


@type_()
class SummaryQueries:
    """Root fields."""

    @field("Summary of the papers of a cluster, or of those with metadata; made at the first request.", SUMMARY)
    async def summary(
        self,
        info: Info,
        collection: Collection = None,
        cluster: Annotated[strawberry.ID | None, strawberry.argument(description="Id of a cluster.")] = None,
        metadata: Annotated[
            list[MetadataInput] | None,
            strawberry.argument(description="Values that the papers have; one of each field is enough."),
        ] = None,
    ) -> Summary | None:
        return await summary_for(
            info.context.principal,
            info.context.service.resources,
            info.context.limits.spending,
            info.context.collection(collection),
            cluster=cluster,
            metadata=[(one.field, one.value) for one in metadata or []],
        )
