"""Response models of the graph, with the names of GraphQL, each made of a record."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from schema import records
from server.graph import lists as listings
from server.graph import related as exploring
from server.graph.direction import Direction
from server.graph.related import Step
from server.rest.responses import ResponseModel
from server.retrieval.candidates import Via


class Author(ResponseModel):
    """Author of papers of a collection."""

    id: str
    name: str
    collection: str


class Paper(ResponseModel):
    """A research paper in a collection."""

    id: str
    key: str
    """doi:…, arxiv:… without version, upload:…, or file:… or another URL."""

    collection: str
    title: str
    abstract: str
    authors: list[Author]
    keys: list[str]
    """All keys of this content."""

    sources: list[str]
    """Sources of the content, one per key."""

    categories: list[str]
    content_hash: str
    """sha-256 hex of the source's bytes."""

    n_sections: int
    n_chunks: int
    ingested_at: datetime
    year: int | None
    doi: str | None
    arxiv_id: str | None
    license: str | None
    language: str | None
    """Language of the text as ISO 639-1 code, if certain."""

    format: str | None
    """Format of the source: markdown, text, pdf, jats, tei, latex, docx, html or record."""

    heading_source: str | None
    """Source of the headings: markup, outline, fonts, keywords, a service or none."""

    body_coverage: float | None
    """Fraction of the body text, without dropped sections, in chunks, 0 to 1."""

    chunker: str | None
    cleaning: list[str]
    """Cleaning steps: drop-back-matter, mask-urls, trim-stops."""

    n_pages: int | None
    n_pages_without_text: int | None
    """Number of pages without text."""

    arxiv_version: int | None
    primary_category: str | None
    published: datetime | None
    """Publication time of the first version."""

    updated: datetime | None
    """Publication time of this version."""

    comment: str | None
    journal_ref: str | None
    url: str | None

    @classmethod
    def of(cls, record: records.Paper, authors: list[records.Author]) -> Self:
        """Make it of a record and its authors."""
        return cls.model_validate(vars(record) | {"authors": authors})


class Section(ResponseModel):
    """A heading with the text up to the next one."""

    id: str
    paper_id: str
    parent_id: str | None
    """The section above it, if any."""

    collection: str
    title: str
    level: int
    """Depth in the section tree, from 1."""

    ordinal: int
    """Position within the paper, from 0."""

    kind: str
    """front, abstract, body, references, acknowledgements or appendix."""

    path: list[str]
    """Headings above it and its own, outermost first."""

    start_page: int | None
    end_page: int | None


class Chunk(ResponseModel):
    """Chunk of the text of a section."""

    id: str
    paper_id: str
    section_id: str
    collection: str
    ordinal: int
    """Position within the paper, from 0."""

    kind: str
    """table, equation, caption or parent; for running text, the kind of its section."""

    level: int
    """Level in a hierarchy of chunks; 0 is the finest."""

    text: str
    n_tokens: int
    """Length in tokens of the embedding model."""

    start_char: int
    """First character in the source text, from 0."""

    end_char: int
    """Character after the last one in the source text."""

    start_page: int | None
    end_page: int | None


class Reference(ResponseModel):
    """An entry of a paper's list of references."""

    id: str
    paper_id: str
    collection: str
    ordinal: int
    """Position in the list, from 0."""

    label: str
    """Label in the text of the paper."""

    text: str
    title: str | None
    authors: list[str]
    year: int | None
    doi: str | None
    arxiv_id: str | None


class Question(ResponseModel):
    """A question that a passage or a paper answers."""

    id: str
    paper_id: str
    collection: str
    text: str
    answer: str | None
    generator: str
    """Generator: model, template or extractive."""

    model: str | None
    review: str | None
    """Review: accepted, edited or null."""

    original: str | None
    """Original text, if edited."""

    metadata: list[str]
    """Metadata that the question was made from, each as field: value."""

    group_id: str | None
    """Id that questions across the same papers share; null for a question of one paper."""


class Entity(ResponseModel):
    """Method, data set, measure or other entity that papers mention."""

    id: str
    collection: str
    name: str
    type: str
    aliases: list[str]
    page_rank: float | None
    """PageRank in the co-mention graph, 1 on average; null if not computed."""


