"""Hold-out: some questions choose the best arm, and the others report how it differs from the baseline."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from papergraph.evaluation.statistics import SIGNIFICANT, Difference, Floats, difference, halves, not_worse, parts

FEW_QUESTIONS = 30
"""Fewest questions for a useful report; with fewer, differences are rarely significant."""
MOST_COMPARED = 50
"""Arms, the best ones, that are tested against the best."""


@dataclass(frozen=True)
class Decision:
    """Result of an experiment.

    Attributes:
        chosen: The best arm on the questions that choose; with folds, on all questions.
        n_chosen_by: Number of these questions.
        of_folds: Arm that each fold chose; empty without folds.
        report: Difference of the chosen arm, or with folds of what each fold chose, to the baseline on questions that
            did not choose it; None if the baseline was chosen.
        verdict: What the report shows, in words.
        not_worse: Arms that are not shown to be worse than the best one.
    """

    chosen: str
    n_chosen_by: int
    of_folds: Sequence[str]
    report: Difference | None
    verdict: str
    not_worse: Sequence[str]

    @property
    def is_better(self) -> bool:
        """True if the chosen arm is significantly better at level 0.05."""
        return self.report is not None and self.report.p < SIGNIFICANT and self.report.mean > 0


def decide(figures: Mapping[str, Floats], *, seed: int, folds: int | None = None) -> Decision:
    """Choose an arm by one half of the questions, or by folds, and compare it with the baseline on the others.

    Args:
        figures: For each arm, the baseline first, the measure of each question, shape (n,); n is at least 2.
        seed: Seed of the halves or folds, and of the permutations.
        folds: Number of folds; None for two halves, of which the first chooses.
    """
    (baseline, theirs), *_ = figures.items()
    n = len(theirs)
    everything = np.arange(n)
    report, of_folds = None, []
    if folds is None:
        first, second = halves(n, seed=seed)
        chosen, n_chosen_by = _best(figures, first), len(first)
        if chosen != baseline:
            report = difference(figures[chosen][second], theirs[second], seed=seed)
    else:
        ours = np.empty(n)
        for held in parts(n, folds, seed=seed):
            of_folds.append(_best(figures, np.setdiff1d(everything, held)))
            ours[held] = figures[of_folds[-1]][held]
        chosen, n_chosen_by = _best(figures, everything), n
        if any(name != baseline for name in of_folds):
            report = difference(ours, theirs, seed=seed)
    told = partial(_verdict, f"what {len(of_folds)} folds chose" if of_folds else chosen, baseline)
    return Decision(chosen, n_chosen_by, of_folds, report, told(report), _as_good(figures, seed=seed))


def warnings(n_questions: int) -> list[str]:
    """Return what readers should know about the number of questions."""
    if n_questions >= FEW_QUESTIONS:
        return []
    return [f"{n_questions} questions are few: with less than {FEW_QUESTIONS} a difference is seldom told from chance"]


def _best(figures: Mapping[str, Floats], numbers: NDArray[np.int64]) -> str:
    """Return the arm with the best mean on some questions; of equal ones the first."""
    mean: Callable[[str], float] = lambda name: float(figures[name][numbers].mean())  # noqa: E731
    return max(figures, key=mean)


def _as_good(figures: Mapping[str, Floats], *, seed: int) -> list[str]:
    best = sorted(figures, key=lambda name: -figures[name].mean())[:MOST_COMPARED]
    return not_worse({name: figures[name] for name in best}, best[0], seed=seed)


def _verdict(what: str, baseline: str, report: Difference | None) -> str:
    if report is None:
        return f"no arm is better than {baseline} on the questions that choose"
    if report.p < SIGNIFICANT:
        kind = "better" if report.mean > 0 else "worse"
        return f"{what} is {kind} than {baseline} on questions that did not choose it (p = {report.p:.4f})"
    return f"{what} is not shown to differ from {baseline} on questions that did not choose it (p = {report.p:.4f})"
