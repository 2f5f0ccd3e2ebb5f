"""What figures of arms on the same questions show: differences with their uncertainty, and how much could be seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.bootstrap import intervals

Floats = NDArray[np.float64]
N_PERMUTATIONS = 10_000
SIGNIFICANT = 0.05
POWER_FACTOR = 1.959964 + 0.841621
"""Standard errors that a difference must have to be found at level 0.05 (two-sided) in 80 % of samples."""

AT_ONCE = 1000


@dataclass(frozen=True)
class Difference:
    """How one arm differs from another on the same questions.

    Attributes:
        mean: Mean difference.
        low, high: Its 95 % interval by the paired bootstrap.
        p: Two-sided p-value of the paired permutation test.
        detectable: Difference that this number of questions would show in 80 % of samples.
    """

    mean: float
    low: float
    high: float
    p: float
    detectable: float


def difference(one: Floats, other: Floats, *, seed: int) -> Difference:
    """Return how ``one`` differs from ``other``, question by question.

    Args:
        one: A figure for each question, shape (n,).
        other: The same for the other arm.
        seed: Of the permutations.

    Source: paired randomisation test, Smucker, Allan and Carterette 2007, A Comparison of Statistical Significance
    Tests for Information Retrieval Evaluation, doi:10.1145/1321440.1321528.
    """
    deltas = one - other
    _, bounds = intervals({"other": list(other), "one": list(one)})
    interval = bounds["one"]
    spread = float(deltas.std(ddof=1)) / np.sqrt(len(deltas)) if len(deltas) > 1 else 0.0
    p = p_value(deltas, seed=seed)
    return Difference(interval.mean, interval.low, interval.high, p, POWER_FACTOR * spread)


def p_value(deltas: Floats, *, seed: int) -> float:
    """Return the two-sided p-value of differences whose signs could as well be the other way round."""
    observed = abs(float(deltas.mean()))
    if observed == 0.0:
        return 1.0
    generator = np.random.default_rng(seed)
    n_as_large = 0
    for _ in range(0, N_PERMUTATIONS, AT_ONCE):
        signs = generator.integers(0, 2, size=(AT_ONCE, len(deltas))) * 2 - 1
        n_as_large += int(np.count_nonzero(np.abs(signs @ deltas) / len(deltas) >= observed - 1e-12))
    return (n_as_large + 1) / (N_PERMUTATIONS + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, in the order given.

    Source: Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure.
    """
    order = np.argsort(p_values, kind="stable")
    corrected = np.empty(len(p_values))
    highest = 0.0
    for place, number in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[number]))
        corrected[number] = highest
    return [float(value) for value in corrected]


def not_worse(figures: Mapping[str, Floats], best: str, *, seed: int) -> list[str]:
    """Return the arms that are not shown to be worse than the best one, by Holm-corrected tests at level 0.05."""
    others = [name for name in figures if name != best]
    deltas = [figures[name] - figures[best] for name in others]
    corrected = holm([p_value(one, seed=seed) for one in deltas])
    worse = {
        name
        for name, delta, p in zip(others, deltas, corrected, strict=True)
        if p < SIGNIFICANT and float(delta.mean()) < 0
    }
    return [name for name in figures if name not in worse]


def halves(n: int, *, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of the questions by which an arm is chosen, and of those that report on it, each in order."""
    shuffled = np.random.default_rng(seed).permutation(n)
    return np.sort(shuffled[: (n + 1) // 2]), np.sort(shuffled[(n + 1) // 2 :])


def parts(n: int, n_parts: int, *, seed: int) -> list[NDArray[np.int64]]:
    """Return the numbers of the questions in parts of about the same size, each in order, at most one for each two."""
    shuffled = np.random.default_rng(seed).permutation(n)
    return [np.sort(part) for part in np.array_split(shuffled, min(n_parts, n // 2))]


def questions_for(deltas: Floats, sought: float) -> int:
    """Return how many questions show a difference in 80 % of samples, when they spread as these do.

    Args:
        deltas: Differences of two arms, question by question.
        sought: The mean difference to be shown, more than 0.
    """
    spread = float(deltas.std(ddof=1)) if len(deltas) > 1 else 0.0
    return int(np.ceil((POWER_FACTOR * spread / sought) ** 2))
