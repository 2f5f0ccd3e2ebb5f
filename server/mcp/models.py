"""Response models of the tools, with the names of REST."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

from pydantic import Field

from ingest.enrichments.summaries import Summary
from schema import records
from server.answers.records import AnswerCitation, NamedAnswer, Reason
from server.answers.sources import file_of_paper
from server.graph.related import PathStep
from server.rest import models
from server.rest.responses import ResponseModel
from server.retrieval.search import Hit

MOST_TEXT = 2000
"""Characters of a text that are told at once."""
MOST_BRIEF = 200
"""Characters by which a node is named that has no name."""


class Passage(ResponseModel):
    """A passage for a query."""

    rank: int
    score: float
    chunk_id: str
    paper_id: str
    title: str
    authors: list[str]
    year: int | None
    file: str | None = Field(description="Name of the file that the paper was read from.")
    page: int | None
    section: str = Field(description="Headings above it, outermost first.")
    text: str
    next_offset: int | None = Field(description="Offset of the rest of the text, for the tool chunk.")
    collection: str

    @classmethod
    def of(cls, hit: Hit, authors: Sequence[records.Author]) -> Self:
        """Make it of a hit and the authors of its paper."""
        goes_on = len(hit.text) > MOST_TEXT
        return cls(
            rank=hit.rank,
            score=hit.score,
            chunk_id=hit.chunk.id,
            paper_id=hit.paper.id,
            title=hit.paper.title,
            authors=[author.name for author in authors],
            year=hit.paper.year,
            file=file_of_paper(hit.paper),
            page=hit.chunk.start_page,
            section=" > ".join(hit.section.path),
            text=hit.text[:MOST_TEXT],
            collection=hit.paper.collection,
            next_offset=(MOST_TEXT if hit.text == hit.chunk.text else 0) if goes_on else None,
        )


class Passages(ResponseModel):
    """Search for passages."""

    pipeline: str
    passages: list[Passage]


class PaperLine(ResponseModel):
    """A paper of a list."""

    id: str
    key: str
    title: str
    authors: list[str]
    year: int | None
    n_chunks: int

    @classmethod
    def of(cls, paper: records.Paper, authors: Sequence[records.Author]) -> Self:
        """Make it of a paper and its authors."""
        return cls.model_validate(vars(paper) | {"authors": [author.name for author in authors]})


class PaperLines(ResponseModel):
    """Page of a list of papers."""

    papers: list[PaperLine]
    total: int | None = Field(description="Length of the whole list, on the first page.")
    next: str | None = Field(description="Cursor of further papers, for after.")


class CollectionLine(ResponseModel):
    """A collection of papers."""

    name: str
    n_papers: int
    n_chunks: int
    subject: str | None = Field(description="Subject of its papers, if set.")


class CollectionLines(ResponseModel):
    """Collections of papers, by name."""

    collections: list[CollectionLine]


class QueryRows(ResponseModel):
    """Result of a Cypher query."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = Field(description="True if rows are missing; aggregate, or return smaller values.")
    as_of: datetime | None = Field(description="Creation time of the snapshot, if a snapshot is queried.")


class AnswerSource(ResponseModel):
    """Source of an answer, or a nearest passage of a refusal."""

    number: int = Field(description="Number of the source, [n] in the text.")
    chunk_id: str
    paper_id: str
    title: str
    authors: list[str]
    year: int | None
    url: str | None
    file: str | None = Field(description="Name of the file that the paper was read from.")
    page: int | None


class CitedAnswer(ResponseModel):
    """Answer with verified citations, or a refusal."""

    text: str
    question: str = Field(description="Question as it was searched for.")
    named_query: NamedAnswer | None = Field(description="Query over the graph, if it answered instead of passages.")
    reason: Reason | None = Field(description="Reason of a refusal, if any.")
    citations: list[AnswerCitation]
    sources: list[AnswerSource]
    grounded: bool
    llm_generated: bool
    answerability: float | None = Field(description="Estimated probability that the passages hold an answer, 0 to 1.")
    warnings: list[str] = Field(description="Warnings about degraded steps.")


class SectionLine(ResponseModel):
    """A heading of a paper."""

    id: str
    title: str
    level: int


class PaperWithOutline(ResponseModel):
    """A paper with its headings."""

    paper: models.Paper
    sections: list[SectionLine]
    next: str | None = Field(description="Cursor of further headings, for after.")


class ChunkText(ResponseModel):
    """A chunk's text from an offset on."""

    id: str
    paper_id: str
    title: str
    text: str
    offset: int
    length: int = Field(description="Length of the whole text in characters.")
    next_offset: int | None = Field(description="Offset of the rest; null at the end.")
    previous_id: str | None = Field(description="Previous chunk in the paper.")
    next_id: str | None
    start_page: int | None
    end_page: int | None


class NodeSummary(ResponseModel):
    """A node, briefly."""

    id: str
    label: str
    name: str = Field(description="Title, name, or start of the text.")

    @classmethod
    def of(cls, record: object) -> Self:
        """Make it of a node, or of what tells of one how it stands to another."""
        node = next((inner for at in ("entity", "node", "chunk") if (inner := getattr(record, at, None))), record)
        named = next(str(name) for at in ("title", "name", "text") if (name := getattr(node, at, None)) is not None)
        node_id: str = node.id  # type: ignore[attr-defined]  # all records of nodes have one
        return cls(id=node_id, label=type(node).__name__, name=named[:MOST_BRIEF])


class NeighbourList(ResponseModel):
    """Nodes beside a node, of one kind."""

    name: str
    about: str
    nodes: list[NodeSummary]
    next: str | None = Field(description="Cursor of further nodes, for after together with list.")


class Neighbours(ResponseModel):
    """Neighbours of a node."""

    node: NodeSummary
    lists: list[NeighbourList]


class SummaryOfPapers(ResponseModel):
    """What papers are about as a group."""

    summary: Summary


class Way(ResponseModel):
    """Shortest path between two nodes: one more node than steps; empty if there is none."""

    nodes: list[NodeSummary]
    steps: list[PathStep]


def section_line(section: records.Section) -> SectionLine:
    """Return a section's heading."""
    return SectionLine(id=section.id, title=section.title, level=section.level)
