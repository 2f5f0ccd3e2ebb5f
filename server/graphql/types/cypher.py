"""GraphQL types of read-only Cypher queries."""

from dataclasses import dataclass

from strawberry import Parent
from strawberry.scalars import JSON

from papergraph.server.graphql.connections import Info
from papergraph.server.graphql.derive import field, input_type, object_type, read_input
from papergraph.server.graphql.types.closed_lists import RowLimit
from papergraph.server.operations.cypher import table_for
from papergraph.server.user_cypher.formats import CypherResult, graph_of, result_of
from papergraph.server.user_cypher.request import CypherRequest
from papergraph.server.user_cypher.runner import Table


@input_type(CypherRequest, parameters=JSON | None)
class CypherInput: ...


@dataclass(frozen=True, kw_only=True)
class CypherAnswer(CypherResult):
    """Result with the rows as Neo4j gave them."""

    table: Table


@object_type(CypherResult, truncated=RowLimit | None)
class CypherResultType:
    """A result, and the graph in its rows."""

    @field("Distinct nodes and relationships in the rows.")
    def graph(root: Parent[CypherAnswer]) -> JSON:
        return JSON(graph_of(root.table))


async def run_cypher(info: Info, input: CypherInput) -> CypherResult:
    """Run a query as the principal of the request."""
    request = read_input(CypherRequest, input)
    table = await table_for(info.context.principal, info.context.service.desk, request)
    return CypherAnswer(table=table, **result_of(table))
