"""GraphQL types of searches, their hits, and summaries."""

from collections.abc import Sequence
from typing import Annotated, Any

import strawberry
from strawberry import Parent
from strawberry.scalars import JSON

from papergraph.ingest.enrichments.summaries import Summary
from papergraph.server.answers.quotes import Highlight, Highlighter
from papergraph.server.auth.operations import SUMMARIZE
from papergraph.server.graphql.connections import Info, selected
from papergraph.server.graphql.derive import field, input_type, object_type, read_input, type_
from papergraph.server.graphql.types import closed_lists  # noqa: F401 - declares the enumerations of derived types
from papergraph.server.graphql.types.closed_lists import SelectionBackend
from papergraph.server.graphql.types.collections import Collection
from papergraph.server.operations.search import search_for
from papergraph.server.operations.summaries import summary_for
from papergraph.server.retrieval import pipelines
from papergraph.server.retrieval import saved_run as saving
from papergraph.server.retrieval import search as retrieval
from papergraph.server.retrieval.candidates import AskedQuery, RetrieverScore
from papergraph.server.retrieval.filters import AppliedFilter, Dates, FieldValue, Filter, Years
from papergraph.server.retrieval.pipelines import Reader
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.runner import TraceStep, missing
from papergraph.server.retrieval.steps.select import Select
from papergraph.server.selection.problem import Form
from papergraph.server.selection.result import SelectionReport

# GraphQL types of hits: a passage with its paper, its scores and the explanation of its rank


@object_type(retrieval.Hit)
class Hit:
    """A passage for a query."""

    @field("Headings above the passage, outermost first.")
    def section_path(root: Parent[retrieval.Hit]) -> list[str]:
        return list(root.section.path)

    @field("Text for the reader: the passage, compressed or expanded.")
    def passage(root: Parent[retrieval.Hit]) -> str:
        return root.text

    @field("Words of the query in the passage, and the sentence that says most of the query.")
    async def highlights(root: Parent[retrieval.Hit], info: Info) -> list[Highlight]:
        highlighter: Highlighter = info.context.highlighter(root.query)
        return await highlighter.highlights(root.text, collection=root.chunk.collection)

    @field("Scores of the retrievers that found the hit.")
    def retrievers(root: Parent[retrieval.Hit]) -> list[RetrieverScore]:
        return list(root.retrievers)

    @field("Explanation of the rank.")
    def explanation(root: Parent[retrieval.Hit]) -> retrieval.Explanation:
        return root.explained()


# GraphQL inputs of searches: query, pipeline, filter and selection


strawberry.enum(Form, name="SelectionForm", description="Form of the objective of a selection.")


@strawberry.input(description="Option of a pipeline step.")
class Override:
    """Another value of an option."""

    option: str = strawberry.field(description="Step and option, such as search.k, or fuse2.by for the second fuse.")
    value: JSON = strawberry.field(description="Value as in the pipeline file.")


@input_type(Select, backend=SelectionBackend)
class SelectionInput: ...


@input_type(Years)
class YearsInput: ...


@input_type(Dates)
class DatesInput: ...


@input_type(FieldValue)
class MetadataInput:
    field: str
    value: str


@strawberry.input(description="Cluster by id, or metadata cluster by field and value.", one_of=True)
class ClusterInput:
    """A cluster."""

    id: strawberry.Maybe[strawberry.ID] = strawberry.field(description="Id of a cluster.")
    metadata: strawberry.Maybe[MetadataInput] = strawberry.field(description="Value of a metadata field.")

    def data(self) -> Any:
        """Return it as REST takes it."""
        if self.metadata is not None and self.metadata.value is not None:
            return {"field": self.metadata.value.field, "value": self.metadata.value.value}
        return str(self.id.value) if self.id is not None else ""


@input_type(Filter, clusters=list[ClusterInput] | None)
class FilterInput: ...


@input_type(SearchRequest, overrides=list[Override])
class SearchInput: ...


strawberry.enum(Reader, name="AnswerReader", description="Input of the language model.")


@object_type(pipelines.PipelineInfo, "Pipeline")
class Pipeline:
    """A pipeline."""

    @field("Obstacles to running it, each with the next step; empty if it can run.")
    async def missing(root: Parent[pipelines.PipelineInfo], info: Info, collection: Collection = None) -> list[str]:
        context = info.context
        name = context.collection(collection)
        there = await context.enrichments_there.load(name)
        return missing(context.service.resources, root.pipeline, there, name)


@type_(description="Hits of a search, best first, with the trace of their retrieval.")
class SearchResult:
    """The hits of a search."""

    hits: list[retrieval.Hit] = strawberry.field(description="The hits, best first.")
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

    @field("Deviations of the search from its pipeline, such as other chunks.")
    def warnings(self) -> list[str]:
        return list(self.found.outcome.warnings)

    @field("Saved run for `papergraph pipelines replay`.")
    def run(self) -> JSON:
        return JSON(saving.saved(self.resources, self.found).model_dump(mode="json"))


async def search(info: Info, asked: SearchInput) -> SearchResult:
    """Search as the input says, where the key of the request reaches.

    Raises:
        InputError: Something of it is not acceptable.
        AccessError: The pipeline asks a language model, and the principal lacks the scope for it.
        PapergraphError: As of :func:`papergraph.server.retrieval.search.search`.
    """
    context, service, resources = info.context, info.context.service, info.context.service.resources
    request = read_input(SearchRequest, asked)
    highlighter = context.highlighter(request.query) if "highlights" in selected(info, "hits") else None
    found = await search_for(
        context.principal, resources, context.limits.spending, request, service.pipelines, highlighter
    )
    return SearchResult(hits=list(found.hits), found=found, resources=resources)


def nodes_of(hits: Sequence[retrieval.Hit]) -> list[Any]:
    """Return the papers, sections and chunks that came along with hits."""
    return [node for hit in hits for node in (hit.paper, hit.section, hit.chunk, hit.previous, hit.next)]


# GraphQL field of Meta Knowledge Summaries


@type_()
class SummaryQueries:
    """Root fields."""

    @field("Summary of the papers of a cluster, or of those with metadata; made at the first request.", SUMMARIZE)
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
