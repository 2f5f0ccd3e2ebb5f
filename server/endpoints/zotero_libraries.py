"""Libraries of Zotero, for administrators."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import ADMINISTER
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.zotero_access import ZoteroLibrary, list_libraries


@request(kw_only=True)
class ZoteroLibraries(Read[ZoteroLibrary]):
    """Libraries that Zotero offers, the usual one first; Zotero is asked."""

    library: Annotated[str | None, described("users/ID or groups/ID; default: as set.", max_length=40)] = None

    async def read(self, context: RequestContext) -> list[ZoteroLibrary]:
        return await list_libraries(context.zotero, self.library)


ENDPOINT = Endpoint(
    "zotero-libraries",
    ZoteroLibraries,
    ADMINISTER,
    example="{ zoteroLibraries { name title nItems } }",
    path="zotero/libraries",
)
