"""What ``papergraph eval compare`` does: a data folder to a page, figures, and answers to rate."""

from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.answers.readers import parse_readers
from evaluation.answers.report import write_answers
from evaluation.comparison.evaluate import compare, sampled_task
from evaluation.comparison.page import write_page
from evaluation.comparison.plan import ComparisonPlan, default_readers, planned
from evaluation.comparison.report import Comparison
from evaluation.comparison.systems import DOCUMENTED, OWN, parse_chunkers, systems_of
from evaluation.html_page import check_plots
from evaluation.retrieval.evaluate import parse_pipelines, with_measures
from evaluation.retrieval.report import write_report
from evaluation.task import Task, read_task
from papergraph.errors import InputError
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from server.retrieval.pipelines import known_pipelines

PAGE, FIGURES, ANSWERS = "comparison.html", "comparison.json", "answers.jsonl"
WITHIN_WORDS = "evidence@500w,evidence@1000w"
"""Measures that compare chunks of different sizes, for data with evidence."""

NO_READERS = "none"


@dataclass(frozen=True)
class Judging:
    """What the language model does in a comparison: see :class:`evaluation.comparison.plan.ComparisonPlan`."""

    judged: bool | None = None
    tokens: int | None = None
    model: str | None = None
    enriches: bool = False


@dataclass(frozen=True)
class Request:
    """A comparison as it is asked for.

    Attributes:
        folder: The data folder.
        output: The folder to write into, made if it is not there.
        pipelines: Names with commas; None for those of the documents.
        chunkers: Names with commas, or ``own``.
        readers: Names with commas, ``none``, or None for those that can run.
        split, corpus: Of the data folder.
        n: How many questions are drawn; None for all.
        seed: What is drawn follows from it.
        measures: More measures of rankings, with commas.
        judging: What the language model does.
    """

    folder: Path
    output: Path
    pipelines: str | None = None
    chunkers: str = OWN
    readers: str | None = None
    split: str | None = None
    corpus: str | None = None
    n: int | None = None
    seed: int = 0
    measures: str | None = None
    judging: Judging = Judging()

    def task(self) -> Task:
        """Return the task with the drawn questions.

        Raises:
            DataFolderError: The folder cannot be read.
            InputError: There is no such measure.
        """
        task = read_task(self.folder, split=self.split, corpus=self.corpus)
        more = self.measures or (WITHIN_WORDS if task.asks_for_evidence else None)
        drawn = sampled_task(with_measures(task, more), self.n, seed=self.seed)
        if len(drawn.queries) == len(task.queries):
            return drawn
        note = f"{len(drawn.queries)} of {len(task.queries)} questions, drawn with seed {self.seed}"
        return replace(drawn, notes=(note, *drawn.notes))

    def plan(self, settings: Settings, task: Task) -> tuple[ComparisonPlan, dict[str, str]]:
        """Return what runs, and what cannot with these settings, each with the reason.

        Raises:
            InputError: A name is not known, or nothing can run.
        """
        pipelines = parse_pipelines(self.pipelines or DOCUMENTED, known_pipelines(settings))
        systems = systems_of(pipelines, parse_chunkers(self.chunkers), task)
        named = self.readers or default_readers(settings)
        readers = () if named == NO_READERS else parse_readers(named)
        chosen, left_out = planned(
            settings, systems, readers, judged=self.judging.judged, by_model=self.judging.enriches
        )
        judging = self.judging
        plan = replace(chosen, judge_model=judging.model, judge_tokens=judging.tokens, seed=self.seed)
        return plan, dict(left_out)


def run(settings: Settings, request: Request, *, progress: Progress = silent) -> Comparison:
    """Compare systems, and write the page, the figures and the answers; call it from the main thread.

    Raises:
        InputError: Something of the request cannot be used, or a file cannot be written.
        PapergraphError: As of :func:`evaluation.comparison.evaluate.compare`.
    """
    check_plots()
    task = request.task()
    plan, left_out = request.plan(settings, task)
    try:
        request.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {request.output}: {error.strerror}", field="output") from error
    comparison, found = compare(settings, task, plan, left_out=left_out, progress=progress)
    write_page(comparison, request.output / PAGE)
    write_report(comparison, request.output / FIGURES)
    if found:
        write_answers(found, request.output / ANSWERS)
    return comparison
