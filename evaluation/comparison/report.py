"""A comparison as figures: retrieval, answers, what is chance, and how long texts are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluation.answers.measures import Measured
from evaluation.answers.report import AnswerReport, answer_table
from evaluation.bootstrap import SEED
from evaluation.comparison.corpus import Lengths
from evaluation.comparison.systems import System
from evaluation.experiment.statistics import holm, p_value
from evaluation.machine import machine
from evaluation.retrieval.report import EvalReport, columns, query_figures, table
from evaluation.retrieval.runs import Run
from evaluation.task import Task

PValues = Mapping[str, Mapping[str, float]]
"""By measure and system: of the difference to the first system, corrected for the number of systems."""


@dataclass(frozen=True)
class Comparison:
    """Systems side by side.

    Attributes:
        name: Of the data and its split.
        n_questions: How many questions all systems were asked.
        systems: For each system its pipeline with all options, and how documents were cut for it.
        left_out: What was asked for and could not run, with the reason.
        texts: Lengths of documents, metadata, questions, and chunks by chunker.
        retrieval: Measures of rankings, None where the data judges none.
        answers: Measures of answers, None where none were asked for.
        p_values: Of ``retrieval`` and ``answers``.
        notes: What a reader of figures should know.
    """

    name: str
    n_questions: int
    systems: Mapping[str, Mapping[str, Any]]
    left_out: Mapping[str, str]
    texts: Mapping[str, Lengths]
    retrieval: EvalReport | None
    answers: AnswerReport | None
    p_values: Mapping[str, PValues]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it with what it was measured on; times and the machine differ between runs, all else does not."""
        return {
            "name": self.name,
            "questions": self.n_questions,
            "systems": self.systems,
            "leftOut": dict(self.left_out),
            "texts": {name: asdict(one) for name, one in self.texts.items()},
            "retrieval": None if self.retrieval is None else self.retrieval.as_json(),
            "answers": None if self.answers is None else self.answers.as_json(),
            "pValues": {
                part: {measure: {name: round(p, 4) for name, p in of.items()} for measure, of in values.items()}
                for part, values in self.p_values.items()
            },
            "notes": list(self.notes),
            "measuredOn": machine(),
        }


def described(systems: Sequence[System]) -> dict[str, dict[str, Any]]:
    """Return what each system is, so that it can be run again."""
    return {one.name: {"pipeline": one.pipeline.as_dict(), "chunking": str(one.chunking)} for one in systems}


def p_values_of_rankings(task: Task, runs: Mapping[str, Run]) -> PValues:
    """Return p-values of rankings by the paired permutation test, corrected by Holm's method."""
    if not runs:
        return {}
    return {
        measure.name: _p_values({name: query_figures(measure, task, run) for name, run in runs.items()})
        for measure in task.measures
    }


def p_values_of_answers(found: Mapping[str, Sequence[Measured]]) -> PValues:
    """Return p-values of answers, over the questions that have a measure for both systems."""
    measures = dict.fromkeys(name for of in found.values() for one in of for name in one.figures)

    def of_system(measure: str) -> Callable[[Sequence[Measured]], dict[str, float]]:
        return lambda of: {one.case.id: one.figures[measure] for one in of if measure in one.figures}

    return {measure: _p_values({name: of_system(measure)(of) for name, of in found.items()}) for measure in measures}


def _p_values(figures: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    first, *others = figures
    found = {}
    for name in others:
        shared = figures[first].keys() & figures[name].keys()
        if shared:
            deltas = np.array([figures[name][id] - figures[first][id] for id in figures[name] if id in shared])
            found[name] = p_value(deltas, seed=SEED)
    return dict(zip(found, holm(list(found.values())), strict=True))


def comparison_table(comparison: Comparison) -> str:
    """Return a comparison as lines for a terminal."""
    lines = [f"{comparison.name}: {comparison.n_questions} questions, {len(comparison.systems)} systems"]
    lines += [f"not run: {name}: {reason}" for name, reason in comparison.left_out.items()]
    lines += [f"note: {note}" for note in comparison.notes]
    head = ("characters of", "n", "mean", "median", "min", "max", "sd")
    lines += ["", *columns([head, *text_rows(comparison.texts)])]
    if comparison.retrieval is not None:
        lines += ["", table(comparison.retrieval)]
    if comparison.answers is not None:
        lines += ["", answer_table(comparison.answers)]
    return "\n".join(lines)


def text_rows(texts: Mapping[str, Lengths]) -> list[tuple[str, ...]]:
    """Return the cells of a table of lengths."""
    return [
        (name, str(of.n), f"{of.mean:.1f}", f"{of.median:g}", str(of.lowest), str(of.highest), f"{of.sd:.1f}")
        for name, of in texts.items()
    ]
