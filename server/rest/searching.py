"""Searching over REST, and the pipelines that a search can name."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BeforeValidator, Field, ValidationError

from papergraph.errors import InputError, NotFoundError
from server.access import prices
from server.access.searching import MOST_OVERRIDES, search_for
from server.rest import models
from server.rest.asking import Ask, Asked, Given, InCollection
from server.rest.models import All, Answer, SharedNode
from server.rest.pricing import page_price, price_of, within_a_page
from server.retrieval import pipelines, saving
from server.retrieval import search as retrieval
from server.retrieval.candidates import LegName
from server.retrieval.filters import Filter, parse_filter
from server.retrieval.pipelines import DEFAULT_PIPELINE, Reader
from server.retrieval.search import MAX_K, MAX_QUERY_CHARS, Found
from server.retrieval.steps import Select
from server.selection.problem import Form

router = APIRouter()


class SelectionBody(Given):
    """A selection of passages that are relevant and unlike each other, with a certificate."""

    k: int = 10
    pool: int = 500
    """How many of the best candidates are chosen from."""

    alpha: float = 0.7
    """Weight of relevance against redundancy, 0 to 1."""

    form: Form = Form.MEAN
    backend: str = "own"
    """own, cpsat, anneal, mmr, top_k or pbit."""

    deadline_ms: float = 20.0
    """For the selection alone; a device, CP-SAT and annealing want more."""

    token_budget: int | None = None
    """Tokens of all passages together, at most; fewer than k are chosen where k do not fit."""

    max_per_paper: int | None = None
    """Passages of one paper, at most."""

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


Part = Literal["explanation", "neighbours", "trace", "run"]


class SearchBody(InCollection):
    """What to search for, where and how."""

    query: str = Field(min_length=1, max_length=MAX_QUERY_CHARS, examples=["Is tabu search better than annealing?"])
    k: int | None = Field(default=None, ge=1, le=MAX_K, examples=[10])
    """Number of hits; else what the pipeline gives."""

    pipeline: str = DEFAULT_PIPELINE
    """How to rank, by name."""

    overrides: dict[str, Any] = Field(default_factory=dict, max_length=MOST_OVERRIDES)
    """Other values for options of its steps, such as search.k, or fuse2.by for the second fuse."""

    selection: SelectionBody | None = None
    """A selection at its end, or instead of its own."""

    filter: Annotated[Filter, BeforeValidator(parse_filter)] | None = None
    """Which papers and passages to look among; docs/filters.md tells what each condition means."""

    backfill: bool = False
    """Whether to fill up from the whole collection where the filter lets too few pass."""

    include: list[Part] = Field(default_factory=list, max_length=4)
    """What is told beside: why each hit is there, the chunks beside it, what each step did, what repeats the run."""


class LegScore(Answer):
    """What one leg says of a hit."""

    leg: LegName
    rank: int
    """Place in the leg's own ranking, from 1."""

    score: float
    """The leg's own."""

    query: int
    """Which of the queries it was, 0 for the one that was asked."""

    via: list[SharedNode]
    """The way from the query to it."""


class StepPlace(Answer):
    """Where a step put a hit; both count from 1."""

    step: int
    rank: int


class Explanation(Answer):
    """Why a hit is there, and why it is not higher."""

    legs: list[LegScore]
    """What each leg that found it says."""

    via: list[SharedNode]
    """The way along the graph, where it was come to by one."""

    places: list[StepPlace]
    """Its place after each step that ordered the candidates."""

    stands_for: list[str]
    """Chunks whose place it took, when parts were merged."""

    why_not_higher: str
    """What keeps it behind the hit before it; empty for the first."""


class Chosen(Answer):
    """What a selection says of a passage that it chose."""

    marginal: float
    """How much worse the selection would be without it."""

    redundancy: float
    """Mean similarity to the others that were chosen; 0 where it is the only one."""

    nearest: str | None
    """Chunk among those that is most like it."""

    nearest_similarity: float
    """The similarity of both."""

    rank_before: int
    """Place before the selection, from 1."""


