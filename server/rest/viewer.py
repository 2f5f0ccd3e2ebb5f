"""Routes of the caller, of the server, and of suggestions while a user types."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from server.auth.access import Anyone, KeyScope, access
from server.graph.suggestions import MOST_CHARS, MOST_SUGGESTIONS, Suggestion, suggest
from server.operations import keys
from server.operations.context import Context
from server.operations.keys import ServerInfo, Viewer
from server.rest.requests import InCollection, ListResponse, price_of, within_a_page

router = APIRouter()


class Typed(InCollection):
    """Text being typed, and where to look."""

    text: str = Field(max_length=MOST_CHARS)
    """Text typed so far; its last word may be incomplete."""

    first: int = Field(default=8, ge=1, le=MOST_SUGGESTIONS)
    """Number of suggestions."""


@router.get("/viewer", summary="Get the caller: its scopes, collections and limits.")
@access(Anyone.WITH_A_KEY)
async def get_viewer(context: Context) -> Viewer:
    return await keys.viewer_of(context.database, context.principal, context.limits.rate)


@router.get("/server", summary="Get what the server offers.")
@access(Anyone.WITH_A_KEY)
async def get_server(context: Context) -> ServerInfo:
    return context.server


@router.get("/suggestions", summary="Suggest papers, authors, entities and clusters by the words of their names.")
@access(KeyScope.READ, cost=lambda wanted: 1 + within_a_page(wanted.first) * price_of(Suggestion), queued=True)
async def list_suggestions(context: Context, wanted: Annotated[Typed, Query()]) -> ListResponse[Suggestion]:
    found = await suggest(
        context.database,
        wanted.text,
        collection=context.collection(wanted.collection),
        first=wanted.first,
        collections=context.collections,
    )
    return ListResponse(data=found)
