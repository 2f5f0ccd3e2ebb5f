"""What REST answers of the graph: GraphQL's words in JSON, each model made of a record of the layers below."""

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from schema import records
from server.retrieval import exploring, listings

T = TypeVar("T")


class Answer(BaseModel):
    """Anything that is answered; names are camelCase outside."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        from_attributes=True,
        use_attribute_docstrings=True,
    )


OF_MANY = ConfigDict(use_attribute_docstrings=False)
"""For models of any type: pydantic would look the docstrings up anew for each, 40 ms a time as the server starts."""


class Page(Answer, Generic[T]):
    """A page of a list, in a stable order."""

    model_config = OF_MANY

    data: list[T]
    next: str | None = Field(
        description="Pass it as ``after`` for the next page; null at the end. "
        "The header ``Link`` has the whole address."
    )
    total: int | None = Field(default=None, description="Length of the whole list, where ``count`` was asked for.")


class All(Answer, Generic[T]):
    """A list that has no pages."""

    model_config = OF_MANY

    data: list[T]


class Author(Answer):
    """A person who wrote papers of a collection."""

    id: str
    name: str
    collection: str


class Paper(Answer):
    """A research paper in a collection."""

    id: str
    key: str
    """doi:…, arxiv:… without version, upload:…, or file:… or another URL."""

    collection: str
    title: str
    abstract: str
    authors: list[Author]
    keys: list[str]
    """Every key under which this content arrived."""

    sources: list[str]
    """Where the content came from, one for each key."""

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
    format: str | None
    """Read from markdown, text, pdf, jats, tei, latex, docx, html or record."""

    headings_by: str | None
    """What its headings were found by: markup, outline, fonts, keywords, a service or none."""

    body_share: float | None
    """Share of the source's body characters, dropped sections aside, that its chunks hold, 0 to 1."""

    chunker: str | None
    cleaning: list[str]
    """What was cleaned: drop-back-matter, mask-urls, trim-stops."""

    n_pages: int | None
    n_pages_without_text: int | None
    """How many of its pages are blank or an image."""

    arxiv_version: int | None
    primary_category: str | None
    published: datetime | None
    """When it, or its first version, was published."""

    updated: datetime | None
    """When this version was published."""

    comment: str | None
    journal_ref: str | None
    url: str | None

    @classmethod
    def of(cls, record: records.Paper, authors: list[records.Author]) -> Self:
        """Make it of a record and its authors."""
        return cls.model_validate(vars(record) | {"authors": authors})


class Section(Answer):
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


class Chunk(Answer):
    """A piece of a section's own text."""

    id: str
    paper_id: str
    section_id: str
    collection: str
    ordinal: int
    """Position within the paper, from 0."""

    kind: str
    """table, equation, caption or parent; of running text, the kind of its section."""

    level: int
    """0, or height above the chunks of a hierarchy: 1 and 2 for their parents."""

    text: str
    n_tokens: int
    """Length in the embedding model's tokens."""

    start_char: int
    """First character in the source text, from 0."""

    end_char: int
    """Character after the last one in the source text."""

    start_page: int | None
    end_page: int | None


class Citation(Answer):
    """An entry of a paper's list of references."""

    id: str
    paper_id: str
    collection: str
    ordinal: int
    """Position in the list, from 0."""

    label: str
    """What the paper's text calls it."""

    text: str
    title: str | None
    authors: list[str]
    year: int | None
    doi: str | None
    arxiv_id: str | None


class Question(Answer):
    """A question that a passage or a paper answers."""

    id: str
    paper_id: str
    collection: str
    text: str
    answer: str | None
    generator: str
    """What made it: model, template or extractive."""

    model: str | None
    review: str | None
    """accepted or edited, where somebody reviewed it."""

    original: str | None
    """The question as it was made, where it was edited."""


class Entity(Answer):
    """A method, data set, measure or other thing that papers speak of."""

    id: str
    collection: str
    name: str
    type: str
    aliases: list[str]
    page_rank: float | None
    """PageRank among what papers mention together, 1 on average, where it was computed."""


