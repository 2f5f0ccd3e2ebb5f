"""GraphQL schema, with an example for each root field."""

import inspect
from collections.abc import Mapping
from typing import Annotated, Any

import strawberry
from graphql import DocumentNode, GraphQLError, GraphQLSchema
from pydantic.alias_generators import to_camel
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext

from papergraph.errors import InputError
from papergraph.ingest.enrichments.questions.candidates import Generator
from papergraph.ingest.jobs.model import Job
from papergraph.ingest.jobs.queue import find_job
from papergraph.records import NOT_IN_GRAPHQL
from papergraph.requests import PYTHON_ONLY, offered, read_request
from papergraph.schema import records
from papergraph.schema.ids import check_id
from papergraph.server.answers.stored import StoredAnswer, find_answer
from papergraph.server.auth.operations import (
    ANSWER,
    CHANGE,
    CYPHER,
    FACETS,
    NAMED_QUERIES,
    NEIGHBOURHOOD,
    PATH,
    READ,
    SEARCH,
    Operation,
)
from papergraph.server.endpoints import Endpoint, endpoints
from papergraph.server.graph import lists as listings
from papergraph.server.graph import named_queries
from papergraph.server.graph import nodes as reading
from papergraph.server.graph import related as exploring
from papergraph.server.graph.neighbourhood import LinkType, Neighbourhood, neighbourhood
from papergraph.server.graphql import cost
from papergraph.server.graphql.connections import After, Connection, First, Info, found_or_none, listed_in
from papergraph.server.graphql.derive import argument, field, graphql_type, input_data, type_
from papergraph.server.graphql.extensions import Admission, Permissions, TypedErrors, Watched, root_operations
from papergraph.server.graphql.mutations import JobPrefix, Mutation, Subscription
from papergraph.server.graphql.types import answer as answering
from papergraph.server.graphql.types import nodes as types
from papergraph.server.graphql.types import search as searching
from papergraph.server.graphql.types.answer import AnswerId, AskArgument, AskResult
from papergraph.server.graphql.types.closed_lists import ClusterKind, ReviewFilter
from papergraph.server.graphql.types.collections import Collection, CollectionQueries, MapQueries, PlaceQueries
from papergraph.server.graphql.types.cypher import CypherInput, run_cypher
from papergraph.server.graphql.types.jobs import EnrichmentQueries, IngestionQueries, read_jobs
from papergraph.server.graphql.types.keys import InvitationQueries, KeyQueries, ViewerQueries
from papergraph.server.graphql.types.nodes import GraphPath
from papergraph.server.graphql.types.papers import ManagedPaperQueries, PaperFilter, PaperText, paper_query, read_papers
from papergraph.server.graphql.types.search import SearchInput, SearchResult, SummaryQueries
from papergraph.server.papers.find import Facet, FacetCounts, PaperSort, facets_of
from papergraph.server.retrieval.pipelines import PipelineInfo, shipped
from papergraph.server.user_cypher.formats import CypherResult

# Examples of operations, one for each root field, for readers of the schema


