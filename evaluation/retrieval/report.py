"""An evaluation's figures: made of runs, written as JSON, as TREC runs and as a table for a terminal."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from evaluation.bootstrap import Interval, intervals
from evaluation.corpus_store import IngestFigures, LoadedCorpus
from evaluation.machine import machine
from evaluation.measures import Measure, evidence_figures, figures, score_at
from evaluation.retrieval.runs import Run
from evaluation.task import Task
from ingest.chunkers import ChunkOptions
from papergraph.errors import DataFolderError, InputError


@dataclass(frozen=True)
class Figure:
    """A measure of a pipeline; ``difference`` is that to the first pipeline, which itself has none."""

    mean: float
    low: float
    high: float
    difference: Interval | None = None


@dataclass(frozen=True)
class EvalReport:
    """What an evaluation found.

    Attributes:
        dataset: Name of the data set.
        split: Of its queries.
        corpus: Which of several corpora, or None for its only or first one.
        queries: How many were asked.
        pipelines: For each pipeline its measures, in [0, 1], with 95 % intervals.
        latency_ms: For each pipeline the median and the 95th percentile of the time for a query, in milliseconds.
        chunking: How documents were cut, None if nothing had to be asked.
        ingest: What loading the corpus took, None if nothing had to be asked.
        skipped: Measures that were not computed, with the reason.
        notes: What a reader of the figures should know about the data.
    """

    dataset: str
    split: str
    corpus: str | None
    queries: int
    pipelines: Mapping[str, Mapping[str, Figure]]
    latency_ms: Mapping[str, Mapping[str, float]]
    chunking: ChunkOptions | None
    ingest: IngestFigures | None
    skipped: Mapping[str, str]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it with what it was measured on."""
        return {
            "dataset": self.dataset,
            "split": self.split,
            "corpus": self.corpus,
            "queries": self.queries,
            "pipelines": {
                name: {measure: _rounded(figure) for measure, figure in of_pipeline.items()}
                for name, of_pipeline in self.pipelines.items()
            },
            "latencyMs": self.latency_ms,
            "chunking": None if self.chunking is None else asdict(self.chunking),
            "ingest": None if self.ingest is None else asdict(self.ingest),
            "skipped": dict(self.skipped),
            "notes": list(self.notes),
            "measuredOn": machine(),
        }


def make_report(task: Task, runs: Mapping[str, Run], corpus: LoadedCorpus | None) -> EvalReport:
    """Compute a task's measures of the runs; the first run is the one that the others are compared with.

    Raises:
        DataFolderError: A measure does not suit what the data says is right.
    """
    pipelines: dict[str, dict[str, Figure]] = {name: {} for name in runs}
    for measure in task.measures if runs else ():
        try:
            of_queries = {name: list(query_figures(measure, task, run).values()) for name, run in runs.items()}
        except ValueError as error:
            raise DataFolderError(task.name, str(error)) from error
        means, differences = intervals(of_queries)
        for name, mean in means.items():
            pipelines[name][measure.name] = Figure(mean.mean, mean.low, mean.high, differences.get(name))
    return EvalReport(
        dataset=task.name,
        split=task.split,
        corpus=task.corpus,
        queries=len(task.queries),
        pipelines=pipelines,
        latency_ms={name: _latency(run) for name, run in runs.items()},
        chunking=None if corpus is None else corpus.chunking,
        ingest=None if corpus is None else corpus.ingest,
        skipped=task.skipped,
        notes=task.notes,
    )


def check_folder(path: Path | None, *, field: str) -> None:
    """Raise ``InputError`` if the folder of a file that is to be written is not there: better now than in the end."""
    if path is not None and not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}", field=field)


class AsJson(Protocol):
    """What can be written as JSON."""

    def as_json(self) -> dict[str, Any]:
        """Return it as objects that JSON has."""


def write_report(report: AsJson, path: Path) -> None:
    """Write a report, or a sweep, as JSON.

    Raises:
        InputError: The file cannot be written.
    """
    write_text(path, json.dumps(report.as_json(), indent=2, ensure_ascii=False) + "\n", field="json")


