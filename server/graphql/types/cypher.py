"""GraphQL types of read-only Cypher queries."""

from datetime import datetime
from typing import Self

import strawberry
from strawberry.scalars import JSON

from papergraph.server.graphql.connections import Info
from papergraph.server.graphql.derive import field, input_type, read_input, type_
from papergraph.server.graphql.types.closed_lists import RowLimit
from papergraph.server.operations.cypher import table_for
from papergraph.server.user_cypher.formats import graph_of
from papergraph.server.user_cypher.request import CypherRequest
from papergraph.server.user_cypher.runner import Table


@input_type(CypherRequest, parameters=JSON | None)
class CypherInput: ...


@type_(description="Result of a Cypher query.")
class CypherResult:
    """Its rows, and the graph in them."""

    table: strawberry.Private[Table]
    columns: list[str] = strawberry.field(description="Names of the columns.")
    n_rows: int = strawberry.field(description="Number of rows.")
    truncated: RowLimit | None = strawberry.field(description="Limit that cut the rows; null if complete.")
    ms: float = strawberry.field(description="Duration in milliseconds.")
    as_of: datetime | None = strawberry.field(description="Creation time of the replica, if a replica is queried.")

    @field("List of rows; values in the order of the columns.")
    def rows(self) -> JSON:
        return JSON([row.values for row in self.table.rows])

    @field("Distinct nodes and relationships in the rows.")
    def graph(self) -> JSON:
        return JSON(graph_of(self.table))

    @classmethod
    def of(cls, table: Table) -> Self:
        """Return a table as GraphQL has it."""
        end = table.end
        return cls(
            table=table,
            columns=list(table.head.columns),
            n_rows=end.n_rows,
            truncated=None if end.cut is None else RowLimit(end.cut),
            ms=end.ms,
            as_of=table.head.as_of,
        )


async def run_cypher(info: Info, input: CypherInput) -> CypherResult:
    """Run a query where the request's grant reaches."""
    request = read_input(CypherRequest, input)
    return CypherResult.of(await table_for(info.context.principal, info.context.service.desk, request))