EXAMPLES = {
    "papers": "{ papers(first: 3) { nodes { id title year } } }",
    "paperFacets": "{ paperFacets(facets: [YEAR]) { values { value n } } }",
    "neighbourhood": "query ($id: ID!) { neighbourhood(ids: [$id]) { nodes { nodeId name } } }",
    "map": "{ map(first: 100) { method ids x y topics { name n } } }",
    "node": "query ($id: ID!) { node(id: $id) { displayName } }",
    "nodes": "query ($ids: [ID!]!) { nodes(ids: $ids) { displayName } }",
    "collections": "{ collections { name nPapers } }",
    "clusters": "{ clusters(kind: TOPIC) { nodes { name nMembers } } }",
    "questions": "{ questions(review: NONE) { nodes { text } } }",
    "path": "query ($from: ID!, $to: ID!) { path(fromId: $from, toId: $to) { nodes { displayName } } }",
    "jobs": "{ jobs(first: 5) { nodes { id state progress } } }",
    "job": "query ($id: ID!) { job(id: $id) { state progress } }",
    "queries": "{ queries { name summary } }",
    "apiKeys": "{ apiKeys { id name state expiresAt } }",
    "collectionRoles": '{ collectionRoles(collection: "main") { key name role } }',
    "invitations": "{ invitations { id name state nUses maxUses } }",
    "viewer": "{ viewer { scopes collections } }",
    "server": "{ server { version languageModel } }",
    "storedAnswer": '{ storedAnswer(id: "answer-0123456789abcdef") { text citations { quote } ratings { verdict } } }',
    "enrichments": "{ enrichments { name about missing } }",
    "enrichmentEstimate": '{ enrichmentEstimate(enrichments: ["entities"]) { nPapers nDue nRequests } }',
    "ingestionEstimate": '{ ingestionEstimate(sources: ["arxiv:1706.03762"]) { papers { value } cost } }',
    "pipelines": "{ pipelines { name about } }",
    "jobProgress": "subscription ($id: ID!) { jobProgress(id: $id) { state progress } }",
    "jobEvents": "subscription ($id: ID!) { jobEvents(id: $id) { job { state } tasks { source nEmbedded } } }",
    "paper": '{ paper(key: "arxiv:1706.03762") { title } }',
    "paperFields": "query ($id: ID!) { paperFields(id: $id) { name values provider source } }",
    "paperPairs": "{ paperPairs { common papers { paperId title year } } }",
    "paperCorrections": "query ($id: ID!) { paperCorrections(id: $id) { name values proposed source } }",
    "exportPapers": "query ($ids: [ID!]!) { exportPapers(ids: $ids, format: BIBTEX) { files { name text } } }",
    "entities": '{ entities(text: "bert") { nodes { name type } } }',
    "venues": '{ venues(text: "stat") { nodes { name papers { totalCount } } } }',
    "affiliations": '{ affiliations(text: "univ") { nodes { name papers { totalCount } } } }',
    "search": '{ search(input: {query: "tabu search", k: 5}) { hits { passage paper { title } } } }',
    "summary": '{ summary(metadata: [{field: "task", value: "ranking"}]) { text keywords nPapers } }',
    "ask": '{ ask(input: {question: "What is tabu search?"}) { __typename ... on Answer { text } } }',
    "cypher": '{ cypher(input: {query: "MATCH (p:Paper) RETURN count(p)"}) { rows } }',
    "pipeline": '{ pipeline(name: "fast") { about steps } }',
    "answer": 'subscription { answer(input: {question: "What is tabu?"}) { ... on DeltaEvent { text } } }',
} | {to_camel(one.function): one.example for one in endpoints().values()}
"""An operation by the root field that it uses."""


def add_examples(schema: GraphQLSchema) -> None:
    """Add the examples to the descriptions of the root fields."""
    for root in (schema.query_type, schema.mutation_type, schema.subscription_type):
        for name, one in root.fields.items() if root else ():
            if name in EXAMPLES:
                one.description = f"{one.description}\n\nExample: `{EXAMPLES[name]}`"


# GraphQL schema


Id = Annotated[strawberry.ID, strawberry.argument(description="Id of the node.")]


def _field(one: Endpoint) -> Any:
    async def resolve(root: Any, info: Info, **values: Any) -> Any:
        request = read_request(one.request, {name: input_data(value) for name, value in values.items()})
        return await request.read(info.context)

    arguments = [argument(name, field) for name, field in offered(one.request, NOT_IN_GRAPHQL, PYTHON_ONLY).items()]
    signature = inspect.signature(resolve)
    own = list(signature.parameters.values())[:2]
    resolve.__signature__ = signature.replace(parameters=[*own, *arguments])  # type: ignore[attr-defined]
    returned: Any = list[graphql_type(one.record)] | None  # type: ignore[misc]
    return strawberry.field(resolve, graphql_type=returned, description=one.about, metadata=one.operation.metadata)


EndpointQueries: Any = strawberry.type(
    type("EndpointQueries", (), {one.function: _field(one) for one in endpoints().values()})
)
"""Root fields of all simple reads."""


