"""Ways of selecting, compared on the same candidates: top-k, MMR and the solvers at each alpha, k and pool.

A pipeline without its selection finds the candidates of each query once. Every way then chooses k of the first n, as
the ``select`` step does, and returns them in the order of their score.
"""

import asyncio
import fnmatch
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np

from papergraph.errors import InputError
from papergraph.evaluation.corpus_store import CorpusPlan, LoadedCorpus, chunking_of, loaded, open_home
from papergraph.evaluation.machine import machine
from papergraph.evaluation.measures import Measure, figures, parse_measure
from papergraph.evaluation.queries import Evidence, Query, Subtopics
from papergraph.evaluation.report import Part, Plot, Report, Table, interval_text, rounded
from papergraph.evaluation.retrieval.rankings import Pool, Run, find_pools, run_pipelines
from papergraph.evaluation.statistics import Interval, intervals
from papergraph.evaluation.task import Task
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.progress import Progress, silent
from papergraph.server.retrieval.pipelines import Pipeline
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.steps.select import Relevance, relevance_of, terms
from papergraph.server.selection.backends import BACKENDS, backend, select_with
from papergraph.server.selection.problem import Floats, Problem, Singles
from papergraph.server.selection.result import SelectionReport
from papergraph.settings import Settings

OWN, MMR, TOP_K = "exact", "mmr", "top_k"
MOST_VALUES = 20
MOST_K, MOST_POOL = 100, 2000


@dataclass(frozen=True)
class Grid:
    """Grid of a sweep.

    Attributes:
        alphas: Weights of relevance (also MMR's lambda), each in [0, 1].
        ks: Sizes of selections.
        backends: Names of back ends; ``top_k`` is always included.
        pools: Numbers of candidates.
        relevances: Definitions of relevance.
        settled: Settings chosen on other data, instead of choosing them here.
        deadline_ms: Deadline of each selection.

    Raises:
        InputError: A value is invalid; ``field`` names the option.
    """

    alphas: tuple[float, ...] = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    ks: tuple[int, ...] = (10,)
    backends: tuple[str, ...] = (OWN, MMR)
    pools: tuple[int, ...] = (100,)
    relevances: tuple[Relevance, ...] = (Relevance.SCORE,)
    settled: "Way | None" = None
    deadline_ms: float = 50.0

    def __post_init__(self) -> None:
        for name, values in (
            ("alpha", self.alphas),
            ("k", self.ks),
            ("backend", self.backends),
            ("pool", self.pools),
            ("relevance", self.relevances),
        ):
            if not 1 <= len(values) <= MOST_VALUES or len(set(values)) < len(values):
                raise InputError(f"give 1 to {MOST_VALUES} different values of {name}, got {len(values)}", field=name)
        for alpha in self.alphas:
            if not 0.0 <= alpha <= 1.0:
                raise InputError(f"alpha must be in [0, 1], got {alpha:g}", field="alpha")
        for name, values, most in (("k", self.ks, MOST_K), ("pool", self.pools, MOST_POOL)):
            for value in values:
                if not 1 <= value <= most:
                    raise InputError(f"{name} must be 1 to {most}, got {value}", field=name)
        if max(self.ks) > min(self.pools):
            raise InputError(f"k is {max(self.ks)} of a pool of {min(self.pools)} candidates", field="pool")
        for name in self.backends:
            if name not in BACKENDS:
                raise InputError(f"there is no back end {name!r}, only {', '.join(BACKENDS)}", field="backend")

    @classmethod
    def parsed(cls, *, alpha: str, k: str, backend: str, pool: str, relevance: str) -> Self:
        """Return the grid that lists with commas describe.

        Raises:
            InputError: Something in a list is not acceptable.
        """
        return cls(
            alphas=_numbers(alpha, float, field="alpha"),
            ks=_numbers(k, int, field="k"),
            backends=tuple(name.strip() for name in backend.split(",")),
            pools=_numbers(pool, int, field="pool"),
            relevances=_relevances(relevance),
        )

    def ways(self) -> Iterator["Way"]:
        """Yield all ways of selecting but for k, top-k of each pool first."""
        for n, by in itertools.product(self.pools, self.relevances):
            yield Way(TOP_K, None, n, by)
            for name, alpha in itertools.product(self.backends, self.alphas):
                if name != TOP_K:
                    yield Way(name, alpha, n, by)