class Hit(Answer):
    """A passage for a query, with where it stands."""

    rank: int
    """From 1, best first."""

    score: float
    """Of the pipeline's last step that gave one, for this query only."""

    passage: str
    """What a reader is given: the text, shortened or with what stands beside."""

    outside: bool
    """Whether the filter does not let it pass, and it only fills up."""

    chunk: models.Chunk
    section: models.Section
    paper: models.Paper
    previous: models.Chunk | None
    """The chunk before it in the paper, where ``neighbours`` were asked for."""

    next: models.Chunk | None
    explanation: Explanation | None
    chosen: Chosen | None
    """What the selection says of it, where passages were selected."""


class AskedQuery(Answer):
    """A query that was searched for."""

    text: str
    origin: str
    """query, or what made it: rewrite, parts, feedback, …"""


class CypherCall(Answer):
    """A statement that was run."""

    file: str
    """Below cypher/, without .cypher."""

    parameters: Any
    """Vectors and long lists are told by length."""

    ms: float
    records: int


class TraceStep(Answer):
    """What a step did."""

    step: str
    options: Any
    ms: float
    candidates_in: int
    candidates_out: int
    cypher: list[CypherCall]
    notes: list[str]


class DeviceReport(Answer):
    """What an Ising device did for a selection; docs/device.md tells what the figures mean."""

    name: str
    """What it calls itself."""

    spins: int
    """Candidates that it was asked about."""

    reads: int
    feasible_reads: int
    """States with exactly as many ones as were to be chosen."""

    attempts: int
    device_ms: float | None
    """How long it says that it took."""

    wall_ms: float
    penalty: float
    coupling_bits: int | None
    quantisation_error: float
    """Largest error of a given state's energy by rounding."""

    quantisation_bound: float
    """No state's is larger."""

    objective_sampled: float
    """Of its best state, repaired and not yet polished."""

    objective_polished: float
    """Of its best state after exchanges."""

    corrected: str | None
    """The convention that it declares and does not follow."""


class SelectionReport(Answer):
    """The certificate of a selection; docs/selection.md tells what the figures mean."""

    k: int
    """How many were chosen: fewer than asked for where no more fitted."""

    alpha: float
    form: Form
    objective: float
    lower_bound: float
    """No selection has a smaller objective."""

    gap: float
    rho: float
    proven: bool
    mean_relevance: float
    mean_pair_similarity: float
    backend: str
    stage: str
    ms: float = Field(validation_alias="elapsed_ms", serialization_alias="ms")
    fallback: str | None
    """Why the back end that was asked for did not find it."""

    device: DeviceReport | None
    """What a device did, where one answered."""


class AppliedFilter(Answer):
    """What a filter let through."""

    filter: str
    """The filter in short."""

    passes: str
    """How many papers, chunks and which kinds pass."""

    unknown: list[str]
    """Values that name nothing in the collection."""


class SearchAnswer(Answer):
    """The hits of a search, best first, and how they were come by; none is an empty list."""

    hits: list[Hit]
    pipeline: str
    queries: list[AskedQuery]
    """What was searched for: the query, and what was made of it."""

    filter: AppliedFilter | None
    selection: SelectionReport | None
    """The certificate, where passages were selected."""

    draft: str | None
    """The temporary answer that the reranker read, where one was made."""

    trace: list[TraceStep] | None
    run: Any
    """All that it takes to run it again: papergraph replay reads it."""


class Pipeline(Answer):
    """A named, reproducible list of steps."""

    name: str
    about: str
    source: str
    """Where the method comes from."""

    needs: list[str]
    """What it needs beside papers: language model, reranker, layers."""

    reader: Reader
    """What a language model is given, where an answer is asked for."""

    steps: list[Any]
    """What is done, in order, with all options."""

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


class Neighbours(Answer):
    """The chunks beside a hit, for the price of both."""

    previous: models.Chunk
    next: models.Chunk


