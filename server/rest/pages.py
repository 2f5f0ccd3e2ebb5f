"""Routes that pages draw from: facets of papers, regions of chunks, and the neighbourhood of nodes."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BeforeValidator, Field

from papergraph.errors import InputError
from papergraph.schema import records
from papergraph.schema.ids import ID
from papergraph.server.auth.operations import FACETS, NEIGHBOURHOOD, REGIONS
from papergraph.server.graph.neighbourhood import (
    MOST_IDS,
    MOST_NODES,
    MOST_PER_TYPE,
    LinkType,
    Neighbourhood,
    neighbourhood,
)
from papergraph.server.operations.context import Context, Id
from papergraph.server.papers.find import (
    MOST_VALUES,
    Facet,
    FacetCounts,
    PaperQuery,
    PaperSort,
    facets_of,
    line_boxes_of,
    regions_of_chunk,
)
from papergraph.server.rest.requests import InCollection, ListResponse, PageOf, RequestModel, ResponseModel
from papergraph.server.retrieval.filters import Filter, parse_filter

router = APIRouter()


def _filter_of(text: Any) -> Filter | None:
    """Return the filter that a parameter says as JSON."""
    if not isinstance(text, str):
        return text if isinstance(text, Filter) else None
    try:
        return parse_filter(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InputError("filter: should be an object in JSON", field="filter") from error


class WhichPapers(InCollection):
    """Papers of a collection that pass a filter and have words."""

    text: str = Field(default="", max_length=200)
    """Words in the title, the abstract or an author's name, ignoring case."""

    filter: Annotated[Any, BeforeValidator(_filter_of)] = Field(default=None, json_schema_extra={"type": "string"})
    """Filter as JSON, such as {"years": {"from": 2019}}; see docs/filters.md."""

    def query(self, collection: str, sort: PaperSort = PaperSort.TITLE) -> PaperQuery:
        """Return the papers of a collection as every interface asks for them."""
        return PaperQuery(collection, self.filter, self.text, sort)


class PageOfPapers(WhichPapers, PageOf):
    """Page of papers."""

    sort: PaperSort = PaperSort.TITLE
    """Order: by title, newest year, newest in the graph, or most cited first."""


class WhichFacets(WhichPapers):
    """Papers, and what to count of them."""

    facet: list[Facet] = Field(min_length=1, max_length=len(Facet))
    first: int = Field(default=20, ge=1, le=MOST_VALUES)
    """Values of each facet."""


class PartOfText(RequestModel):
    """Characters of a text."""

    start: int = Field(default=0, ge=0)
    """First character, from 0."""

    end: int | None = Field(default=None, ge=0)
    """Character after the last one; default: the end of the text."""


class Region(ResponseModel):
    """Rectangle of a page, as shares (0 to 1) of its width and height from the upper left."""

    page: int
    """Page, from 1."""

    x0: float
    y0: float
    x1: float
    y1: float


class Around(RequestModel):
    """Nodes, and how much around them."""

    id: list[Annotated[str, Field(pattern=f"^{ID.pattern}$")]] = Field(min_length=1, max_length=MOST_IDS)
    type: list[LinkType] | None = None
    """Types of relationships to follow; default: all."""

    per_type: int = Field(default=10, ge=1, le=MOST_PER_TYPE)
    """Neighbours of a node by a type."""

    first: int = Field(default=150, ge=1, le=MOST_NODES)
    """Nodes in all."""


@router.get("/papers/facets", summary="Count what papers of a collection have.")
@FACETS
async def list_paper_facets(context: Context, wanted: Annotated[WhichFacets, Query()]) -> ListResponse[FacetCounts]:
    found = await facets_of(
        context.database,
        wanted.query(context.collection(wanted.collection)).seen_by(context.principal.viewer),
        wanted.facet,
        first=wanted.first,
        collections=context.collections,
    )
    return ListResponse(data=found)


@router.get("/chunks/{id}/regions", summary="List the rectangles of a chunk on the pages of its PDF, one per line.")
@REGIONS
async def list_chunk_regions(context: Context, id: Id, wanted: Annotated[PartOfText, Query()]) -> ListResponse[Region]:
    chunk = await context.node(id, records.Chunk)
    (line_boxes,) = await line_boxes_of(context.database, [chunk.paper_id], collections=context.collections)
    found = regions_of_chunk(chunk, line_boxes, start=wanted.start, end=wanted.end)
    return ListResponse(data=[Region.model_validate(one) for one in found])


@router.get("/neighbourhood", summary="Get the nodes around nodes, with counts of those left out.")
@NEIGHBOURHOOD
async def get_neighbourhood(context: Context, wanted: Annotated[Around, Query()]) -> Neighbourhood:
    return await neighbourhood(
        context.database,
        wanted.id,
        types=wanted.type,
        per_type=wanted.per_type,
        first=wanted.first,
        collections=context.collections,
    )
