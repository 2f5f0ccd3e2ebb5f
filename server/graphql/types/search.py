"""GraphQL types of searches: pipeline, trace and certificate."""

from collections.abc import Sequence
from typing import Any, Self

import strawberry
from strawberry.scalars import JSON

from papergraph.errors import InputError
from server.answers.highlights import Highlighter
from server.auth.principal import Principal
from server.auth.usage_budget import UsageBudget
from server.graphql.types.hits import Hit
from server.graphql.types.search_input import SearchInput
from server.operations.search import search_for
from server.retrieval import pipelines
from server.retrieval import saved_run as saving
from server.retrieval import search as retrieval
from server.retrieval.pipelines import Reader
from server.retrieval.request import MOST_OVERRIDES
from server.retrieval.resources import Resources
from server.selection.problem import Form
from server.selection.result import Selection
from server.service import Service

strawberry.enum(Reader, name="AnswerReader", description="Input of the language model.")


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

    @strawberry.field(description="What the search did otherwise than the pipeline says, such as on other chunks.")
    def warnings(self) -> list[str]:
        return list(self.found.outcome.warnings)

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
    return SearchResult(hits=wrapped(found, resources), found=found, resources=resources)


def wrapped(found: retrieval.SearchResult, resources: Resources) -> list[Hit]:
    """Return the hits of a search, which share the weights of the query's words."""
    highlighter = Highlighter(resources.database, found.query)
    return [Hit.of(hit, highlighter) for hit in found.hits]


def nodes_of(hits: Sequence[retrieval.Hit]) -> list[Any]:
    """Return the papers, sections and chunks that came along with hits."""
    return [node for hit in hits for node in (hit.paper, hit.section, hit.chunk, hit.previous, hit.next)]
