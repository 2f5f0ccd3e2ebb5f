"""GraphQL types of searches, their hits, and summaries."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Optional, Self

import strawberry
from strawberry import Parent
from strawberry.scalars import JSON

from ingest.enrichments.summaries import Summary
from papergraph.errors import InputError
from schema.records import Chunk, Paper, Section
from server.answers.quotes import Highlight, Highlighter
from server.auth import costs as prices
from server.auth.access import Deadline, KeyScope, access
from server.graphql.connections import Info
from server.graphql.derive import field, object_type, type_
from server.graphql.types import closed_lists  # noqa: F401 - declares the enumerations of derived types
from server.graphql.types.closed_lists import SelectionBackend
from server.graphql.types.collections import Collection
from server.operations.context import RequestContext
from server.operations.search import search_for
from server.operations.summaries import summary_for
from server.retrieval import pipelines
from server.retrieval import saved_run as saving
from server.retrieval import search as retrieval
from server.retrieval.candidates import AskedQuery, RetrieverScore, SelectionDetail, StepPlace, Via
from server.retrieval.filters import AppliedFilter, parse_filter
from server.retrieval.pipelines import Reader
from server.retrieval.request import MOST_OVERRIDES, SearchRequest
from server.retrieval.resources import Resources
from server.retrieval.runner import TraceStep, missing
from server.retrieval.scope import Collections
from server.retrieval.steps.select import Select
from server.selection.problem import Form
from server.selection.result import SelectionReport

# GraphQL types of hits: a passage with its paper, its scores and the explanation of its rank


@type_(description="Explanation of the rank of a hit.")
class Explanation:
    """Why a hit is there."""

    via: list[Via] = strawberry.field(description="Graph path from the query to this passage, if any.")
    rank_history: list[StepPlace] = strawberry.field(description="Rank after each ordering step.")
    merged_chunk_ids: list[strawberry.ID] = strawberry.field(description="Chunks that were merged into this one.")
    why_not_higher: str = strawberry.field(
        description="Reasons for the rank below the previous hit; empty for the first."
    )


@type_(description="Passage found for a query, with its context.")
class Hit:
    """A passage for a query."""

    rank: int = strawberry.field(description="From 1, best first.")
    score: float = strawberry.field(description="Score of the last scoring step; comparable within this query only.")
    chunk: Chunk = strawberry.field(description="The chunk of the passage.")
    section: Section = strawberry.field(description="The section of the passage.")
    section_path: list[str] = strawberry.field(description="Headings above the passage, outermost first.")
    paper: Paper = strawberry.field(description="The paper of the passage.")
    previous: Chunk | None = strawberry.field(description="Previous chunk in the paper.")
    next: Chunk | None = strawberry.field(description="Next chunk in the paper.")
    outside_filter: bool = strawberry.field(
        description="True if the hit is outside the filter and only fills the list."
    )
    passage: str = strawberry.field(description="Text for the reader: the passage, compressed or expanded.")
    selection: SelectionDetail | None = strawberry.field(description="Selection details, if passages were selected.")
    hit: strawberry.Private[retrieval.Hit]
    highlighter: strawberry.Private[Highlighter]

    @classmethod
    def of(cls, hit: retrieval.Hit, highlighter: Highlighter) -> Self:
        """Wrap a hit."""
        return cls(
            rank=hit.rank,
            score=hit.score,
            chunk=hit.chunk,
            section=hit.section,
            section_path=list(hit.section.path),
            paper=hit.paper,
            previous=hit.previous,
            next=hit.next,
            outside_filter=hit.outside_filter,
            passage=hit.text,
            selection=hit.selection,
            hit=hit,
            highlighter=highlighter,
        )

    @field("Words of the query in the passage, and the sentence that says most of the query.")
    async def highlights(self) -> list[Highlight]:
        return await self.highlighter.highlights(self.passage, collection=self.hit.chunk.collection)

    @field("Scores of the retrievers that found the hit.")
    def retrievers(self) -> list[RetrieverScore]:
        return list(self.hit.retrievers)

    @field("Explanation of the rank.")
    def explanation(self) -> Explanation:
        return Explanation(
            via=list(self.hit.via),
            rank_history=list(self.hit.rank_history),
            merged_chunk_ids=[strawberry.ID(id) for id in self.hit.merged_chunk_ids],
            why_not_higher=self.hit.why_not_higher,
        )


# GraphQL inputs of searches: query, pipeline, filter and selection


strawberry.enum(Form, name="SelectionForm", description="Form of the objective of a selection.")


@strawberry.input(description="Option of a pipeline step.")
class Override:
    """Another value of an option."""

    option: str = strawberry.field(description="Step and option, such as search.k, or fuse2.by for the second fuse.")
    value: JSON = strawberry.field(description="Value as in the pipeline file.")


@strawberry.input(description="Selection of relevant, diverse passages with a certificate.")
class SelectionInput:
    """The selection step."""

    k: int = strawberry.field(default=10, description="Number of passages to select, 1 to 100.")
    pool: int = strawberry.field(default=500, description="Number of candidates to select from.")
    alpha: float = strawberry.field(default=0.7, description="Weight of relevance against redundancy, 0 to 1.")
    form: Form = strawberry.field(default=Form.MEAN, description="Form of the objective.")
    backend: SelectionBackend = strawberry.field(default=SelectionBackend.EXACT, description="Method of the selection.")
    deadline_ms: float = strawberry.field(
        default=20.0, description="Time limit of the selection; device, CP-SAT and annealing need more."
    )
    token_budget: int | None = strawberry.field(
        default=None,
        description="Maximum tokens of all passages together; fewer than k are selected if k do not fit.",
    )
    max_per_paper: int | None = strawberry.field(default=None, description="Maximum passages per paper.")
    seed: int = strawberry.field(default=0, description="Seed of the backends that draw numbers.")

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
                backend=self.backend.value,
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

    from_: int | None = strawberry.field(default=None, name="from", description="First year.")
    to: int | None = strawberry.field(default=None, description="Last year.")


@strawberry.input(description="Range of days, inclusive; one bound is optional.")
class DatesInput:
    """Days."""

    from_: date | None = strawberry.field(default=None, name="from", description="First day.")
    to: date | None = strawberry.field(default=None, description="Last day.")


@strawberry.input(description="Cluster by id, or metadata cluster by field and value.", one_of=True)
class ClusterInput:
    """A cluster."""

    id: strawberry.Maybe[strawberry.ID] = strawberry.field(description="Id of a cluster.")
    metadata: strawberry.Maybe["MetadataInput"] = strawberry.field(description="Value of a metadata field.")


@strawberry.input(description="Papers with a value of a metadata field.")
class MetadataInput:
    """A field and its value."""

    field: str = strawberry.field(description="Name of the field, such as task.")
    value: str = strawberry.field(description="The value.")


@strawberry.input(description="Conditions that must all hold; see docs/filters.md.")
class FilterInput:
    """Which papers and passages are looked among."""

    all: list["FilterInput"] | None = strawberry.field(default=None, description="All of these hold.")
    any: list["FilterInput"] | None = strawberry.field(default=None, description="At least one of these holds.")
    not_: Optional["FilterInput"] = strawberry.field(default=None, name="not", description="This must not hold.")
    papers: list[str] | None = strawberry.field(default=None, description="Ids or keys, such as a DOI.")
    categories: list[str] | None = strawberry.field(default=None, description="Categories of papers, such as cs.CL.")
    languages: list[str] | None = strawberry.field(
        default=None, description="Languages of papers as ISO 639-1 codes, such as de."
    )
    years: YearsInput | None = strawberry.field(default=None, description="Years of publication.")
    dates: DatesInput | None = strawberry.field(default=None, description="Days of publication.")
    authors: list[str] | None = strawberry.field(default=None, description="Names or ids.")
    entities: list[str] | None = strawberry.field(default=None, description="Names, aliases or ids.")
    clusters: list[ClusterInput] | None = strawberry.field(default=None, description="Clusters of papers or passages.")
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
        for name in ("papers", "categories", "languages", "authors", "entities", "kinds"):
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
    collection: str | None = strawberry.field(
        default=None, description="Collection to read; default: main, or the first that the key reaches."
    )
    collections: list[str] | None = strawberry.field(
        default=None, description="Collections to search together, at most 8, instead of one."
    )
    pipeline: str = strawberry.field(default=pipelines.DEFAULT_PIPELINE, description="Retrieval pipeline, by name.")
    overrides: list[Override] = strawberry.field(
        default_factory=list, description="Options of pipeline steps to override."
    )
    selection: SelectionInput | None = strawberry.field(
        default=None, description="Selection after the pipeline, or instead of its own."
    )
    filter: FilterInput | None = strawberry.field(default=None, description="Filter on papers and passages.")
    backfill: bool = strawberry.field(
        default=False, description="Fill the list from the whole collections if too few hits pass the filter."
    )

    def request(self, collections: Collections) -> SearchRequest:
        """Return the search of collections as every interface passes it on.

        Raises:
            InputError: A value is out of its range.
        """
        return SearchRequest(
            self.query,
            pipeline=self.pipeline,
            collections=collections,
            k=self.k,
            overrides={override.option: override.value for override in self.overrides},
            selection=self.selection.step() if self.selection else None,
            filter=parse_filter(self.filter.data()) if self.filter else None,
            backfill=self.backfill,
        )


def _first_line(error: ValueError) -> str:
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error)


# GraphQL types of searches: pipeline, trace and certificate


strawberry.enum(Reader, name="AnswerReader", description="Input of the language model.")


@object_type(pipelines.PipelineInfo, "Pipeline")
class Pipeline:
    """A pipeline."""

    @field("What keeps it from running, each with the next step; empty if it can run.")
    async def missing(root: Parent[pipelines.PipelineInfo], info: Info, collection: Collection = None) -> list[str]:
        context = info.context
        name = context.collection(collection)
        there = await context.enrichments_there.load(name)
        return missing(context.service.resources, root.pipeline, there, name)


@type_(description="Hits of a search, best first, with the trace of their retrieval.")
class SearchResult:
    """The hits of a search."""

    hits: list[Hit] = strawberry.field(description="The hits, best first.")
    found: strawberry.Private[retrieval.SearchResult]
    resources: strawberry.Private[Resources]

    @field("Executed pipeline with all options.")
    def pipeline(self) -> pipelines.PipelineInfo:
        return pipelines.PipelineInfo.of(self.found.outcome.pipeline)

    @field("Executed queries: the original and derived ones.")
    def queries(self) -> list[AskedQuery]:
        return self.found.outcome.queries

    @field("Trace of each step.")
    def trace(self) -> list[TraceStep]:
        return self.found.outcome.trace

    @field("Applied filter, if any.")
    def filter(self) -> AppliedFilter | None:
        return self.found.applied

    @field("Certificate, if passages were selected.")
    def selection(self) -> SelectionReport | None:
        return self.found.outcome.selection

    @field("Draft answer for the reranker, if any.")
    def draft(self) -> str | None:
        return self.found.outcome.draft

    @field("What the search did otherwise than the pipeline says, such as on other chunks.")
    def warnings(self) -> list[str]:
        return list(self.found.outcome.warnings)

    @field("Saved run for `papergraph pipelines replay`.")
    def run(self) -> JSON:
        return JSON(saving.saved(self.resources, self.found).model_dump(mode="json"))


async def search(context: RequestContext, asked: SearchInput) -> SearchResult:
    """Search as the input says, where the key of the request reaches.

    Raises:
        InputError: Something of it is not acceptable.
        AccessError: The pipeline asks a language model, and the grant is not good for that.
        PapergraphError: As of :func:`server.retrieval.search.search`.
    """
    if len(asked.overrides) > MOST_OVERRIDES:
        raise InputError(
            f"There are {len(asked.overrides)} overrides; at most {MOST_OVERRIDES} are allowed.", field="overrides"
        )
    service, resources = context.service, context.service.resources
    request = asked.request(context.searched(asked.collection, asked.collections))
    found = await search_for(context.principal, resources, context.limits.spending, request, service.pipelines)
    return SearchResult(hits=wrapped(found, resources), found=found, resources=resources)


def wrapped(found: retrieval.SearchResult, resources: Resources) -> list[Hit]:
    """Return the hits of a search, which share the weights of the query's words."""
    highlighter = Highlighter(resources.database, found.query)
    return [Hit.of(hit, highlighter) for hit in found.hits]


def nodes_of(hits: Sequence[retrieval.Hit]) -> list[Any]:
    """Return the papers, sections and chunks that came along with hits."""
    return [node for hit in hits for node in (hit.paper, hit.section, hit.chunk, hit.previous, hit.next)]


# GraphQL field of Meta Knowledge Summaries


SUMMARY = access(KeyScope.ASK, cost=prices.ANSWER, deadline=Deadline.MODEL)


@type_()
class SummaryQueries:
    """Root fields."""

    @field("Summary of the papers of a cluster, or of those with metadata; made at the first request.", SUMMARY)
    async def summary(
        self,
        info: Info,
        collection: Collection = None,
        cluster: Annotated[strawberry.ID | None, strawberry.argument(description="Id of a cluster.")] = None,
        metadata: Annotated[
            list[MetadataInput] | None,
            strawberry.argument(description="Values that the papers have; one of each field is enough."),
        ] = None,
    ) -> Summary | None:
        return await summary_for(
            info.context.principal,
            info.context.service.resources,
            info.context.limits.spending,
            info.context.collection(collection),
            cluster=cluster,
            metadata=[(one.field, one.value) for one in metadata or []],
        )
