"""The steps that pipelines are made of, each with its options: data that can be checked, printed and compared.

A pipeline runs its steps in order. Queries, then rankings (one for each query and retriever), then candidates travel
through:

========== ==================== ================================================================
step       needs                gives
========== ==================== ================================================================
expand     a query              more queries
search     queries              a ranking of chunks for each query and retriever
fuse       rankings             candidates, one list
merge      candidates           candidates: parents for their parts, or what the graph adds
draft      candidates           a temporary answer
rerank     candidates           candidates by a model that reads query and passage together
threshold  candidates           those whose score is high enough
select     candidates           k of them, relevant and unlike each other, with a certificate
compress   candidates           their passages shortened to what the query asks for
iterate    search, fuse before  candidates of further rounds of search
========== ==================== ================================================================
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from server.retrieval.candidates import RetrieverName
from server.selection.problem import Form

MOST_CANDIDATES = 5000
Count = Annotated[int, Field(ge=1, le=MOST_CANDIDATES)]


class Expansion(StrEnum):
    """Where more queries come from; the first four ask a language model."""

    REWRITE = "rewrite"
    AUGMENTATION = "augmentation"
    HYPOTHESIS = "hypothesis"
    PLAN = "plan"
    PARTS = "parts"
    SYNONYMS = "synonyms"
    FEEDBACK = "feedback"

    @property
    def asks_model(self) -> bool:
        """Whether a language model makes them."""
        return self in (Expansion.REWRITE, Expansion.AUGMENTATION, Expansion.HYPOTHESIS, Expansion.PLAN)


class FuseBy(StrEnum):
    """What a chunk's score in a ranking counts for."""

    RRF = "rrf"
    MIN_MAX = "min-max"
    Z_SCORE = "z-score"
    MAXIMUM = "maximum"


class Across(StrEnum):
    """How the lists of several queries become one."""

    SUM = "sum"
    MAX = "max"
    INTERLEAVE = "interleave"


class MergeBy(StrEnum):
    """What candidates are merged by."""

    PARENTS = "parents"
    LINKS = "links"
    GRAPH = "graph"
    NEIGHBOURS = "neighbours"


class Kind(StrEnum):
    """Relationships that the graph context follows."""

    MENTIONS = "mentions"
    CITES = "cites"
    SIMILAR = "similar"


