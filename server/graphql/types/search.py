"""Searching in GraphQL: the input, and what comes back beside the passages."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Optional, Self

import strawberry
from strawberry.scalars import JSON

from papergraph.errors import InputError
from schema.ids import DEFAULT_COLLECTION
from server.access.grants import Grant
from server.access.searching import MOST_OVERRIDES, search_for
from server.access.spending import Spending
from server.graphql.types import Hit
from server.retrieval import pipelines, saving
from server.retrieval import search as retrieval
from server.retrieval.filters import parse_filter
from server.retrieval.pipelines import Reader
from server.retrieval.resources import Resources
from server.retrieval.steps import Select
from server.selection.problem import Form
from server.selection.result import Selection

strawberry.enum(Reader, name="AnswerReader", description="What a language model is given to write from.")
strawberry.enum(Form, name="SelectionForm", description="How relevance and redundancy are weighed.")


@strawberry.input(description="An option of one of the pipeline's steps.")
class Override:
    """Another value of an option."""

    option: str = strawberry.field(description="Step and option, such as search.k, or fuse2.by for the second fuse.")
    value: JSON = strawberry.field(description="As the pipeline's file would have it.")


@strawberry.input(description="A selection of passages that are relevant and unlike each other, with a certificate.")
class SelectionInput:
    """The selection step."""

    k: int = 10
    pool: int = strawberry.field(default=500, description="How many of the best candidates are chosen from.")
    alpha: float = strawberry.field(default=0.7, description="Weight of relevance against redundancy, 0 to 1.")
    form: Form = Form.MEAN
    backend: str = strawberry.field(default="own", description="own, cpsat, anneal, mmr, top_k or pbit.")
    deadline_ms: float = strawberry.field(
        default=20.0, description="For the selection alone; a device, CP-SAT and annealing want more."
    )
    token_budget: int | None = strawberry.field(
        default=None,
        description="Tokens of all passages together, at most; fewer than k are chosen where k do not fit.",
    )
    max_per_paper: int | None = strawberry.field(default=None, description="Passages of one paper, at most.")
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


@strawberry.input(description="Years from one to another, both included; one of them may be left out.")
class YearsInput:
    """Years."""

    from_: int | None = strawberry.field(default=None, name="from")
    to: int | None = None


@strawberry.input(description="Days from one to another, both included; one of them may be left out.")
class DatesInput:
    """Days."""

    from_: date | None = strawberry.field(default=None, name="from")
    to: date | None = None


@strawberry.input(description="A cluster by its id, or one of metadata by field and value.", one_of=True)
class ClusterInput:
    """A cluster."""

    id: strawberry.Maybe[strawberry.ID]
    metadata: strawberry.Maybe["MetadataInput"]


@strawberry.input(description="Papers of one value of a field of metadata.")
class MetadataInput:
    """A field and its value."""

    field: str
    value: str


@strawberry.input(description="Conditions that must all hold; docs/filters.md tells what each means.")
class FilterInput:
    """Which papers and passages are looked among."""

    all: list["FilterInput"] | None = strawberry.field(default=None, description="Every one of these holds.")
    any: list["FilterInput"] | None = strawberry.field(default=None, description="One of these holds.")
    not_: Optional["FilterInput"] = strawberry.field(default=None, name="not", description="This does not hold.")
    papers: list[str] | None = strawberry.field(default=None, description="Ids or keys, such as a DOI.")
    categories: list[str] | None = None
    years: YearsInput | None = None
    dates: DatesInput | None = None
    authors: list[str] | None = strawberry.field(default=None, description="Names or ids.")
    entities: list[str] | None = strawberry.field(default=None, description="Names, aliases or ids.")
    clusters: list[ClusterInput] | None = None
    kinds: list[str] | None = strawberry.field(default=None, description="Kinds of passage, such as table.")

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


@strawberry.input(description="What to search for, where and how.")
class SearchInput:
    """What to search for."""

    query: str = strawberry.field(description="What is looked for, 1 to 4000 characters.")
    k: int | None = strawberry.field(
        default=None, description="Number of hits, 1 to 100; else what the pipeline gives."
    )
    collection: str = strawberry.field(default=DEFAULT_COLLECTION, description="Where to look.")
    pipeline: str = strawberry.field(default=pipelines.DEFAULT_PIPELINE, description="How to rank, by name.")
    overrides: list[Override] = strawberry.field(default_factory=list, description="Other options for its steps.")
    selection: SelectionInput | None = strawberry.field(
        default=None, description="A selection at its end, or instead of its own."
    )
    filter: FilterInput | None = strawberry.field(default=None, description="Which papers and passages to look among.")
    backfill: bool = strawberry.field(
        default=False, description="Whether to fill up from the whole collection where the filter lets too few pass."
    )


@strawberry.type(description="A named, reproducible list of steps.")
class Pipeline:
    """A pipeline."""

    name: str
    about: str
    source: str = strawberry.field(description="Where the method comes from.")
    needs: list[str] = strawberry.field(description="What it needs beside papers: language model, reranker, layers.")
    reader: Reader = strawberry.field(description="What a language model is given, where an answer is asked for.")
    steps: JSON = strawberry.field(description="What is done, in order, with all options.")

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


@strawberry.type(description="A query that was searched for.")
class AskedQuery:
    """A query that was searched for."""

    text: str
    origin: str = strawberry.field(description="query, or what made it: rewrite, parts, feedback, …")


@strawberry.type(description="A Cypher file that a step asked.")
class CypherCall:
    """A statement that was run."""

    file: str = strawberry.field(description="Below cypher/, without .cypher.")
    parameters: JSON = strawberry.field(description="Its parameters; vectors and long lists are told by length.")
    ms: float
    records: int


@strawberry.type(description="What a step did.")
class TraceStep:
    """What a step did."""

    step: str
    options: JSON
    ms: float
    candidates_in: int
    candidates_out: int
    cypher: list[CypherCall]
    notes: list[str]


@strawberry.type(description="What an Ising device did for a selection; docs/device.md tells what the figures mean.")
class DeviceReport:
    """What an Ising device did."""

    name: str = strawberry.field(description="What it calls itself.")
    spins: int = strawberry.field(description="Candidates that it was asked about.")
    reads: int = strawberry.field(description="States that it gave.")
    feasible_reads: int = strawberry.field(description="Those with exactly as many ones as were to be chosen.")
    attempts: int
    device_ms: float | None = strawberry.field(description="How long it says that it took.")
    wall_ms: float
    penalty: float
    coupling_bits: int | None
    quantisation_error: float = strawberry.field(description="Largest error of a given state's energy by rounding.")
    quantisation_bound: float = strawberry.field(description="No state's is larger.")
    objective_sampled: float = strawberry.field(description="Of its best state, repaired and not yet polished.")
    objective_polished: float = strawberry.field(description="Of its best state after exchanges.")
    corrected: str | None = strawberry.field(description="The convention that it declares and does not follow.")


@strawberry.type(description="The certificate of a selection; docs/selection.md tells what the figures mean.")
class SelectionReport:
    """A selection's certificate."""

    k: int = strawberry.field(description="How many were chosen: fewer than asked for where no more fitted.")
    alpha: float
    form: Form
    objective: float
    lower_bound: float = strawberry.field(description="No selection has a smaller objective.")
    gap: float
    rho: float = strawberry.field(description="Share of what can be gained over the top k that is certainly gained.")
    proven: bool
    mean_relevance: float
    mean_pair_similarity: float
    backend: str = strawberry.field(description="Who found it: own after a fall-back.")
    stage: str
    ms: float
    fallback: str | None = strawberry.field(description="Why the back end that was asked for did not find it.")
    device: DeviceReport | None = strawberry.field(description="What a device did, where one answered.")

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
            rho=selection.rho,
            proven=selection.proven,
            mean_relevance=selection.mean_relevance,
            mean_pair_similarity=selection.mean_pair_similarity,
            backend=selection.backend,
            stage=selection.stage.value,
            ms=selection.elapsed_ms,
            fallback=selection.fallback,
            device=None if selection.device is None else DeviceReport(**vars(selection.device)),
        )


