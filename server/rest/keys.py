"""Routes of API keys, and of sessions that browsers begin with them."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.credentials import clear_cookie, session_in, set_cookie
from papergraph.server.auth.keys import ApiKey, CreatedKey, parse_term
from papergraph.server.auth.operations import MANAGE_KEYS, VIEWER
from papergraph.server.operations import keys
from papergraph.server.operations import keys as operations
from papergraph.server.operations.context import Context, RequestContext
from papergraph.server.operations.keys import ServerInfo, Viewer, WantedKey
from papergraph.server.rest.requests import ListResponse, RequestModel, ResponseModel

router = APIRouter()

KeyId = Annotated[str, Path(pattern="^[a-z0-9]{8}$", description="Id of a key, the part after pg_.")]
NO_STORE = "no-store"
"""Answers with a secret are kept nowhere."""


class KeyBody(RequestModel):
    """API key to create; it never goes beyond the key of the request."""

    name: str
    """Use of the key, 1 to 100 characters."""

    scopes: list[KeyScope] = Field(min_length=1)
    """Scopes, some of those of the key of the request."""

    collections: list[str] | None = Field(default=None, min_length=1, max_length=100)
    """Collections, some of those of the key of the request; default: all of them."""

    expires: str | None = None
    """Time to live, such as 12h, 30d or 8w; default: that of the key of the request."""

    def wanted(self) -> WantedKey:
        """Return the key that is asked for."""
        term = None if self.expires is None else parse_term(self.expires)
        return WantedKey(self.name, self.scopes, self.collections, term)


class Session(ResponseModel):
    """Session of a browser; its secret is in the cookie only."""

    expires_at: datetime


@router.get("/keys", summary="List the API keys that were made with the key of the request; an administrator gets all.")
@MANAGE_KEYS
async def list_api_keys(context: Context) -> ListResponse[ApiKey]:
    return ListResponse(data=await operations.keys_for(context.database, context.principal))


@router.post("/keys", status_code=201, summary="Create an API key; its text is shown once.")
@MANAGE_KEYS
async def create_api_key(context: Context, response: Response, wanted: KeyBody) -> CreatedKey:
    response.headers["Cache-Control"] = NO_STORE
    return await operations.make_key(context.database, context.credentials, context.principal, wanted.wanted())


@router.delete("/keys/{id}", summary="Revoke an API key and all keys that were made with it.")
@MANAGE_KEYS
async def revoke_api_key(context: Context, id: KeyId) -> ApiKey:
    return await operations.revoke(context.database, context.principal, id, context.service.uploads)


@router.post(
    "/session",
    status_code=201,
    summary="Log in: begin a session with the API key in the header.",
    responses={409: {"$ref": "#/components/responses/Problem409"}},
)
@MANAGE_KEYS
async def begin_session(context: Context, request: Request, response: Response) -> Session:
    text, expires_at = await operations.begin_session(context.database, context.credentials, context.principal)
    await _end_shown(context, request)
    response.headers["Cache-Control"] = NO_STORE
    response.headers["Set-Cookie"] = set_cookie(request.scope, text, expires_at)
    return Session(expires_at=expires_at)


@router.delete("/session", status_code=204, summary="Log out: end the session of the cookie.")
@MANAGE_KEYS
async def end_session(context: Context, request: Request, response: Response) -> None:
    await _end_shown(context, request)
    response.headers["Set-Cookie"] = clear_cookie(request.scope)


async def _end_shown(context: RequestContext, request: Request) -> None:
    """End the session whose cookie a request shows, if it shows one."""
    if context.credentials is not None and (session := session_in(request.scope)) is not None:
        await context.credentials.keyring.end(session)


server_router = APIRouter()


@server_router.get("/viewer", summary="Get the caller: its scopes, collections and limits.")
@VIEWER
async def get_viewer(context: Context) -> Viewer:
    return await keys.viewer_of(context.database, context.principal, context.limits.rate)


@server_router.get("/server", summary="Get what the server offers.")
@VIEWER
async def get_server(context: Context) -> ServerInfo:
    return context.server
