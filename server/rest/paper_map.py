"""The route of the map of a collection."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from papergraph.server.auth.operations import MAP
from papergraph.server.graph.paper_map import MOST_POINTS, PaperMap, paper_map
from papergraph.server.operations.context import Context
from papergraph.server.rest.requests import InCollection

router = APIRouter()


class WhichMap(InCollection):
    """Map of a collection."""

    first: int = Field(default=MOST_POINTS, ge=1, le=MOST_POINTS)
    """Papers at most; if the collection has more, they are a random sample."""


@router.get("/map", summary="Get the map of a collection: places of its papers in two dimensions, and topics.")
@MAP
async def get_map(context: Context, wanted: Annotated[WhichMap, Query()]) -> PaperMap:
    return await paper_map(
        context.database,
        collection=context.collection(wanted.collection),
        first=wanted.first,
        collections=context.collections,
    )
