"""GraphQL types of hits: a passage with its paper, its scores and the explanation of its rank."""

from typing import Self

import strawberry

from server.answers.highlights import Highlight, Highlighter, HighlightKind
from server.graphql.types.nodes import Chunk, Paper, Section
from server.retrieval import candidates
from server.retrieval import search as retrieval
from server.retrieval.candidates import RetrieverName

strawberry.enum(HighlightKind, description="What a span marks: a word of the query, or the best sentence.")


@strawberry.type(description="Node on the path from the query to a passage.")
class Via:
    """Node on the path from the query to a passage."""

    label: str = strawberry.field(description="Question, Entity, Cluster, Paper or Chunk.")
    node_id: strawberry.ID
    name: str = strawberry.field(description="Text of a question, name of an entity, title of a paper.")

    @classmethod
    def of(cls, via: candidates.Via) -> Self:
        """Wrap a node."""
        return cls(label=via.label, node_id=strawberry.ID(via.id), name=via.name)


@strawberry.type(description="Score of one retriever for a hit.")
class RetrieverScore:
    """Score of one retriever for a hit."""

    retriever: RetrieverName
    rank: int = strawberry.field(description="Rank in the list of this retriever, from 1.")
    score: float = strawberry.field(
        description="The retriever's own: (1 + cosine) / 2 of VECTOR, QUESTION, PROTOTYPE, CLUSTER and CITATION; BM25 "
        "of FULLTEXT, for this query only; of ENTITY the entities' weights and the cosine, of PAGERANK a probability."
    )
    query: int = strawberry.field(description="Index of the query; 0 is the original.")
    via: list[Via] = strawberry.field(description="Path from the query to the hit.")


@strawberry.type(description="Rank of a hit after a step.")
class StepPlace:
    """Rank of a hit after a step."""

    step: int = strawberry.field(description="Number of the step, from 1.")
    rank: int = strawberry.field(description="Rank after the step, from 1.")


@strawberry.type(description="Explanation of the rank of a hit.")
class Explanation:
    """Why a hit is there."""

    via: list[Via] = strawberry.field(description="Graph path from the query to this passage, if any.")
    rank_history: list[StepPlace] = strawberry.field(description="Rank after each ordering step.")
    merged_chunk_ids: list[strawberry.ID] = strawberry.field(description="Chunks that were merged into this one.")
    why_not_higher: str = strawberry.field(
        description="Reasons for the rank below the previous hit; empty for the first."
    )


@strawberry.type(description="Details of a selected passage.")
class SelectionDetail:
    """Details of a selected passage."""

    marginal: float = strawberry.field(description="Loss of the objective without this passage.")
    redundancy: float = strawberry.field(
        description="Mean similarity to the other selected passages; 0 for a single one."
    )
    nearest: strawberry.ID | None = strawberry.field(description="Most similar selected chunk.")
    nearest_similarity: float = strawberry.field(description="Similarity to that chunk.")
    rank_before: int = strawberry.field(description="Rank before the selection, from 1.")

    @classmethod
    def of(cls, chosen: candidates.SelectionDetail) -> Self:
        """Wrap what is said."""
        return cls(**vars(chosen))


@strawberry.type(description="Marked part of a passage; offsets count characters (code points) from 0.")
class Span:
    """A marked part of a passage."""

    start: int = strawberry.field(description="First character.")
    end: int = strawberry.field(description="Character after the last one.")
    kind: HighlightKind

    @classmethod
    def of(cls, highlight: Highlight) -> Self:
        """Wrap a highlight."""
        return cls(start=highlight.start, end=highlight.end, kind=highlight.kind)


@strawberry.type(description="Passage found for a query, with its context.")
class Hit:
    """A passage for a query."""

    rank: int = strawberry.field(description="From 1, best first.")
    score: float = strawberry.field(description="Score of the last scoring step; comparable within this query only.")
    chunk: Chunk
    section: Section
    section_path: list[str] = strawberry.field(description="Headings above the passage, outermost first.")
    paper: Paper
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
            chunk=Chunk.of(hit.chunk),
            section=Section.of(hit.section),
            section_path=list(hit.section.path),
            paper=Paper.of(hit.paper),
            previous=None if hit.previous is None else Chunk.of(hit.previous),
            next=None if hit.next is None else Chunk.of(hit.next),
            outside_filter=hit.outside_filter,
            passage=hit.text,
            selection=None if hit.selection is None else SelectionDetail.of(hit.selection),
            hit=hit,
            highlighter=highlighter,
        )

    @strawberry.field(description="Words of the query in the passage, and the sentence that says most of the query.")
    async def highlights(self) -> list[Span]:
        found = await self.highlighter.highlights(self.passage, collection=self.hit.chunk.collection)
        return [Span.of(one) for one in found]

    @strawberry.field(description="Scores of the retrievers that found the hit.")
    def retrievers(self) -> list[RetrieverScore]:
        return [
            RetrieverScore(
                retriever=one.retriever,
                rank=one.rank,
                score=one.score,
                query=one.query,
                via=[Via.of(via) for via in one.via],
            )
            for one in self.hit.retrievers
        ]

    @strawberry.field(description="Explanation of the rank.")
    def explanation(self) -> Explanation:
        return Explanation(
            via=[Via.of(via) for via in self.hit.via],
            rank_history=[StepPlace(step=step, rank=rank) for step, rank in self.hit.rank_history],
            merged_chunk_ids=[strawberry.ID(id) for id in self.hit.merged_chunk_ids],
            why_not_higher=self.hit.why_not_higher,
        )
