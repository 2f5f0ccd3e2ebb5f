"""The route of the map of a collection."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from server.auth import costs as prices
from server.auth.access import access
from server.auth.principal import KeyScope
from server.context import Context
from server.graph.paper_map import MOST_POINTS, MapMethod, paper_map
from server.rest.requests import InCollection
from server.rest.responses import ResponseModel

router = APIRouter()


class WhichMap(InCollection):
    """Map of a collection."""

    first: int = Field(default=MOST_POINTS, ge=1, le=MOST_POINTS)
    """Papers at most; if the collection has more, they are a random sample."""


class MapTopic(ResponseModel):
    """Topic of a map."""

    node_id: str = Field(validation_alias="id", serialization_alias="nodeId")
    """Id of the cluster."""

    name: str
    level: int
    """Level in the hierarchy, 0 for the finest."""

    n: int
    """Number of its points, those of topics below it included."""

    x: float
    """Centre of its points: their median."""

    y: float
    above: int | None
    """Number of the topic above it in the list, from 0."""


class PaperMap(ResponseModel):
    """Places of papers in two dimensions, as columns of equal length, in the order of ids."""

    n_papers: int
    """Papers of the collection."""

    n_unplaced: int
    """Papers without a place until the enrichment `map` runs again."""

    truncated: bool
    """True if the collection has more papers than were asked for."""

    method: MapMethod | None
    """Method that gave the places; null without points."""

    topics: list[MapTopic]
    """Topics with points, the coarsest and largest first."""

    ids: list[str]
    """Ids of the papers."""

    titles: list[str]
    """Titles, at most 200 characters each."""

    years: list[int | None]
    """Years of publication, where known."""

    x: list[float]
    """Coordinates from left to right, -1 to 1."""

    y: list[float]
    """Coordinates from bottom to top, -1 to 1."""

    topic_numbers: list[int | None]
    """Number of the finest topic of each paper in the list of topics, from 0."""


@router.get("/map", summary="Get the map of a collection: places of its papers in two dimensions, and topics.")
@access(KeyScope.READ, cost=prices.MAP, queued=True)
async def get_map(context: Context, wanted: Annotated[WhichMap, Query()]) -> PaperMap:
    return PaperMap.model_validate(
        await paper_map(
            context.database,
            collection=context.collection(wanted.collection),
            first=wanted.first,
            collections=context.collections,
        )
    )