class Step(BaseModel):
    """What all steps share: options are fixed, and none is unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Expand(Step):
    """More queries; the query itself stays among them unless ``keep`` is false."""

    step: Literal["expand"] = "expand"
    by: Expansion
    n: Annotated[int, Field(ge=1, le=8)] = 3
    keep: bool = True


class Search(Step):
    """Ask every retriever every query; ``k`` chunks each. ``nprobe`` is of the retriever ``prototype``."""

    step: Literal["search"] = "search"
    retrievers: Annotated[tuple[RetrieverName, ...], Field(min_length=1)]
    k: Count = 200
    nprobe: Annotated[int, Field(ge=1, le=1000)] = 32


class Fuse(Step):
    """One list of all rankings.

    ``rrf`` adds 1 / (constant + rank). The others scale a ranking's scores: ``min-max`` to [0, 1]; ``maximum`` by
    dividing by the best one, where (1 + cosine) / 2 counts as the cosine; ``z-score`` by mean and deviation. A chunk
    that a ranking lacks has its lowest there, and 0 in a ranking that is not of cosines where ``maximum`` scales. Then
    scores are added with the retrievers' weights, which count as shares. The lists of several queries are added, or a
    chunk keeps its best, or they take turns.
    """

    step: Literal["fuse"] = "fuse"
    by: FuseBy = FuseBy.RRF
    constant: Annotated[int, Field(ge=1, le=10_000)] = 60
    weights: dict[RetrieverName, Annotated[float, Field(ge=0, le=1000)]] = Field(default_factory=dict)
    across: Across = Across.SUM
    k: Count | None = None


class Merge(Step):
    """Parents in the place of their parts, what the best candidates point at, the graph around them, or what is beside.

    ``parents``: one takes the place of its parts when more than ``ratio`` of them are candidates, again and again.
    ``links``: chunks that the first ``seeds`` point at, by titles, names, entities and citations, rise or come in, as
    their nearness to the query says (:func:`server.retrieval.link_traversal.follow_links`); with ``named`` only where
    the retriever ``name`` was searched and found something: where the query names a paper.
    ``graph``: chunks that the first ``seeds`` lead to by ``via`` in up to ``depth`` steps, at most ``cap`` of them.
    ``neighbours``: ``window`` chunks before and after become part of the passage.
    """

    step: Literal["merge"] = "merge"
    by: MergeBy
    ratio: Annotated[float, Field(ge=0, lt=1)] = 0.5
    seeds: Annotated[int, Field(ge=1, le=50)] = 5
    named: bool = False
    depth: Annotated[int, Field(ge=1, le=3)] = 1
    via: tuple[Kind, ...] = (Kind.MENTIONS,)
    cap: Annotated[int, Field(ge=1, le=200)] = 10
    window: Annotated[int, Field(ge=1, le=5)] = 1
    k: Count | None = None


class Draft(Step):
    """A language model answers from the first ``n`` candidates; only the reranker reads it."""

    step: Literal["draft"] = "draft"
    n: Annotated[int, Field(ge=1, le=50)] = 5


class Rerank(Step):
    """A cross-encoder reads query and passage together: scores in [0, 1], the first ``n`` candidates, ``k`` stay.

    ``model`` is a name or path, by default that of ``PAPERGRAPH_RERANKER_MODEL``; with ``draft`` the query is read
    together with the temporary answer.
    """

    step: Literal["rerank"] = "rerank"
    model: str | None = None
    draft: bool = False
    n: Annotated[int, Field(ge=1, le=500)] = 100
    k: Count | None = None


class Threshold(Step):
    """Keep the candidates whose score is greater than ``above``, which must lie in the range of that score."""

    step: Literal["threshold"] = "threshold"
    above: float


class Select(Step):
    """Choose ``k`` of the first ``pool`` candidates as a QUBO (docs/selection.md), with a certificate.

    Fewer than ``k`` where no more keep to ``max_per_paper`` passages of a paper and ``token_budget`` tokens in all.
    """

    step: Literal["select"] = "select"
    k: Count = 10
    pool: Annotated[int, Field(ge=1, le=2000)] = 500
    alpha: Annotated[float, Field(ge=0, le=1)] = 0.7
    form: Form = Form.MEAN
    backend: str = "exact"
    deadline_ms: Annotated[float, Field(gt=0, le=60_000)] = 20.0
    token_budget: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    max_per_paper: Annotated[int, Field(ge=1, le=100)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0


class Compress(Step):
    """Keep the sentences of each passage that are nearest to the query, at most ``share`` of its characters."""

    step: Literal["compress"] = "compress"
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5


class Iterate(Step):
    """Search again for what was found, by the search and fusion before, up to ``rounds`` times or till nothing is new.

    The next query is the one before with names that the first ``seeds`` candidates mention and it does not, or a
    language model's follow-up question.
    """

    step: Literal["iterate"] = "iterate"
    by: Literal["entities", "follow-up"] = "entities"
    rounds: Annotated[int, Field(ge=1, le=5)] = 2
    seeds: Annotated[int, Field(ge=1, le=20)] = 5


AnyStep = Annotated[
    Expand | Search | Fuse | Merge | Draft | Rerank | Threshold | Select | Compress | Iterate,
    Field(discriminator="step"),
]
STEPS: dict[str, type[Step]] = {
    "expand": Expand,
    "search": Search,
    "fuse": Fuse,
    "merge": Merge,
    "draft": Draft,
    "rerank": Rerank,
    "threshold": Threshold,
    "select": Select,
    "compress": Compress,
    "iterate": Iterate,
}
