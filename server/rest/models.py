"""Response models of the graph, with the names of GraphQL, each made of a record."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, Self

from papergraph.records import described
from schema import records
from server.graph import related as exploring
from server.graph.related import PathStep
from server.rest.requests import ResponseModel
from server.retrieval.candidates import Via


@dataclass(frozen=True, kw_only=True)
class Paper(records.Paper):
    """A research paper in a collection."""

    authors: Annotated[tuple[records.Author, ...], described("Authors, in the order of the paper.")]


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


AnyNode = (
    Paper
    | records.Section
    | records.Chunk
    | records.Author
    | records.Reference
    | records.Question
    | records.Entity
    | records.Cluster
)
Label = Literal["Paper", "Section", "Chunk", "Author", "Reference", "Question", "Entity", "Cluster"]


class Node(ResponseModel):
    """A node of the graph, with what it is."""

    label: Label
    node: AnyNode


class GraphPath(ResponseModel):
    """Path between two nodes: one more node than steps."""

    nodes: list[Node]
    steps: list[PathStep]


class PathResponse(ResponseModel):
    """Path between two nodes, or null."""

    path: GraphPath | None
    """Null if no path is short enough."""
