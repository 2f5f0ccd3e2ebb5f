"""Ways of selecting, compared on the same candidates: top-k, MMR and the solvers at each alpha, k and pool.

A pipeline without its selection finds the candidates of each query once (:func:`evaluation.retrieval.runs.find_pools`).
Every way then chooses k of the first n, as the product's ``select`` step does, and gives them in the order of their
score.
"""

import fnmatch
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from evaluation.bootstrap import Interval, intervals
from evaluation.measures import Measure, figures, parse_measure
from evaluation.queries import Evidence, Query, Subtopics
from evaluation.retrieval.runs import Pool, Run
from evaluation.selection.comparison import Comparison, GapAt, Row, Sweep
from evaluation.selection.grid import MMR, OWN, TOP_K, Grid, Way
from evaluation.task import Task
from papergraph.errors import InputError
from papergraph.progress import Progress, silent
from server.retrieval.steps.relevance import Relevance, relevance_of, terms
from server.selection.backends import BACKENDS, backend, select_with
from server.selection.problem import Floats, Problem, Singles
from server.selection.result import SelectionReport

DIVERSITY = ("alpha-nDCG", "subtopic-recall", "ERR-IA", "nDCG")
"""What is measured where queries have subtopics; else nDCG alone. The first one chooses the settings."""
DEADLINES_MS = (2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 1000.0)
WARM_UP_MS = 10_000.0
N_TIMED = 20
"""Queries whose gap is followed over time, at most."""


@dataclass(frozen=True)
class Chosen:
    """What a way of selecting took for a query.

    Attributes:
        relevance: Mean of its scores, scaled to [0, 1] over the candidates.
        similarity: Mean cosine of its pairs.
        gap: How much a better selection could be better at most, by the objective at this alpha.
        proven: Whether it is optimal.
        ms: How long it took, with the certificate.
        documents: Best first.
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
    """Select from candidates in every way of a grid, and measure what comes of it.

    Args:
        task: What was asked, and what would be right.
        pools: For each pipeline the candidates of every query, in the task's order.
        references: Rankings of pipelines as they are, at least as deep as the largest k.
        grid: What is swept.
        tune: A pattern of ids, as ``c*``: the own solver's setting is chosen on these queries, and everything is
            reported on the others; chosen and reported on all queries if None.
        progress: Hears which way is tried.

    Raises:
        InputError: The task or the pattern does not suit.
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
    """The queries, apart: those that settings are chosen on, and those that are reported."""

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
