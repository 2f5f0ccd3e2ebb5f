"""Evidence tables of a collection."""

from papergraph.requests import request
from papergraph.server.auth.operations import READ
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.tables import TableSummary, list_tables
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class Tables(Read[TableSummary]):
    """Evidence tables of a collection with their columns, by name."""

    collection: InCollection = None

    async def read(self, context: RequestContext) -> list[TableSummary]:
        return await list_tables(context.database, context.principal, self.collection)


ENDPOINT = Endpoint("tables", Tables, READ, example="{ tables { name columns { name question } } }", tool="List tables")
