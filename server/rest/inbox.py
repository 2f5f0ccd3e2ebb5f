"""Routes of the inbox, of watches and of their feeds."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from papergraph.schema.ids import COLLECTION, ID
from papergraph.server.auth.operations import ADMINISTER, CHANGE, SIGN_UP
from papergraph.server.graph.nodes import MAX_PAGE
from papergraph.server.operations import watches as operations
from papergraph.server.operations.context import Context
from papergraph.server.operations.feeds import atom_feed, json_feed
from papergraph.server.operations.inbox import InboxDecision, InboxState, accept_inbox, decide_inbox
from papergraph.server.rest.requests import RequestModel

router = APIRouter()

WatchId = Annotated[str, Path(max_length=100, description="Id of the watch, or its beginning.")]


class InboxBody(RequestModel):
    """Items of the inbox, and what is decided of them."""

    ids: list[Annotated[str, Field(pattern=f"^{ID.pattern}$")]] = Field(min_length=1, max_length=MAX_PAGE)
    """1 to 100 items; to accept, of one collection."""

    state: InboxState
    """accepted makes papers; rejected items return if another source finds them; never; new takes it back."""

    with_text: bool = False
    """Fetch texts of accepted papers, too: from arXiv, or open-access PDFs by DOI."""


class NewWatch(RequestModel):
    """Watch to add."""

    kind: str = Field(max_length=40)
    """query, author, cites, snowball, retractions or versions."""

    subject: str = Field(default="", max_length=500)
    """Words, ORCID, DOI, options such as backward rounds=2, or nothing for the last two."""

    every: str = Field(default="1d", max_length=10)
    """Interval: 30m, 12h, 1d or 2w."""

    collection: str = Field(default="main", pattern=f"^{COLLECTION.pattern}$")
    """Collection that its finds are for."""


class Revocation(RequestModel):
    """Whether the address of a feed is only revoked."""

    revoke: bool = False
    """True to make no new address."""


@router.post("/inbox", summary="Accept, reject or never show items of the inbox; accepted ones become papers.")
@CHANGE
async def decide(context: Context, wanted: InboxBody) -> InboxDecision:
    if wanted.state is not InboxState.ACCEPTED:
        return await decide_inbox(context.database, wanted.ids, wanted.state, collections=context.collections)
    embedder = context.service.resources.model.searched.embedder
    return await accept_inbox(
        context.database, embedder, context.intake, context.principal, wanted.ids, with_text=wanted.with_text
    )


@router.post("/watches", status_code=201, summary="Add a watch over catalogues, or over the papers of a collection.")
@ADMINISTER
async def add_watch(context: Context, wanted: NewWatch) -> operations.Watch:
    every_s = operations.seconds_of(wanted.every)
    id = await operations.create_watch(
        context.database, wanted.kind, wanted.subject, every_s=every_s, collection=wanted.collection
    )
    return await operations.find_watch(context.database, id)


@router.post("/watches/{id}/run", summary="Let a watch run at once: make it due, and end its pause.")
@ADMINISTER
async def run_watch(context: Context, id: WatchId) -> operations.Watch:
    return await operations.pause_watch(context.database, id, is_paused=False)


@router.post("/watches/{id}/pause", summary="Pause a watch.")
@ADMINISTER
async def pause_watch(context: Context, id: WatchId) -> operations.Watch:
    return await operations.pause_watch(context.database, id, is_paused=True)


@router.delete("/watches/{id}", summary="Delete a watch; the papers that it brought stay.")
@ADMINISTER
async def delete_watch(context: Context, id: WatchId) -> operations.DeletedWatch:
    return operations.DeletedWatch((await operations.delete_watch(context.database, id)).id)


@router.post("/watches/{id}/feed", summary="Make a new address for the feed of a watch, or revoke it.")
@ADMINISTER
async def open_feed(context: Context, id: WatchId, wanted: Revocation) -> operations.Feed:
    return await operations.open_feed(context.database, id, revoke=wanted.revoke)


FeedKey = Annotated[str, Path(max_length=100, description="Key of the feed.")]


@router.get("/feeds/{id}/{key}.atom", response_class=Response, summary="Atom feed of a watch; needs no other key.")
@SIGN_UP
async def get_atom(context: Context, id: WatchId, key: FeedKey) -> Response:
    watch, items = await operations.read_feed(context.database, id, key)
    return Response(atom_feed(watch, items), media_type="application/atom+xml")


@router.get("/feeds/{id}/{key}.json", response_class=Response, summary="JSON feed of a watch; needs no other key.")
@SIGN_UP
async def get_json(context: Context, id: WatchId, key: FeedKey) -> Response:
    watch, items = await operations.read_feed(context.database, id, key)
    told: dict[str, Any] = json_feed(watch, items)
    return JSONResponse(told, media_type="application/feed+json")
