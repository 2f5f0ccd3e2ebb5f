"""Works that watches found."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import READ
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.inbox import InboxItem, InboxState, list_inbox
from papergraph.server.retrieval.request import InCollection
from papergraph.server.retrieval.scope import within


@request(kw_only=True)
class Inbox(Read[InboxItem]):
    """Works that watches found for a collection, those that are likely accepted first."""

    collection: InCollection = None
    states: Annotated[list[InboxState] | None, described("States to include; default: new.")] = None
    source: Annotated[str | None, described("Id of the watch that found them; default: any.", max_length=40)] = None
    first: Annotated[int, described("Number of items, 1 to 100.", ge=1, le=100)] = 20
    after: Annotated[str | None, described("Id of the last item of the page before.", max_length=64)] = None

    async def read(self, context: RequestContext) -> list[InboxItem]:
        name = within(context.collection(self.collection), context.collections)
        states = self.states or [InboxState.NEW]
        return await list_inbox(
            context.database, name, states=states, source=self.source, after=self.after, first=self.first
        )


ENDPOINT = Endpoint(
    "inbox",
    Inbox,
    READ,
    example="{ inbox(first: 5) { title year score words near { title score } } }",
    tool="List new papers in the inbox",
)
