"""Cypher in GraphQL: any query that only reads."""

from datetime import datetime
from typing import Any, Self

import strawberry
from strawberry.scalars import JSON

from papergraph.errors import InputError
from server.access.querying import table_for
from server.graphql.types import Info
from server.querying.desk import DEFAULT_ROWS, Question, Table
from server.querying.formats import graph_of


@strawberry.input(description="A query of Cypher that only reads.")
class CypherInput:
    """A query."""

    query: str = strawberry.field(description="One statement, 1 to 20,000 characters.")
    parameters: JSON | None = strawberry.field(default=None, description="Its values by name.")
    rows: int = strawberry.field(default=DEFAULT_ROWS, description="How many rows at most, 1 to 10,000.")
    deadline_ms: int | None = strawberry.field(default=None, description="By default, and at most, the server's own.")


@strawberry.type(description="What a query of Cypher returns.")
class CypherResult:
    """Its rows, and the graph in them."""

    table: strawberry.Private[Table]
    columns: list[str]
    n_rows: int
    truncated: str | None = strawberry.field(description="rows or bytes, where that ended the rows and there are more.")
    ms: float
    as_of: datetime | None = strawberry.field(description="Of a copy of the store, when it was made.")

    @strawberry.field(description="A list of lists, in the order of the columns.")
    def rows(self) -> JSON:
        return JSON([row.values for row in self.table.rows])

    @strawberry.field(description="The nodes and relationships in the rows, each once.")
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
            truncated=end.cut,
            ms=end.ms,
            as_of=table.head.as_of,
        )


async def run_cypher(info: Info, input: CypherInput) -> CypherResult:
    """Run a query where the request's grant reaches."""
    deadline_s = None if input.deadline_ms is None else input.deadline_ms / 1000
    parameters: Any = input.parameters or {}
    if not isinstance(parameters, dict):
        raise InputError("parameters are values by name", field="parameters")
    question = Question(input.query, parameters, input.rows, deadline_s)
    return CypherResult.of(await table_for(info.context.grant, info.context.service.desk, question))
