"""GraphQL types that pages draw from: regions of a PDF, facets of papers, and the neighbourhood of nodes."""

from typing import Annotated, Self

import strawberry

from schema import records
from server.graph.neighbourhood import LinkType
from server.graphql.connections import Info
from server.graphql.derive import type_
from server.papers import regions
from server.papers.find import Facet, PaperSort, regions_of_chunk

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
