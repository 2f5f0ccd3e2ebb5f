"""The request of a search: a query, where and how to search; every interface makes one and passes it on whole."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from papergraph.errors import InputError
from schema.ids import DEFAULT_COLLECTION
from server.retrieval.filters import Filter
from server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline, find, shipped
from server.retrieval.scope import Collections, chosen_collections
from server.retrieval.steps.select import Select

MAX_K = 100
MAX_QUERY_CHARS = 4000
MOST_OVERRIDES = 50


@dataclass(frozen=True)
class SearchRequest:
    """A search.

    Attributes:
        query: The text to search for, in any words; 1 to 4000 characters. The request of an answer leaves it empty:
            its question is the query.
        pipeline: The pipeline that ranks, by name or as an object.
        collection: The collection to search; by default ``main``.
        collections: Instead of one collection, 1 to 8 that are ranked together, as if they were one.
        k: Number of hits, 1 to 100; by default the number that the pipeline returns.
        overrides: Other options for steps of the pipeline, such as ``{"search.k": 50}``.
        selection: A selection at the end of the pipeline, or instead of its selection.
        filter: The papers and passages that every retriever searches.
        backfill: Whether hits of the whole collections fill up the list where too few pass the filter; they come last
            and are marked.
    """

    query: str = ""
    pipeline: str | Pipeline = DEFAULT_PIPELINE
    collection: str | None = None
    collections: Collections = ()
    k: int | None = None
    overrides: Mapping[str, Any] | None = None
    selection: Select | None = None
    filter: Filter | None = None
    backfill: bool = False

    @property
    def pipeline_name(self) -> str:
        """Name of the pipeline."""
        return self.pipeline if isinstance(self.pipeline, str) else self.pipeline.name

    @property
    def searched(self) -> Collections:
        """The collections to search.

        Raises:
            InputError: Both ``collection`` and ``collections`` are given, there are too many, or a name is not valid.
        """
        return chosen_collections(self.collection, self.collections or None, default=DEFAULT_COLLECTION)

    def resolved(self, pipelines: Mapping[str, Pipeline]) -> Self:
        """Return the request with its pipeline as an object.

        Raises:
            PipelineError: ``pipelines`` has none of this name.
        """
        return self if isinstance(self.pipeline, Pipeline) else replace(self, pipeline=find(self.pipeline, pipelines))

    def planned(self) -> Pipeline:
        """Return the pipeline that runs: with the overrides, the selection and ``k`` of the request.

        A name is one of the pipelines that come with papergraph.

        Raises:
            InputError: An argument is not acceptable; ``field`` says which.
        """
        planned = self.pipeline if isinstance(self.pipeline, Pipeline) else find(self.pipeline, shipped())
        if self.overrides:
            planned = planned.overridden(self.overrides)
        if self.selection is not None:
            planned = planned.selecting(self.selection)
        if self.k is not None:
            check_k(self.k)
            planned = planned.giving(self.k)
        return planned

    def checked(self, pipelines: Mapping[str, Pipeline]) -> Self:
        """Return the request as it runs: its text without white space around it, its pipeline planned.

        Raises:
            InputError: An argument is not acceptable; ``field`` says which.
        """
        check_overrides(self.overrides)
        planned = self.resolved(pipelines).planned()
        query = check_query(self.query)
        return replace(self, query=query, pipeline=planned, overrides=None, selection=None)


def check_overrides(overrides: Mapping[str, Any] | None) -> None:
    """Raise ``InputError`` for more than 50 overrides."""
    if overrides and len(overrides) > MOST_OVERRIDES:
        raise InputError(
            f"There are {len(overrides)} overrides; at most {MOST_OVERRIDES} are allowed.", field="overrides"
        )


def check_query(query: str) -> str:
    """Return ``query`` without white space around it.

    Raises:
        InputError: Nothing is left, or it is longer than 4000 characters.
    """
    query = query.strip()
    if not query:
        raise InputError("The query is empty.", field="query")
    if len(query) > MAX_QUERY_CHARS:
        raise InputError(
            f"The query has {len(query)} characters; at most {MAX_QUERY_CHARS} are allowed.", field="query"
        )
    return query


def check_k(k: int) -> None:
    """Raise ``InputError`` unless 1 <= k <= 100."""
    if not 1 <= k <= MAX_K:
        raise InputError(f"k is {k}; it must be 1 to {MAX_K}.", field="k")
