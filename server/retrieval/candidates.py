"""Candidates of a retriever: chunks with the retriever's score, and the path from the query."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from papergraph.records import Id, Record, described, internal


class RetrieverName(StrEnum):
    """Retriever."""

    VECTOR = "vector"
    FULLTEXT = "fulltext"
    QUESTION = "question"
    PROTOTYPE = "prototype"
    NAME = "name"
    ENTITY = "entity"
    CLUSTER = "cluster"
    CITATION = "citation"
    PAGERANK = "pagerank"


@dataclass(frozen=True)
class Via(Record):
    """Node on the path from the query to a passage, or that two papers share."""

    label: Annotated[str, described("Question, Entity, Cluster, Paper or Chunk.")]
    node_id: Annotated[Id, described("Id of the node.")]
    name: Annotated[str, described("Text of a question, name of an entity, title of a paper.")]
    answer: Annotated[str, described("Answer made with a question, which is no evidence; empty if there is none.")] = ""


@dataclass(frozen=True)
class AskedQuery(Record):
    """Executed query."""

    text: Annotated[str, described("Text of the query.")]
    origin: Annotated[str, described("Origin: query, rewrite, parts, feedback, …")] = "query"


@dataclass(frozen=True)
class Candidate:
    """A chunk that was found; ``score`` is the retriever's own or the fused one, higher is better."""

    chunk_id: str
    paper_id: str
    score: float
    via: tuple[Via, ...] = ()


@dataclass(frozen=True)
class Scale:
    """Scores of a retriever for a query that mean the same with every retriever.

    Attributes:
        unrelated: Score of a chunk that has nothing to do with the query; counts 0.
        perfect: Estimated score of a perfect chunk; counts 1.
        missing: Score of chunks that the ranking lacks: at most its lowest one.
    """

    unrelated: float = 0.0
    perfect: float = 1.0
    missing: float = 0.0

    def share(self, score: float) -> float:
        """Return a score on the scale from unrelated, 0, to perfect, 1; a better score is above 1."""
        width = self.perfect - self.unrelated
        return max(0.0, (score - self.unrelated) / width) if width > 0.0 else 1.0


@dataclass(frozen=True)
class Ranking:
    """Result of a retriever for a query.

    Attributes:
        query: Number of the query, 0 for the user's.
        retriever: The retriever.
        candidates: Distinct chunks, best first.
        scale: Meaning of their scores.
    """

    query: int
    retriever: RetrieverName
    candidates: tuple[Candidate, ...]
    scale: Scale = Scale()


@dataclass(frozen=True)
class RetrieverScore(Record):
    """Score of one retriever for a hit."""

    retriever: Annotated[RetrieverName, described("The retriever.")]
    rank: Annotated[int, described("Rank in the list of this retriever, from 1.")]
    score: Annotated[
        float,
        described(
            "The retriever's own: (1 + cosine) / 2 of VECTOR, QUESTION, PROTOTYPE, CLUSTER "
            "and CITATION; BM25 of FULLTEXT, for this query only; of ENTITY the entities' "
            "weights and the cosine, of PAGERANK a probability."
        ),
    ]
    query: Annotated[int, described("Index of the query; 0 is the original.")] = 0
    via: Annotated[tuple[Via, ...], described("Path from the query to the hit.")] = ()
    share: Annotated[float, internal("Score on the common scale of all retrievers.")] = 0.0


@dataclass(frozen=True, slots=True)
class StepPlace(Record):
    """Rank of a hit after a step."""

    step: Annotated[int, described("Number of the step, from 1.")]
    rank: Annotated[int, described("Rank after the step, from 1.")]


@dataclass(frozen=True)
class SelectionDetail(Record):
    """Details of a selected passage."""

    marginal: Annotated[
        float, described("Loss of the objective without this passage; negative if one passage fewer would be better.")
    ]
    redundancy: Annotated[float, described("Mean similarity to the other selected passages; 0 for a single one.")]
    nearest: Annotated[Id | None, described("Most similar selected chunk; null for a single one.")]
    nearest_similarity: Annotated[float, described("Similarity to that chunk.")]
    rank_before: Annotated[int, described("Rank before the selection, from 1.")]


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate on its way through a pipeline.

    Attributes:
        chunk_id: The chunk.
        paper_id: Its paper.
        score: Of the last step that gave one; higher is better.
        retrievers: What each ranking that holds it says.
        via: The way from the query to it, where a retriever or a step came by one.
        merged_chunk_ids: Ids of chunks whose place it took, when parts were merged.
        rank_history: Its place from 1 after each step, by number, that put candidates in an order. The copies of a
            candidate share the mapping, and the next step adds to it.
        outside_filter: Whether the filter does not let it pass, and it only fills up.
        selection: What the selection that chose it says of it.
    """

    chunk_id: str
    paper_id: str
    score: float
    retrievers: tuple[RetrieverScore, ...] = ()
    via: tuple[Via, ...] = ()
    merged_chunk_ids: tuple[str, ...] = ()
    rank_history: dict[int, int] = field(default_factory=dict)
    outside_filter: bool = False
    selection: SelectionDetail | None = None