PARTS_OF_HITS: dict[Part, type[Answer]] = {"explanation": Explanation, "neighbours": Neighbours}
"""What a hit has only where it is asked for."""


@router.post("/search", summary="The passages that answer a query best.")
async def search(ask: Ask, wanted: SearchBody) -> SearchAnswer:
    k = wanted.k or (wanted.selection.k if wanted.selection else MAX_K)
    left_out = [model for part, model in PARTS_OF_HITS.items() if part not in wanted.include]
    await ask.charge(prices.SEARCH + page_price(Hit, k) - within_a_page(k) * sum(map(price_of, left_out)))
    found = await search_for(
        ask.grant,
        ask.service.resources,
        ask.terms.spending,
        wanted.query,
        pipeline=wanted.pipeline,
        collection=wanted.collection,
        k=wanted.k,
        overrides=wanted.overrides,
        select=wanted.selection.step() if wanted.selection else None,
        filter=wanted.filter,
        backfill=wanted.backfill,
    )
    return await _answer(ask, found, wanted.include)


@router.get("/pipelines", summary="All pipelines that a search can name.")
async def list_pipelines(ask: Ask) -> All[Pipeline]:
    await ask.charge(1 + prices.LIST_LENGTH * price_of(Pipeline))
    return All(data=[Pipeline.of(one) for one in ask.service.resources.pipelines.values()])


@router.get("/pipelines/{name}", summary="The pipeline with a name.")
async def pipeline(ask: Ask, name: str) -> Pipeline:
    await ask.charge(1 + price_of(Pipeline))
    if (found := ask.service.resources.pipelines.get(name)) is None:
        raise NotFoundError("pipeline", name[:80], field="name")
    return Pipeline.of(found)


async def _answer(ask: Asked, found: Found, include: list[Part]) -> SearchAnswer:
    outcome, applied = found.outcome, found.applied
    return SearchAnswer(
        hits=await hits_of(ask, found.hits, include),
        pipeline=outcome.pipeline.name,
        queries=[AskedQuery.model_validate(asked) for asked in outcome.queries],
        filter=applied
        and AppliedFilter(filter=applied.filter, passes=str(applied.passing), unknown=list(applied.unknown)),
        selection=outcome.selection and SelectionReport.model_validate(outcome.selection),
        draft=outcome.draft,
        trace=_trace(found) if "trace" in include else None,
        run=saving.saved(ask.service.resources, found).model_dump(mode="json") if "run" in include else None,
    )


async def hits_of(ask: Asked, hits: Sequence[retrieval.Hit], include: Sequence[Part] = ()) -> list[Hit]:
    """Return hits with their papers' authors; one query for all."""
    papers = await ask.papers([hit.paper for hit in hits])
    return [_hit(hit, paper, include) for hit, paper in zip(hits, papers, strict=True)]


def _hit(hit: retrieval.Hit, paper: models.Paper, include: Sequence[Part]) -> Hit:
    with_neighbours = "neighbours" in include
    return Hit.model_validate(
        vars(hit)
        | {
            "passage": hit.text,
            "paper": paper,
            "previous": hit.previous if with_neighbours else None,
            "next": hit.next if with_neighbours else None,
            "explanation": _explanation(hit) if "explanation" in include else None,
        }
    )


def _explanation(hit: retrieval.Hit) -> Explanation:
    places = [StepPlace(step=step, rank=rank) for step, rank in hit.places]
    return Explanation.model_validate(vars(hit) | {"places": places})


def _trace(found: Found) -> list[TraceStep]:
    return [
        TraceStep(
            step=step.step,
            options=step.options,
            ms=step.ms,
            candidates_in=step.n_in,
            candidates_out=step.n_out,
            cypher=[
                CypherCall(file=call.name, parameters=call.parameters, ms=call.ms, records=call.n_records)
                for call in step.calls
            ],
            notes=list(step.notes),
        )
        for step in found.outcome.trace
    ]