@type_()
class Query(
    CollectionQueries,
    ViewerQueries,
    KeyQueries,
    InvitationQueries,
    PlaceQueries,
    SummaryQueries,
    EnrichmentQueries,
    IngestionQueries,
    ManagedPaperQueries,
    MapQueries,
    EndpointQueries,  # type: ignore[misc]
):
    """Everything that can be read."""

    @field("Papers of a collection, by title or in another order.", READ)
    async def papers(
        self,
        info: Info,
        collection: Collection = None,
        first: First = 20,
        after: After = None,
        filter: PaperFilter = None,
        text: PaperText = "",
        sort: Annotated[PaperSort, strawberry.argument(description="Order of the papers.")] = PaperSort.TITLE,
    ) -> Connection[records.Paper] | None:
        return await read_papers(
            info, paper_query(info.context.collection(collection), filter, text, sort), first, after
        )

    @field("Values that papers of a collection have, with numbers.", FACETS)
    async def paper_facets(
        self,
        info: Info,
        facets: Annotated[list[Facet], strawberry.argument(description="Facets to count.")],
        collection: Collection = None,
        filter: PaperFilter = None,
        text: PaperText = "",
        first: Annotated[int, strawberry.argument(description="Values of each facet, 1 to 50.")] = 20,
    ) -> list[FacetCounts] | None:
        context, query = info.context, paper_query(info.context.collection(collection), filter, text)
        query = query.seen_by(context.principal.viewer)
        return await facets_of(context.database, query, facets, first=first, collections=context.collections)

    @field("Nodes around nodes, with counts of those left out.", NEIGHBOURHOOD)
    async def neighbourhood(
        self,
        info: Info,
        ids: Annotated[list[strawberry.ID], strawberry.argument(description="1 to 20 nodes.")],
        types: Annotated[
            list[LinkType] | None, strawberry.argument(description="Relationships to follow; default: all.")
        ] = None,
        per_type: Annotated[int, strawberry.argument(description="Neighbours of a node by a type, 1 to 50.")] = 10,
        first: Annotated[int, strawberry.argument(description="Nodes in all, 1 to 500.")] = 150,
    ) -> Neighbourhood | None:
        context = info.context
        return await neighbourhood(
            context.database, ids, types=types, per_type=per_type, first=first, collections=context.collections
        )

    @field("Paper with a key: a DOI, an arXiv id, or a key of the graph.", READ)
    async def paper(
        self,
        info: Info,
        key: Annotated[str, strawberry.argument(description="Such as 10.1000/182, arxiv:1706.03762 or Paper.key.")],
        collection: Collection = None,
    ) -> records.Paper | None:
        context, name = info.context, info.context.collection(collection)
        reached = context.collections
        return await found_or_none(reading.paper_by_key(context.database, key, collection=name, collections=reached))

    @field("Node of any type by id.", READ)
    async def node(self, info: Info, id: Id) -> records.Node | None:
        found = await info.context.nodes.load(check_id(id, field="id"))
        return found

    @field("Nodes by id, in this order; null for an unknown id.", READ)
    async def nodes(
        self, info: Info, ids: Annotated[list[strawberry.ID], strawberry.argument(description="At most 100.")]
    ) -> list[records.Node | None] | None:
        if len(ids) > reading.MAX_PAGE:
            raise InputError(f"There are {len(ids)} ids; at most {reading.MAX_PAGE} are allowed.", field="ids")
        found = await info.context.nodes.load_many([check_id(id, field="ids") for id in ids])
        return found

    @field("Entities of a collection, by name.", READ)
    async def entities(
        self,
        info: Info,
        collection: Collection = None,
        text: Annotated[str, strawberry.argument(description="Text in a name of the entity, ignoring case.")] = "",
        types: Annotated[list[str] | None, strawberry.argument(description="Entity types to include.")] = None,
        first: First = 20,
        after: After = None,
    ) -> Connection[records.Entity] | None:
        return await listed_in(
            info,
            listings.entities_in(
                info.context.collection(collection), text=text, types=types, collections=info.context.collections
            ),
            first,
            after,
        )

    @field("Clusters of a collection by kind, level and name.", READ)
    async def clusters(
        self,
        info: Info,
        collection: Collection = None,
        kind: Annotated[
            ClusterKind | None, strawberry.argument(description="Kind of the clusters; default: any.")
        ] = None,
        level: Annotated[
            int | None, strawberry.argument(description="Level in the hierarchy; 0 is the finest.")
        ] = None,
        field: Annotated[str | None, strawberry.argument(description="Metadata field, for kind metadata.")] = None,
        first: First = 20,
        after: After = None,
    ) -> Connection[records.Cluster] | None:
        listing = listings.clusters_in(
            info.context.collection(collection),
            kind=kind,
            level=level,
            field=field,
            collections=info.context.collections,
        )
        return await listed_in(info, listing, first, after)

    @field("Questions of a collection, by id.", READ)
    async def questions(
        self,
        info: Info,
        collection: Collection = None,
        generator: Annotated[Generator | None, strawberry.argument(description="Generator; default: any.")] = None,
        review: Annotated[ReviewFilter | None, strawberry.argument(description="Review; default: any.")] = None,
        first: First = 20,
        after: After = None,
    ) -> Connection[records.Question] | None:
        listing = listings.questions_in(
            info.context.collection(collection),
            generator=generator,
            review=review,
            collections=info.context.collections,
        )
        return await listed_in(info, listing, first, after)

    @field("Shortest path between two nodes, or null if none is short enough.", PATH)
    async def path(
        self,
        info: Info,
        from_id: Annotated[strawberry.ID, strawberry.argument(description="Id of the node where it begins.")],
        to_id: Annotated[strawberry.ID, strawberry.argument(description="Id of the node where it ends.")],
        max_hops: Annotated[int, strawberry.argument(description="Maximum number of relationships, 1 to 6.")] = 4,
    ) -> GraphPath | None:
        found = await exploring.shortest_path(
            info.context.service.database,
            from_id,
            to_id,
            most=max_hops,
            collections=info.context.collections,
            fields=("fromId", "toId"),
        )
        if found is None:
            return None
        nodes = [node for node in await info.context.nodes.load_many(list(found.ids)) if node is not None]
        return GraphPath(nodes=nodes, steps=list(found.steps)) if len(nodes) == len(found.ids) else None

    @field("Jobs, newest first.", CHANGE)
    async def jobs(self, info: Info, first: First = 20, after: After = None) -> Connection[Job] | None:
        return await read_jobs(info, first, after)

    @field("Job by its id, or by an unambiguous prefix of it.", CHANGE)
    async def job(self, info: Info, id: JobPrefix) -> Job | None:
        return await found_or_none(find_job(info.context.database, id, collections=info.context.collections))

    @field("Search for passages.", SEARCH)
    async def search(
        self, info: Info, input: Annotated[SearchInput, strawberry.argument(description="The query and its options.")]
    ) -> SearchResult | None:
        result = await searching.search(info, input)
        for node in searching.nodes_of(result.found.hits):
            info.context.remember(node)
        return result

    @field("Answer with verified citations, or a refusal with its reason.", ANSWER)
    async def ask(self, info: Info, input: AskArgument) -> AskResult | None:
        return await answering.ask(info, input)

    @field("Answer that was stored, by its id.", READ)
    async def stored_answer(self, info: Info, id: AnswerId) -> StoredAnswer | None:
        return await find_answer(info.context.database, id, collections=info.context.collections)

    @field("Run a read-only Cypher query.", CYPHER)
    async def cypher(
        self, info: Info, input: Annotated[CypherInput, strawberry.argument(description="The query and its options.")]
    ) -> CypherResult | None:
        return await run_cypher(info, input)

    @field("Named queries: common questions about the graph, as Cypher.", NAMED_QUERIES)
    async def queries(
        self,
        info: Info,
        name: Annotated[str | None, strawberry.argument(description="Name of a single query.")] = None,
    ) -> list[named_queries.NamedQuery] | None:
        slot = await named_queries.slot_of(info.context.database)
        return [named_queries.find(one, slot) for one in (named_queries.names() if name is None else [name])]

    @field("Retrieval pipelines.", READ)
    def pipelines(self, info: Info) -> list[PipelineInfo] | None:
        return [PipelineInfo.of(pipeline) for pipeline in info.context.service.pipelines.values()]

    @field("Pipeline by name.", READ)
    def pipeline(
        self, info: Info, name: Annotated[str, strawberry.argument(description="Such as default or fast.")]
    ) -> PipelineInfo | None:
        found = info.context.service.pipelines.get(name)
        return None if found is None else PipelineInfo.of(found)


