"""The GraphQL schema: what can be asked."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from typing import Annotated, Any, TypeVar

import strawberry
from graphql import DocumentNode, GraphQLError
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext

from ingest.jobs import find_job
from papergraph.errors import InputError, NotFoundError
from schema.ids import DEFAULT_COLLECTION, check_id
from server import cursors
from server.graphql import answering, cost, meaning, searching, types
from server.graphql.access import Access
from server.graphql.admission import Admission
from server.graphql.answering import AnswerEvent, AskInput, AskResult
from server.graphql.errors import TypedErrors
from server.graphql.jobs import Job, job_progress, read_jobs
from server.graphql.library import LibraryQuery, read_queries
from server.graphql.meaning import Cluster, CollectionInfo, Entity, GraphPath, Question
from server.graphql.mutations import Mutation
from server.graphql.querying import CypherInput, CypherResult, run_cypher
from server.graphql.searching import Pipeline, SearchInput, SearchResult
from server.graphql.types import After, Connection, First, Info, Node, Paper
from server.graphql.watching import Watched
from server.retrieval import exploring, listings, reading
from server.retrieval.listings import CollectionListing
from server.retrieval.pipelines import find

R = TypeVar("R")
T = TypeVar("T")

Collection = Annotated[str, strawberry.argument(description="Where to look.")]


@strawberry.type
class Query:
    """Everything that can be read."""

    @strawberry.field(description="Papers of a collection, by title.")
    async def papers(
        self, info: Info, collection: Collection = DEFAULT_COLLECTION, first: First = 20, after: After = None
    ) -> Connection[Paper]:
        database, collections = info.context.service.database, info.context.collections
        name = f"papers in {collection}"
        position = cursors.title_after(after, name)
        found = await reading.list_papers(
            database,
            collection=collection,
            after=position,
            limit=reading.check_first(first) + 1,
            collections=collections,
        )
        for paper in found:
            info.context.remember(paper)
        return types.page(
            found,
            first=first,
            after=after,
            wrap=Paper.of,
            cursor=lambda record: cursors.encode(name, record.title, record.id),
            count=lambda: reading.count_papers(database, collection=collection, collections=collections),
        )

    @strawberry.field(description="The paper with a key: a DOI, an arXiv id, or a key as the graph has it.")
    async def paper(self, info: Info, key: str, collection: Collection = DEFAULT_COLLECTION) -> Paper:
        database, collections = info.context.service.database, info.context.collections
        return Paper.of(await reading.paper_by_key(database, key, collection=collection, collections=collections))

    @strawberry.field(description="Any node by its id.")
    async def node(self, info: Info, id: strawberry.ID) -> Node:
        found = await info.context.nodes.load(check_id(id, field="id"))
        if found is None:
            raise NotFoundError("node with id", id, field="id")
        return meaning.wrap(found)

    @strawberry.field(description="Nodes by their ids, in this order; null for an id that nothing has.")
    async def nodes(self, info: Info, ids: list[strawberry.ID]) -> list[Node | None]:
        if len(ids) > reading.MAX_PAGE:
            raise InputError(f"at most {reading.MAX_PAGE} ids can be asked for", field="ids")
        found = await info.context.nodes.load_many([check_id(id, field="ids") for id in ids])
        return [None if node is None else meaning.wrap(node) for node in found]

    @strawberry.field(description="The collections that there are, by name.")
    async def collections(self, info: Info) -> list[CollectionInfo]:
        database, collections = info.context.service.database, info.context.collections
        return [CollectionInfo.of(one) for one in await exploring.list_collections(database, collections=collections)]

    @strawberry.field(description="Entities of a collection, by name.")
    async def entities(
        self,
        info: Info,
        collection: Collection = DEFAULT_COLLECTION,
        text: Annotated[str, strawberry.argument(description="What a name of theirs holds, in any case.")] = "",
        types: Annotated[list[str] | None, strawberry.argument(description="Only those of one of these types.")] = None,
        first: First = 20,
        after: After = None,
    ) -> Connection[Entity]:
        return await _listed(
            info,
            listings.entities_in(collection, text=text, types=types, collections=info.context.collections),
            first,
            after,
            Entity.of,
        )

    @strawberry.field(description="Clusters of a collection by kind, level and name.")
    async def clusters(
        self,
        info: Info,
        collection: Collection = DEFAULT_COLLECTION,
        kind: Annotated[str | None, strawberry.argument(description="metadata, topic or community.")] = None,
        level: Annotated[int | None, strawberry.argument(description="0 for the finest.")] = None,
        field: Annotated[str | None, strawberry.argument(description="Of metadata, the field.")] = None,
        first: First = 20,
        after: After = None,
    ) -> Connection[Cluster]:
        listing = listings.clusters_in(
            collection, kind=kind, level=level, field=field, collections=info.context.collections
        )
        return await _listed(info, listing, first, after, Cluster.of)

    @strawberry.field(description="Questions of a collection, in the order of ids.")
    async def questions(
        self,
        info: Info,
        collection: Collection = DEFAULT_COLLECTION,
        generator: Annotated[str | None, strawberry.argument(description="model, template or extractive.")] = None,
        review: Annotated[str | None, strawberry.argument(description="accepted, edited or none.")] = None,
        first: First = 20,
        after: After = None,
    ) -> Connection[Question]:
        listing = listings.questions_in(
            collection, generator=generator, review=review, collections=info.context.collections
        )
        return await _listed(info, listing, first, after, Question.of)

    @strawberry.field(description="A shortest way between two nodes, or null if there is none that is short enough.")
    async def path(
        self,
        info: Info,
        from_id: strawberry.ID,
        to_id: strawberry.ID,
        max_hops: Annotated[int, strawberry.argument(description="Most relationships, 1 to 6.")] = 4,
    ) -> GraphPath | None:
        found = await exploring.shortest_path(
            info.context.service.database, from_id, to_id, most=max_hops, collections=info.context.collections
        )
        if found is None:
            return None
        nodes = [node for node in await info.context.nodes.load_many(list(found.ids)) if node is not None]
        return GraphPath.of(found, nodes) if len(nodes) == len(found.ids) else None

    @strawberry.field(description="Jobs of the ledger, the newest first.")
    async def jobs(self, info: Info, first: First = 20, after: After = None) -> Connection[Job]:
        return await read_jobs(info, first, after)

    @strawberry.field(description="A job by its id, or by the beginning of it that no other job has.")
    async def job(self, info: Info, id: str) -> Job:
        database, collections = info.context.service.database, info.context.collections
        return Job.of(await find_job(database, id, collections=collections))

    @strawberry.field(description="The passages that answer a query best.")
    async def search(self, info: Info, input: SearchInput) -> SearchResult:
        context = info.context
        result = await searching.search(context.service.resources, input, context.grant, context.spending)
        for node in searching.nodes_of(result.found.hits):
            info.context.remember(node)
        return result

    @strawberry.field(description="An answer from the papers, with citations that were checked, or why there is none.")
    async def ask(self, info: Info, input: AskInput) -> AskResult:
        return await answering.ask(info, input)

    @strawberry.field(description="What a query of Cypher returns that only reads the graph.")
    async def cypher(self, info: Info, input: CypherInput) -> CypherResult:
        return await run_cypher(info, input)

    @strawberry.field(description="The query library: questions that researchers ask of the graph, as Cypher.")
    async def queries(
        self,
        info: Info,
        name: Annotated[str | None, strawberry.argument(description="Only the one with this name.")] = None,
    ) -> list[LibraryQuery]:
        return await read_queries(info, name)

    @strawberry.field(description="All pipelines that a search can name.")
    def pipelines(self, info: Info) -> list[Pipeline]:
        return [Pipeline.of(pipeline) for pipeline in info.context.service.resources.pipelines.values()]

    @strawberry.field(description="The pipeline with this name.")
    def pipeline(self, info: Info, name: str) -> Pipeline:
        return Pipeline.of(find(name, info.context.service.resources.pipelines))


@strawberry.type
class Subscription:
    """What can be followed."""

    @strawberry.subscription(description="A job each time that it has come on, until it is finished.")
    async def job_progress(self, info: Info, id: str) -> AsyncIterator[Job]:
        async for job in job_progress(info, id):
            yield job

    @strawberry.subscription(description="An answer as it comes: sources, then text and citations, then the end.")
    async def answer(self, info: Info, input: AskInput) -> AsyncIterator[AnswerEvent]:
        async with aclosing(answering.answer_events(info, input)) as events:
            async for event in events:
                yield event


async def _listed(
    info: Info, listing: CollectionListing[R], first: int, after: str | None, wrap: Callable[[R], T]
) -> Connection[T]:
    database = info.context.service.database
    place = cursors.place_after(after, listing.name, listing.place)
    return types.page(
        await listings.page_of(database, listing, after=place, limit=reading.check_first(first) + 1),
        first=first,
        after=after,
        wrap=lambda entry: wrap(entry.record),
        cursor=lambda entry: cursors.encode(listing.name, *entry.place),
        count=lambda: listings.length_of(database, listing),
    )


class Schema(strawberry.Schema):
    """Strawberry's schema without its log, which would show every asker's mistake with the text of the query."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Log nothing: ``TypedErrors`` logs what is worth it."""


schema = Schema(
    query=Query,
    mutation=Mutation,
    subscription=Subscription,
    types=[types.Author, types.Section, types.Chunk],
    config=StrawberryConfig(relay_max_results=reading.MAX_PAGE),
    extensions=[TypedErrors, Admission, Access, Watched],
)


def cost_of(
    document: DocumentNode, variables: Mapping[str, Any] | None = None, operation_name: str | None = None
) -> int:
    """Return what an operation of a valid document costs; see :mod:`server.graphql.cost`."""
    return cost.cost_of(document, variables, operation_name, schema=schema._schema)


def sdl() -> str:
    """Return the schema in GraphQL's own language, as ``schema/schema.graphql`` holds it."""
    return schema.as_str() + "\n"
