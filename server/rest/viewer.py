"""Routes of the caller and of the server."""

from fastapi import APIRouter

from papergraph.server.auth.operations import VIEWER
from papergraph.server.operations import keys
from papergraph.server.operations.context import Context
from papergraph.server.operations.keys import ServerInfo, Viewer

router = APIRouter()


@router.get("/viewer", summary="Get the caller: its scopes, collections and limits.")
@VIEWER
async def get_viewer(context: Context) -> Viewer:
    return await keys.viewer_of(context.database, context.principal, context.limits.rate)


@router.get("/server", summary="Get what the server offers.")
@VIEWER
async def get_server(context: Context) -> ServerInfo:
    return context.server
