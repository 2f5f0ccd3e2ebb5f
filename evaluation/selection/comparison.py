"""What a sweep found: rows with intervals, comparisons with the first way, and gaps to the optimum."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from evaluation.bootstrap import Interval
from evaluation.machine import machine
from evaluation.retrieval.report import columns
from evaluation.selection.grid import Way


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
        """What a table calls it."""
        return f"pipeline {self.candidates}" if self.way is None else str(self.way)

    def as_json(self) -> dict[str, Any]:
        """Return it without the figures of single queries."""
        told = {name: value for name, value in asdict(self).items() if name != "of_queries" and value not in (None, {})}
        found: dict[str, Any] = _rounded({"name": self.name, **told})
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
        """Whether the interval is above 0."""
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
    """What a sweep found.

    Attributes:
        dataset, split, corpus: Of the task.
        queries: How many are reported.
        topics: Of how many topics they are made; intervals are over these.
        tuned_on: How many other queries the settings were chosen on; 0 where they were chosen on those reported.
        tune: The pattern of their ids.
        rows: All ways, and the pipelines that they are beside.
        settled: For each pipeline of candidates and k, the name of the own solver's row that was chosen.
        comparisons: That row against the others: top-k, each pipeline, other back ends at its alpha, and MMR where it
            is best on the very queries that are reported.
        gaps: Gap against time.
        notes: What a reader should know about the data.
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
            "comparisons": [_rounded(asdict(one) | {"ahead": one.ahead}) for one in self.comparisons],
            "gapAgainstTime": [_rounded(asdict(one), digits=6) for one in self.gaps],
            "notes": list(self.notes),
            "measuredOn": machine(),
        }


def table(found: Sweep) -> str:
    """Return a sweep as lines for a terminal."""
    chosen = f", settings chosen on {found.tuned_on} others ({found.tune})" if found.tune else ""
    lines = [f"{found.dataset} {found.split}: {found.queries} queries of {found.topics} topics{chosen}"]
    lines += [f"note: {note}" for note in found.notes]
    for k in dict.fromkeys(row.k for row in found.rows):
        rows = [row for row in found.rows if row.k == k]
        names = list(rows[0].measures)
        lines += [
            "",
            *columns([("candidates", "way", *names, "relevance", "similarity", "gap", "p50 ms"), *map(_cells, rows)]),
        ]
    lines += [
        "",
        *columns(
            [("candidates", "measure", "first", "second", "difference", "ahead"), *map(_compared, found.comparisons)]
        ),
    ]
    return "\n".join(lines)


def _cells(row: Row) -> tuple[str, ...]:
    numbers = [f"{interval.mean:.4f}" for interval in row.measures.values()]
    more = [(row.relevance, ".3f"), (row.similarity, ".3f"), (row.gap, ".5f"), (row.ms.get("p50"), ".1f")]
    return row.candidates, row.name, *numbers, *("" if value is None else format(value, form) for value, form in more)


def _compared(one: Comparison) -> tuple[str, ...]:
    told = f"{one.difference.mean:+.4f} [{one.difference.low:+.3f}, {one.difference.high:+.3f}]"
    return one.candidates, one.measure, one.first, one.second, told, "yes" if one.ahead else "no"


def _rounded(value: Any, *, digits: int = 4) -> Any:
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, Mapping):
        return {name: _rounded(one, digits=digits) for name, one in value.items()}
    return value
