"""GraphQL types of entities, questions, clusters, references, and paths between nodes."""

from collections.abc import Sequence
from typing import Annotated, Self

import strawberry

from ingest.enrichments.questions.candidates import Generator
from schema import records
from server.graph import lists as listings
from server.graph import related as exploring
from server.graph.direction import Direction
from server.graphql.connections import After, Connection, First, Info, Node, listed
from server.graphql.types.closed_lists import ClusterKind, Review
from server.graphql.types.nodes import Author, Chunk, Paper, Section, wrap_as
from server.retrieval.candidates import Via

strawberry.enum(Generator, name="QuestionGenerator", description="What made a question.")
strawberry.enum(Direction, description="Direction of a relationship or path step.")


@strawberry.type(description="An entry of a paper's list of references.")
class Reference(Node):
    """An entry of a list of references."""

    collection: str = strawberry.field(description="Collection of the citing paper.")
    ordinal: int = strawberry.field(description="Position in the list, from 0.")
    label: str = strawberry.field(description="Label in the text of the paper.")
    text: str = strawberry.field(description="Printed text of the entry.")
    title: str | None = strawberry.field(description="Title of the cited work, if recognized.")
    authors: list[str] = strawberry.field(description="Authors of the cited work, as printed.")
    year: int | None = strawberry.field(description="Year of the cited work, if recognized.")
    doi: str | None = strawberry.field(description="DOI of the cited work, if recognized.")
    arxiv_id: str | None = strawberry.field(description="arXiv id of the cited work, if recognized.")
    record: strawberry.Private[records.Reference]

    @classmethod
    def of(cls, record: records.Reference) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            collection=record.collection,
            ordinal=record.ordinal,
            label=record.label,
            text=record.text,
            title=record.title,
            authors=list(record.authors),
            year=record.year,
            doi=record.doi,
            arxiv_id=record.arxiv_id,
            record=record,
        )

    @strawberry.field(description="Citing paper.")
    async def paper(self, info: Info) -> Paper:
        return wrap_as(Paper, await info.context.nodes.load(self.record.paper_id))

    @strawberry.field(description="Chunks that cite it, in reading order.")
    async def chunks(self, info: Info, first: First = 20, after: After = None) -> Connection[Chunk]:
        return await listed(info, listings.CHUNKS_OF_REFERENCES, self.id, first=first, after=after, wrap=Chunk.of)


@strawberry.type(description="A question that a passage or a paper answers.")
class Question(Node):
    """A question."""

    collection: str = strawberry.field(description="Collection of the answering paper.")
    text: str = strawberry.field(description="The question.")
    answer: str | None = strawberry.field(description="Answer, if generated.")
    generator: Generator = strawberry.field(description="What made the question.")
    model: str | None = strawberry.field(description="Name of the language model, if used.")
    review: Review | None = strawberry.field(description="Review; null if nobody reviewed it.")
    original: str | None = strawberry.field(description="Original text, if edited.")
    metadata: list[str] = strawberry.field(description="Metadata that it was made from, each as field: value.")
    group_id: str | None = strawberry.field(
        description="Id that questions across the same papers share; null for a question of one paper."
    )
    record: strawberry.Private[records.Question]

    @classmethod
    def of(cls, record: records.Question) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            collection=record.collection,
            text=record.text,
            answer=record.answer,
            generator=Generator(record.generator),
            model=record.model,
            review=None if record.review is None else Review(record.review),
            original=record.original,
            metadata=list(record.metadata),
            group_id=record.group_id,
            record=record,
        )

    @strawberry.field(description="Answering paper.")
    async def paper(self, info: Info) -> Paper:
        return wrap_as(Paper, await info.context.nodes.load(self.record.paper_id))

    @strawberry.field(description="Answering chunks, in reading order; none if the whole paper answers.")
    async def chunks(self, info: Info, first: First = 20, after: After = None) -> Connection[Chunk]:
        return await listed(info, listings.CHUNKS_OF_QUESTIONS, self.id, first=first, after=after, wrap=Chunk.of)


