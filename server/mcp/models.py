"""What the tools answer; names are REST's."""

from datetime import datetime
from typing import Any, Self

from pydantic import Field

from schema import records
from server.answering.records import Reason
from server.rest import models
from server.rest.answering import Citation
from server.rest.models import Answer, PathStep
from server.retrieval.search import Hit

MOST_TEXT = 2000
"""Characters of a text that are told at once."""
MOST_BRIEF = 200
"""Characters by which a node is named that has no name."""


class Passage(Answer):
    """A passage for a query."""

    rank: int
    score: float
    chunk_id: str
    paper_id: str
    title: str
    section: str = Field(description="The headings above it, outermost first.")
    text: str
    next_offset: int | None = Field(description="Where the text goes on: the offset for the tool chunk.")

    @classmethod
    def of(cls, hit: Hit) -> Self:
        """Make it of a hit."""
        goes_on = len(hit.text) > MOST_TEXT
        return cls(
            rank=hit.rank,
            score=hit.score,
            chunk_id=hit.chunk.id,
            paper_id=hit.paper.id,
            title=hit.paper.title,
            section=" > ".join(hit.section.path),
            text=hit.text[:MOST_TEXT],
            next_offset=(MOST_TEXT if hit.text == hit.chunk.text else 0) if goes_on else None,
        )


class Passages(Answer):
    """The passages that answer a query best."""

    pipeline: str
    passages: list[Passage]


class QueryRows(Answer):
    """What a query of Cypher returns."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = Field(description="Whether there are more rows; aggregate, or ask for less of each.")
    as_of: datetime | None = Field(description="Of a copy of the store, when it was made.")


class AnswerSource(Answer):
    """What an answer was written from, or what came nearest."""

    number: int = Field(description="What [n] in the text means.")
    chunk_id: str
    paper_id: str
    title: str
    url: str | None


class CitedAnswer(Answer):
    """An answer with citations that were checked, or that the papers do not say."""

    text: str
    refusal: Reason | None = Field(description="Why there is no answer, where there is none.")
    citations: list[Citation]
    sources: list[AnswerSource]
    grounded: bool
    llm_generated: bool
    degraded: list[str] = Field(description="What did not go as it was asked.")


class SectionLine(Answer):
    """A heading of a paper."""

    id: str
    title: str
    level: int


class PaperWithOutline(Answer):
    """A paper with its headings."""

    paper: models.Paper
    sections: list[SectionLine]
    next: str | None = Field(description="Pass it as after for the headings that follow.")


class ChunkText(Answer):
    """A chunk's text from an offset on."""

    id: str
    paper_id: str
    title: str
    text: str
    offset: int
    length: int = Field(description="Characters of the whole text.")
    next_offset: int | None = Field(description="Where it goes on; null at the end.")
    previous_id: str | None = Field(description="The chunk before it in the paper.")
    next_id: str | None
    start_page: int | None
    end_page: int | None


class Beside(Answer):
    """A node, briefly."""

    id: str
    label: str
    name: str = Field(description="Title, name, or the beginning of its text.")

    @classmethod
    def of(cls, record: object) -> Self:
        """Make it of a node, or of what tells of one how it stands to another."""
        node = next((inner for at in ("entity", "node", "chunk") if (inner := getattr(record, at, None))), record)
        named = next(str(name) for at in ("title", "name", "text") if (name := getattr(node, at, None)) is not None)
        node_id: str = node.id  # type: ignore[attr-defined]  # all records of nodes have one
        return cls(id=node_id, label=type(node).__name__, name=named[:MOST_BRIEF])


class NeighbourList(Answer):
    """Nodes beside a node, of one kind."""

    name: str
    about: str
    nodes: list[Beside]
    next: str | None = Field(description="Pass it as after, with the list's name, for those that follow.")


class Neighbours(Answer):
    """What stands beside a node."""

    node: Beside
    lists: list[NeighbourList]


class Way(Answer):
    """A shortest way between two nodes; one more node than steps, and none where there is none."""

    nodes: list[Beside]
    steps: list[PathStep]


def section_line(section: records.Section) -> SectionLine:
    """Return a section's heading."""
    return SectionLine(id=section.id, title=section.title, level=section.level)
