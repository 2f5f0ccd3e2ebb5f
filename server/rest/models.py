"""Response models of the graph, with the names of GraphQL, each made of a record."""

from dataclasses import dataclass
from typing import Annotated, Literal

from papergraph.records import described
from papergraph.schema import records
from papergraph.server.graph import related as exploring
from papergraph.server.graph.related import PathStep
from papergraph.server.rest.requests import ResponseModel
from papergraph.server.retrieval.candidates import Via


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


@dataclass(frozen=True, kw_only=True)
class Collection(exploring.MeaningCounts, exploring.Collection):
    """Collection with its counts."""

    language_warnings: Annotated[
        tuple[str, ...],
        described("Warnings that searches may miss papers, one for each unsupported language."),
    ]


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
