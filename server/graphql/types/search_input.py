"""GraphQL inputs of searches: query, pipeline, filter and selection."""

from datetime import date
from typing import Any, Optional

import strawberry
from strawberry.scalars import JSON

from papergraph.errors import InputError
from server.graphql.types.closed_lists import SelectionBackend
from server.retrieval import pipelines
from server.retrieval.filters import parse_filter
from server.retrieval.request import SearchRequest
from server.retrieval.scope import Collections
from server.retrieval.steps.select import Select
from server.selection.problem import Form

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
