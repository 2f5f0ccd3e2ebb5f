"""Statistics of figures for queries: means and paired differences with intervals, p-values, and splits of queries."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

N_RESAMPLES = 10_000
SEED = 20_26_11
LEVEL = 0.95
SAMPLES_AT_ONCE = 1_000
N_PERMUTATIONS = 10_000
SIGNIFICANT = 0.05
POWER_FACTOR = 1.959964 + 0.841621
"""Standard errors that a difference must have to be found at level 0.05 (two-sided) in 80 % of samples."""


@dataclass(frozen=True)
class Interval:
    """A mean over queries and the 95 % interval that the bootstrap gives it."""

    mean: float
    low: float
    high: float


Topics = Sequence[Collection[Hashable]]
"""For each query the topics that it is made of, at least one."""


def intervals(
    figures: Mapping[str, Sequence[float]], *, topics: Topics | None = None
) -> tuple[dict[str, Interval], dict[str, Interval]]:
    """Return each pipeline's mean, and its difference to the first pipeline, both with percentile intervals.

    All pipelines are resampled with the same queries, so that what makes a query hard or easy cancels out of the
    differences. The seed is fixed: the same figures give the same intervals.

    Queries made of the same topics are no independent draws. With ``topics`` these are what is drawn, and a query
    counts as the product of how often each of its own was, to the first order: 1 + Σ (n - 1). Where each query has a
    topic of its own, that is the bootstrap over queries; else intervals are wider, and rather too wide than too
    narrow: of what is a query's own, each of its topics adds the whole variance.

    Args:
        figures: For each pipeline a figure for each query, the queries in the same order; at least one query.
        topics: For each query what it is made of; each query is its own topic if None.

    Returns:
        The intervals of the means, and those of the differences, without the first pipeline's.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13; paired over queries as in Sakai
    2006, doi:10.1145/1148170.1148261; over topics after Owen and Eckles 2012, Bootstrapping data arrays of arbitrary
    order, doi:10.1214/12-AOAS547.
    """
    names = list(figures)
    values = np.array([figures[name] for name in names], dtype=np.float64)
    means = values.mean(axis=1)
    members = np.eye(values.shape[1]) if topics is None else _members(topics)
    of_topics = (values - means[:, None]) @ members / len(members)
    n = members.shape[1]
    generator = np.random.default_rng(SEED)
    resampled = np.empty((len(names), N_RESAMPLES))
    for start in range(0, N_RESAMPLES, SAMPLES_AT_ONCE):
        counts = generator.multinomial(n, np.full(n, 1.0 / n), size=SAMPLES_AT_ONCE)
        resampled[:, start : start + SAMPLES_AT_ONCE] = means[:, None] + of_topics @ (counts.T - 1.0)
    of_means = {name: _interval(means[row], resampled[row]) for row, name in enumerate(names)}
    differences = {
        name: _interval(means[row] - means[0], resampled[row] - resampled[0])
        for row, name in enumerate(names)
        if row > 0
    }
    return of_means, differences


def _members(topics: Topics) -> NDArray[np.float64]:
    """Return which topics each query is made of, shape (queries, topics), 1 or 0."""
    numbers = {topic: number for number, topic in enumerate(dict.fromkeys(one for of in topics for one in of))}
    members = np.zeros((len(topics), len(numbers)))
    for row, of_query in zip(members, topics, strict=True):
        row[[numbers[topic] for topic in of_query]] = 1.0
    return members


def _interval(mean: float, resampled: NDArray[np.float64]) -> Interval:
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(mean), float(low), float(high))


@dataclass(frozen=True)
class Difference:
    """Paired difference of two arms on the same questions.

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
    """Return the two-sided p-value of the mean difference by a permutation test that flips signs at random."""
    observed = abs(float(deltas.mean()))
    if observed == 0.0:
        return 1.0
    generator = np.random.default_rng(seed)
    n_as_large = 0
    for _ in range(0, N_PERMUTATIONS, SAMPLES_AT_ONCE):
        signs = generator.integers(0, 2, size=(SAMPLES_AT_ONCE, len(deltas))) * 2 - 1
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
