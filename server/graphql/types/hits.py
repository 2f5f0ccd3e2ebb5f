"""GraphQL types of hits: a passage with its paper, its scores and the explanation of its rank."""

from typing import Self

import strawberry

from schema.records import Chunk, Paper, Section
from server.answers.quotes import Highlight, Highlighter
from server.graphql.derive import field, type_
from server.graphql.types import closed_lists  # noqa: F401 - declares the enumerations of derived types
from server.retrieval import search as retrieval
from server.retrieval.candidates import RetrieverScore, SelectionDetail, StepPlace, Via


@type_(description="Explanation of the rank of a hit.")
class Explanation:
    """Why a hit is there."""

    via: list[Via] = strawberry.field(description="Graph path from the query to this passage, if any.")
    rank_history: list[StepPlace] = strawberry.field(description="Rank after each ordering step.")
    merged_chunk_ids: list[strawberry.ID] = strawberry.field(description="Chunks that were merged into this one.")
    why_not_higher: str = strawberry.field(
        description="Reasons for the rank below the previous hit; empty for the first."
    )


@type_(description="Passage found for a query, with its context.")
class Hit:
    """A passage for a query."""

    rank: int = strawberry.field(description="From 1, best first.")
    score: float = strawberry.field(description="Score of the last scoring step; comparable within this query only.")
    chunk: Chunk = strawberry.field(description="The chunk of the passage.")
    section: Section = strawberry.field(description="The section of the passage.")
    section_path: list[str] = strawberry.field(description="Headings above the passage, outermost first.")
    paper: Paper = strawberry.field(description="The paper of the passage.")
    previous: Chunk | None = strawberry.field(description="Previous chunk in the paper.")
    next: Chunk | None = strawberry.field(description="Next chunk in the paper.")
    outside_filter: bool = strawberry.field(
        description="True if the hit is outside the filter and only fills the list."
    )
    passage: str = strawberry.field(description="Text for the reader: the passage, compressed or expanded.")
    selection: SelectionDetail | None = strawberry.field(description="Selection details, if passages were selected.")
    hit: strawberry.Private[retrieval.Hit]
    highlighter: strawberry.Private[Highlighter]

    @classmethod
    def of(cls, hit: retrieval.Hit, highlighter: Highlighter) -> Self:
        """Wrap a hit."""
        return cls(
            rank=hit.rank,
            score=hit.score,
            chunk=hit.chunk,
            section=hit.section,
            section_path=list(hit.section.path),
            paper=hit.paper,
            previous=hit.previous,
            next=hit.next,
            outside_filter=hit.outside_filter,
            passage=hit.text,
            selection=hit.selection,
            hit=hit,
            highlighter=highlighter,
        )

    @field("Words of the query in the passage, and the sentence that says most of the query.")
    async def highlights(self) -> list[Highlight]:
        return await self.highlighter.highlights(self.passage, collection=self.hit.chunk.collection)

    @field("Scores of the retrievers that found the hit.")
    def retrievers(self) -> list[RetrieverScore]:
        return list(self.hit.retrievers)

    @field("Explanation of the rank.")
    def explanation(self) -> Explanation:
        return Explanation(
            via=list(self.hit.via),
            rank_history=list(self.hit.rank_history),
            merged_chunk_ids=[strawberry.ID(id) for id in self.hit.merged_chunk_ids],
            why_not_higher=self.hit.why_not_higher,
        )
