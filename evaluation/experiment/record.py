"""Run of an experiment and its record: a folder with figures of each question, options of each arm, and one page."""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from papergraph.errors import InputError, NotFoundError
from papergraph.evaluation.corpus_store import CorpusPlan, LoadedCorpus, chunking_of, loaded, open_home
from papergraph.evaluation.experiment.grid import Experiment, read_experiment
from papergraph.evaluation.experiment.hold_out import Decision, decide, warnings
from papergraph.evaluation.experiment.questions import collection_task, read_asked
from papergraph.evaluation.machine import machine
from papergraph.evaluation.report import (
    Figure,
    Part,
    Report,
    Table,
    figure_plots,
    figure_table,
    interval_text,
    write_text,
)
from papergraph.evaluation.retrieval.rankings import Run, run_pipelines
from papergraph.evaluation.retrieval.retrieval_evaluation import query_figures
from papergraph.evaluation.statistics import Floats, Interval, intervals
from papergraph.evaluation.task import Task, read_task
from papergraph.progress import Progress, silent
from papergraph.server.retrieval.pipelines import Pipeline, known_pipelines, parse
from papergraph.server.retrieval.resources import Resources, equipped
from papergraph.server.startup import open_service
from papergraph.settings import Settings
from papergraph.store import open_store

RECORD, PAGE = "record.json", "report.html"
FORM = 3


@dataclass(frozen=True)
class Found:
    """Result of an experiment.

    Attributes:
        name: Data set or collection, and the measure.
        questions: Ids of the questions.
        figures: For each arm, the baseline first, the measure of each question.
        latency_ms: For each arm the median and the 95th percentile of the time of a search.
        decision: Chosen arm, and its difference to the baseline.
    """

    name: str
    questions: Sequence[str]
    figures: Mapping[str, Floats]
    latency_ms: Mapping[str, Mapping[str, float]]
    decision: Decision

    def as_json(self) -> dict[str, Any]:
        """Return it with the means of the arms."""
        return {
            "name": self.name,
            "questions": list(self.questions),
            "figures": {name: [round(float(one), 6) for one in row] for name, row in self.figures.items()},
            "means": {name: float(row.mean()) for name, row in self.figures.items()},
            "latencyMs": self.latency_ms,
            **asdict(self.decision),
            "warnings": warnings(len(self.questions)),
        }


def report_of(record: Mapping[str, Any]) -> Report:
    """Return the report of a record."""
    found = record["found"]
    rows = {name: list(values) for name, values in found["figures"].items()}
    means, differences = intervals(rows)
    ordered = sorted(rows, key=lambda name: (name != next(iter(rows)), -means[name].mean))
    measure = record["experiment"]["measure"]
    figures = {
        name: {measure: Figure(means[name].mean, means[name].low, means[name].high, differences.get(name))}
        for name in ordered
    }
    notes = [f"{found['verdict']}.", *(f"note: {one}" for one in found["warnings"])]
    if (told := found["report"]) is not None:
        difference = Interval(told["mean"], told["low"], told["high"])
        notes.append(
            f"Difference to the baseline on questions that did not choose: "
            f"{interval_text(difference, is_difference=True)}, p = {told['p']:.4f}; differences from "
            f"{told['detectable']:.4f} are found in 80 % of samples."
        )
    folds = f", {len(found['of_folds'])} folds" if found["of_folds"] else ""
    notes.append(f"{len(rows):,} arms; {found['n_chosen_by']:,} of {len(found['questions']):,} questions chose{folds}.")
    as_good = [(name,) for name in found["not_worse"]]
    times = [(name, f"{found['latencyMs'][name]['p50']:g}", f"{found['latencyMs'][name]['p95']:g}") for name in ordered]
    tables = [
        figure_table("Means over all questions", figures),
        Table("Arms that are not shown to be worse than the best", ("arm",), as_good),
        Table("Time of a search", ("arm", "p50 ms", "p95 ms"), times),
    ]
    return Report(f"Experiment on {found['name']}", notes, [Part("Arms", tables=tables, plots=figure_plots(figures))])


def run_experiment(settings: Settings, file: Path, output: Path, *, progress: Progress = silent) -> Path:
    """Run the experiment of a file, and return the folder of its record below ``output``; call it from the main thread.

    Raises:
        InputError: The file, its questions or an arm cannot be used.
        PapergraphError: The stores or searches fail.
    """
    plan = read_experiment(file, known_pipelines(settings))
    task, runs = _of_data(settings, plan, progress) if plan.file.data else _of_collection(settings, plan, progress)
    return write_record(output, plan, found_of(plan, task, runs))


