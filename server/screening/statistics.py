"""Statistics of a screening: agreement of two raters, and the recall that was reached when screening stops."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from papergraph.records import Record, described

Z = 1.96
"""Normal quantile of intervals of 95 %."""
SIGNIFICANT = 0.05
TARGET = 0.95
"""Recall that is commonly asked for."""
TARGETS = tuple(round(0.01 * percent, 2) for percent in range(99, 0, -1))
LEAST_SAMPLE, MOST_SAMPLES = 20, 12
"""Smallest sample of last records, and most samples."""
MOST_POINTS = 200
"""Points of a curve."""


@dataclass(frozen=True)
class Agreement(Record):
    """Agreement of the first two raters of records, with 95 % intervals."""

    n: Annotated[int, described("Number of records that both decided.")]
    n_agreed: Annotated[int, described("Number of those with equal decisions.")]
    kappa: Annotated[float | None, described("Cohen's kappa; null if all decisions are of one kind.")]
    kappa_low: Annotated[float | None, described("Lower end of its interval.")]
    kappa_high: Annotated[float | None, described("Upper end.")]
    ac1: Annotated[float | None, described("Gwet's AC1, which rare inclusions do not distort.")]
    ac1_low: Annotated[float | None, described("Lower end of its interval.")]
    ac1_high: Annotated[float | None, described("Upper end.")]


@dataclass(frozen=True)
class CurvePoint(Record):
    """Point of the curve of found records."""

    n_decided: Annotated[int, described("Number of decided records.")]
    n_included: Annotated[int, described("Number of those that were included.")]


@dataclass(frozen=True)
class Recall(Record):
    """Recall that screening has reached, by a test on the last records (Callaghan and Müller-Hansen 2020)."""

    n_decided: Annotated[int, described("Number of decided records.")]
    n_left: Annotated[int, described("Number of undecided records.")]
    n_included: Annotated[int, described("Number of included records.")]
    low: Annotated[
        float,
        described("Lower end of the 95 % interval of recall, to two digits; 0 while nothing is known. It ends at 1."),
    ]
    p: Annotated[float, described("p-value of the hypothesis that less than 95 % were found.")]
    most_left: Annotated[int | None, described("Most relevant records that may be left; null while nothing is known.")]


def agreement(pairs: Sequence[tuple[str, str]]) -> Agreement | None:
    """Return the agreement of two raters; None without records.

    Args:
        pairs: Decisions of both raters on each record.

    Source: Cohen 1960, doi:10.1177/001316446002000104, its variance of Fleiss, Cohen and Everitt 1969,
    doi:10.1037/h0028106; Gwet 2008, doi:10.1348/000711006X126600.
    """
    n = len(pairs)
    if n == 0:
        return None
    kinds = sorted({kind for pair in pairs for kind in pair})
    n_agreed = sum(one == other for one, other in pairs)
    if len(kinds) < 2:
        return Agreement(n, n_agreed, None, None, None, 1.0, None, None)
    shares = np.zeros((len(kinds), len(kinds)))
    for one, other in pairs:
        shares[kinds.index(one), kinds.index(other)] += 1 / n
    first, second = shares.sum(axis=1), shares.sum(axis=0)
    mean = (first + second) / 2
    by_kappa = _coefficient(shares, float(first @ second), second[:, None] + first[None, :], n)
    expected = float((mean * (1 - mean)).sum() / (len(kinds) - 1))
    by_ac1 = _coefficient(shares, expected, 2 * (1 - (mean[:, None] + mean[None, :]) / 2) / (len(kinds) - 1), n)
    return Agreement(n, n_agreed, *by_kappa, *by_ac1)


def _coefficient(
    shares: NDArray[np.float64], expected: float, parts: NDArray[np.float64], n: int
) -> tuple[float | None, float | None, float | None]:
    """Return a coefficient of agreement with its interval, by the variance of its linear form."""
    observed = float(np.trace(shares))
    if expected >= 1:
        return None, None, None
    value = (observed - expected) / (1 - expected)
    terms = np.eye(len(shares)) - (1 - value) * parts
    variance = (float((shares * terms**2).sum()) - (observed - 2 * (1 - value) * expected) ** 2) / (
        n * (1 - expected) ** 2
    )
    half = Z * math.sqrt(max(0.0, variance))
    return value, max(-1.0, value - half), min(1.0, value + half)


def recall(labels: Sequence[bool], n_records: int) -> Recall:
    """Return an estimate of the recall that was reached.

    The last records are held to be a random sample of what was left before them. If they were in fact the likeliest
    ones, the estimate is lower than the truth, because they have more of what is sought than a sample. Samples are the
    last half of the decisions, the last quarter and so on, with Bonferroni's correction for their number; the source
    takes all of them without one, which claims too much in one of seven random orders.

    Args:
        labels: Whether each decided record was included, in the order of the decisions.
        n_records: All records, undecided ones included.

    Source: Callaghan and Müller-Hansen 2020, Statistical stopping criteria for automated screening in systematic
    reviews, doi:10.1186/s13643-020-01521-4.
    """
    found = sum(labels)
    n_left = n_records - len(labels)
    if n_left == 0:
        return Recall(len(labels), 0, found, 1.0 if found else 0.0, 0.0 if found else 1.0, 0)
    place = bisect_left(TARGETS, True, key=lambda target: _p_value(labels, n_records, target) < SIGNIFICANT)
    low = TARGETS[place] if place < len(TARGETS) else 0.0
    most_left = min(n_left, math.floor(found / low - found)) if low else None
    return Recall(len(labels), n_left, found, low, _p_value(labels, n_records, TARGET), most_left)


def _p_value(labels: Sequence[bool], n_records: int, target: float) -> float:
    """Return the p-value of the hypothesis that the recall is below a target, over samples of the last records."""
    from scipy.stats import hypergeom  # takes long to import

    if not any(labels):
        return 1.0
    sizes = np.array([max(1, len(labels) >> times) for times in range(MOST_SAMPLES)])
    sizes = np.unique(sizes[sizes >= min(LEAST_SAMPLE, len(labels))])
    found = sum(labels)
    in_sample = np.cumsum(np.array(labels[::-1], dtype=int))[sizes - 1]
    urns = n_records - len(labels) + sizes
    below = np.floor(found / target + 1e-9 - (found - in_sample) + 1).astype(int)  # least relevant ones of such an urn
    if (below > urns).any():  # so many cannot be left
        return 0.0
    return min(1.0, len(sizes) * float(hypergeom.cdf(in_sample, urns, below, sizes).min()))


def curve(labels: Sequence[bool]) -> tuple[CurvePoint, ...]:
    """Return how many of the records decided so far were included, at up to 200 places and at the last one."""
    found = np.cumsum(np.array(labels, dtype=int))
    step = max(1, math.ceil(len(labels) / MOST_POINTS))
    places = sorted({*range(step, len(labels) + 1, step), len(labels)} - {0})
    return tuple(CurvePoint(at, int(found[at - 1])) for at in places)