class Cluster(ResponseModel):
    """Cluster of papers or passages."""

    id: str
    collection: str
    kind: str
    """metadata (papers with one value), topic (similar chunks) or community (linked papers)."""

    name: str
    level: int
    """Level in the hierarchy; 0 is the finest."""

    field: str | None
    value: str | None
    keywords: list[str]
    n_members: int


class EntityOfPaper(ResponseModel):
    """An entity that a paper mentions."""

    entity: Entity
    n_chunks: int
    """Number of mentioning chunks of the paper."""


class EntityMention(ResponseModel):
    """An entity that a chunk mentions."""

    entity: Annotated[Entity, Field(validation_alias="node", serialization_alias="entity")]
    names: list[str]
    """Spellings in the chunk."""

    offsets: list[int]
    """Offsets of the mentions in the text, from 0."""

    extractor: str


class ChunkMention(ResponseModel):
    """A chunk that mentions an entity."""

    chunk: Annotated[Chunk, Field(validation_alias="node", serialization_alias="chunk")]
    names: list[str]
    offsets: list[int]
    extractor: str


class Relation(ResponseModel):
    """Relation between entities, stated by a paper."""

    entity: Entity
    """Related entity."""

    type: str
    direction: Direction
    """Outgoing if the relation points to the other entity."""

    extractor: str
    paper_id: str
    chunk_ids: list[str]


class SameEntity(ResponseModel):
    """Same entity under another name."""

    entity: Entity
    score: float
    """Confidence, 0 to 1."""

    evidence: str


class SimilarChunk(ResponseModel):
    """Similar chunk of another paper."""

    chunk: Chunk
    score: float
    """Cosine similarity."""


class RelatedPaper(ResponseModel):
    """Related paper."""

    paper: Paper
    score: float
    """Higher is nearer; comparable within one kind of relation only."""

    shared: list[Via]
    """Up to five shared nodes, rarest first."""


class Collection(ResponseModel):
    """Collection with its counts."""

    name: str
    n_papers: int
    n_sections: int
    n_chunks: int
    ingested_at: datetime
    """Time of the last write of a paper; of an empty collection, its creation."""

    subject: str | None
    """Subject of its papers, if set."""

    title: str
    """Title for people; by default the name."""

    description: str | None
    """Use of the collection, if described."""

    n_authors: int
    n_references: int
    n_questions: int
    n_entities: int
    n_clusters: int
    language_warnings: list[str]
    """Why searches may miss papers, one text for each language that is not supported."""

    @classmethod
    def of(cls, record: exploring.Collection, counts: exploring.MeaningCounts, language_warnings: list[str]) -> Self:
        """Make it of a record and what is read beside."""
        beside = {"title": record.title or record.name, "language_warnings": language_warnings}
        return cls.model_validate(vars(record) | vars(counts) | beside)


AnyNode = Paper | Section | Chunk | Author | Reference | Question | Entity | Cluster
Label = Literal["Paper", "Section", "Chunk", "Author", "Reference", "Question", "Entity", "Cluster"]


class Node(ResponseModel):
    """A node of the graph, with what it is."""

    label: Label
    node: AnyNode


class GraphPath(ResponseModel):
    """Path between two nodes: one more node than steps."""

    nodes: list[Node]
    steps: list[Step]


class PathResponse(ResponseModel):
    """Path between two nodes, or null."""

    path: GraphPath | None
    """Null if no path is short enough."""


MODELS: dict[type[records.Node], type[AnyNode]] = {
    records.Paper: Paper,
    records.Section: Section,
    records.Chunk: Chunk,
    records.Author: Author,
    records.Reference: Reference,
    records.Question: Question,
    records.Entity: Entity,
    records.Cluster: Cluster,
}
PLAIN: dict[type[Any], type[ResponseModel]] = {
    **{kind: model for kind, model in MODELS.items() if kind is not records.Paper},
    listings.EntityOfPaper: EntityOfPaper,
    listings.Relation: Relation,
    listings.SameEntity: SameEntity,
    listings.SimilarChunk: SimilarChunk,
}
"""Models that are made of a record alone."""
