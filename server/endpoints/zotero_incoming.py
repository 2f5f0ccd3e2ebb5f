"""Changes that a sync with Zotero would bring, for administrators."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import PUSH
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.zotero_access import IncomingChange, preview_sync
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class ZoteroIncoming(Read[IncomingChange]):
    """Changes that a sync would bring from Zotero into a collection; nothing is written."""

    library: Annotated[str | None, described("users/ID or groups/ID; default: as set.", max_length=40)] = None
    collection: InCollection = None

    async def read(self, context: RequestContext) -> list[IncomingChange]:
        return await preview_sync(context.zotero, self.library, context.collection(self.collection))


ENDPOINT = Endpoint(
    "zotero-incoming",
    ZoteroIncoming,
    PUSH,
    example="{ zoteroIncoming { change title } }",
    path="zotero/incoming",
)