@strawberry.type(description="Method, data set, measure or other entity that papers mention.")
class Entity(Node):
    """A thing that papers speak of."""

    collection: str = strawberry.field(description="Collection of the papers.")
    name: str = strawberry.field(description="Most frequent spelling.")
    type: str = strawberry.field(description="Most frequent type of its mentions.")
    aliases: list[str] = strawberry.field(description="Other spellings, abbreviations and long forms.")
    page_rank: float | None = strawberry.field(
        description="PageRank in the co-mention graph, 1 on average; null if not computed."
    )

    @classmethod
    def of(cls, record: records.Entity) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            collection=record.collection,
            name=record.name,
            type=record.type,
            aliases=list(record.aliases),
            page_rank=record.page_rank,
        )

    @strawberry.field(description="Papers that mention it, by title.")
    async def papers(self, info: Info, first: First = 20, after: After = None) -> Connection[Paper]:
        return await listed(info, listings.PAPERS_OF_ENTITIES, self.id, first=first, after=after, wrap=Paper.of)

    @strawberry.field(description="Chunks that mention it, by paper and in reading order.")
    async def mentions(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["ChunkMention", strawberry.lazy(".knowledge")]]:
        return await listed(info, listings.CHUNKS_OF_ENTITIES, self.id, first=first, after=after, wrap=ChunkMention.of)

    @strawberry.field(description="Relations to other entities, by type and name.")
    async def relations(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Relation", strawberry.lazy(".knowledge")]]:
        return await listed(info, listings.RELATIONS_OF_ENTITIES, self.id, first=first, after=after, wrap=Relation.of)

    @strawberry.field(description="Same entities, by descending confidence.")
    async def same_as(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["SameEntity", strawberry.lazy(".knowledge")]]:
        return await listed(info, listings.SAME_ENTITIES, self.id, first=first, after=after, wrap=SameEntity.of)


@strawberry.type(description="An entity that a paper mentions.")
class EntityOfPaper:
    """An entity that a paper mentions."""

    entity: Entity = strawberry.field(description="The entity.")
    n_chunks: int = strawberry.field(description="Number of mentioning chunks of the paper.")

    @classmethod
    def of(cls, record: listings.EntityOfPaper) -> Self:
        """Wrap a record."""
        return cls(entity=Entity.of(record.entity), n_chunks=record.n_chunks)


@strawberry.type(description="An entity that a chunk mentions.")
class EntityMention:
    """An entity that a chunk mentions."""

    entity: Entity = strawberry.field(description="The entity.")
    names: list[str] = strawberry.field(description="Spellings in the chunk.")
    offsets: list[int] = strawberry.field(description="Offsets of the mentions in the text, from 0.")
    extractor: str = strawberry.field(description="Extractor of the mention.")

    @classmethod
    def of(cls, record: listings.Mention[records.Entity]) -> Self:
        """Wrap a record."""
        return cls(
            entity=Entity.of(record.node),
            names=list(record.names),
            offsets=list(record.offsets),
            extractor=record.extractor,
        )


@strawberry.type(description="A chunk that mentions an entity.")
class ChunkMention:
    """A chunk that mentions an entity."""

    chunk: Chunk = strawberry.field(description="The chunk.")
    names: list[str] = strawberry.field(description="Spellings in the chunk.")
    offsets: list[int] = strawberry.field(description="Offsets of the mentions in the text, from 0.")
    extractor: str = strawberry.field(description="Extractor of the mention.")

    @classmethod
    def of(cls, record: listings.Mention[records.Chunk]) -> Self:
        """Wrap a record."""
        return cls(
            chunk=Chunk.of(record.node),
            names=list(record.names),
            offsets=list(record.offsets),
            extractor=record.extractor,
        )


@strawberry.type(description="Relation between entities, stated by a paper.")
class Relation:
    """Relation between entities, stated by a paper."""

    entity: Entity = strawberry.field(description="Related entity.")
    type: str = strawberry.field(description="Relation type of the schema.")
    direction: Direction = strawberry.field(description="OUTGOING if the relation points to the other entity.")
    extractor: str = strawberry.field(description="Extractor of the mention.")
    chunk_ids: list[strawberry.ID] = strawberry.field(description="Chunks with the statement.")
    record: strawberry.Private[listings.Relation]

    @classmethod
    def of(cls, record: listings.Relation) -> Self:
        """Wrap a record."""
        return cls(
            entity=Entity.of(record.entity),
            type=record.type,
            direction=record.direction,
            extractor=record.extractor,
            chunk_ids=[strawberry.ID(id) for id in record.chunk_ids],
            record=record,
        )

    @strawberry.field(description="Paper with the statement.")
    async def paper(self, info: Info) -> Paper:
        return wrap_as(Paper, await info.context.nodes.load(self.record.paper_id))


@strawberry.type(description="Same entity under another name.")
class SameEntity:
    """Same entity under another name."""

    entity: Entity = strawberry.field(description="The other entity.")
    score: float = strawberry.field(description="Confidence, 0 to 1.")
    evidence: str = strawberry.field(description="Evidence: name, abbreviation, vector or review.")

    @classmethod
    def of(cls, record: listings.SameEntity) -> Self:
        """Wrap a record."""
        return cls(entity=Entity.of(record.entity), score=record.score, evidence=record.evidence)


@strawberry.type(description="Similar chunk of another paper.")
class SimilarChunk:
    """Similar chunk of another paper."""

    chunk: Chunk = strawberry.field(description="The other chunk.")
    score: float = strawberry.field(description="Cosine similarity.")

    @classmethod
    def of(cls, record: listings.SimilarChunk) -> Self:
        """Wrap a record."""
        return cls(chunk=Chunk.of(record.chunk), score=record.score)


@strawberry.type(description="Cluster of papers or passages.")
class Cluster(Node):
    """Cluster of papers or passages."""

    collection: str = strawberry.field(description="Collection of the papers.")
    kind: ClusterKind = strawberry.field(description="Kind of the cluster.")
    name: str = strawberry.field(description="Metadata value, or distinctive terms.")
    level: int = strawberry.field(description="Level in the hierarchy; 0 is the finest.")
    field: str | None = strawberry.field(description="Metadata field, such as task.")
    value: str | None = strawberry.field(description="Metadata value.")
    keywords: list[str] = strawberry.field(description="Distinctive terms, strongest first.")
    n_members: int = strawberry.field(description="Number of papers or chunks, including those of subclusters.")

    @classmethod
    def of(cls, record: records.Cluster) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            collection=record.collection,
            kind=ClusterKind(record.kind),
            name=record.name,
            level=record.level,
            field=record.field,
            value=record.value,
            keywords=list(record.keywords),
            n_members=record.n_members,
        )

    @strawberry.field(description="Papers of the cluster, by title; topics have chunks instead.")
    async def papers(self, info: Info, first: First = 20, after: After = None) -> Connection[Paper]:
        return await listed(info, listings.PAPERS_OF_CLUSTERS, self.id, first=first, after=after, wrap=Paper.of)

    @strawberry.field(description="Chunks of the cluster, by paper and in reading order; topics only.")
    async def chunks(self, info: Info, first: First = 20, after: After = None) -> Connection[Chunk]:
        return await listed(info, listings.CHUNKS_OF_CLUSTERS, self.id, first=first, after=after, wrap=Chunk.of)

    @strawberry.field(description="Subclusters, largest first.")
    async def children(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Cluster", strawberry.lazy(".knowledge")]]:
        return await listed(info, listings.CLUSTERS_BELOW, self.id, first=first, after=after, wrap=Cluster.of)


@strawberry.type(description="Related paper.")
class RelatedPaper:
    """Related paper."""

    paper: Paper = strawberry.field(description="The related paper.")
    score: float = strawberry.field(description="Higher is nearer; comparable within one kind of relation only.")
    shared: list[Via] = strawberry.field(description="Up to five shared nodes, rarest first.")

    @classmethod
    def of(cls, record: exploring.Related) -> Self:
        """Wrap a record."""
        return cls(paper=Paper.of(record.paper), score=record.score, shared=list(record.shared))


@strawberry.type(description="Path between two nodes: one more node than steps.")
class GraphPath:
    """A way between two nodes."""

    nodes: list[Node] = strawberry.field(description="The nodes from start to end.")
    steps: list[exploring.Step] = strawberry.field(description="The relationships between them.")

    @classmethod
    def of(cls, path: exploring.Path, nodes: Sequence[records.Node]) -> Self:
        """Wrap a way with its nodes."""
        return cls(nodes=[wrap(node) for node in nodes], steps=list(path.steps))


def wrap(node: records.Node) -> Node:
    """Wrap a record of any kind in its GraphQL type."""
    match node:
        case records.Paper():
            return Paper.of(node)
        case records.Section():
            return Section.of(node)
        case records.Chunk():
            return Chunk.of(node)
        case records.Author():
            return Author.of(node)
        case records.Reference():
            return Reference.of(node)
        case records.Question():
            return Question.of(node)
        case records.Entity():
            return Entity.of(node)
        case records.Cluster():
            return Cluster.of(node)
