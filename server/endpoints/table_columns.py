"""Counts of the columns of an evidence table."""

from papergraph.requests import request
from papergraph.server.auth.operations import FACETS
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.tables import ColumnReport, TableName, column_reports
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class TableColumns(Read[ColumnReport]):
    """Columns of an evidence table with counts of their cells, and the agreement of machine and person."""

    table: TableName
    collection: InCollection = None

    async def read(self, context: RequestContext) -> list[ColumnReport]:
        return await column_reports(context.database, context.principal, self.table, collection=self.collection)


ENDPOINT = Endpoint(
    "table-columns",
    TableColumns,
    FACETS,
    example='{ tableColumns(table: "trials") { name nValues nNotReported nStale agreement } }',
    path="tables/columns",
)
