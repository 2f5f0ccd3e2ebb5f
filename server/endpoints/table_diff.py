"""Cells of an evidence table that changed."""

from datetime import datetime
from typing import Annotated

from papergraph.records import described
from papergraph.requests import request
from papergraph.server.auth.operations import FACETS
from papergraph.server.endpoints import Endpoint, Read
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.tables import CellChange, TableName, diff_table
from papergraph.server.retrieval.request import InCollection


@request(kw_only=True)
class TableDiff(Read[CellChange]):
    """Cells of an evidence table that differ between two times."""

    table: TableName
    before: Annotated[datetime, described("First time.")]
    after: Annotated[datetime | None, described("Second time; default: now.")] = None
    collection: InCollection = None

    async def read(self, context: RequestContext) -> list[CellChange]:
        return await diff_table(
            context.database,
            context.principal,
            self.table,
            before=self.before,
            after=self.after,
            collection=self.collection,
        )


ENDPOINT = Endpoint(
    "table-diff",
    TableDiff,
    FACETS,
    example='{ tableDiff(table: "trials", before: "2026-11-01T00:00:00Z") { title column before after } }',
    path="tables/diff",
)
