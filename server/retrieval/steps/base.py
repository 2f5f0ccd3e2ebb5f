"""The protocol of a pipeline step: its options as data, its place among other steps, and its work on a run."""

import difflib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from papergraph.embedding import Floats
from papergraph.errors import InputError, LanguageModelError
from papergraph.server.retrieval.candidates import AskedQuery, RankedCandidate, Ranking, RetrieverName
from papergraph.server.retrieval.relations import RelationPath
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import Scope
from papergraph.server.selection.result import SelectionReport

MOST_CANDIDATES = 5000
MOST_QUERIES = 20

Count = Annotated[int, Field(ge=1, le=MOST_CANDIDATES)]


class PipelineError(InputError):
    """A pipeline that cannot be run as it is written; ``field`` is ``pipeline`` or an option's path in it."""


class Step(BaseModel):
    """A step with its options, which are fixed, and none is unknown.

    A subclass adds ``step``, a literal with its name, and its options. Option ``k`` is the most candidates, or chunks
    of each ranking, that it leaves.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ranks: ClassVar[bool] = False
    """True if it ranks candidates; hits record their rank after it."""
    adds_queries: ClassVar[bool] = False
    """True if it adds queries."""
    follows_selection: ClassVar[bool] = False
    """True if it changes texts, so that a requested selection runs before it."""

    step: str

    @property
    def limit(self) -> int | None:
        """Most candidates, or chunks of each ranking, after the step; None for no limit."""
        return getattr(self, "k", None)

    @property
    def asks_model(self) -> bool:
        """True if it uses a language model."""
        return False

    @property
    def rerankers(self) -> tuple[str | None, ...]:
        """Cross-encoders that it loads, None for that of the settings."""
        return ()

    @property
    def needs(self) -> frozenset[str]:
        """Enrichments that it cannot run without."""
        return frozenset()

    @property
    def uses(self) -> frozenset[str]:
        """Enrichments with which it finds more, and without which it still runs."""
        return frozenset()

    @property
    def of_one_collection(self) -> bool:
        """True if it needs a single collection."""
        return False

    @property
    def n_vectors(self) -> int:
        """Number of first candidates whose vectors it reads."""
        return 0

    def changed(self, **options: Any) -> Self:
        """Return the step with other options.

        Raises:
            ValidationError: A value is out of its range.
        """
        return self.model_validate(self.model_dump() | options)

    def limited(self, k: int) -> Self:
        """Return the step with the limit ``k``; it considers at least as many."""
        return self.changed(k=k)

    def leaving(self, n: int) -> Self:
        """Return the step with a limit of at least ``n``, for a selection behind it."""
        return self if self.limit is None else self.changed(k=max(n, self.limit))

    def check(self, plan: "Plan") -> None:
        """Refuse a place in a pipeline where the step cannot run, and note what it gives to those behind it.

        Raises:
            PipelineError: The step does not follow from those before it, or its options contradict each other.
        """
        plan.need_candidates()

    async def run(self, state: "State") -> Sequence[str]:
        """Do its work on a run, and return notes for the trace.

        Raises:
            LanguageModelError: A model was asked and failed, and the run is not tolerant.
            EmbeddingError: The query cannot be embedded, or a reranker cannot be loaded.
            DatabaseError: Neo4j failed.
        """
        raise NotImplementedError(f"step {self.step} has no run")


@dataclass(frozen=True)
class StepKind:
    """A kind of step, as its file registers it.

    Attributes:
        options: The class of its options; the default of its field ``step`` is its name.
        order: Its place in lists of steps.
    """

    options: type[Step]
    order: int

    @property
    def name(self) -> str:
        """The name in pipelines."""
        return str(self.options.model_fields["step"].default)


@dataclass
class Plan:
    """The steps of a pipeline that are checked one after the other, and what those before give.

    Attributes:
        pipeline: Name of the pipeline.
        steps: All its steps.
        retrievers: All retrievers that it searches.
        number: Number of the step that is checked, from 1.
        searched, fused, drafted: Whether a step before searches, fuses, or drafts an answer.
        candidates: Whether there is one list of candidates.
        score: The range of their scores.
    """

    pipeline: str
    steps: Sequence[Step]
    retrievers: frozenset[RetrieverName]
    number: int = 0
    searched: bool = False
    fused: bool = False
    drafted: bool = False
    candidates: bool = False
    score: tuple[float, float] = (0.0, 0.0)

    @property
    def before(self) -> Sequence[Step]:
        """The steps before the one that is checked."""
        return self.steps[: self.number - 1]

    def refuse(self, why: str) -> PipelineError:
        """Return the error that names the step and the reason."""
        where = f"pipeline {self.pipeline}, step {self.number}, {self.steps[self.number - 1].step}"
        return PipelineError(f"{where}: {why}", field="pipeline")

    def need_candidates(self) -> None:
        """Check that a step has candidates.

        Raises:
            PipelineError: Candidates are missing.
        """
        if not self.candidates:
            raise self.refuse("it needs candidates: " + ("fuse before it" if self.searched else "search before it"))


@dataclass
class State:
    """State of a run of a pipeline, read and changed by each step.

    Attributes:
        resources: Store, models and devices.
        pipeline: Name of the pipeline.
        steps: Its steps.
        query: The query of the user.
        scope: The part of the store to search.
        replayed: Texts by a language model in an earlier run, by step, to reuse.
        tolerant: True to skip steps whose language model fails, with a warning.
        number: Number of the running step, from 1.
        queries: Queries so far, the user's first.
        n_searched: Number of these that were searched or skipped.
        skipped: Numbers of skipped queries.
        rankings: One ranking for each query and retriever.
        candidates: Candidates, best first.
        vectors: Vectors of chunks that a step has read, by id.
        last_search, last_fuse: The last such steps.
        draft: Temporary answer, or None.
        selection: Certificate of a selection, or None.
        passages: Compressed texts by chunk.
        windows: Number of neighbours on each side that belong to a passage.
        relations: Relations of the graph, as content beside their chunks.
        below: Candidates that a threshold left out, where it left out all.
        generated: Texts by a language model, by step.
        warnings: Reasons for skipped steps.
    """

    resources: Resources
    pipeline: str
    steps: Sequence[Step]
    query: str
    scope: Scope
    replayed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tolerant: bool = False
    number: int = 0
    queries: list[AskedQuery] = field(default_factory=list)
    n_searched: int = 0
    skipped: set[int] = field(default_factory=set)
    rankings: list[Ranking] = field(default_factory=list)
    candidates: list[RankedCandidate] = field(default_factory=list)
    vectors: dict[str, Floats] = field(default_factory=dict)
    last_search: Step | None = None
    last_fuse: Step | None = None
    draft: str | None = None
    selection: SelectionReport | None = None
    passages: dict[str, str] = field(default_factory=dict)
    windows: int = 0
    relations: list[RelationPath] = field(default_factory=list)
    below: list[RankedCandidate] = field(default_factory=list)
    generated: dict[str, list[str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Number of candidates, or of chunks in all rankings where there are none yet."""
        if self.candidates or self.below:
            return len(self.candidates)
        return sum(len(ranking.candidates) for ranking in self.rankings)

    def add_queries(self, texts: Sequence[str], origin: str) -> bool:
        """Add queries that are not there yet, at most 20 in all; say whether there were any."""
        known = {asked.text.lower() for asked in self.queries}
        new = [AskedQuery(text, origin) for text in texts if text.lower() not in known]
        self.queries += new[: max(0, MOST_QUERIES - len(self.queries))]
        return bool(new)

    async def vectors_of_first(self, n: int) -> dict[str, Floats]:
        """Return the vectors of the first ``n`` candidates, shape (d,); those without a vector are left out.

        One statement reads what this step and those behind it need.

        Raises:
            DatabaseError: Neo4j failed.
        """
        most = max([n, *(step.n_vectors for step in self.steps[self.number :])])
        first = [one.chunk_id for one in self.candidates[:most]]
        if missing := [id for id in first if id not in self.vectors]:
            searched = self.resources.model.searched
            self.vectors |= await self.resources.vectors.of(self.resources.database, searched, missing)
        return {id: self.vectors[id] for id in first[:n] if id in self.vectors}

    async def generate(self, make: Callable[[], Awaitable[list[str]]], *, round_: int | None = None) -> list[str]:
        """Return the texts of a language model for this step: those of an earlier run, or new ones.

        Args:
            make: Asks the language model.
            round_: Number of the round, where the step asks in several.

        Raises:
            LanguageModelError: It failed, and the run is not tolerant.
        """
        key = f"{self.number}" if round_ is None else f"{self.number}.{round_}"
        if key in self.replayed:
            made = list(self.replayed[key])
        else:
            try:
                made = await make()
            except LanguageModelError as error:
                if not self.tolerant:
                    raise
                step = self.steps[self.number - 1].step
                self.warnings.append(f"step {key}, {step}, was left out: {error.briefly}")
                made = []
        self.generated[key] = made
        return made


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: the nearest known one, or all."""
    names = [str(other) for other in known]
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(names)}"
