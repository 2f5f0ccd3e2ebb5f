"""Request of a search, as all interfaces take it, and the search that it plans."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, StringConstraints

from papergraph.errors import InputError
from papergraph.records import described
from papergraph.requests import NOT_IN_MCP, Shown, request
from papergraph.schema.ids import COLLECTION, DEFAULT_COLLECTION
from papergraph.server.retrieval.filters import ANYBODY, Filter, parse_filter
from papergraph.server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline, find, shipped
from papergraph.server.retrieval.scope import MOST_COLLECTIONS, Collections
from papergraph.server.retrieval.steps.select import Select

MAX_K = 100
MAX_QUERY_CHARS = 4000
MOST_OVERRIDES = 50

Query = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY_CHARS)]
CollectionName = Annotated[str, StringConstraints(pattern=f"^{COLLECTION.pattern}$")]
InCollection = Annotated[
    CollectionName | None, described("Collection to read; default: main, or the first that the key reaches.")
]


def _pipeline(value: Any) -> Any:
    if not isinstance(value, str | Pipeline):
        raise ValueError("pass the name of a pipeline")
    return value


def _parsed(value: Any) -> Any:
    return value if value is None or isinstance(value, Filter) else parse_filter(value)


AnyPipeline = Annotated[str | Pipeline, Shown(str, _pipeline)]
"""Name of a pipeline; in Python also the pipeline itself."""


@request(kw_only=True)
class SearchOptions:
    """Retrieval options that searches and answers share."""

    k: Annotated[int | None, described("Number of hits, 1 to 100; default: that of the pipeline.", ge=1, le=MAX_K)] = (
        None
    )
    collection: InCollection = None
    collections: Annotated[
        tuple[CollectionName, ...] | None,
        described(
            "Collections to search together, at most 8, instead of one.", min_length=1, max_length=MOST_COLLECTIONS
        ),
    ] = None
    pipeline: Annotated[AnyPipeline, described("Retrieval pipeline, by name.")] = DEFAULT_PIPELINE
    overrides: Annotated[
        Mapping[str, Any],
        described(
            "Other values for options of pipeline steps, such as search.k, or fuse2.by for the second fuse.",
            max_length=MOST_OVERRIDES,
        ),
        NOT_IN_MCP,
    ] = field(default_factory=dict)
    selection: Annotated[
        Select | None, described("Selection after the pipeline, or instead of its own."), NOT_IN_MCP
    ] = None
    filter: Annotated[
        Filter | None, described("Filter on papers and passages; see docs/filters.md."), BeforeValidator(_parsed)
    ] = None
    backfill: Annotated[bool, described("Fill the list from outside the filter if too few hits pass."), NOT_IN_MCP] = (
        False
    )

    def __post_init__(self) -> None:
        """Refuse both one collection and several.

        Raises:
            InputError: Both are given.
        """
        if self.collection is not None and self.collections is not None:
            raise InputError("Pass either collection or collections.", field="collections")

    @property
    def pipeline_name(self) -> str:
        """Name of the pipeline."""
        return self.pipeline if isinstance(self.pipeline, str) else self.pipeline.name

    @property
    def searched(self) -> Collections:
        """Names of the collections to search, each once."""
        return tuple(dict.fromkeys(self.collections or (self.collection or DEFAULT_COLLECTION,)))

    def resolved(
        self, pipelines: Mapping[str, Pipeline], default_collection: str, *, viewer: str | None = ANYBODY
    ) -> Self:
        """Return the request with its pipeline as an object, and with the default collection if it names none.

        The filter sees the private annotations of ``viewer``, by default none, and all if it is None.

        Raises:
            PipelineError: ``pipelines`` has none of this name.
        """
        pipeline = self.pipeline if isinstance(self.pipeline, Pipeline) else find(self.pipeline, pipelines)
        one = None if self.collections else self.collection or default_collection
        filter = None if self.filter is None else self.filter.seen_by(viewer)
        return replace(self, pipeline=pipeline, collection=one, filter=filter)

    def plan(self, query: str) -> "PlannedSearch":
        """Return the search that runs for a query: with the overrides, the selection and ``k`` of the request.

        A name is one of the pipelines that come with papergraph.

        Raises:
            PipelineError: The pipeline cannot run so; ``field`` names the option.
        """
        planned = self.pipeline if isinstance(self.pipeline, Pipeline) else find(self.pipeline, shipped())
        if self.overrides:
            planned = planned.overridden(self.overrides)
        if self.selection is not None:
            planned = planned.selecting(self.selection)
        return PlannedSearch(query, planned, self.searched, filter=self.filter, backfill=self.backfill).giving(self.k)


@request()
class SearchRequest(SearchOptions):
    """Search query and options.

    Its fields are the arguments of ``Library.search``.

    >>> papergraph.SearchRequest("tabu search", k=101)
    Traceback (most recent call last):
    papergraph.errors.InputError: k: Input should be less than or equal to 100
    """

    query: Annotated[
        Query,
        described("Query, 1 to 4000 characters.", examples=["Is tabu search better than annealing?"]),
    ]

    def planned(self) -> "PlannedSearch":
        """Return the search that runs; see :meth:`plan`."""
        return self.plan(self.query)


@dataclass(frozen=True)
class PlannedSearch:
    """A search whose request was checked.

    Attributes:
        query: The text to search for.
        pipeline: The pipeline with all options of the request.
        collections: The collections to search, ranked together as if they were one.
        k: Number of hits; None for that of the pipeline.
        filter: The papers and passages that every retriever searches.
        backfill: Whether hits of the whole collections fill up the list where too few pass the filter; they come last
            and are marked.
    """

    query: str
    pipeline: Pipeline
    collections: Collections = (DEFAULT_COLLECTION,)
    k: int | None = None
    filter: Filter | None = None
    backfill: bool = False

    def giving(self, k: int | None) -> "PlannedSearch":
        """Return the search with ``k`` hits; None leaves it as it is."""
        return self if k is None else replace(self, k=k, pipeline=self.pipeline.giving(k))
