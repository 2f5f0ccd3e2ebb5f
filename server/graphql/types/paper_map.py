"""GraphQL types of the map of a collection."""

from typing import Annotated

import strawberry

from server.auth import costs as prices
from server.auth.access import access
from server.auth.principal import KeyScope
from server.graph import paper_map as mapping
from server.graph.paper_map import MapMethod
from server.graphql.connections import Info
from server.graphql.derive import field, type_
from server.graphql.types.places import Collection

MAP = access(KeyScope.READ, cost=prices.MAP, queued=True)
strawberry.enum(MapMethod, description="Method that gave the places of a map.")


@type_()
class MapQueries:
    """Root fields."""

    @field("Map of a collection: places of its papers in two dimensions, and topics.", MAP)
    async def map(
        self,
        info: Info,
        collection: Collection = None,
        first: Annotated[
            int, strawberry.argument(description="Papers at most, 1 to 50,000; a random sample if there are more.")
        ] = 5000,
    ) -> mapping.PaperMap | None:
        context = info.context
        return await mapping.paper_map(
            context.database,
            collection=context.collection(collection),
            first=first,
            collections=context.collections,
        )