@dataclass(frozen=True)
class Way:
    """Settings of a selection: back end, weight of relevance or None, number of candidates, kind of relevance."""

    backend: str
    alpha: float | None
    pool: int
    by: Relevance = Relevance.SCORE

    def __str__(self) -> str:
        alpha = "" if self.alpha is None else f" {self.alpha:g}"
        return f"{self.backend}{alpha} of {self.pool}{'' if self.by is Relevance.SCORE else f' by {self.by}'}"


def _numbers(text: str, kind: type[int] | type[float], *, field: str) -> tuple[Any, ...]:
    try:
        return tuple(kind(part) for part in text.split(","))
    except ValueError as error:
        what = "whole numbers" if kind is int else "numbers"
        raise InputError(f"{field} takes {what} with commas between, not {text!r}", field=field) from error


def _relevances(text: str) -> tuple[Relevance, ...]:
    try:
        return tuple(Relevance(part.strip()) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"{error}; there are {', '.join(Relevance)}", field="relevance") from error


@dataclass(frozen=True)
class Row:
    """A way of selecting, or a pipeline as it is, with its figures over the queries that are reported.

    Attributes:
        candidates: The pipeline that found the candidates, or the pipeline itself.
        k: How many were selected.
        measures: Means in [0, 1] with 95 % intervals, by name.
        way: Who selected; None for a pipeline as it is.
        tuning: Means over the queries that settings are chosen on, by name; empty where there are none.
        relevance, similarity: Means over queries of mean relevance and mean pair cosine; None for pipelines.
        gap, proven: Median gap, and share of selections proven optimal.
        ms: Median and 95th percentile of a selection's time.
        of_queries: By measure the figure of each query that is reported.
    """

    candidates: str
    k: int
    measures: Mapping[str, Interval]
    way: Way | None = None
    tuning: Mapping[str, float] = field(default_factory=dict)
    relevance: float | None = None
    similarity: float | None = None
    gap: float | None = None
    proven: float | None = None
    ms: Mapping[str, float] = field(default_factory=dict)
    of_queries: Mapping[str, Sequence[float]] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """Name in tables."""
        return f"pipeline {self.candidates}" if self.way is None else str(self.way)

    def cells(self) -> tuple[str, ...]:
        """Return its row of a table."""
        optional = ((self.relevance, ".3f"), (self.similarity, ".3f"), (self.gap, ".5f"), (self.proven, ".2f"))
        told = ["" if value is None else format(value, form) for value, form in optional]
        times = [f"{self.ms[q]:.1f}" if q in self.ms else "" for q in ("p50", "p95")]
        return self.name, self.candidates, *map(interval_text, self.measures.values()), *told, *times

    def as_json(self) -> dict[str, Any]:
        """Return it without the figures of single queries."""
        told = {name: value for name, value in asdict(self).items() if name != "of_queries" and value not in (None, {})}
        found: dict[str, Any] = rounded({"name": self.name, **told})
        return found


@dataclass(frozen=True)
class Comparison:
    """The paired difference of two rows in a measure, first minus second, with its 95 % interval."""

    candidates: str
    k: int
    measure: str
    first: str
    second: str
    difference: Interval

    @property
    def ahead(self) -> bool:
        """True if the interval is above 0."""
        return self.difference.low > 0.0


@dataclass(frozen=True)
class GapAt:
    """The median gap of a back end's selections, at an alpha, within a time."""

    candidates: str
    k: int
    way: Way
    deadline_ms: float
    ms: float
    gap: float


