"""GraphQL types of named queries."""

from typing import Self

import strawberry

from server.graph import named_queries as library
from server.graphql.connections import Info
from server.graphql.derive import type_


@type_(description="Parameter of a named query.")
class QueryParameter:
    """A parameter."""

    name: str = strawberry.field(description="Name of the parameter.")
    type: str = strawberry.field(description="Cypher type, such as LIST<STRING>.")
    meaning: str = strawberry.field(description="Meaning of the parameter.")


@type_(description="Named query: a common question as Cypher.")
class NamedQuery:
    """A question of the library."""

    name: str = strawberry.field(description="Name of the query.")
    summary: str = strawberry.field(description="Question that the query answers.")
    parameters: list[QueryParameter] = strawberry.field(description="Parameters, in order.")
    columns: list[str] = strawberry.field(description="Columns, in order.")
    returns: str = strawberry.field(description="Columns with types and meanings, one line each.")
    tries: list[str] = strawberry.field(description="Lines that set the parameters in Neo4j Browser.")
    cypher: str = strawberry.field(description="Cypher text with its header, for the active vectors.")

    @classmethod
    def of(cls, query: library.NamedQuery) -> Self:
        """Wrap a question."""
        return cls(
            name=query.name,
            summary=query.summary,
            parameters=[QueryParameter(name=one.name, type=one.type, meaning=one.meaning) for one in query.parameters],
            columns=list(query.columns),
            returns=query.returns,
            tries=list(query.tries),
            cypher=query.text,
        )


async def read_queries(info: Info, name: str | None) -> list[NamedQuery]:
    """Return the question with a name, or all of them by name."""
    wanted = library.names() if name is None else [name]
    slot = await library.slot_of(info.context.service.database)
    return [NamedQuery.of(library.find(one, slot)) for one in wanted]
