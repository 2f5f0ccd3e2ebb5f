"""Rows of an evidence table."""

from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import FACETS
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.tables import TableName, TableRow, read_rows
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class TableRows(Read[TableRow]):
    """Papers of an evidence table with their cells, each value with its quotes, by title."""

    table: TableName
    collection: InCollection = None
    first: Annotated[int, described("Number of rows, 1 to 100.", ge=1, le=100)] = 20
    after: Annotated[str | None, described("Id of the paper of the last row of the page before.", max_length=64)] = None

    async def read(self, context: RequestContext) -> list[TableRow]:
        return await read_rows(
            context.database,
            context.principal,
            self.table,
            after=self.after,
            first=self.first,
            collection=self.collection,
            boxes=True,
        )


ENDPOINT = Endpoint(
    "table-rows",
    TableRows,
    FACETS,
    example='{ tableRows(table: "trials") { title cells { column finding { state value quotes { text page } } } } }',
    path="tables/rows",
    tool="Read the rows of a table",
)