class Schema(strawberry.Schema):
    """Strawberry's schema without its log, which would contain the text of every invalid query."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Log nothing: ``TypedErrors`` logs what is worth it."""


def declared_fields(schema: strawberry.Schema) -> Mapping[str, Operation]:
    """Return the operation of each field that an operation may begin with.

    Raises:
        LookupError: A field declares none.
    """
    fields = {name: declared for name, declared in root_operations(schema).items() if declared is not None}
    if missing := root_operations(schema).keys() - fields:
        raise LookupError(f"field {min(missing)} of GraphQL declares no access: give it an operation, such as READ")
    return fields


schema = Schema(
    query=Query,
    mutation=Mutation,
    subscription=Subscription,
    types=[types.Author, types.Section, types.Chunk],
    config=StrawberryConfig(relay_max_results=reading.MAX_PAGE),
    extensions=[TypedErrors, Admission, Permissions, Watched],
)
add_examples(schema._schema)
FIELDS: Mapping[str, Operation] = declared_fields(schema)
"""Operation of each field that an operation may begin with."""


def cost_of(
    document: DocumentNode, variables: Mapping[str, Any] | None = None, operation_name: str | None = None
) -> int:
    """Return what an operation of a valid document costs, with the pipelines of papergraph."""
    return cost.cost_of(document, variables, operation_name, schema=schema._schema, pipelines=shipped())


def sdl() -> str:
    """Return the schema in GraphQL's own language, as ``schema/schema.graphql`` holds it."""
    return schema.as_str() + "\n"
