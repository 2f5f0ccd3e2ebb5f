"""The query library over GraphQL: questions of researchers as Cypher to paste, with what they can be asked with."""

from typing import Self

import strawberry

from server.graphql.types import Info
from server.retrieval import library


@strawberry.type(description="A parameter of a query of the library.")
class QueryParameter:
    """A parameter."""

    name: str
    type: str = strawberry.field(description="As Cypher calls it, such as LIST<STRING>.")
    meaning: str


@strawberry.type(description="A question that researchers ask, as Cypher that Neo4j Browser takes.")
class LibraryQuery:
    """A question of the library."""

    name: str
    summary: str = strawberry.field(description="What it answers.")
    parameters: list[QueryParameter]
    columns: list[str] = strawberry.field(description="What it returns, in order.")
    returns: str = strawberry.field(description="The same with types and meanings, a line each.")
    tries: list[str] = strawberry.field(description="Lines that set every parameter, for Neo4j Browser.")
    cypher: str = strawberry.field(description="The query with its header, for the vectors that are in use.")

    @classmethod
    def of(cls, query: library.LibraryQuery) -> Self:
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


async def read_queries(info: Info, name: str | None) -> list[LibraryQuery]:
    """Return the question with a name, or all of them by name."""
    wanted = library.names() if name is None else [name]
    slot = await library.slot_of(info.context.service.database)
    return [LibraryQuery.of(library.find(one, slot)) for one in wanted]
