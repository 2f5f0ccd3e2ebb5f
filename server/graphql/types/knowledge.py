"""GraphQL types of what papers are about: entities, questions, clusters, references, and ways between nodes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Self

import strawberry

from schema import records
from server.graphql.types import After, Author, Chunk, Connection, First, Info, Node, Paper, Section, listed, wrap_as
from server.retrieval import exploring, listings


@strawberry.type(description="An entry of a paper's list of references.")
class Citation(Node):
    """An entry of a list of references."""

    collection: str
    ordinal: int = strawberry.field(description="Position in the list, from 0.")
    label: str = strawberry.field(description="What the paper's text calls it.")
    text: str = strawberry.field(description="The entry as it is printed.")
    title: str | None
    authors: list[str]
    year: int | None
    doi: str | None
    arxiv_id: str | None
    record: strawberry.Private[records.Citation]

    @classmethod
    def of(cls, record: records.Citation) -> Self:
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

    @strawberry.field(description="The paper that it is a reference of.")
    async def paper(self, info: Info) -> Paper:
        return wrap_as(Paper, await info.context.nodes.load(self.record.paper_id))

    @strawberry.field(description="Chunks that cite it, in reading order.")
    async def chunks(self, info: Info, first: First = 20, after: After = None) -> Connection[Chunk]:
        return await listed(info, listings.CHUNKS_OF_CITATIONS, self.id, first=first, after=after, wrap=Chunk.of)


@strawberry.type(description="A question that a passage or a paper answers.")
class Question(Node):
    """A question."""

    collection: str
    text: str
    answer: str | None = strawberry.field(description="Its answer, where one was made with it.")
    generator: str = strawberry.field(description="What made it: model, template or extractive.")
    model: str | None = strawberry.field(description="Name of the language model, where one made it.")
    review: str | None = strawberry.field(description="accepted or edited, where somebody reviewed it.")
    original: str | None = strawberry.field(description="The question as it was made, where it was edited.")
    record: strawberry.Private[records.Question]

    @classmethod
    def of(cls, record: records.Question) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            collection=record.collection,
            text=record.text,
            answer=record.answer,
            generator=record.generator,
            model=record.model,
            review=record.review,
            original=record.original,
            record=record,
        )

    @strawberry.field(description="The paper that answers it.")
    async def paper(self, info: Info) -> Paper:
        return wrap_as(Paper, await info.context.nodes.load(self.record.paper_id))

    @strawberry.field(description="Chunks that answer it, in reading order; none if the paper as a whole does.")
    async def chunks(self, info: Info, first: First = 20, after: After = None) -> Connection[Chunk]:
        return await listed(info, listings.CHUNKS_OF_QUESTIONS, self.id, first=first, after=after, wrap=Chunk.of)


@strawberry.type(description="A method, data set, measure or other thing that papers speak of.")
class Entity(Node):
    """A thing that papers speak of."""

    collection: str
    name: str = strawberry.field(description="The spelling that most chunks use.")
    type: str = strawberry.field(description="Kind of thing, as most of its mentions say.")
    aliases: list[str] = strawberry.field(description="Its other spellings, abbreviations and long forms.")
    page_rank: float | None = strawberry.field(
        description="PageRank among what papers mention together, 1 on average, where it was computed."
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
    ) -> Connection[Annotated["ChunkMention", strawberry.lazy(".meaning")]]:
        return await listed(info, listings.CHUNKS_OF_ENTITIES, self.id, first=first, after=after, wrap=ChunkMention.of)

    @strawberry.field(description="What papers relate it to, by type and name.")
    async def relations(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Relation", strawberry.lazy(".meaning")]]:
        return await listed(info, listings.RELATIONS_OF_ENTITIES, self.id, first=first, after=after, wrap=Relation.of)

    @strawberry.field(description="Entities that are held to be the same, the surest first.")
    async def same(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["SameEntity", strawberry.lazy(".meaning")]]:
        return await listed(info, listings.SAME_ENTITIES, self.id, first=first, after=after, wrap=SameEntity.of)


@strawberry.type(description="An entity that a paper mentions.")
class EntityOfPaper:
    """An entity that a paper mentions."""

    entity: Entity
    n_chunks: int = strawberry.field(description="How many chunks of the paper mention it.")

    @classmethod
    def of(cls, record: listings.EntityOfPaper) -> Self:
        """Wrap a record."""
        return cls(entity=Entity.of(record.entity), n_chunks=record.n_chunks)


@strawberry.type(description="An entity that a chunk mentions.")
class EntityMention:
    """An entity that a chunk mentions."""

    entity: Entity
    names: list[str] = strawberry.field(description="Spellings that the chunk uses.")
    starts: list[int] = strawberry.field(description="Where its text names it: first characters, from 0.")
    by: str = strawberry.field(description="What found it.")

    @classmethod
    def of(cls, record: listings.Mention[records.Entity]) -> Self:
        """Wrap a record."""
        return cls(entity=Entity.of(record.node), names=list(record.names), starts=list(record.starts), by=record.by)


@strawberry.type(description="A chunk that mentions an entity.")
class ChunkMention:
    """A chunk that mentions an entity."""

    chunk: Chunk
    names: list[str] = strawberry.field(description="Spellings that the chunk uses.")
    starts: list[int] = strawberry.field(description="Where its text names it: first characters, from 0.")
    by: str = strawberry.field(description="What found it.")

    @classmethod
    def of(cls, record: listings.Mention[records.Chunk]) -> Self:
        """Wrap a record."""
        return cls(chunk=Chunk.of(record.node), names=list(record.names), starts=list(record.starts), by=record.by)


@strawberry.type(description="What an entity is related to, as a paper says.")
class Relation:
    """What an entity is related to, as a paper says."""

    entity: Entity = strawberry.field(description="The other one.")
    type: str = strawberry.field(description="How: one of the schema's.")
    outward: bool = strawberry.field(description="Whether it leads from the entity to the other one.")
    by: str = strawberry.field(description="What found it.")
    chunk_ids: list[strawberry.ID] = strawberry.field(description="Chunks that say so.")
    record: strawberry.Private[listings.Relation]

    @classmethod
    def of(cls, record: listings.Relation) -> Self:
        """Wrap a record."""
        return cls(
            entity=Entity.of(record.entity),
            type=record.type,
            outward=record.outward,
            by=record.by,
            chunk_ids=[strawberry.ID(id) for id in record.chunk_ids],
            record=record,
        )

    @strawberry.field(description="The paper that says so.")
    async def paper(self, info: Info) -> Paper:
        return wrap_as(Paper, await info.context.nodes.load(self.record.paper_id))


@strawberry.type(description="An entity that is held to be the same.")
class SameEntity:
    """An entity that is held to be the same."""

    entity: Entity
    score: float = strawberry.field(description="How sure, in [0, 1].")
    evidence: str = strawberry.field(description="What speaks for it: name, abbreviation, vector or review.")

    @classmethod
    def of(cls, record: listings.SameEntity) -> Self:
        """Wrap a record."""
        return cls(entity=Entity.of(record.entity), score=record.score, evidence=record.evidence)


@strawberry.type(description="A chunk of another paper that is alike.")
class SimilarChunk:
    """A chunk of another paper that is alike."""

    chunk: Chunk
    score: float = strawberry.field(description="Cosine of both vectors.")

    @classmethod
    def of(cls, record: listings.SimilarChunk) -> Self:
        """Wrap a record."""
        return cls(chunk=Chunk.of(record.chunk), score=record.score)


@strawberry.type(description="A group of papers or passages.")
class Cluster(Node):
    """A group of papers or passages."""

    collection: str
    kind: str = strawberry.field(
        description="metadata: papers of one value; topic: chunks alike; community: papers linked."
    )
    name: str = strawberry.field(description="Its value, or the words that set it apart.")
    level: int = strawberry.field(description="Level in the hierarchy, 0 for the finest.")
    field: str | None = strawberry.field(description="Of metadata: the field, such as task.")
    value: str | None = strawberry.field(description="Of metadata: the value.")
    keywords: list[str] = strawberry.field(description="Terms that set it apart, the strongest first.")
    n_members: int = strawberry.field(description="How many papers or chunks belong to it, or to clusters below it.")

    @classmethod
    def of(cls, record: records.Cluster) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            collection=record.collection,
            kind=record.kind,
            name=record.name,
            level=record.level,
            field=record.field,
            value=record.value,
            keywords=list(record.keywords),
            n_members=record.n_members,
        )

    @strawberry.field(description="Its papers, by title; a topic has none, but chunks.")
    async def papers(self, info: Info, first: First = 20, after: After = None) -> Connection[Paper]:
        return await listed(info, listings.PAPERS_OF_CLUSTERS, self.id, first=first, after=after, wrap=Paper.of)

    @strawberry.field(description="Its chunks, by paper and in reading order; only a topic has any.")
    async def chunks(self, info: Info, first: First = 20, after: After = None) -> Connection[Chunk]:
        return await listed(info, listings.CHUNKS_OF_CLUSTERS, self.id, first=first, after=after, wrap=Chunk.of)

    @strawberry.field(description="Finer clusters, the largest first.")
    async def children(
        self, info: Info, first: First = 20, after: After = None
    ) -> Connection[Annotated["Cluster", strawberry.lazy(".meaning")]]:
        return await listed(info, listings.CLUSTERS_BELOW, self.id, first=first, after=after, wrap=Cluster.of)


@strawberry.type(description="A node that two papers share.")
class SharedNode:
    """A node that two papers share."""

    id: strawberry.ID
    label: str
    name: str


@strawberry.type(description="A paper that is related to another one.")
class RelatedPaper:
    """A paper that is related to another one."""

    paper: Paper
    score: float = strawberry.field(description="Higher is nearer, comparable within one way only.")
    shared: list[SharedNode] = strawberry.field(description="Up to five nodes that both have, the rarest first.")

    @classmethod
    def of(cls, record: exploring.Related) -> Self:
        """Wrap a record."""
        shared = [SharedNode(id=strawberry.ID(one.id), label=one.label, name=one.name) for one in record.shared]
        return cls(paper=Paper.of(record.paper), score=record.score, shared=shared)


@strawberry.type(description="A relationship of a way.")
class PathStep:
    """A relationship of a way."""

    type: str
    along: bool = strawberry.field(description="Whether it leads from the node before it to the one behind it.")


@strawberry.type(description="A way between two nodes: one more node than steps.")
class GraphPath:
    """A way between two nodes."""

    nodes: list[Node]
    steps: list[PathStep]

    @classmethod
    def of(cls, path: exploring.Path, nodes: Sequence[records.Node]) -> Self:
        """Wrap a way with its nodes."""
        return cls(
            nodes=[wrap(node) for node in nodes],
            steps=[PathStep(type=step.type, along=step.along) for step in path.steps],
        )


@strawberry.type(description="A collection with what it holds.")
class CollectionInfo:
    """A collection with what it holds."""

    name: str
    n_papers: int
    n_sections: int
    n_chunks: int
    ingested_at: datetime = strawberry.field(description="When a paper was written last.")
    scope: str | None = strawberry.field(description="What its papers are about, where an operator says so.")

    @classmethod
    def of(cls, record: exploring.Collection) -> Self:
        """Wrap a record."""
        return cls(
            name=record.name,
            n_papers=record.n_papers,
            n_sections=record.n_sections,
            n_chunks=record.n_chunks,
            ingested_at=record.ingested_at,
            scope=record.scope,
        )

    @strawberry.field
    async def n_authors(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_authors

    @strawberry.field
    async def n_citations(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_citations

    @strawberry.field
    async def n_questions(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_questions

    @strawberry.field
    async def n_entities(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_entities

    @strawberry.field
    async def n_clusters(self, info: Info) -> int:
        return (await info.context.meaning_counts.load(self.name)).n_clusters


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
        case records.Citation():
            return Citation.of(node)
        case records.Question():
            return Question.of(node)
        case records.Entity():
            return Entity.of(node)
        case records.Cluster():
            return Cluster.of(node)
