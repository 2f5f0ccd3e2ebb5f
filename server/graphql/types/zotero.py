"""GraphQL mutations of Zotero; its libraries and changes are made of :mod:`papergraph.server.endpoints`."""

from typing import Annotated

import strawberry

from papergraph.ingest.fetch.zotero_log import LoggedChange
from papergraph.requests import read_request
from papergraph.server.auth.operations import ADMINISTER, PUSH
from papergraph.server.graphql.connections import Info
from papergraph.server.graphql.derive import input_data, input_type, mutation, type_
from papergraph.server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound, outcome
from papergraph.server.operations.watches import Watch
from papergraph.server.operations.zotero_access import push_library, sync_library, undo_change
from papergraph.server.operations.zotero_push import PushReport, PushRequest

SyncZoteroResult = Annotated[
    Watch | InvalidInput | NotFound | Conflict,
    strawberry.union("SyncZoteroResult", description="The watch of the library, or the reason of the refusal."),
]
PushZoteroResult = Annotated[
    PushReport | InvalidInput | NotFound | Conflict,
    strawberry.union("PushZoteroResult", description="What was written, or the reason of the refusal."),
]
UndoZoteroResult = Annotated[
    LoggedChange | InvalidInput | NotFound | Conflict,
    strawberry.union("UndoZoteroResult", description="The change, or the reason why it stays."),
]
LibraryName = Annotated[
    str | None, strawberry.argument(description="users/ID or groups/ID; default: the library of the settings.")
]
InCollection = Annotated[str | None, strawberry.argument(description="Collection; default: `main`.")]


@input_type(PushRequest)
class PushRequestInput: ...


@type_()
class ZoteroMutations:
    """Mutations of Zotero."""

    @mutation("Let the watch of a Zotero library run at once; it is made if missing.", ADMINISTER)
    async def sync_zotero(
        self, info: Info, library: LibraryName = None, collection: InCollection = None
    ) -> SyncZoteroResult:
        async def work() -> Watch:
            context = info.context
            return await sync_library(context.zotero, context.database, library, context.collection(collection))

        return await outcome(work())

    @mutation("Write answers, highlights and tags into Zotero; a second push writes nothing.", PUSH)
    async def push_zotero(
        self,
        info: Info,
        push: Annotated[PushRequestInput, strawberry.argument(description="What to write.")],
    ) -> PushZoteroResult:
        async def work() -> PushReport:
            context, wanted = info.context, read_request(PushRequest, input_data(push))
            return await push_library(context.zotero, context.database, context.principal, wanted)

        return await outcome(work())

    @mutation("Take back a change that a push made in Zotero.", PUSH)
    async def undo_zotero(
        self,
        info: Info,
        number: Annotated[int, strawberry.argument(description="Number of the change in the log.")],
        library: LibraryName = None,
        collection: InCollection = None,
    ) -> UndoZoteroResult:
        async def work() -> LoggedChange:
            context = info.context
            return await undo_change(context.zotero, library, context.collection(collection), number)

        return await outcome(work())