def write_trec_runs(runs: Mapping[str, Run], path: Path) -> list[Path]:
    """Write runs as TREC files (query, Q0, document, rank, score, name of the run) and return their paths.

    One run goes to ``path``, several to files beside it with the pipeline's name before the ending. The score is one
    over the rank: tools sort by it, and so give our own figures again.

    Raises:
        InputError: A file cannot be written, or an identifier has a blank in it, which the format cannot hold.
    """
    written = []
    for name, run in runs.items():
        file = path if len(runs) == 1 else path.with_name(f"{path.stem}.{name.replace('/', '_')}{path.suffix}")
        lines = []
        for query, ranking in run.items():
            for place, id in enumerate(ranking.ids, start=1):
                if len(f"{query}{id}".split()) != 1:
                    raise InputError(f"a TREC run cannot hold the identifiers {query!r} and {id!r}", field="run")
                lines.append(f"{query} Q0 {id} {place} {score_at(place):.9g} {name}\n")
        write_text(file, "".join(lines), field="run")
        written.append(file)
    return written


def table(report: EvalReport) -> str:
    """Return a report as lines for a terminal."""
    corpus = f", corpus {report.corpus}" if report.corpus else ""
    lines = [f"{report.dataset} {report.split}{corpus}: {report.queries} queries"]
    if report.ingest:
        loaded = "loaded before" if report.ingest.reused else f"loaded in {report.ingest.seconds:g} s"
        lines[0] += f", {report.ingest.documents} documents in {report.ingest.chunks} chunks, {loaded}"
        lines += [f"refused: document {document}" for document in report.ingest.refused]
    lines += [f"note: {note}" for note in report.notes]
    lines += [f"{measure} is skipped: {reason}" for measure, reason in report.skipped.items()]
    if report.pipelines:
        first = next(iter(report.pipelines))
        head = ("measure", "pipeline", "mean", "95 % interval", f"difference to {first}", "p50 ms", "p95 ms")
        rows: list[tuple[str, ...]] = [head]
        for measure in next(iter(report.pipelines.values())):
            rows += [_row(report, measure, name) for name in report.pipelines]
        lines += ["", *columns(rows)]
    return "\n".join(lines)


def query_figures(measure: Measure, task: Task, run: Run) -> dict[str, float]:
    """Return a measure of a run for each query, in [0, 1].

    Raises:
        ValueError: The measure does not suit what the data says is right.
    """
    if task.asks_for_evidence:
        covered = {id: ranking.covered for id, ranking in run.items()}
        n_words = {id: ranking.n_words for id, ranking in run.items()}
        return evidence_figures(measure, task.queries, covered, n_words)
    return figures(measure, task.queries, {id: ranking.ids for id, ranking in run.items()})


def _latency(run: Run) -> dict[str, float]:
    times = [ranking.latency_ms for ranking in run.values()]
    return {f"p{q}": round(float(np.percentile(times, q)), 1) for q in (50, 95)}


def _rounded(figure: Figure) -> dict[str, Any]:
    numbers: dict[str, Any] = {"mean": figure.mean, "low": figure.low, "high": figure.high}
    rounded: dict[str, Any] = {name: round(value, 4) for name, value in numbers.items()}
    if figure.difference is not None:
        rounded["difference"] = {name: round(value, 4) for name, value in asdict(figure.difference).items()}
    return rounded


def _row(report: EvalReport, measure: str, name: str) -> tuple[str, ...]:
    figure, latency = report.pipelines[name][measure], report.latency_ms[name]
    difference = "" if figure.difference is None else _signed(figure.difference)
    interval = f"[{figure.low:.3f}, {figure.high:.3f}]"
    return measure, name, f"{figure.mean:.4f}", interval, difference, f"{latency['p50']:g}", f"{latency['p95']:g}"


def _signed(difference: Interval) -> str:
    return f"{difference.mean:+.4f} [{difference.low:+.3f}, {difference.high:+.3f}]"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines whose columns stand below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def write_text(path: Path, text: str, *, field: str) -> None:
    """Write a file that the option ``field`` names.

    Raises:
        InputError: It cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}", field=field) from error
