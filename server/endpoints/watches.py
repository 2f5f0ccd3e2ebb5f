"""Watches, for administrators."""

from papergraph.requests import request
from papergraph.server.auth.operations import ADMINISTER
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.watches import Watch, list_watches


@request(kw_only=True)
class Watches(Read[Watch]):
    """Watches over folders and sources, in the order in which they were made."""

    async def read(self, context: RequestContext) -> list[Watch]:
        return await list_watches(context.database)


ENDPOINT = Endpoint("watches", Watches, ADMINISTER, example="{ watches { id kind subject nextAt log } }")
