"""GraphQL types of searches: pipeline, trace and certificate."""

from collections.abc import Sequence
from typing import Any, Self

import strawberry
from strawberry.scalars import JSON

from papergraph.errors import InputError
from server.answers.quotes import Highlighter
from server.context import RequestContext
from server.graphql.connections import Info
from server.graphql.derive import field, type_
from server.graphql.types.hits import Hit
from server.graphql.types.places import Collection
from server.graphql.types.search_input import SearchInput
from server.operations.search import search_for
from server.retrieval import pipelines
from server.retrieval import saved_run as saving
from server.retrieval import search as retrieval
from server.retrieval.candidates import AskedQuery
from server.retrieval.filters import AppliedFilter
from server.retrieval.pipelines import Reader
from server.retrieval.request import MOST_OVERRIDES
from server.retrieval.resources import Resources
from server.retrieval.runner import TraceStep, missing
from server.selection.result import SelectionReport

strawberry.enum(Reader, name="AnswerReader", description="Input of the language model.")


@type_(description="Named, reproducible list of retrieval steps.")
class Pipeline:
    """A pipeline."""

    name: str = strawberry.field(description="Name, as SearchInput.pipeline takes it.")
    about: str = strawberry.field(description="Summary in a sentence.")
    source: str = strawberry.field(description="Origin of the method.")
    needs: list[str] = strawberry.field(description="Requirements: language model, reranker, enrichments.")
    reader: Reader = strawberry.field(description="Input of the language model for an answer.")
    steps: JSON = strawberry.field(description="Steps in order, with all options.")
    pipeline: strawberry.Private[pipelines.Pipeline]

    @field("What keeps it from running, each with the next step; empty if it can run.")
    async def missing(self, info: Info, collection: Collection = None) -> list[str]:
        context = info.context
        name = context.collection(collection)
        there = await context.enrichments_there.load(name)
        return missing(context.service.resources, self.pipeline, there, name)

    @classmethod
    def of(cls, pipeline: pipelines.Pipeline) -> Self:
        """Wrap a pipeline."""
        return cls(
            pipeline=pipeline,
            name=pipeline.name,
            about=pipeline.about,
            source=pipeline.source,
            needs=pipelines.needs(pipeline),
            reader=pipeline.reader,
            steps=JSON(pipeline.as_dict()["steps"]),
        )


@type_(description="Hits of a search, best first, with the trace of their retrieval.")
class SearchResult:
    """The hits of a search."""

    hits: list[Hit] = strawberry.field(description="The hits, best first.")
    found: strawberry.Private[retrieval.SearchResult]
    resources: strawberry.Private[Resources]

    @field("Executed pipeline with all options.")
    def pipeline(self) -> Pipeline:
        return Pipeline.of(self.found.outcome.pipeline)

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
        ForbiddenError: The pipeline asks a language model, and the grant is not good for that.
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
