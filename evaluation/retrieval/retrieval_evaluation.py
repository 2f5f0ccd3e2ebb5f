"""Evaluation of retrieval pipelines on a task: the runs, the report of their figures, and TREC files."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from papergraph.errors import FileContentError, InputError
from papergraph.evaluation.corpus_store import (
    CorpusPlan,
    IngestFigures,
    LoadedCorpus,
    chunking_of,
    loaded,
    open_home,
)
from papergraph.evaluation.machine import machine
from papergraph.evaluation.measures import Measure, evidence_figures, figures, parse_measure, score_at
from papergraph.evaluation.report import Figure, Part, Report, Table, figure_plots, figure_table, rounded, write_text
from papergraph.evaluation.retrieval.rankings import Run, run_pipelines
from papergraph.evaluation.statistics import Interval, intervals
from papergraph.evaluation.task import Task
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.progress import Progress, silent
from papergraph.server.retrieval.pipelines import Pipeline, find
from papergraph.settings import Settings
from papergraph.store import Address


@dataclass(frozen=True)
class EvalReport:
    """Report of an evaluation of retrieval.

    Attributes:
        dataset: Name of the data set.
        split: Split of its queries.
        corpus: Name of the corpus, or None for the only or first one.
        queries: Number of queries.
        pipelines: Measures in [0, 1] with 95 % intervals, by pipeline.
        against: Paired differences of the measures to each baseline, by baseline and pipeline.
        latency_ms: Median and 95th percentile of the latency in milliseconds, by pipeline.
        chunking: Options of chunking; None if all measures were skipped.
        ingest: Figures of loading the corpus; None if all measures were skipped.
        skipped: Skipped measures with reasons.
        notes: Remarks on the data.
    """

    dataset: str
    split: str
    corpus: str | None
    queries: int
    pipelines: Mapping[str, Mapping[str, Figure]]
    against: Mapping[str, Mapping[str, Mapping[str, Interval]]]
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
                name: {measure: figure.as_json() for measure, figure in of_pipeline.items()}
                for name, of_pipeline in self.pipelines.items()
            },
            "against": rounded(asdict(self)["against"]),
            "latencyMs": self.latency_ms,
            "chunking": None if self.chunking is None else asdict(self.chunking),
            "ingest": None if self.ingest is None else asdict(self.ingest),
            "skipped": dict(self.skipped),
            "notes": list(self.notes),
            "measuredOn": machine(),
        }

    def report(self) -> Report:
        """Return the figures and times as a report."""
        tables = [figure_table("Rankings", self.pipelines), *self._differences(), self._times()]
        parts = [Part(tables=tables, plots=figure_plots(self.pipelines))]
        return Report(self._title(), self._notes(), parts if self.pipelines else ())

    def _title(self) -> str:
        return f"{self.dataset} {self.split}{f', corpus {self.corpus}' if self.corpus else ''}: {self.queries} queries"

    def _notes(self) -> list[str]:
        notes = []
        if self.ingest:
            loaded = "loaded before" if self.ingest.reused else f"loaded in {self.ingest.seconds:g} s"
            notes.append(f"{self.ingest.documents} documents in {self.ingest.chunks} chunks, {loaded}")
            notes += [f"refused: document {document}" for document in self.ingest.refused]
        notes += [f"note: {note}" for note in self.notes]
        return notes + [f"{measure} is skipped: {reason}" for measure, reason in self.skipped.items()]

    def _differences(self) -> list[Table]:
        """Return a table of differences to the baselines, losses first, if there are baselines."""
        found = [
            (difference, name, measure, baseline)
            for baseline, of_pipelines in self.against.items()
            for name, of_measures in of_pipelines.items()
            for measure, difference in of_measures.items()
        ]
        rows = [
            (name, measure, baseline, f"{one.mean:+.3f}", f"[{one.low:+.3f}, {one.high:+.3f}]")
            for one, name, measure, baseline in sorted(found, key=lambda row: row[0].mean)
        ]
        return (
            [Table("Differences, losses first", ("system", "measure", "against", "mean", "95 %"), rows)] if rows else []
        )

    def _times(self) -> Table:
        rows = [(name, f"{of['p50']:g}", f"{of['p95']:g}") for name, of in self.latency_ms.items()]
        return Table("Time of a query", ("system", "p50 ms", "p95 ms"), rows)


def make_report(
    task: Task, runs: Mapping[str, Run], corpus: LoadedCorpus | None, *, against: Collection[str] = ()
) -> EvalReport:
    """Compute a task's measures of the runs, and their differences to the first run and to those named in ``against``.

    Raises:
        FileContentError: A measure does not fit the gold data.
    """
    pipelines: dict[str, dict[str, Figure]] = {name: {} for name in runs}
    compared: dict[str, dict[str, dict[str, Interval]]] = {
        one: {name: {} for name in runs if name not in against} for one in against
    }
    for measure in task.measures if runs else ():
        try:
            of_queries = {name: list(query_figures(measure, task, run).values()) for name, run in runs.items()}
        except ValueError as error:
            raise FileContentError(task.name, str(error)) from error
        means, differences = intervals(of_queries)
        for name, mean in means.items():
            pipelines[name][measure.name] = Figure(mean.mean, mean.low, mean.high, differences.get(name))
        for baseline, of_pipelines in compared.items():
            _, differences = intervals({baseline: of_queries[baseline], **of_queries})
            for name, of_measures in of_pipelines.items():
                of_measures[measure.name] = differences[name]
    return EvalReport(
        dataset=task.name,
        split=task.split,
        corpus=task.corpus,
        queries=len(task.queries),
        pipelines=pipelines,
        against=compared,
        latency_ms={name: _latency(run) for name, run in runs.items()},
        chunking=None if corpus is None else corpus.chunking,
        ingest=None if corpus is None else corpus.ingest,
        skipped=task.skipped,
        notes=task.notes,
    )


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


def parse_pipelines(names: str, known: Mapping[str, Pipeline]) -> tuple[Pipeline, ...]:
    """Return the pipelines of a list with commas; the first is the one that others are compared with.

    Raises:
        InputError: There is no such pipeline, or one is named twice.
    """
    wanted = [name.strip() for name in names.split(",")]
    if len(set(wanted)) < len(wanted):
        raise InputError(f"a pipeline is named twice in {names!r}", field="pipeline")
    return tuple(find(name, known) for name in wanted)


BASELINES = {"bm25": "fulltext", "rrf": "fused"}
"""Pipelines by the names of the methods that they are."""


def parse_baselines(names: str | None, known: Mapping[str, Pipeline]) -> tuple[Pipeline, ...]:
    """Return the baselines of a list with commas: names of pipelines, or of :data:`BASELINES`.

    Raises:
        InputError: There is no such pipeline, or one is named twice.
    """
    if not names:
        return ()
    return parse_pipelines(",".join(BASELINES.get(name.strip(), name) for name in names.split(",")), known)


def with_measures(task: Task, names: str | None) -> Task:
    """Return a task with the measures of a list with commas beside its own.

    Raises:
        InputError: There is no such measure of rankings.
    """
    more = []
    for name in (names or "").split(",") if names else ():
        try:
            measure = parse_measure(name.strip())
        except ValueError as error:
            raise InputError(str(error), field="measures") from error
        if measure is None:
            raise InputError(f"{name} measures answers, which papergraph eval answers computes", field="measures")
        more.append(measure)
    return replace(task, measures=tuple(dict.fromkeys((*task.measures, *more))))


def evaluate(
    settings: Settings,
    task: Task,
    pipelines: Sequence[Pipeline],
    *,
    against: Sequence[Pipeline] = (),
    chunking: ChunkOptions | None = None,
    progress: Progress = silent,
) -> tuple[EvalReport, Mapping[str, Run]]:
    """Evaluate pipelines on a task, in a Neo4j of its own; call it from the main thread.

    Enrichments of the pipelines are computed first (:func:`enrichments_for`).

    Args:
        settings: Settings of the cache and the embedding model.
        task: Queries with gold.
        pipelines: Pipelines; differences are to the first.
        against: Further baselines, which run beside them on the same queries.
        chunking: Options of chunking; None for the default of papers, and for whole records of other data.
        progress: Receives the steps.

    Returns:
        The report, and runs by pipeline; if all measures are skipped, nothing is loaded and runs are empty.

    Raises:
        FileContentError: A measure does not fit the gold data.
        LocalNeo4jError: Neo4j cannot be fetched or started.
        EmbeddingError: Loading the model failed.
        DatabaseError: Neo4j failed; the same call continues.
    """
    if not task.measures:
        return make_report(task, {}, None), {}
    every = tuple({one.name: one for one in (*pipelines, *against)}.values())
    wanted = CorpusPlan(task, chunking or chunking_of(task), every)

    async def work(folder: Path, address: Address) -> tuple[EvalReport, Mapping[str, Run]]:
        async with loaded(settings, address, folder, wanted, progress=progress) as (resources, corpus):
            runs = await run_pipelines(resources, task, corpus, every, progress=progress)
        return make_report(task, runs, corpus, against=[one.name for one in against]), runs

    with open_home(settings, task, wanted.options, progress=progress) as (folder, address):
        return asyncio.run(work(folder, address))
