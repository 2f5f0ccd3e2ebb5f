"""GraphQL types of searches: input, trace and certificate."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Optional, Self

import strawberry
from strawberry.scalars import JSON

from papergraph.errors import InputError
from schema.ids import DEFAULT_COLLECTION
from server.auth.principal import Principal
from server.auth.usage_budget import UsageBudget
from server.graphql.types.hits import Hit
from server.operations.search import search_for
from server.retrieval import pipelines
from server.retrieval import saved_run as saving
from server.retrieval import search as retrieval
from server.retrieval.filters.language import parse_filter
from server.retrieval.pipelines import Reader
from server.retrieval.request import MOST_OVERRIDES, SearchRequest
from server.retrieval.resources import Resources
from server.retrieval.steps import Select
from server.selection.problem import Form
from server.selection.result import Selection
from server.service import Service

strawberry.enum(Reader, name="AnswerReader", description="Input of the language model.")
strawberry.enum(Form, name="SelectionForm", description="Form of the objective of a selection.")


@strawberry.input(description="Option of a pipeline step.")
class Override:
    """Another value of an option."""

    option: str = strawberry.field(description="Step and option, such as search.k, or fuse2.by for the second fuse.")
    value: JSON = strawberry.field(description="Value as in the pipeline file.")


@strawberry.input(description="Selection of relevant, diverse passages with a certificate.")
class SelectionInput:
    """The selection step."""

    k: int = 10
    pool: int = strawberry.field(default=500, description="Number of candidates to select from.")
    alpha: float = strawberry.field(default=0.7, description="Weight of relevance against redundancy, 0 to 1.")
    form: Form = Form.MEAN
    backend: str = strawberry.field(default="exact", description="exact, cpsat, anneal, mmr, top_k or pbit.")
    deadline_ms: float = strawberry.field(
        default=20.0, description="Time limit of the selection; device, CP-SAT and annealing need more."
    )
    token_budget: int | None = strawberry.field(
        default=None,
        description="Maximum tokens of all passages together; fewer than k are selected if k do not fit.",
    )
    max_per_paper: int | None = strawberry.field(default=None, description="Maximum passages per paper.")
    seed: int = 0

    def step(self) -> Select:
        """Return the step.

        Raises:
            InputError: A value is out of its range.
        """
        try:
            return Select(
                k=self.k,
                pool=self.pool,
                alpha=self.alpha,
                form=self.form,
                backend=self.backend,
                deadline_ms=self.deadline_ms,
                token_budget=self.token_budget,
                max_per_paper=self.max_per_paper,
                seed=self.seed,
            )
        except ValueError as error:
            raise InputError(f"selection: {_first_line(error)}", field="selection") from error


@strawberry.input(description="Range of years, inclusive; one bound is optional.")
class YearsInput:
    """Years."""

    from_: int | None = strawberry.field(default=None, name="from")
    to: int | None = None


@strawberry.input(description="Range of days, inclusive; one bound is optional.")
class DatesInput:
    """Days."""

    from_: date | None = strawberry.field(default=None, name="from")
    to: date | None = None


@strawberry.input(description="Cluster by id, or metadata cluster by field and value.", one_of=True)
class ClusterInput:
    """A cluster."""

    id: strawberry.Maybe[strawberry.ID]
    metadata: strawberry.Maybe["MetadataInput"]


@strawberry.input(description="Papers with a value of a metadata field.")
class MetadataInput:
    """A field and its value."""

    field: str
    value: str


@strawberry.input(description="Conditions that must all hold; see docs/filters.md.")
class FilterInput:
    """Which papers and passages are looked among."""

    all: list["FilterInput"] | None = strawberry.field(default=None, description="All of these hold.")
    any: list["FilterInput"] | None = strawberry.field(default=None, description="At least one of these holds.")
    not_: Optional["FilterInput"] = strawberry.field(default=None, name="not", description="This must not hold.")
    papers: list[str] | None = strawberry.field(default=None, description="Ids or keys, such as a DOI.")
    categories: list[str] | None = None
    years: YearsInput | None = None
    dates: DatesInput | None = None
    authors: list[str] | None = strawberry.field(default=None, description="Names or ids.")
    entities: list[str] | None = strawberry.field(default=None, description="Names, aliases or ids.")
    clusters: list[ClusterInput] | None = None
    kinds: list[str] | None = strawberry.field(default=None, description="Passage kinds, such as table.")

    def data(self) -> dict[str, Any]:
        """Return the filter as data, in the one form that all faces share."""
        found: dict[str, Any] = {
            name: [one.data() for one in filters]
            for name, filters in (("all", self.all), ("any", self.any))
            if filters is not None
        }
        if self.not_ is not None:
            found["not"] = self.not_.data()
        for name, ends in (("years", self.years), ("dates", self.dates)):
            if ends is not None:
                both = {"from": ends.from_, "to": ends.to}
                found[name] = {end: value for end, value in both.items() if value is not None}
        if self.clusters is not None:
            found["clusters"] = [_cluster(one) for one in self.clusters]
        for name in ("papers", "categories", "authors", "entities", "kinds"):
            if (values := getattr(self, name)) is not None:
                found[name] = values
        return found


def _cluster(asked: ClusterInput) -> Any:
    if asked.metadata is not None and asked.metadata.value is not None:
        return {"field": asked.metadata.value.field, "value": asked.metadata.value.value}
    return str(asked.id.value) if asked.id is not None else ""


@strawberry.input(description="Search query and options.")
class SearchInput:
    """What to search for."""

    query: str = strawberry.field(description="Query, 1 to 4000 characters.")
    k: int | None = strawberry.field(
        default=None, description="Number of hits, 1 to 100; default: that of the pipeline."
    )
    collection: str = strawberry.field(default=DEFAULT_COLLECTION, description="Collection to read.")
    pipeline: str = strawberry.field(default=pipelines.DEFAULT_PIPELINE, description="Retrieval pipeline, by name.")
    overrides: list[Override] = strawberry.field(
        default_factory=list, description="Options of pipeline steps to override."
    )
    selection: SelectionInput | None = strawberry.field(
        default=None, description="Selection after the pipeline, or instead of its own."
    )
    filter: FilterInput | None = strawberry.field(default=None, description="Filter on papers and passages.")
    backfill: bool = strawberry.field(
        default=False, description="Fill the list from the whole collection if too few hits pass the filter."
    )

    def request(self) -> SearchRequest:
        """Return the search as every interface passes it on.

        Raises:
            InputError: A value is out of its range.
        """
        return SearchRequest(
            self.query,
            pipeline=self.pipeline,
            collection=self.collection,
            k=self.k,
            overrides={override.option: override.value for override in self.overrides},
            selection=self.selection.step() if self.selection else None,
            filter=parse_filter(self.filter.data()) if self.filter else None,
            backfill=self.backfill,
        )


@strawberry.type(description="Named, reproducible list of retrieval steps.")
class Pipeline:
    """A pipeline."""

    name: str
    about: str
    source: str = strawberry.field(description="Origin of the method.")
    needs: list[str] = strawberry.field(description="Requirements: language model, reranker, enrichments.")
    reader: Reader = strawberry.field(description="Input of the language model for an answer.")
    steps: JSON = strawberry.field(description="Steps in order, with all options.")

    @classmethod
    def of(cls, pipeline: pipelines.Pipeline) -> Self:
        """Wrap a pipeline."""
        return cls(
            name=pipeline.name,
            about=pipeline.about,
            source=pipeline.source,
            needs=pipelines.needs(pipeline),
            reader=pipeline.reader,
            steps=JSON(pipeline.as_dict()["steps"]),
        )


@strawberry.type(description="Executed query.")
class AskedQuery:
    """Executed query."""

    text: str
    origin: str = strawberry.field(description="Origin: query, rewrite, parts, feedback, …")


@strawberry.type(description="Cypher query of a step.")
class CypherCall:
    """A statement that was run."""

    file: str = strawberry.field(description="File below cypher/, without .cypher.")
    parameters: JSON = strawberry.field(description="Parameters; vectors and long lists as their length.")
    ms: float
    records: int


@strawberry.type(description="Trace of a step.")
class TraceStep:
    """Trace of a step."""

    step: str
    options: JSON
    ms: float
    candidates_in: int
    candidates_out: int
    cypher: list[CypherCall]
    notes: list[str]


@strawberry.type(description="Report of an Ising device; see docs/ising-device.md.")
class DeviceReport:
    """What an Ising device did."""

    name: str = strawberry.field(description="Name of the device.")
    spins: int = strawberry.field(description="Number of candidates.")
    reads: int = strawberry.field(description="Number of returned states.")
    feasible_reads: int = strawberry.field(description="Number of states of the right size.")
    attempts: int
    device_ms: float | None = strawberry.field(description="Time reported by the device.")
    wall_ms: float
    penalty: float
    coupling_bits: int | None
    quantisation_error: float = strawberry.field(description="Largest rounding error of an energy.")
    quantisation_bound: float = strawberry.field(description="Upper bound of the energy error.")
    objective_sampled: float = strawberry.field(description="Objective of the best state after repair.")
    objective_polished: float = strawberry.field(description="Objective of the best state after local search.")
    corrected: str | None = strawberry.field(description="Declared convention that the device violates.")


@strawberry.type(description="Certificate of a selection; see docs/selection.md.")
class SelectionReport:
    """A selection's certificate."""

    k: int = strawberry.field(description="Number of selected passages; fewer than k if no more fit.")
    alpha: float
    form: Form
    objective: float
    lower_bound: float = strawberry.field(description="Lower bound of the objective of any selection.")
    gap: float
    certified_gain: float = strawberry.field(description="Certified fraction of the possible gain over the top k.")
    proven: bool
    mean_relevance: float
    mean_pair_similarity: float
    backend: str = strawberry.field(description="Backend that found the selection; own after a fallback.")
    stage: str
    ms: float
    fallback: str | None = strawberry.field(description="Reason of the fallback, if any.")
    device: DeviceReport | None = strawberry.field(description="Device report, if a device answered.")

    @classmethod
    def of(cls, selection: Selection) -> Self:
        """Wrap a certificate."""
        return cls(
            k=selection.k,
            alpha=selection.alpha,
            form=selection.form,
            objective=selection.objective,
            lower_bound=selection.lower_bound,
            gap=selection.gap,
            certified_gain=selection.certified_gain,
            proven=selection.proven,
            mean_relevance=selection.mean_relevance,
            mean_pair_similarity=selection.mean_pair_similarity,
            backend=selection.backend,
            stage=selection.stage.value,
            ms=selection.elapsed_ms,
            fallback=selection.fallback,
            device=None if selection.device is None else DeviceReport(**vars(selection.device)),
        )


