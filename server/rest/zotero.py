"""Routes of Zotero: sync, push and undo; its libraries and changes are :mod:`papergraph.server.endpoints`."""

from fastapi import APIRouter
from pydantic import Field

from papergraph.ingest.fetch.zotero_log import LoggedChange
from papergraph.schema.ids import COLLECTION
from papergraph.server.auth.operations import ADMINISTER, PUSH
from papergraph.server.operations.context import Context
from papergraph.server.operations.watches import Watch
from papergraph.server.operations.zotero_access import push_library, sync_library, undo_change
from papergraph.server.operations.zotero_push import PushReport, PushRequest
from papergraph.server.rest.requests import RequestModel

router = APIRouter()


class ZoteroTarget(RequestModel):
    """A library of Zotero and its collection."""

    library: str | None = Field(default=None, max_length=40)
    """users/ID or groups/ID; default: the library of the settings."""

    collection: str | None = Field(default=None, pattern=f"^{COLLECTION.pattern}$")
    """Collection; default: main."""


class ZoteroUndo(ZoteroTarget):
    """A change to take back."""

    number: int = Field(ge=1)
    """Number of the change in the log."""


@router.post("/zotero/sync", summary="Let the watch of a Zotero library run at once; it is made if missing.")
@ADMINISTER
async def sync_zotero(context: Context, wanted: ZoteroTarget) -> Watch:
    return await sync_library(context.zotero, context.database, wanted.library, context.collection(wanted.collection))


@router.post("/zotero/push", summary="Write answers, highlights and tags into Zotero; a second push writes nothing.")
@PUSH
async def push_zotero(context: Context, wanted: PushRequest) -> PushReport:
    return await push_library(context.zotero, context.database, context.principal, wanted)


@router.post("/zotero/undo", summary="Take back a change that a push made in Zotero.")
@PUSH
async def undo_zotero(context: Context, wanted: ZoteroUndo) -> LoggedChange:
    return await undo_change(context.zotero, wanted.library, context.collection(wanted.collection), wanted.number)
