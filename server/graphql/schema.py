"""The GraphQL schema: what can be asked, and the limits on how."""

from typing import Annotated

import strawberry
from graphql import GraphQLError
from strawberry.extensions import MaxAliasesLimiter, MaxTokensLimiter, QueryDepthLimiter
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext

from papergraph.errors import NotFoundError
from schema.ids import DEFAULT_COLLECTION, check_id
from server.graphql import cursors, searching, types
from server.graphql.errors import TypedErrors
from server.graphql.searching import Pipeline, SearchInput, SearchResult
from server.graphql.types import After, Connection, First, Info, Node, Paper
from server.retrieval import reading
from server.retrieval.pipelines import find

MAX_DEPTH = 12
MAX_ALIASES = 15
MAX_TOKENS = 2000

Collection = Annotated[str, strawberry.argument(description="Where to look.")]


@strawberry.type
class Query:
    """Everything that can be read."""

    @strawberry.field(description="Papers of a collection, by title.")
    async def papers(
        self, info: Info, collection: Collection = DEFAULT_COLLECTION, first: First = 20, after: After = None
    ) -> Connection[Paper]:
        database = info.context.service.database
        name = f"papers in {collection}"
        position = types.title_after(after, name)
        found = await reading.list_papers(
            database, collection=collection, after=position, limit=reading.check_first(first) + 1
        )
        for paper in found:
            info.context.remember(paper)
        return types.page(
            found,
            first=first,
            after=after,
            wrap=Paper.of,
            cursor=lambda record: cursors.encode(name, record.title, record.id),
            count=lambda: reading.count_papers(database, collection=collection),
        )

    @strawberry.field(description="The paper with a key: a DOI, an arXiv id, or a key as the graph has it.")
    async def paper(self, info: Info, key: str, collection: Collection = DEFAULT_COLLECTION) -> Paper:
        return Paper.of(await reading.paper_by_key(info.context.service.database, key, collection=collection))

    @strawberry.field(description="Any node by its id.")
    async def node(self, info: Info, id: strawberry.ID) -> Node:
        found = await info.context.nodes.load(check_id(id, field="id"))
        if found is None:
            raise NotFoundError("node with id", id, field="id")
        return types.wrap(found)

    @strawberry.field(description="The passages that answer a query best.")
    async def search(self, info: Info, input: SearchInput) -> SearchResult:
        result = await searching.search(info.context.service.resources, input)
        for node in searching.nodes_of(result.found.hits):
            info.context.remember(node)
        return result

    @strawberry.field(description="All pipelines that a search can name.")
    def pipelines(self, info: Info) -> list[Pipeline]:
        return [Pipeline.of(pipeline) for pipeline in info.context.service.resources.pipelines.values()]

    @strawberry.field(description="The pipeline with this name.")
    def pipeline(self, info: Info, name: str) -> Pipeline:
        return Pipeline.of(find(name, info.context.service.resources.pipelines))


class Schema(strawberry.Schema):
    """Strawberry's schema without its log, which would show every asker's mistake with the text of the query."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Log nothing: ``TypedErrors`` logs what is worth it."""


schema = Schema(
    query=Query,
    types=[types.Author, types.Section, types.Chunk],
    config=StrawberryConfig(relay_max_results=reading.MAX_PAGE),
    extensions=[
        TypedErrors,
        lambda: QueryDepthLimiter(max_depth=MAX_DEPTH),
        lambda: MaxAliasesLimiter(max_alias_count=MAX_ALIASES),
        lambda: MaxTokensLimiter(max_token_count=MAX_TOKENS),
    ],
)


def sdl() -> str:
    """Return the schema in GraphQL's own language, as ``schema/schema.graphql`` holds it."""
    return schema.as_str() + "\n"
