"""Experiments whose figures are known."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.experiment.evaluator import Evaluator
from evaluation.experiment.plan import Arm, Experiment
from evaluation.experiment.plan_file import as_experiment
from evaluation.experiment.questions import Question
from server.retrieval.pipelines import shipped


class KnownFigures(Evaluator):
    """An evaluator of arms whose figures are known."""

    def __init__(self, plan: Experiment, rows: NDArray[np.float64]) -> None:
        """Keep the figures, shape (arms, questions)."""
        super().__init__(plan, {})
        self._rows = {arm.key: row for arm, row in zip(plan.arms, rows, strict=True)}
        self._questions = [Question(str(number), "?", {"right": 1.0}) for number in range(rows.shape[1])]

    @property
    def questions(self) -> Sequence[Question]:
        """As many as there are figures."""
        return self._questions

    def figures(self, arms: Sequence[Arm], numbers: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what is known."""
        return np.array([self._rows[arm.key][np.asarray(numbers)] for arm in arms])


def known_plan(n: int, **written: Any) -> Experiment:
    """Return an experiment with ``n`` arms, the first the baseline, whose figures are given."""
    grid = {"fuse.constant": list(range(61, 60 + n))}
    arms = [{"pipelines": ["fused"], "grid": grid}]
    return as_experiment({"arms": arms, "baseline": "fused", "ratings": True, **written}, Path(), shipped(), where="")


def with_gain(row: NDArray[np.float64], gain: float) -> NDArray[np.float64]:
    """Return figures whose mean is higher by ``gain``: each is a share of the way nearer to 1."""
    better: NDArray[np.float64] = row + gain / float((1.0 - row).mean()) * (1.0 - row)
    return better
