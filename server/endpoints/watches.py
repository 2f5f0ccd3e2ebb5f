"""Watches, for administrators."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import ADMINISTER
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.watches import Watch, list_watches


@request(kw_only=True)
class Watches(Read[Watch]):
    """Watches over folders and sources, in the order in which they were made."""

    collection: Annotated[str | None, described("Collection of the watches; default: all.", max_length=100)] = None

    async def read(self, context: RequestContext) -> list[Watch]:
        found = await list_watches(context.database)
        return [one for one in found if self.collection in (None, one.collection)]


ENDPOINT = Endpoint("watches", Watches, ADMINISTER, example="{ watches { id kind subject nextAt log } }")
