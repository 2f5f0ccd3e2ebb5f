"""GraphQL types that pages draw from: regions of a PDF, facets of papers, and the neighbourhood of nodes."""

from typing import Annotated, Self

import strawberry

from schema import records
from server.graph import neighbourhood as around
from server.graph.neighbourhood import LinkType
from server.graphql.connections import Info
from server.graphql.derive import type_
from server.papers import find as finding
from server.papers import regions
from server.papers.find import Facet, PaperSort
from server.papers.places import regions_of_chunk

StartChar = Annotated[int, strawberry.argument(description="First character of the text.")]
EndChar = Annotated[int | None, strawberry.argument(description="Character after the last one; default: all.")]
strawberry.enum(PaperSort, description="Order: by title, newest year, newest in the graph, or most cited first.")
strawberry.enum(Facet, description="Respect in which papers are counted.")
strawberry.enum(LinkType, description="Type of relationship, as the graph names it.")


@type_(description="Rectangle of a page, as shares (0 to 1) of its width and height from the upper left.")
class Region:
    """A rectangle of a page."""

    page: int = strawberry.field(description="Page, from 1.")
    x: float = strawberry.field(description="Left edge.")
    y: float = strawberry.field(description="Upper edge.")
    width: float = strawberry.field(description="Width.")
    height: float = strawberry.field(description="Height.")

    @classmethod
    def of(cls, region: regions.Region) -> Self:
        """Wrap a rectangle."""
        return cls(
            page=region.page,
            x=region.x0,
            y=region.y0,
            width=round(region.x1 - region.x0, regions.N_DIGITS),
            height=round(region.y1 - region.y0, regions.N_DIGITS),
        )


async def read_regions(info: Info, chunk: records.Chunk, start: int, end: int | None) -> list[Region]:
    """Return the rectangles of a chunk, or of a part of its text."""
    line_boxes = await info.context.line_boxes.load(chunk.paper_id)
    return [Region.of(one) for one in regions_of_chunk(chunk, line_boxes, start=start, end=end)]


@type_(description="Value that papers have, with their number.")
class FacetValue:
    """A value of a facet."""

    value: str = strawberry.field(description="Year, category, format, or name of a node.")
    node_id: strawberry.ID | None = strawberry.field(description="Id of an author, entity or cluster; else null.")
    n: int = strawberry.field(description="Number of papers.")


@type_(description="Values of papers in one respect, the most frequent first.")
class FacetCounts:
    """A facet."""

    facet: Facet = strawberry.field(description="What is counted.")
    values: list[FacetValue] = strawberry.field(description="The values with their numbers.")

    @classmethod
    def of(cls, facet: Facet, values: list[finding.FacetValue]) -> Self:
        """Wrap the values of a facet."""
        return cls(
            facet=facet,
            values=[
                FacetValue(value=one.value, node_id=None if one.id is None else strawberry.ID(one.id), n=one.n)
                for one in values
            ],
        )


@type_(description="Neighbours of a node by one type of relationship that are left out.")
class MoreNeighbours:
    """Neighbours that are left out."""

    type: LinkType = strawberry.field(description="Type of the relationship.")
    n: int = strawberry.field(description="Number of neighbours.")


@type_(description="Node of a neighbourhood.")
class NearNode:
    """A node of a neighbourhood."""

    node_id: strawberry.ID = strawberry.field(description="Id of the node.")
    label: str = strawberry.field(description="Type of the node, such as Paper.")
    name: str = strawberry.field(description="Title, name, or beginning of a text.")
    degree: int = strawberry.field(description="Number of relationships of any type.")
    more: list[MoreNeighbours] = strawberry.field(description="Neighbours that are left out, of a requested node.")


@type_(description="Relationship between two nodes of a neighbourhood.")
class NearLink:
    """A relationship of a neighbourhood."""

    from_id: strawberry.ID = strawberry.field(description="Id of the node where it begins.")
    to_id: strawberry.ID = strawberry.field(description="Id of the node where it ends.")
    type: LinkType = strawberry.field(description="Type of the relationship.")
    weight: float | None = strawberry.field(description="Similarity, 0 to 1, if the relationship has one.")


@type_(description="Nodes, the requested ones first, and relationships between them.")
class Neighbourhood:
    """A neighbourhood."""

    nodes: list[NearNode] = strawberry.field(description="The nodes.")
    links: list[NearLink] = strawberry.field(description="The relationships.")
    truncated: bool = strawberry.field(description="True if neighbours are left out.")


async def read_neighbourhood(
    info: Info, ids: list[strawberry.ID], types: list[LinkType] | None, per_type: int, first: int
) -> Neighbourhood:
    """Return what is around nodes."""
    context = info.context
    found = await around.neighbourhood(
        context.database, ids, types=types, per_type=per_type, first=first, collections=context.collections
    )
    return Neighbourhood(
        nodes=[
            NearNode(
                node_id=strawberry.ID(one.id),
                label=one.label,
                name=one.name,
                degree=one.degree,
                more=[MoreNeighbours(type=more.type, n=more.n) for more in one.more],
            )
            for one in found.nodes
        ],
        links=[
            NearLink(
                from_id=strawberry.ID(one.from_id), to_id=strawberry.ID(one.to_id), type=one.type, weight=one.weight
            )
            for one in found.links
        ],
        truncated=found.truncated,
    )