@strawberry.type(description="Applied filter.")
class AppliedFilter:
    """Applied filter."""

    filter: str = strawberry.field(description="Summary of the filter.")
    match_summary: str = strawberry.field(description="Numbers of passing papers and chunks, and passing kinds.")
    unknown: list[str] = strawberry.field(description="Values without a match in the collection.")


@strawberry.type(description="Hits of a search, best first, with the trace of their retrieval.")
class SearchResult:
    """The hits of a search."""

    hits: list[Hit]
    found: strawberry.Private[retrieval.SearchResult]
    resources: strawberry.Private[Resources]

    @strawberry.field(description="Executed pipeline with all options.")
    def pipeline(self) -> Pipeline:
        return Pipeline.of(self.found.outcome.pipeline)

    @strawberry.field(description="Executed queries: the original and derived ones.")
    def queries(self) -> list[AskedQuery]:
        return [AskedQuery(text=asked.text, origin=asked.origin) for asked in self.found.outcome.queries]

    @strawberry.field(description="Trace of each step.")
    def trace(self) -> list[TraceStep]:
        return [
            TraceStep(
                step=step.step,
                options=JSON(step.options),
                ms=step.ms,
                candidates_in=step.n_in,
                candidates_out=step.n_out,
                cypher=[
                    CypherCall(file=call.name, parameters=JSON(call.parameters), ms=call.ms, records=call.n_records)
                    for call in step.calls
                ],
                notes=list(step.notes),
            )
            for step in self.found.outcome.trace
        ]

    @strawberry.field(description="Applied filter, if any.")
    def filter(self) -> AppliedFilter | None:
        applied = self.found.applied
        if applied is None:
            return None
        return AppliedFilter(filter=applied.filter, match_summary=str(applied.passing), unknown=list(applied.unknown))

    @strawberry.field(description="Certificate, if passages were selected.")
    def selection(self) -> SelectionReport | None:
        selection = self.found.outcome.selection
        return None if selection is None else SelectionReport.of(selection)

    @strawberry.field(description="Draft answer for the reranker, if any.")
    def draft(self) -> str | None:
        return self.found.outcome.draft

    @strawberry.field(description="Saved run for `papergraph pipelines replay`.")
    def run(self) -> JSON:
        return JSON(saving.saved(self.resources, self.found).model_dump(mode="json"))


async def search(service: Service, asked: SearchInput, grant: Principal, spending: UsageBudget | None) -> SearchResult:
    """Search as the input says, where the grant reaches.

    Raises:
        InputError: Something of it is not acceptable.
        ForbiddenError: The pipeline asks a language model, and the grant is not good for that.
        PapergraphError: As of :func:`server.retrieval.search.search`.
    """
    if len(asked.overrides) > MOST_OVERRIDES:
        raise InputError(
            f"There are {len(asked.overrides)} overrides; at most {MOST_OVERRIDES} are allowed.", field="overrides"
        )
    resources = service.resources
    found = await search_for(grant, resources, spending, asked.request(), service.pipelines)
    return SearchResult(hits=[Hit.of(hit) for hit in found.hits], found=found, resources=resources)


def nodes_of(hits: Sequence[retrieval.Hit]) -> list[Any]:
    """Return the papers, sections and chunks that came along with hits."""
    return [node for hit in hits for node in (hit.paper, hit.section, hit.chunk, hit.previous, hit.next)]


def _first_line(error: ValueError) -> str:
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error)