class Cluster(Answer):
    """A group of papers or passages."""

    id: str
    collection: str
    kind: str
    """metadata: papers of one value; topic: chunks alike; community: papers linked."""

    name: str
    level: int
    """Level in the hierarchy, 0 for the finest."""

    field: str | None
    value: str | None
    keywords: list[str]
    n_members: int


class EntityOfPaper(Answer):
    """An entity that a paper mentions."""

    entity: Entity
    n_chunks: int
    """How many chunks of the paper mention it."""


class EntityMention(Answer):
    """An entity that a chunk mentions."""

    entity: Annotated[Entity, Field(validation_alias="node", serialization_alias="entity")]
    names: list[str]
    """Spellings that the chunk uses."""

    starts: list[int]
    """Where its text names it: first characters, from 0."""

    by: str


class ChunkMention(Answer):
    """A chunk that mentions an entity."""

    chunk: Annotated[Chunk, Field(validation_alias="node", serialization_alias="chunk")]
    names: list[str]
    starts: list[int]
    by: str


class Relation(Answer):
    """What an entity is related to, as a paper says."""

    entity: Entity
    """The other one."""

    type: str
    outward: bool
    """Whether it leads from the entity to the other one."""

    by: str
    paper_id: str
    chunk_ids: list[str]


class SameEntity(Answer):
    """An entity that is held to be the same."""

    entity: Entity
    score: float
    """How sure, in [0, 1]."""

    evidence: str


class SimilarChunk(Answer):
    """A chunk of another paper that is alike."""

    chunk: Chunk
    score: float
    """Cosine of both vectors."""


class SharedNode(Answer):
    """A node on a way along the graph, or that two papers share."""

    label: str
    id: str
    name: str


class RelatedPaper(Answer):
    """A paper that is related to another one."""

    paper: Paper
    score: float
    """Higher is nearer, comparable within one way only."""

    shared: list[SharedNode]
    """Up to five nodes that both have, the rarest first."""


class Collection(Answer):
    """A collection with what it holds."""

    name: str
    n_papers: int
    n_sections: int
    n_chunks: int
    ingested_at: datetime
    scope: str | None
    """What its papers are about, where an operator says so."""

    n_authors: int
    n_citations: int
    n_questions: int
    n_entities: int
    n_clusters: int

    @classmethod
    def of(cls, record: exploring.Collection, counts: exploring.MeaningCounts) -> Self:
        """Make it of a record and what is counted beside."""
        return cls.model_validate(vars(record) | vars(counts))


AnyNode = Paper | Section | Chunk | Author | Citation | Question | Entity | Cluster
Label = Literal["Paper", "Section", "Chunk", "Author", "Citation", "Question", "Entity", "Cluster"]


class Node(Answer):
    """A node of the graph, with what it is."""

    label: Label
    node: AnyNode


class PathStep(Answer):
    """A relationship of a way."""

    type: str
    along: bool
    """Whether it leads from the node before it to the one behind it."""


class GraphPath(Answer):
    """A way between two nodes: one more node than steps."""

    nodes: list[Node]
    steps: list[PathStep]


class Way(Answer):
    """A shortest way between two nodes."""

    path: GraphPath | None
    """Null where there is none that is short enough."""


class ProblemError(Answer):
    """What is wrong with a part of a request."""

    field: str | None
    message: str
    reason: str | None = None
    """Of an upload, why it was refused; one of a closed list."""


class Problem(Answer):
    """A problem of RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    """One of a closed list, the same on every face."""

    request_id: str
    errors: list[ProblemError]


MODELS: dict[type[records.Node], type[AnyNode]] = {
    records.Paper: Paper,
    records.Section: Section,
    records.Chunk: Chunk,
    records.Author: Author,
    records.Citation: Citation,
    records.Question: Question,
    records.Entity: Entity,
    records.Cluster: Cluster,
}
PLAIN: dict[type[Any], type[Answer]] = {
    **{kind: model for kind, model in MODELS.items() if kind is not records.Paper},
    listings.EntityOfPaper: EntityOfPaper,
    listings.Relation: Relation,
    listings.SameEntity: SameEntity,
    listings.SimilarChunk: SimilarChunk,
}
"""Models that are made of a record alone."""
