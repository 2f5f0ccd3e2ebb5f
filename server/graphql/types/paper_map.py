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


@type_(description="Topic of a map.")
class MapTopic:
    """A topic of a map."""

    node_id: strawberry.ID = strawberry.field(description="Id of the cluster.")
    name: str = strawberry.field(description="Words that set it apart.")
    level: int = strawberry.field(description="Level in the hierarchy, 0 for the finest.")
    n: int = strawberry.field(description="Number of its points, those of topics below it included.")
    x: float = strawberry.field(description="Centre of its points from left to right: their median.")
    y: float = strawberry.field(description="Centre of its points from bottom to top.")
    above: int | None = strawberry.field(description="Number of the topic above it in the list, from 0.")


@type_(description="Places of papers in two dimensions, as columns of equal length, in the order of ids.")
class PaperMap:
    """A map."""

    n_papers: int = strawberry.field(description="Papers of the collection.")
    n_unplaced: int = strawberry.field(description="Papers without a place until the enrichment `map` runs again.")
    truncated: bool = strawberry.field(description="True if the collection has more papers than were asked for.")
    method: MapMethod | None = strawberry.field(description="Method that gave the places; null without points.")
    topics: list[MapTopic] = strawberry.field(description="Topics with points, the coarsest and largest first.")
    ids: list[strawberry.ID] = strawberry.field(description="Ids of the papers.")
    titles: list[str] = strawberry.field(description="Titles, at most 200 characters each.")
    years: list[int | None] = strawberry.field(description="Years of publication, where known.")
    x: list[float] = strawberry.field(description="Coordinates from left to right, -1 to 1.")
    y: list[float] = strawberry.field(description="Coordinates from bottom to top, -1 to 1.")
    topic_numbers: list[int | None] = strawberry.field(
        description="Number of the finest topic of each paper in the list of topics, from 0."
    )


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
    ) -> PaperMap | None:
        context = info.context
        found = await mapping.paper_map(
            context.database,
            collection=context.collection(collection),
            first=first,
            collections=context.collections,
        )
        topics = [
            MapTopic(
                node_id=strawberry.ID(one.id),
                name=one.name,
                level=one.level,
                n=one.n,
                x=one.x,
                y=one.y,
                above=one.above,
            )
            for one in found.topics
        ]
        columns = {name: getattr(found, name) for name in ("titles", "years", "x", "y", "topic_numbers")}
        return PaperMap(
            n_papers=found.n_papers,
            n_unplaced=found.n_unplaced,
            truncated=found.truncated,
            method=found.method,
            topics=topics,
            ids=[strawberry.ID(id) for id in found.ids],
            **columns,
        )
