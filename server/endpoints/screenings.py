"""Screenings of a collection."""

from papergraph.requests import request
from papergraph.server.auth.operations import READ
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.screening import ScreeningSummary, list_screenings
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class Screenings(Read[ScreeningSummary]):
    """Screenings of a collection with their imported files, by name."""

    collection: InCollection = None

    async def read(self, context: RequestContext) -> list[ScreeningSummary]:
        return await list_screenings(context.database, context.principal, self.collection)


EXAMPLE = "{ screenings { name nRecords nDuplicates imports { source name nRecords nRefused } } }"
ENDPOINT = Endpoint("screenings", Screenings, READ, example=EXAMPLE, tool="List screenings")
