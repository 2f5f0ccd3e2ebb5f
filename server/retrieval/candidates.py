"""What a retriever finds: chunks with a score of the retriever's own, and the way from the query to each."""

from dataclasses import dataclass, field
from enum import StrEnum


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
    """A node on the way from the query to a chunk.

    Attributes:
        label: Its label, such as Question or Entity.
        id: Its id.
        name: What a reader calls it: a question's text, an entity's name, a paper's title.
        answer: The answer that was made with a question, empty where there is none.
    """

    label: str
    id: str
    name: str
    answer: str = ""


@dataclass(frozen=True)
class ExpandedQuery:
    """A query that was searched for: what was asked, or what a step made of it.

    Attributes:
        text: The query.
        origin: ``query``, or the step's way: rewrite, parts, feedback, entities, follow-up, …
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
    """Where a retriever put a chunk.

    Attributes:
        retriever: The retriever.
        rank: Place in its ranking, from 1.
        score: The retriever's own score.
        query: Number of the query, 0 for the one that was asked.
        via: The way from the query to the chunk.
    """

    retriever: RetrieverName
    rank: int
    score: float
    query: int = 0
    via: tuple[Via, ...] = ()


@dataclass(frozen=True)
class SelectionDetail:
    """What a selection says of a candidate that it chose.

    Attributes:
        marginal: How much worse the selection would be without it; negative where it would be better with one fewer.
        redundancy: Mean similarity to the others that were chosen; 0 where it is the only one.
        nearest: Chunk among those that is most like it, None where it is the only one.
        nearest_similarity: The similarity of both.
        rank_before: Place before the selection, from 1.
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
        rank_history: Its place after each step that put candidates in an order: the step's number, and the place from
            1. The copies of a candidate share the list, and the next step adds to it.
        outside_filter: Whether the filter does not let it pass, and it only fills up.
        selection: What the selection that chose it says of it.
    """

    chunk_id: str
    paper_id: str
    score: float
    retrievers: tuple[RetrieverScore, ...] = ()
    via: tuple[Via, ...] = ()
    merged_chunk_ids: tuple[str, ...] = ()
    rank_history: list[tuple[int, int]] = field(default_factory=list)
    outside_filter: bool = False
    selection: SelectionDetail | None = None
