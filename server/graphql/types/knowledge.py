"""GraphQL types of entities, questions, clusters, references, and paths between nodes."""

import strawberry
from strawberry import Parent

from ingest.enrichments.questions.candidates import Generator
from schema import records
from server.graph import lists as listings
from server.graph import related as exploring
from server.graph.neighbourhood import Direction
from server.graphql.connections import After, Connection, First, Info, Node, listed
from server.graphql.derive import field, object_type, type_
from server.graphql.types.closed_lists import ClusterKind, Review
from server.graphql.types.nodes import same

strawberry.enum(Generator, name="QuestionGenerator", description="What made a question.")
strawberry.enum(Direction, description="Direction of a relationship or path step.")


@object_type(records.Reference)
class Reference(Node):
    """An entry of a list of references."""

    @field("Citing paper.")
    async def paper(root: Parent[records.Reference], info: Info) -> records.Paper:
        return same(records.Paper, await info.context.nodes.load(root.paper_id))

    @field("Chunks that cite it, in reading order.")
    async def chunks(
        root: Parent[records.Reference], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Chunk]:
        return await listed(info, listings.CHUNKS_OF_REFERENCES, root.id, first=first, after=after)


@object_type(records.Question, generator=Generator, review=Review | None)
class Question(Node):
    """A question."""

    @field("Answering paper.")
    async def paper(root: Parent[records.Question], info: Info) -> records.Paper:
        return same(records.Paper, await info.context.nodes.load(root.paper_id))

    @field("Answering chunks, in reading order; none if the whole paper answers.")
    async def chunks(
        root: Parent[records.Question], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Chunk]:
        return await listed(info, listings.CHUNKS_OF_QUESTIONS, root.id, first=first, after=after)


@object_type(records.Entity)
class Entity(Node):
    """A thing that papers speak of."""

    @field("Papers that mention it, by title.")
    async def papers(
        root: Parent[records.Entity], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Paper]:
        return await listed(info, listings.PAPERS_OF_ENTITIES, root.id, first=first, after=after)

    @field("Chunks that mention it, by paper and in reading order.")
    async def mentions(
        root: Parent[records.Entity], info: Info, first: First = 20, after: After = None
    ) -> Connection[listings.ChunkMention]:
        return await listed(info, listings.CHUNKS_OF_ENTITIES, root.id, first=first, after=after)

    @field("Relations to other entities, by type and name.")
    async def relations(
        root: Parent[records.Entity], info: Info, first: First = 20, after: After = None
    ) -> Connection[listings.Relation]:
        return await listed(info, listings.RELATIONS_OF_ENTITIES, root.id, first=first, after=after)

    @field("Same entities, by descending confidence.")
    async def same_as(
        root: Parent[records.Entity], info: Info, first: First = 20, after: After = None
    ) -> Connection[listings.SameEntity]:
        return await listed(info, listings.SAME_ENTITIES, root.id, first=first, after=after)


@object_type(listings.Relation)
class Relation:
    """Relation between entities, stated by a paper."""

    @field("Paper with the statement.")
    async def paper(root: Parent[listings.Relation], info: Info) -> records.Paper:
        return same(records.Paper, await info.context.nodes.load(root.paper_id))


@object_type(records.Cluster, kind=ClusterKind)
class Cluster(Node):
    """Cluster of papers or passages."""

    @field("Papers of the cluster, by title; topics have chunks instead.")
    async def papers(
        root: Parent[records.Cluster], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Paper]:
        return await listed(info, listings.PAPERS_OF_CLUSTERS, root.id, first=first, after=after)

    @field("Chunks of the cluster, by paper and in reading order; topics only.")
    async def chunks(
        root: Parent[records.Cluster], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Chunk]:
        return await listed(info, listings.CHUNKS_OF_CLUSTERS, root.id, first=first, after=after)

    @field("Subclusters, largest first.")
    async def children(
        root: Parent[records.Cluster], info: Info, first: First = 20, after: After = None
    ) -> Connection[records.Cluster]:
        return await listed(info, listings.CLUSTERS_BELOW, root.id, first=first, after=after)


@type_(description="Path between two nodes: one more node than steps.")
class GraphPath:
    """A path between two nodes."""

    nodes: list[records.Node] = strawberry.field(description="The nodes from start to end.")
    steps: list[exploring.PathStep] = strawberry.field(description="The relationships between them.")
