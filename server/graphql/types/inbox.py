"""GraphQL mutations of the inbox and of watches; their lists are made of :mod:`papergraph.server.endpoints`."""

from typing import Annotated

import strawberry

from papergraph.server.auth.operations import ADMINISTER, CHANGE
from papergraph.server.graphql.connections import Info
from papergraph.server.graphql.derive import mutation, type_
from papergraph.server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound, outcome
from papergraph.server.operations import watches as operations
from papergraph.server.operations.inbox import InboxDecision, InboxState, accept_inbox, decide_inbox

strawberry.enum(InboxState, description="State of an item of the inbox.")

InboxResult = Annotated[
    InboxDecision | InvalidInput | NotFound | Conflict,
    strawberry.union("InboxResult", description="The decided items, or the reason why nothing was decided."),
]
WatchResult = Annotated[
    operations.Watch | InvalidInput | NotFound | Conflict,
    strawberry.union("WatchResult", description="The watch, or the reason of the refusal."),
]
DeleteWatchResult = Annotated[
    operations.DeletedWatch | InvalidInput | NotFound | Conflict,
    strawberry.union("DeleteWatchResult", description="The deleted watch, or the reason of the refusal."),
]
FeedResult = Annotated[
    operations.Feed | InvalidInput | NotFound | Conflict,
    strawberry.union("FeedResult", description="The addresses of the feed, or the reason of the refusal."),
]
WatchId = Annotated[strawberry.ID, strawberry.argument(description="Id of the watch, or its beginning.")]


@type_()
class InboxMutations:
    """Mutations of the inbox and of watches."""

    @mutation("Accept, reject or never show items of the inbox. A job makes papers of accepted ones.", CHANGE)
    async def decide_inbox(
        self,
        info: Info,
        ids: Annotated[
            list[strawberry.ID], strawberry.argument(description="1 to 100 items; to accept, of one collection.")
        ],
        state: Annotated[
            InboxState,
            strawberry.argument(
                description="Decision: rejected items return if another source finds them; NEW takes it back."
            ),
        ],
        with_text: Annotated[
            bool,
            strawberry.argument(
                description="Fetch texts of accepted papers, too: from arXiv, or open-access PDFs by DOI."
            ),
        ] = False,
    ) -> InboxResult:
        context = info.context
        if state is not InboxState.ACCEPTED:
            return await outcome(decide_inbox(context.database, ids, state, collections=context.collections))

        async def work() -> InboxDecision:
            embedder = context.service.resources.model.searched.embedder
            return await accept_inbox(
                context.database, embedder, context.intake, context.principal, ids, with_text=with_text
            )

        return await outcome(work())

    @mutation("Add a watch over catalogues, or over the papers of a collection. It is due at once.", ADMINISTER)
    async def add_watch(
        self,
        info: Info,
        kind: Annotated[
            str, strawberry.argument(description="query, author, cites, snowball, retractions or versions.")
        ],
        subject: Annotated[
            str, strawberry.argument(description="Words, ORCID, DOI or options; empty for the last two.")
        ] = "",
        every: Annotated[str, strawberry.argument(description="Interval: 30m, 12h, 1d or 2w.")] = "1d",
        collection: Annotated[
            str | None, strawberry.argument(description="Collection that its finds are for; default: `main`.")
        ] = None,
    ) -> WatchResult:
        async def work() -> operations.Watch:
            context, every_s = info.context, operations.seconds_of(every)
            name = context.collection(collection)
            id = await operations.create_watch(context.database, kind, subject, every_s=every_s, collection=name)
            return await operations.find_watch(context.database, id)

        return await outcome(work())

    @mutation("Let a watch run at once: make it due, and end its pause.", ADMINISTER)
    async def run_watch(self, info: Info, id: WatchId) -> WatchResult:
        return await outcome(operations.pause_watch(info.context.database, id, is_paused=False))

    @mutation("Pause a watch.", ADMINISTER)
    async def pause_watch(self, info: Info, id: WatchId) -> WatchResult:
        return await outcome(operations.pause_watch(info.context.database, id, is_paused=True))

    @mutation("Delete a watch; the papers that it brought stay.", ADMINISTER)
    async def delete_watch(self, info: Info, id: WatchId) -> DeleteWatchResult:
        async def work() -> operations.DeletedWatch:
            return operations.DeletedWatch((await operations.delete_watch(info.context.database, id)).id)

        return await outcome(work())

    @mutation("Make a new address for the feed of a watch, or revoke it.", ADMINISTER)
    async def open_feed(
        self,
        info: Info,
        id: WatchId,
        revoke: Annotated[bool, strawberry.argument(description="True to make no new address.")] = False,
    ) -> FeedResult:
        return await outcome(operations.open_feed(info.context.database, id, revoke=revoke))
