"""Figures for queries to a mean with its interval, and to a difference between two pipelines on the same queries."""

from collections.abc import Collection, Hashable, Mapping, Sequence
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