@dataclass(frozen=True)
class Sweep:
    """Report of a sweep.

    Attributes:
        dataset, split, corpus: Names in the task.
        queries: Number of reported queries.
        topics: Number of their topics, the units of the intervals.
        tuned_on: Number of other queries used for tuning; 0 if tuned on the reported ones.
        tune: Pattern of the ids of the tuning queries.
        rows: All settings, and the pipelines.
        settled: Name of the chosen row of the own solver, by pipeline and k.
        comparisons: The chosen row against top-k, each pipeline, other back ends at its alpha, and MMR with its best
            settings on the reported queries.
        gaps: Gap over time.
        notes: Remarks on the data.
    """

    dataset: str
    split: str
    corpus: str | None
    queries: int
    topics: int
    tuned_on: int
    tune: str | None
    rows: tuple[Row, ...]
    settled: tuple[Row, ...]
    comparisons: tuple[Comparison, ...]
    gaps: tuple[GapAt, ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it with what it was measured on."""
        return {
            "dataset": self.dataset,
            "split": self.split,
            "corpus": self.corpus,
            "queries": self.queries,
            "topics": self.topics,
            "tunedOn": self.tuned_on,
            "tune": self.tune,
            "rows": [row.as_json() for row in self.rows],
            "settled": [{"candidates": row.candidates, "k": row.k, "row": row.name} for row in self.settled],
            "comparisons": [rounded(asdict(one) | {"ahead": one.ahead}) for one in self.comparisons],
            "gapAgainstTime": [rounded(asdict(one), digits=6) for one in self.gaps],
            "notes": list(self.notes),
            "measuredOn": machine(),
        }

    def report(self) -> Report:
        """Return the chosen ways with their comparisons, and the figures of all ways."""
        chosen = f"Settings were chosen on {self.tuned_on} other queries ({self.tune})."
        same = "Settings were chosen on these same queries, so the chosen ones look better than they are."
        notes = [f"note: {note}" for note in self.notes] + [chosen if self.tune else same]
        parts = [self._of_settled(row) for row in self.settled if row.way is not None]
        tables = [self._all_ways(k) for k in dict.fromkeys(row.k for row in self.rows)]
        title = f"{self.dataset} {self.split}: {self.queries} queries of {self.topics} topics"
        return Report(title, notes, [*parts, Part("All ways of selecting", tables=tables)])

    def _of_settled(self, settled: "Row") -> Part:
        rows = [
            row for row in self.rows if row.k == settled.k and (row.way is None or row.candidates == settled.candidates)
        ]
        compared = [
            (one.second, one.measure, interval_text(one.difference, is_difference=True), "yes" if one.ahead else "no")
            for one in self.comparisons
            if (one.candidates, one.k, one.first) == (settled.candidates, settled.k, settled.name)
        ]
        gaps = [
            (str(gap.way), f"{gap.deadline_ms:g}", f"{gap.ms:.2f}", f"{gap.gap:.6f}")
            for gap in self.gaps
            if (gap.candidates, gap.k) == (settled.candidates, settled.k)
        ]
        tables = [
            Table(f"{settled.name} minus others, paired", ("against", "measure", "difference", "ahead"), compared),
            Table("Median gap within a time", ("way", "deadline ms", "ms", "gap"), gaps),
        ]
        plots = [Plot(one, {row.name: row.measures[one] for row in rows}) for one in list(settled.measures)[:2]]
        title = f"Candidates of {settled.candidates}, k = {settled.k}"
        return Part(title, [f"Chosen: {settled.name}."], [one for one in tables if one.rows], plots)

    def _all_ways(self, k: int) -> Table:
        rows = [row for row in self.rows if row.k == k]
        head = ("way", "candidates", *rows[0].measures, "relevance", "redundancy", "gap", "proven", "p50 ms", "p95 ms")
        marked = [number for number, row in enumerate(rows) if any(row is one for one in self.settled)]
        return Table(f"k = {k}", head, [row.cells() for row in rows], marked)


DIVERSITY = ("alpha-nDCG", "subtopic-recall", "ERR-IA", "nDCG")
"""Measures for queries with subtopics, otherwise nDCG only. The first one chooses the settings."""
DEADLINES_MS = (2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 1000.0)
WARM_UP_MS = 10_000.0
N_TIMED = 20
"""Queries whose gap is followed over time, at most."""


@dataclass(frozen=True)
class Chosen:
    """Result of a selection for a query.

    Attributes:
        relevance: Mean of its scores, scaled to [0, 1] over the candidates.
        similarity: Mean cosine of its pairs.
        gap: Largest possible improvement of the objective.
        proven: True if proven optimal.
        ms: Duration with the certificate in milliseconds.
        documents: Documents, best first.
    """

    relevance: float
    similarity: float
    gap: float
    proven: bool
    ms: float
    documents: tuple[str, ...]


def measures_of(queries: Sequence[Query], k: int) -> tuple[Measure, ...]:
    """Return what is measured at a depth: diversity where queries have subtopics, nDCG in any case.

    Raises:
        InputError: What is right is evidence, and chunks are ranked rather than documents.
    """
    if any(isinstance(query.gold, Evidence) for query in queries):
        raise InputError("a sweep selects documents, and this task's queries ask for evidence", field="sweep")
    names = DIVERSITY if all(isinstance(query.gold, Subtopics) for query in queries) else DIVERSITY[-1:]
    measures = (parse_measure(f"{name}@{k}") for name in names)
    return tuple(measure for measure in measures if measure is not None)


def tuning_queries(queries: Sequence[Query], tune: str | None) -> frozenset[str]:
    """Return the ids of the queries that settings are chosen on: those that match the pattern.

    Raises:
        InputError: None does, or all do.
    """
    if tune is None:
        return frozenset()
    found = frozenset(query.id for query in queries if fnmatch.fnmatchcase(query.id, tune))
    if not found or len(found) == len(queries):
        some = "no query" if not found else "every query"
        raise InputError(f"{some} matches {tune!r}: settings are chosen on some and reported on others", field="tune")
    return found


def sweep(
    task: Task,
    pools: Mapping[str, Sequence[Pool]],
    references: Mapping[str, Run],
    grid: Grid,
    *,
    tune: str | None = None,
    progress: Progress = silent,
) -> Sweep:
    """Select from candidates in every way of a grid, and measure the results.

    Args:
        task: What was asked, and what would be right.
        pools: For each pipeline the candidates of every query, in the task's order.
        references: Rankings of pipelines as they are, at least as deep as the largest k.
        grid: Grid of a sweep.
        tune: Pattern of query ids, such as ``c*``. The setting of papergraph's solver is chosen on matching queries,
            and results are reported on the others; None uses all queries for both.
        progress: Hears which way is tried.

    Raises:
        InputError: The task or the pattern cannot be used.
        SelectionError: A back end failed.
    """
    tuned_on = tuning_queries(task.queries, tune)
    measuring = _Measuring(task.queries, tuned_on)
    rows: list[Row] = []
    ways = list(grid.ways())
    ready = {
        (name, n, by): [_Candidates.of(pool, n, by) for pool in of if pool.candidates]
        for name, of in pools.items()
        for n, by in dict.fromkeys((way.pool, way.by) for way in ways)
    }
    _warm_up(next(iter(ready.values()), []), ways, grid)
    for done, (name, k, way) in enumerate(itertools.product(pools, grid.ks, ways), start=1):
        progress.advance("ways of selecting", done, len(pools) * len(grid.ks) * len(ways))
        candidates = ready[name, way.pool, way.by]
        chosen = {one.pool.query.id: one.choose(way, k, grid.deadline_ms) for one in candidates}
        rows.append(measuring.row(name, k, way, chosen))
    for (name, run), k in itertools.product(references.items(), grid.ks):
        rows.append(measuring.reference(name, k, {id: ranking.ids for id, ranking in run.items()}))
    rows = [row for k in grid.ks for row in measuring.with_intervals([row for row in rows if row.k == k])]
    settled = [best for name in pools for k in grid.ks if (best := _settled(rows, name, k, grid.settled)) is not None]
    timed = {key: [one for one in of if one.pool.query.id not in tuned_on][:N_TIMED] for key, of in ready.items()}
    return Sweep(
        dataset=task.name,
        split=task.split,
        corpus=task.corpus,
        queries=len(measuring.reported),
        topics=len({topic for query in measuring.reported for topic in query.topics}),
        tuned_on=len(tuned_on),
        tune=tune,
        rows=tuple(rows),
        settled=tuple(settled),
        comparisons=tuple(one for row in settled for one in measuring.comparisons(row, rows)),
        gaps=tuple(one for row in settled for one in _gaps(row, timed, grid)),
        notes=task.notes,
    )


@dataclass(frozen=True, eq=False)
class _Candidates:
    """The first candidates of a query, as the ``select`` step gives them to a solver."""

    pool: Pool
    relevance: Floats
    rows: Floats | Singles
    scores: Floats

    @classmethod
    def of(cls, pool: Pool, n: int, by: Relevance) -> Self:
        near, vectors = pool.candidates[:n], pool.vectors[:n]
        scores = relevance_of([candidate.score for candidate in near])
        return cls(pool, *terms(near, vectors, pool.fused, by), scores)

    def select(self, way: Way, k: int, deadline_ms: float) -> SelectionReport:
        problem = Problem.from_vectors(
            self.rows, self.relevance, k=min(k, len(self.scores)), alpha=1.0 if way.alpha is None else way.alpha
        )
        return select_with(backend(way.backend), problem, deadline_ms=deadline_ms)

    def choose(self, way: Way, k: int, deadline_ms: float) -> Chosen:
        found = self.select(way, k, deadline_ms)
        positions = sorted(found.positions, key=lambda position: (-self.relevance[position], position))
        cosines = self.pool.vectors[positions] @ self.pool.vectors[positions].T
        n = len(positions)
        documents = [id for position in positions for id in self.pool.documents[position]]
        return Chosen(
            relevance=float(self.scores[positions].mean()),
            similarity=float(cosines.sum() - np.trace(cosines)) / (n * (n - 1)) if n > 1 else 0.0,
            gap=found.gap,
            proven=found.proven,
            ms=found.ms,
            documents=tuple(documents[:k]),
        )


def _warm_up(candidates: Sequence[_Candidates], ways: Sequence[Way], grid: Grid) -> None:
    """Let each back end select once before times are taken: what it loads and compiles is not a selection's time."""
    for way in {way.backend: way for way in ways}.values():
        for one in candidates[:1]:
            one.select(way, min(grid.ks), WARM_UP_MS)


class _Measuring:
    """Computes rows of the report; one part of the queries chooses settings, the other is reported."""

    def __init__(self, queries: Sequence[Query], tuned_on: frozenset[str]) -> None:
        self.queries = queries
        self.tuning = [query for query in queries if query.id in tuned_on]
        self.reported = [query for query in queries if query.id not in tuned_on]
        self.topics = [query.topics for query in self.reported]

    def row(self, candidates: str, k: int, way: Way, chosen: Mapping[str, Chosen]) -> Row:
        ranked = self.reference(candidates, k, {id: one.documents for id, one in chosen.items()})
        mine = [chosen[query.id] for query in self.reported if query.id in chosen]
        if not mine:
            return replace(ranked, way=way)
        times = [one.ms for one in mine]
        return replace(
            ranked,
            way=way,
            relevance=float(np.mean([one.relevance for one in mine])),
            similarity=float(np.mean([one.similarity for one in mine])),
            gap=float(np.median([one.gap for one in mine])),
            proven=float(np.mean([one.proven for one in mine])),
            ms={f"p{q}": float(np.percentile(times, q)) for q in (50, 95)},
        )

    def reference(self, name: str, k: int, rankings: Mapping[str, Sequence[str]]) -> Row:
        of_queries, tuning = {}, {}
        for measure in measures_of(self.queries, k):
            of_queries[measure.name] = list(figures(measure, self.reported, rankings).values())
            if self.tuning:
                tuning[measure.name] = float(np.mean(list(figures(measure, self.tuning, rankings).values())))
        return Row(name, k, {}, tuning=tuning, of_queries=of_queries)

    def with_intervals(self, rows: Sequence[Row]) -> list[Row]:
        """Return rows of one k with the means and intervals of their measures; all are resampled together."""
        found: list[dict[str, Interval]] = [{} for _ in rows]
        for measure in rows[0].of_queries:
            means, _ = intervals(
                {str(number): row.of_queries[measure] for number, row in enumerate(rows)}, topics=self.topics
            )
            for number, of_row in enumerate(found):
                of_row[measure] = means[str(number)]
        return [replace(row, measures=measures) for row, measures in zip(rows, found, strict=True)]

    def comparisons(self, settled: Row, rows: Sequence[Row]) -> Iterator[Comparison]:
        here = [row for row in rows if (row.k, row.candidates) == (settled.k, settled.candidates)]
        ways = {row.way: row for row in here if row.way is not None}
        others = [row for row in rows if row.k == settled.k and row.way is None]
        if (chosen := settled.way) is not None:
            alike = [replace(chosen, backend=name) for name in BACKENDS if name not in (MMR, TOP_K)]
            beside = [replace(chosen, backend=TOP_K, alpha=None), *alike]
            others = [*(ways[way] for way in beside if way in ways and way != chosen), *others]
        mmr = [row for way, row in ways.items() if way.backend == MMR]
        for measure, values in settled.of_queries.items():
            best = [max(mmr, key=lambda row: row.measures[measure].mean)] if mmr else []
            against = {row.name: row.of_queries[measure] for row in (*best, *others)}
            _, differences = intervals({settled.name: values, **against}, topics=self.topics)
            for name, less in differences.items():  # the other minus the chosen one
                difference = Interval(0.0 - less.mean, 0.0 - less.high, 0.0 - less.low)
                yield Comparison(settled.candidates, settled.k, measure, settled.name, name, difference)


def _settled(rows: Sequence[Row], candidates: str, k: int, elsewhere: Way | None) -> Row | None:
    """Return the row chosen elsewhere, or the own solver's first one that is best where settings are chosen."""
    here = [row for row in rows if (row.candidates, row.k) == (candidates, k) and row.way is not None]
    if elsewhere is not None:
        return next((row for row in here if row.way == elsewhere), None)
    own = [row for row in here if row.way is not None and row.way.backend == OWN]

    def lead(row: Row) -> float:
        means = row.tuning or {name: interval.mean for name, interval in row.measures.items()}
        return next(iter(means.values()))

    return max(own, key=lead) if own else None


def _gaps(row: Row, timed: Mapping[tuple[str, int, Relevance], Sequence[_Candidates]], grid: Grid) -> Iterator[GapAt]:
    """Follow the gap over time, with the alpha, the pool and the relevance that were chosen."""
    if row.way is None:
        return
    asked = timed[row.candidates, row.way.pool, row.way.by]
    for name in grid.backends if asked else ():
        way = replace(row.way, backend=name)
        for deadline_ms in DEADLINES_MS if name == OWN else (grid.deadline_ms,):
            found = [one.select(way, row.k, deadline_ms) for one in asked]
            ms, gap = (float(np.median([getattr(one, value) for one in found])) for value in ("ms", "gap"))
            yield GapAt(row.candidates, row.k, way, deadline_ms, ms, gap)


@dataclass(frozen=True)
class SelectionStudy:
    """A comparison on a task, in a Neo4j as of :func:`papergraph.evaluation.retrieval.retrieval_evaluation.evaluate`.

    Attributes:
        settings: Where the cache is, and the embedding model.
        task: What to ask and what would be right.
        candidates: Pipelines that find the candidates; a selection of theirs is left out.
        references: Pipelines to stand beside, as they are.
        chunking: How documents are cut, as the task says by default.
        progress: Hears what is being done.
    """

    settings: Settings
    task: Task
    candidates: Sequence[Pipeline]
    references: Sequence[Pipeline]
    chunking: ChunkOptions | None = None
    progress: Progress = silent

    def find(self, *, k: int, n: int) -> tuple[dict[str, list[Pool]], Mapping[str, Run]]:
        """Return ``n`` candidates for each query before a selection, and the first ``k`` of the references.

        Raises:
            InputError: The task does not suit a sweep.
            PapergraphError: As of :func:`papergraph.evaluation.retrieval.retrieval_evaluation.evaluate`.
        """
        task = replace(self.task, measures=measures_of(self.task.queries, k))
        options = self.chunking or chunking_of(task)
        with open_home(self.settings, task, options, progress=self.progress) as (folder, address):
            wanted = CorpusPlan(task, options, [*self.candidates, *self.references])
            loading = loaded(self.settings, address, folder, wanted, progress=self.progress)
            return asyncio.run(self._pools(loading, task, n))

    def sweep(self, grid: Grid, *, tune: str | None = None) -> Sweep:
        """Sweep ways of selecting from what pipelines find; call it from the main thread.

        Args:
            grid: Grid of a sweep.
            tune: A pattern of the ids of those queries that settings are chosen on.

        Raises:
            InputError: The task or the pattern does not suit a sweep.
            PapergraphError: As of :meth:`find`.
        """
        tuning_queries(self.task.queries, tune)  # now rather than after the search
        pools, runs = self.find(k=max(grid.ks), n=max(grid.pools))
        return sweep(self.task, pools, runs, grid, tune=tune, progress=self.progress)

    async def _pools(
        self, loading: AbstractAsyncContextManager[tuple[Resources, LoadedCorpus]], task: Task, n: int
    ) -> tuple[dict[str, list[Pool]], Mapping[str, Run]]:
        progress, references = self.progress, self.references
        async with loading as (resources, corpus):
            pools = {
                one.name: await find_pools(resources, task, corpus, one, n=n, progress=progress)
                for one in self.candidates
            }
            runs = await run_pipelines(resources, task, corpus, references, progress=progress) if references else {}
        return pools, runs
