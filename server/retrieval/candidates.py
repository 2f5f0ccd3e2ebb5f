"""What a retriever finds: chunks with a score of the retriever's own, and the way from the query to each."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


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
class Via:
    """Node on the path from the query to a passage, or that two papers share.

    Attributes:
        label: Question, Entity, Cluster, Paper or Chunk.
        id: Id of the node.
        name: Text of a question, name of an entity, title of a paper.
        answer: The answer that was made with a question, empty where there is none.
    """

    label: str
    id: str
    name: str
    answer: str = ""


@dataclass(frozen=True)
class ExpandedQuery:
    """Executed query.

    Attributes:
        text: Text of the query.
        origin: Origin: query, rewrite, parts, feedback, …
    """

    text: str
    origin: str = "query"


@dataclass(frozen=True)
class Candidate:
    """A chunk that was found; ``score`` is the retriever's own or the fused one, higher is better."""

    chunk_id: str
    paper_id: str
    score: float
    via: tuple[Via, ...] = ()


@dataclass(frozen=True)
class Ranking:
    """What a retriever found for a query.

    Attributes:
        query: The query's number, 0 for the one that was asked.
        retriever: The retriever.
        candidates: What it found, best first, no chunk twice.
    """

    query: int
    retriever: RetrieverName
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class RetrieverScore:
    """Score of one retriever for a hit.

    Attributes:
        retriever: The retriever.
        rank: Rank in the list of this retriever, from 1.
        score: The retriever's own: (1 + cosine) / 2 of VECTOR, QUESTION, PROTOTYPE, CLUSTER and CITATION; BM25 of
            FULLTEXT, for this query only; of ENTITY the entities' weights and the cosine, of PAGERANK a probability.
        query: Index of the query; 0 is the original.
        via: Path from the query to the hit.
    """

    retriever: RetrieverName
    rank: int
    score: float
    query: int = 0
    via: tuple[Via, ...] = ()


class StepPlace(NamedTuple):
    """Rank of a hit after a step.

    Attributes:
        step: Number of the step, from 1.
        rank: Rank after the step, from 1.
    """

    step: int
    rank: int


@dataclass(frozen=True)
class SelectionDetail:
    """Details of a selected passage.

    Attributes:
        marginal: Loss of the objective without this passage; negative if one passage fewer would be better.
        redundancy: Mean similarity to the other selected passages; 0 for a single one.
        nearest: Most similar selected chunk; null for a single one.
        nearest_similarity: Similarity to that chunk.
        rank_before: Rank before the selection, from 1.
    """

    marginal: float
    redundancy: float
    nearest: str | None
    nearest_similarity: float
    rank_before: int


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
        rank_history: Its place after each step that put candidates in an order. The copies of a candidate share the
            list, and the next step adds to it.
        outside_filter: Whether the filter does not let it pass, and it only fills up.
        selection: What the selection that chose it says of it.
    """

    chunk_id: str
    paper_id: str
    score: float
    retrievers: tuple[RetrieverScore, ...] = ()
    via: tuple[Via, ...] = ()
    merged_chunk_ids: tuple[str, ...] = ()
    rank_history: list[StepPlace] = field(default_factory=list)
    outside_filter: bool = False
    selection: SelectionDetail | None = None
