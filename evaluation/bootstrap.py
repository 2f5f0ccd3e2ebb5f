"""Figures for queries to a mean with its interval, and to a difference between two pipelines on the same queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_RESAMPLES = 10_000
SEED = 20_26_11
LEVEL = 0.95
SAMPLES_AT_ONCE = 1_000


@dataclass(frozen=True)
class Interval:
    """A mean over queries and the 95 % interval that the bootstrap gives it."""

    mean: float
    low: float
    high: float


def intervals(figures: Mapping[str, Sequence[float]]) -> tuple[dict[str, Interval], dict[str, Interval]]:
    """Return each pipeline's mean, and its difference to the first pipeline, both with percentile intervals.

    All pipelines are resampled with the same queries, so that what makes a query hard or easy cancels out of the
    differences. The seed is fixed: the same figures give the same intervals.

    Args:
        figures: For each pipeline a figure for each query, the queries in the same order; at least one query.

    Returns:
        The intervals of the means, and those of the differences, without the first pipeline's.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13; paired over queries as in Sakai
    2006, doi:10.1145/1148170.1148261.
    """
    names = list(figures)
    values = np.array([figures[name] for name in names], dtype=np.float64)
    n = values.shape[1]
    generator = np.random.default_rng(SEED)
    resampled = np.empty((len(names), N_RESAMPLES))
    for start in range(0, N_RESAMPLES, SAMPLES_AT_ONCE):
        counts = generator.multinomial(n, np.full(n, 1.0 / n), size=SAMPLES_AT_ONCE)
        resampled[:, start : start + SAMPLES_AT_ONCE] = values @ counts.T / n
    means = values.mean(axis=1)
    of_means = {name: _interval(means[row], resampled[row]) for row, name in enumerate(names)}
    differences = {
        name: _interval(means[row] - means[0], resampled[row] - resampled[0])
        for row, name in enumerate(names)
        if row > 0
    }
    return of_means, differences


def _interval(mean: float, resampled: NDArray[np.float64]) -> Interval:
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(mean), float(low), float(high))