def found_of(plan: Experiment, task: Task, runs: Mapping[str, Run]) -> Found:
    """Return the figures of runs and the decision.

    Raises:
        InputError: The measure does not suit the questions.
    """
    try:
        figures = {name: np.array(list(query_figures(plan.measure, task, run).values())) for name, run in runs.items()}
    except ValueError as error:
        raise InputError(str(error), field="measure") from error
    latency_ms = {}
    for name, run in runs.items():
        p50, p95 = np.percentile([ranking.latency_ms for ranking in run.values()], [50, 95])
        latency_ms[name] = {"p50": round(float(p50), 1), "p95": round(float(p95), 1)}
    decision = decide(figures, seed=plan.file.seed, folds=plan.file.folds)
    name = f"{task.name} {task.split}, {plan.measure.name}"
    return Found(name, [query.id for query in task.queries], figures, latency_ms, decision)


def _of_data(settings: Settings, plan: Experiment, progress: Progress) -> tuple[Task, Mapping[str, Run]]:
    file = plan.file
    task = read_task(plan.path(file.data or Path()), split=file.split, corpus=file.corpus)
    task = _sampled(replace(task, measures=(plan.measure,)), file.n_questions, seed=file.seed)
    options = chunking_of(task)
    with open_home(settings, task, options, progress=progress) as (folder, address):
        wanted = CorpusPlan(task, options, plan.arms)

        async def work() -> Mapping[str, Run]:
            async with loaded(settings, address, folder, wanted, progress=progress) as (resources, corpus):
                return await run_pipelines(resources, task, corpus, plan.arms, progress=progress)

        return task, asyncio.run(work())


def _of_collection(settings: Settings, plan: Experiment, progress: Progress) -> tuple[Task, Mapping[str, Run]]:
    with open_store(settings, progress=progress) as address:

        async def work() -> tuple[Task, Mapping[str, Run]]:
            async with (
                open_service(settings, address, progress=progress, unchanged=True) as service,
                equipped(settings, Resources.of(service.database, service.embedder)) as resources,
            ):
                task, corpus = await read_questions(resources, plan, progress=progress)
                return task, await run_pipelines(resources, task, corpus, plan.arms, progress=progress)

        return asyncio.run(work())


async def read_questions(
    resources: Resources, plan: Experiment, *, progress: Progress = silent
) -> tuple[Task, LoadedCorpus]:
    """Return the drawn questions of a file as a task, and the collection as its corpus.

    Raises:
        InputError: The file cannot be read, or does not suit the collection.
        DatabaseError: Neo4j failed.
    """
    file = plan.file
    asked = read_asked(plan.path(file.questions or Path()))
    task, corpus = await collection_task(resources, asked, file.collection, plan.measure, progress=progress)
    return _sampled(task, file.n_questions, seed=file.seed), corpus


def _sampled(task: Task, n: int | None, *, seed: int) -> Task:
    """Return a task with ``n`` of its queries, drawn without replacement, in their order; all if None or fewer."""
    if n is None or n >= len(task.queries):
        return task
    numbers = sorted(np.random.default_rng(seed).choice(len(task.queries), size=n, replace=False))
    return replace(task, queries=tuple(task.queries[number] for number in numbers))


def write_record(folder: Path, plan: Experiment, found: Found) -> Path:
    """Write the record of an experiment below a folder, named by the hash of its content; return its folder.

    Raises:
        InputError: The folder cannot be written.
    """
    written = plan.file.model_dump(mode="json", exclude_none=True)
    for name in ("data", "questions"):
        if name in written:
            written[name] = str(plan.path(Path(written[name])).resolve())
    figures = found.as_json()
    content = {"experiment": written, "arms": {arm.name: arm.as_dict() for arm in plan.arms}, "found": figures}
    lasting = {name: value for name, value in content.items() if name != "found"} | {"figures": figures["figures"]}
    place = folder / hashlib.sha256(json.dumps(lasting, sort_keys=True).encode()).hexdigest()[:16]
    record = {"form": FORM, **content, "measuredOn": machine()}
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{place} cannot be written: {error}", field="output") from error
    write_text(place / RECORD, json.dumps(record, indent=1, ensure_ascii=False), field="output")
    write_text(place / PAGE, report_of(record).as_html(), field="output")
    return place


def read_record(folder: Path) -> dict[str, Any]:
    """Return the record of an experiment.

    Raises:
        NotFoundError: There is no record in the folder.
        InputError: It has another form.
    """
    try:
        record: dict[str, Any] = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotFoundError("record of an experiment:", str(folder), field="folder") from error
    if record.get("form") != FORM:
        raise InputError(f"{folder} is the record of another version: run its experiment again", field="folder")
    return record


def adopted(folder: Path, name: str) -> Pipeline:
    """Return the chosen arm of a record as a pipeline with a name and its origin.

    Raises:
        NotFoundError: There is no record in the folder.
    """
    record = read_record(folder)
    arm = record["arms"][record["found"]["chosen"]]
    return replace(parse(name, arm), source=f"experiment {folder.name}")
