"""Models of a search over REST: request, hits, explanation, trace and certificate."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError

from papergraph.errors import InputError
from server.answers.highlights import HighlightKind
from server.rest import models
from server.rest.models import SharedNode
from server.rest.requests import InCollection, RequestModel
from server.rest.responses import ResponseModel
from server.retrieval import pipelines
from server.retrieval.candidates import RetrieverName
from server.retrieval.filters.language import Filter, parse_filter
from server.retrieval.pipelines import DEFAULT_PIPELINE, Reader
from server.retrieval.request import MAX_K, MAX_QUERY_CHARS, MOST_OVERRIDES, SearchRequest
from server.retrieval.steps.select import Select
from server.selection.problem import Form


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
        try:
            return Select(**self.model_dump())
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise InputError(f"selection: {place}: {first['msg']}", field=f"selection.{place}") from error


Part = Literal["explanation", "neighbours", "highlights", "trace", "run"]


class SearchBody(InCollection):
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
    """Fill the list from the whole collection if too few hits pass the filter."""

    include: list[Part] = Field(default_factory=list, max_length=5)
    """Optional parts: explanation of hits, their highlights, neighbouring chunks, trace of steps, saved run."""

    def request(self) -> SearchRequest:
        """Return the search as every interface passes it on."""
        return SearchRequest(
            self.query,
            pipeline=self.pipeline,
            collection=self.collection,
            k=self.k,
            overrides=self.overrides,
            selection=self.selection.step() if self.selection else None,
            filter=self.filter,
            backfill=self.backfill,
        )


class RetrieverScore(ResponseModel):
    """Score of one retriever for a hit."""

    retriever: RetrieverName
    rank: int
    """Rank in the list of this retriever, from 1."""

    score: float
    """The retriever's own."""

    query: int
    """Index of the query; 0 is the original."""

    via: list[SharedNode]
    """Path from the query to the hit."""


class StepPlace(ResponseModel):
    """Rank of a hit after a step; both count from 1."""

    step: int
    rank: int


class Explanation(ResponseModel):
    """Explanation of the rank of a hit."""

    retrievers: list[RetrieverScore]
    """Scores of the retrievers that found the hit."""

    via: list[SharedNode]
    """Graph path from the query to this passage, if any."""

    rank_history: list[StepPlace]
    """Rank after each ordering step."""

    merged_chunk_ids: list[str]
    """Chunks that were merged into this one."""

    why_not_higher: str
    """Reasons for the rank below the previous hit; empty for the first."""


class SelectionDetail(ResponseModel):
    """Details of a selected passage."""

    marginal: float
    """Loss of the objective without this passage."""

    redundancy: float
    """Mean similarity to the other selected passages; 0 for a single one."""

    nearest: str | None
    """Most similar selected chunk."""

    nearest_similarity: float
    """Similarity to that chunk."""

    rank_before: int
    """Rank before the selection, from 1."""


class Highlight(ResponseModel):
    """Marked part of a passage; offsets count characters (code points) from 0."""

    start: int
    """First character."""

    end: int
    """Character after the last one."""

    kind: HighlightKind
    """A word of the query, or the sentence of the passage that says most of the query."""


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

    chunk: models.Chunk
    section: models.Section
    paper: models.Paper
    previous: models.Chunk | None
    """Previous chunk in the paper, if ``neighbours`` are included."""

    next: models.Chunk | None
    explanation: Explanation | None
    highlights: list[Highlight] | None
    """Words of the query in the passage, and its best sentence, if ``highlights`` are included."""

    selection: SelectionDetail | None
    """Selection details, if passages were selected."""


class AskedQuery(ResponseModel):
    """Executed query."""

    text: str
    origin: str
    """Origin: query, rewrite, parts, feedback, …"""


class CypherCall(ResponseModel):
    """A statement that was run."""

    file: str
    """File below cypher/, without .cypher."""

    parameters: Any
    """Vectors and long lists are shown as their length."""

    ms: float
    records: int


class TraceStep(ResponseModel):
    """Trace of a step."""

    step: str
    options: Any
    ms: float
    candidates_in: int
    candidates_out: int
    cypher: list[CypherCall]
    notes: list[str]


class DeviceReport(ResponseModel):
    """Report of an Ising device; see docs/ising-device.md."""

    name: str
    """Name of the device."""

    spins: int
    """Number of candidates."""

    reads: int
    feasible_reads: int
    """States with exactly as many ones as were to be chosen."""

    attempts: int
    device_ms: float | None
    """Time reported by the device."""

    wall_ms: float
    penalty: float
    coupling_bits: int | None
    quantisation_error: float
    """Largest rounding error of an energy."""

    quantisation_bound: float
    """Upper bound of the energy error."""

    objective_sampled: float
    """Objective of the best state after repair."""

    objective_polished: float
    """Objective of the best state after local search."""

    corrected: str | None
    """Declared convention that the device violates."""


class SelectionReport(ResponseModel):
    """Certificate of a selection; see docs/selection.md."""

    k: int
    """Number of selected passages; fewer than k if no more fit."""

    alpha: float
    form: Form
    objective: float
    lower_bound: float
    """Lower bound of the objective of any selection."""

    gap: float
    certified_gain: float
    proven: bool
    mean_relevance: float
    mean_pair_similarity: float
    backend: str
    stage: str
    ms: float = Field(validation_alias="elapsed_ms", serialization_alias="ms")
    fallback: str | None
    """Reason of the fallback, if any."""

    device: DeviceReport | None
    """Device report, if a device answered."""


class AppliedFilter(ResponseModel):
    """Applied filter."""

    filter: str
    """Summary of the filter."""

    match_summary: str
    """Numbers of passing papers and chunks, and passing kinds."""

    unknown: list[str]
    """Values without a match in the collection."""


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

    reader: Reader
    """Input of the language model for an answer."""

    steps: list[Any]
    """Steps in order, with all options."""

    @classmethod
    def of(cls, pipeline: pipelines.Pipeline) -> "Pipeline":
        """Make it of a pipeline."""
        return cls(
            name=pipeline.name,
            about=pipeline.about,
            source=pipeline.source,
            needs=pipelines.needs(pipeline),
            reader=pipeline.reader,
            steps=list(pipeline.as_dict()["steps"]),
        )