@strawberry.type(description="What was applied of a filter, on every leg.")
class AppliedFilter:
    """What a filter let through."""

    filter: str = strawberry.field(description="The filter in short.")
    passes: str = strawberry.field(description="How many papers, chunks and which kinds pass.")
    unknown: list[str] = strawberry.field(description="Values that name nothing in the collection.")


@strawberry.type(description="The hits of a search, best first, and how they were come by; none is an empty list.")
class SearchResult:
    """The hits of a search."""

    hits: list[Hit]
    found: strawberry.Private[retrieval.Found]
    resources: strawberry.Private[Resources]

    @strawberry.field(description="What was run, with all options.")
    def pipeline(self) -> Pipeline:
        return Pipeline.of(self.found.outcome.pipeline)

    @strawberry.field(description="What was searched for: the query, and what was made of it.")
    def queries(self) -> list[AskedQuery]:
        return [AskedQuery(text=asked.text, origin=asked.origin) for asked in self.found.outcome.queries]

    @strawberry.field(description="What each step did.")
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

    @strawberry.field(description="What the filter let through, where there was one.")
    def filter(self) -> AppliedFilter | None:
        applied = self.found.applied
        if applied is None:
            return None
        return AppliedFilter(filter=applied.filter, passes=str(applied.passing), unknown=list(applied.unknown))

    @strawberry.field(description="The certificate, where passages were selected.")
    def selection(self) -> SelectionReport | None:
        selection = self.found.outcome.selection
        return None if selection is None else SelectionReport.of(selection)

    @strawberry.field(description="The temporary answer that the reranker read, where one was made.")
    def draft(self) -> str | None:
        return self.found.outcome.draft

    @strawberry.field(description="All that it takes to run it again: papergraph replay reads it.")
    def run(self) -> JSON:
        return JSON(saving.saved(self.resources, self.found).model_dump(mode="json"))


async def search(resources: Resources, asked: SearchInput, grant: Grant, spending: Spending | None) -> SearchResult:
    """Search as the input says, where the grant reaches.

    Raises:
        InputError: Something of it is not acceptable.
        ForbiddenError: The pipeline asks a language model, and the grant is not good for that.
        PapergraphError: As of :func:`server.retrieval.search.search`.
    """
    if len(asked.overrides) > MOST_OVERRIDES:
        raise InputError(f"at most {MOST_OVERRIDES} overrides are allowed", field="overrides")
    found = await search_for(
        grant,
        resources,
        spending,
        asked.query,
        pipeline=asked.pipeline,
        collection=asked.collection,
        k=asked.k,
        overrides={override.option: override.value for override in asked.overrides},
        select=asked.selection.step() if asked.selection else None,
        filter=parse_filter(asked.filter.data()) if asked.filter else None,
        backfill=asked.backfill,
    )
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
