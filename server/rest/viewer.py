"""Routes of the caller, of the server, and of suggestions while a user types."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from server.auth.access import Anyone, KeyScope, access
from server.graph.suggestions import MOST_CHARS, MOST_SUGGESTIONS, Suggestion, suggest
from server.operations import keys
from server.operations.context import Context
from server.rest.requests import InCollection, ListResponse, ResponseModel, price_of, within_a_page

router = APIRouter()


class RateLimit(ResponseModel):
    """What is left of a limit per minute."""

    name: Literal["requests", "cost"]
    limit: int
    """Amount per minute."""

    left: int
    """Amount that is left."""

    resets_in_s: int
    """Seconds until the whole amount is there again."""


class Viewer(ResponseModel):
    """Caller: the API key of the request, or this machine."""

    name: str
    """Name of the key; empty if the server requires none."""

    scopes: list[KeyScope]
    collections: list[str] | None
    """Collections of the key; null for all."""

    expires_at: datetime | None
    """End of the key's validity; null for none."""

    is_local: bool
    """True if the server requires no key."""

    limits: list[RateLimit]
    """What is left of each limit; empty without limits."""


class UploadRules(ResponseModel):
    """Files that can be uploaded."""

    max_bytes: int
    """Largest file."""

    endings: list[str]
    """Endings of the names of files, such as .pdf."""


class ServerInfo(ResponseModel):
    """What the server offers."""

    version: str
    language_model: str | None
    """Model that writes answers; null if there is none."""

    reranker: str | None
    """Cross-encoder for reranking; null if there is none."""

    embedding_model: str
    uploads: UploadRules | None
    """Files that can be uploaded; null if none can."""

    has_cypher: bool
    """True if the server accepts Cypher queries."""

    sign_up: Literal["off", "invite"]
    """Whether nobody or whoever has an invitation may sign up."""


class Typed(InCollection):
    """Text being typed, and where to look."""

    text: str = Field(max_length=MOST_CHARS)
    """Text typed so far; its last word may be incomplete."""

    first: int = Field(default=8, ge=1, le=MOST_SUGGESTIONS)
    """Number of suggestions."""


@router.get("/viewer", summary="Get the caller: its scopes, collections and limits.")
@access(Anyone.WITH_A_KEY)
async def get_viewer(context: Context) -> Viewer:
    return Viewer.model_validate(await keys.viewer_of(context.database, context.principal, context.limits.rate))


@router.get("/server", summary="Get what the server offers.")
@access(Anyone.WITH_A_KEY)
async def get_server(context: Context) -> ServerInfo:
    return ServerInfo.model_validate(context.server)


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
