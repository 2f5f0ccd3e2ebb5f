"""Models of a search over REST: request, hits, explanation, trace and certificate."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from schema import records
from server.answers.quotes import Highlight
from server.rest import models
from server.rest.requests import InCollections, RequestModel, read_body
from server.rest.responses import ResponseModel
from server.retrieval import pipelines
from server.retrieval.candidates import AskedQuery, RetrieverScore, SelectionDetail, StepPlace, Via
from server.retrieval.filters import AppliedFilter, Filter, parse_filter
from server.retrieval.pipelines import DEFAULT_PIPELINE, Reader
from server.retrieval.request import MAX_K, MAX_QUERY_CHARS, MOST_OVERRIDES, SearchRequest
from server.retrieval.runner import TraceStep
from server.retrieval.scope import Collections
from server.retrieval.steps.select import Select
from server.selection.problem import Form
from server.selection.result import SelectionReport


class SelectionBody(RequestModel):
    """Selection of relevant, diverse passages with a certificate."""

    k: int = 10
    pool: int = 500
    """Number of candidates to select from."""

    alpha: float = 0.7
    """Weight of relevance against redundancy, 0 to 1."""

    form: Form = Form.MEAN
    backend: str = "exact"
    """exact, cpsat, anneal, mmr, top_k or pbit."""

    deadline_ms: float = 20.0
    """Time limit of the selection; device, CP-SAT and annealing need more."""

    token_budget: int | None = None
    """Maximum tokens of all passages together; fewer than k are selected if k do not fit."""

    max_per_paper: int | None = None
    """Maximum passages per paper."""

    seed: int = 0

    def step(self) -> Select:
        """Return the step.

        Raises:
            InputError: A value is out of its range.
        """
        return read_body(Select, self.model_dump(), within="selection")


Part = Literal["explanation", "neighbours", "highlights", "trace", "run"]


class SearchBody(InCollections):
    """Search query and options."""

    query: str = Field(min_length=1, max_length=MAX_QUERY_CHARS, examples=["Is tabu search better than annealing?"])
    k: int | None = Field(default=None, ge=1, le=MAX_K, examples=[10])
    """Number of hits; default: that of the pipeline."""

    pipeline: str = DEFAULT_PIPELINE
    """Retrieval pipeline, by name."""

    overrides: dict[str, Any] = Field(default_factory=dict, max_length=MOST_OVERRIDES)
    """Other values for options of its steps, such as search.k, or fuse2.by for the second fuse."""

    selection: SelectionBody | None = None
    """Selection after the pipeline, or instead of its own."""

    filter: Annotated[Filter, BeforeValidator(parse_filter)] | None = None
    """Filter on papers and passages; see docs/filters.md."""

    backfill: bool = False
    """Fill the list from the whole collections if too few hits pass the filter."""

    include: list[Part] = Field(default_factory=list, max_length=5)
    """Optional parts: explanation of hits, their highlights, neighbouring chunks, trace of steps, saved run."""

    def request(self, collections: Collections) -> SearchRequest:
        """Return the search of collections as every interface passes it on."""
        return SearchRequest(
            self.query,
            pipeline=self.pipeline,
            collections=collections,
            k=self.k,
            overrides=self.overrides,
            selection=self.selection.step() if self.selection else None,
            filter=self.filter,
            backfill=self.backfill,
        )


class Explanation(ResponseModel):
    """Explanation of the rank of a hit."""

    retrievers: list[RetrieverScore]
    """Scores of the retrievers that found the hit."""

    via: list[Via]
    """Graph path from the query to this passage, if any."""

    rank_history: list[StepPlace]
    """Rank after each ordering step."""

    merged_chunk_ids: list[str]
    """Chunks that were merged into this one."""

    why_not_higher: str
    """Reasons for the rank below the previous hit; empty for the first."""


class Hit(ResponseModel):
    """Passage found for a query, with its context."""

    rank: int
    """From 1, best first."""

    score: float
    """Score of the last scoring step; comparable within this query only."""

    passage: str
    """Text for the reader: the passage, compressed or expanded."""

    outside_filter: bool
    """True if the hit is outside the filter and only fills the list."""

    chunk: records.Chunk
    section: records.Section
    paper: models.Paper
    previous: records.Chunk | None
    """Previous chunk in the paper, if ``neighbours`` are included."""

    next: records.Chunk | None
    explanation: Explanation | None
    highlights: list[Highlight] | None
    """Words of the query in the passage, and its best sentence, if ``highlights`` are included."""

    selection: SelectionDetail | None
    """Selection details, if passages were selected."""


class SearchAnswer(ResponseModel):
    """Hits of a search, best first, with the trace of their retrieval."""

    hits: list[Hit]
    pipeline: str
    queries: list[AskedQuery]
    """Executed queries: the original and derived ones."""

    filter: AppliedFilter | None
    selection: SelectionReport | None
    """Certificate, if passages were selected."""

    draft: str | None
    """Draft answer for the reranker, if any."""

    warnings: list[str]
    """What the search did otherwise than the pipeline says, such as on other chunks."""

    trace: list[TraceStep] | None
    run: Any
    """Saved run for `papergraph pipelines replay`."""


class Pipeline(ResponseModel):
    """Named, reproducible list of retrieval steps."""

    name: str
    about: str
    source: str
    """Origin of the method."""

    needs: list[str]
    """Requirements: language model, reranker, enrichments."""

    missing: list[str]
    """What keeps it from running, each with the next step; empty if it can run."""

    reader: Reader
    """Input of the language model for an answer."""

    steps: list[Any]
    """Steps in order, with all options."""

    @classmethod
    def of(cls, pipeline: pipelines.Pipeline, missing: list[str]) -> "Pipeline":
        """Make it of a pipeline and what is missing for it."""
        return cls(
            name=pipeline.name,
            about=pipeline.about,
            source=pipeline.source,
            needs=pipelines.needs(pipeline),
            missing=missing,
            reader=pipeline.reader,
            steps=list(pipeline.as_dict()["steps"]),
        )
