"""What a leg finds: chunks with a score of the leg's own, and the way from the query to each."""

from dataclasses import dataclass
from enum import StrEnum


class LegName(StrEnum):
    """A way of searching."""

    VECTOR = "vector"
    FULLTEXT = "fulltext"
    QUESTION = "question"
    PROTOTYPE = "prototype"
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
    """

    label: str
    id: str
    name: str


@dataclass(frozen=True)
class Candidate:
    """A chunk that was found; ``score`` is the leg's own or the fused one, higher is better."""

    chunk_id: str
    paper_id: str
    score: float
    via: tuple[Via, ...] = ()
