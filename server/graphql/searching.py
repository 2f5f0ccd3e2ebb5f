"""Searching in GraphQL: the input, and what comes back beside the passages."""

from collections.abc import Sequence
from typing import Any, Self

import strawberry
from strawberry.scalars import JSON

from papergraph.errors import InputError
from schema.ids import DEFAULT_COLLECTION
from server.graphql.types import Hit
from server.retrieval import pipelines, saving
from server.retrieval import search as retrieval
from server.retrieval.resources import Resources
from server.retrieval.steps import Select
from server.selection.problem import Form
from server.selection.result import Selection

MOST_OVERRIDES = 50

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
    candidates: int = strawberry.field(default=100, description="How many of the best are chosen from.")
    alpha: float = strawberry.field(default=0.7, description="Weight of relevance against redundancy, 0 to 1.")
    form: Form = Form.MEAN
    backend: str = strawberry.field(default="own", description="own, cpsat, anneal, mmr or top_k.")
    deadline_ms: float = 50.0
    seed: int = 0

    def step(self) -> Select:
        """Return the step.

        Raises:
            InputError: A value is out of its range.
        """
        try:
            return Select(
                k=self.k,
                n=self.candidates,
                alpha=self.alpha,
                form=self.form,
                backend=self.backend,
                deadline_ms=self.deadline_ms,
                seed=self.seed,
            )
        except ValueError as error:
            raise InputError(f"selection: {_first_line(error)}", field="selection") from error


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


@strawberry.type(description="A named, reproducible list of steps.")
class Pipeline:
    """A pipeline."""

    name: str
    about: str
    source: str = strawberry.field(description="Where the method comes from.")
    needs: list[str] = strawberry.field(description="What it needs beside papers: language model, reranker, layers.")
    steps: JSON = strawberry.field(description="What is done, in order, with all options.")

    @classmethod
    def of(cls, pipeline: pipelines.Pipeline) -> Self:
        """Wrap a pipeline."""
        return cls(
            name=pipeline.name,
            about=pipeline.about,
            source=pipeline.source,
            needs=pipelines.needs(pipeline),
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


@strawberry.type(description="The certificate of a selection; docs/selection.md tells what the figures mean.")
class SelectionReport:
    """A selection's certificate."""

    objective: float
    lower_bound: float
    gap: float
    rho: float = strawberry.field(description="Share of what can be gained over the top k that is certainly gained.")
    proven: bool
    mean_relevance: float
    mean_pair_similarity: float
    backend: str
    stage: str
    ms: float

    @classmethod
    def of(cls, selection: Selection) -> Self:
        """Wrap a certificate."""
        return cls(
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
        )


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


async def search(resources: Resources, asked: SearchInput) -> SearchResult:
    """Search as the input says.

    Raises:
        InputError: Something of it is not acceptable.
        PapergraphError: As of :func:`server.retrieval.search.search`.
    """
    if len(asked.overrides) > MOST_OVERRIDES:
        raise InputError(f"at most {MOST_OVERRIDES} overrides are allowed", field="overrides")
    overrides: dict[str, Any] = {override.option: override.value for override in asked.overrides}
    found = await retrieval.search(
        resources,
        asked.query,
        pipeline=asked.pipeline,
        collection=asked.collection,
        k=asked.k,
        overrides=overrides,
        select=asked.selection.step() if asked.selection else None,
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
