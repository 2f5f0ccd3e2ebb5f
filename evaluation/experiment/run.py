"""Decide an experiment: an arm chosen by some of the questions, and what the others say of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.experiment.choose import Choice, choose
from evaluation.experiment.evaluator import Evaluator
from evaluation.experiment.plan import FEW_QUESTIONS, Arm
from evaluation.experiment.replay import is_replayable
from evaluation.statistics import SIGNIFICANT, Difference, difference, halves, not_worse, parts

MOST_COMPARED = 50
"""Arms, the best ones, that are tested against the best."""


@dataclass(frozen=True)
class Decision:
    """What an experiment decided.

    Attributes:
        arms: Those that are reported, the baseline first.
        chosen: The best arm on the questions that choose.
        figures: The measure of each arm for each question, shape (arms, questions).
        report: How the chosen arm, or with folds what each fold chose, differs from the baseline on questions that did
            not choose it; None where the baseline was chosen.
        n_chosen_by: How many questions chose the arm.
        of_folds: What each fold chose; empty without folds.
        verdict: What the report shows, in words.
        not_worse: Names of arms not shown to be worse than the best one.
        n_searched: How many arms searches looked at.
        warnings: What a reader should know.
    """

    arms: tuple[Arm, ...]
    chosen: Arm
    figures: NDArray[np.float64]
    report: Difference | None
    n_chosen_by: int
    of_folds: Sequence[str]
    verdict: str
    not_worse: Sequence[str]
    n_searched: int
    warnings: Sequence[str]

    @property
    def means(self) -> dict[str, float]:
        """The mean of each arm over all questions, by its name."""
        return {arm.name: float(row.mean()) for arm, row in zip(self.arms, self.figures, strict=True)}

    def row(self, arm: Arm) -> NDArray[np.float64]:
        """Return the figures of an arm."""
        row: NDArray[np.float64] = self.figures[self.arms.index(arm)]
        return row


@dataclass(frozen=True)
class Split:
    """What some questions choose, and the others say of it.

    Attributes:
        choice: What was chosen.
        report: As of a :class:`Decision`.
        n_chosen_by: How many questions chose.
        of_folds: What each fold chose; empty without folds.
        reporting: Numbers of the questions that report.
    """

    choice: Choice
    report: Difference | None
    n_chosen_by: int
    of_folds: Sequence[str]
    reporting: NDArray[np.int64]


def split(evaluator: Evaluator) -> Split:
    """Choose an arm by one half of the questions, or by folds, and compare it with the baseline on the others."""
    plan, n = evaluator.plan, len(evaluator.questions)
    seed, baseline = plan.file.seed, plan.arms[0]
    if plan.file.folds is None:
        first, second = halves(n, seed=seed)
        choice = choose(evaluator, first)
        ours, theirs = evaluator.figures([choice.arm, baseline], second)
        report = difference(ours, theirs, seed=seed) if choice.arm.name != baseline.name else None
        return Split(choice, report, len(first), (), second)
    everything, of_folds = np.arange(n), []
    ours, theirs = np.empty(n), evaluator.figures([baseline], everything)[0]
    for held in parts(n, plan.file.folds, seed=seed):
        of_fold = choose(evaluator, np.setdiff1d(everything, held)).arm
        ours[held] = evaluator.figures([of_fold], held)[0]
        of_folds.append(of_fold.name)
    changes = any(name != baseline.name for name in of_folds)
    report = difference(ours, theirs, seed=seed) if changes else None
    return Split(choose(evaluator, everything), report, n, of_folds, everything)


def decide(evaluator: Evaluator) -> Decision:
    """Choose an arm, and say what the questions that did not choose it show, and which others may be as good."""
    plan, of = evaluator.plan, split(evaluator)
    choice, everything = of.choice, np.arange(len(evaluator.questions))
    figures = evaluator.figures(choice.arms, everything)
    tested = of.reporting if plan.learns else everything
    means = figures[:, tested].mean(axis=1)
    compared = np.argsort(-means, kind="stable")[:MOST_COMPARED]
    rows = {choice.arms[place].name: figures[place, tested] for place in compared}
    return Decision(
        choice.arms,
        choice.arm,
        figures,
        of.report,
        of.n_chosen_by,
        of.of_folds,
        _verdict(choice.arm.name, plan.arms[0].name, of.report, n_folds=len(of.of_folds)),
        not_worse(rows, choice.arms[compared[0]].name, seed=plan.file.seed),
        choice.n_searched,
        _warnings(evaluator, choice),
    )


def shows_better(report: Difference | None) -> bool:
    """Say whether a report shows that the chosen arm is better, at level 0.05."""
    return report is not None and report.p < SIGNIFICANT and report.mean > 0


def _warnings(evaluator: Evaluator, choice: Choice) -> list[str]:
    plan, n = evaluator.plan, len(evaluator.questions)
    warnings = []
    if n < FEW_QUESTIONS:
        warnings.append(f"{n} questions are few: differences below those of 30 questions are seldom told from chance")
    if ran := sum(not is_replayable(arm.pipeline) for arm in choice.arms):
        warnings.append(f"{ran} {'arm' if ran == 1 else 'arms'} could not be replayed and ran")
    if plan.learns:
        warnings.append(
            "means of searched and learned arms hold the questions that made them; the verdict does not"
            + ("" if plan.file.folds is None else ", and * is of all questions")
        )
    return warnings


def _verdict(chosen: str, baseline: str, report: Difference | None, *, n_folds: int) -> str:
    if report is None:
        return f"no arm is better than {baseline} on the questions that choose"
    what = f"what {n_folds} folds chose" if n_folds else chosen
    if shows_better(report):
        return f"{what} is better than {baseline} on questions that did not choose it (p = {report.p:.4f})"
    if report.low == report.high == 0.0:
        return (
            f"{what} is not shown to be better than {baseline}: the questions that did not choose it show no difference"
        )
    return (
        f"{what} is not shown to be better than {baseline}: on questions that did not choose it the difference is "
        f"{report.mean:+.4f} (p = {report.p:.3f}); so many questions show differences from {report.detectable:.3f}"
    )


def pareto(costs: Mapping[str, tuple[float, float, float]]) -> list[str]:
    """Return the names that no other beats: by quality (higher), p95 and cost (lower).

    Args:
        costs: By name these three.
    """
    return [
        name
        for name, (quality, p95, cost) in costs.items()
        if not any(
            other != (quality, p95, cost) and other[0] >= quality and other[1] <= p95 and other[2] <= cost
            for other in costs.values()
        )
    ]
