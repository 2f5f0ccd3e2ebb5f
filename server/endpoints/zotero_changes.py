"""Changes between Zotero and a collection, for administrators."""

from typing import Annotated

from papergraph.ingest.fetch.zotero_log import LoggedChange
from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import ADMINISTER
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.zotero_access import list_changes
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class ZoteroChanges(Read[LoggedChange]):
    """Changes between a library of Zotero and a collection in both directions, the newest first."""

    library: Annotated[str | None, described("users/ID or groups/ID; default: as set.", max_length=40)] = None
    collection: InCollection = None
    first: Annotated[int, described("Number of changes, 1 to 100.", ge=1, le=100)] = 20

    async def read(self, context: RequestContext) -> list[LoggedChange]:
        return list_changes(context.zotero, self.library, context.collection(self.collection), first=self.first)


ENDPOINT = Endpoint(
    "zotero-changes",
    ZoteroChanges,
    ADMINISTER,
    example="{ zoteroChanges { number at direction action kind title words isUndone } }",
    path="zotero/changes",
)
