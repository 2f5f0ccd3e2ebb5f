"""Which questions ask the same, and which of many say most between them; over vectors of length 1 alone."""

import math

import numpy as np
from numpy.typing import NDArray

from papergraph.embedding import Floats

NO_GAIN = 1e-9
RIDGE = 1e-6
"""Added to the diagonal before a determinant is taken, so that two equal vectors do not make it nothing."""


def leaders(vectors: Floats, *, threshold: float) -> list[int]:
    """Return for each vector the one that stands for it: the first of those before it that it is as near to.

    A vector stands for itself unless one of those before that do has at least ``threshold`` cosine with it. So no two
    that stand for themselves are that near, and each of the rest is that near to the one that stands for it; with the
    vectors in the order of ids it is a function of their set.

    Args:
        vectors: Shape (n, d), each of length 1.
        threshold: Cosine, in [-1, 1].

    Source: Hartigan 1975, Clustering Algorithms, chapter 3 (the leader algorithm).
    """
    standing: list[int] = []
    found: list[int] = []
    for at, vector in enumerate(vectors):
        near = np.flatnonzero(vectors[standing] @ vector >= threshold) if standing else np.empty(0, np.int64)
        found.append(standing[int(near[0])] if near.size else at)
        if not near.size:
            standing.append(at)
    return found


def most_diverse(vectors: Floats, *, k: int) -> list[int]:
    """Return at most ``k`` positions whose vectors span the largest volume, found greedily, in order of choice.

    Greedy inference of the most probable set of a determinantal point process with the cosines as its kernel; equal
    gains go to the first. It ends early where nothing is left that the chosen do not hold already.

    Args:
        vectors: Shape (n, d), each of length 1.
        k: How many, at least 1.

    Source: Chen, Zhang and Zhou 2018, Fast greedy MAP inference for determinantal point process, arXiv:1709.05135.
    """
    n = len(vectors)
    gains = np.ones(n)
    factors = np.zeros((min(k, n), n))
    chosen: list[int] = []
    while len(chosen) < min(k, n):
        best = int(np.argmax(gains))
        if gains[best] <= NO_GAIN:
            break
        row = len(chosen)
        kernel = (vectors @ vectors[best]).astype(np.float64)
        factors[row] = (kernel - factors[:row, best] @ factors[:row]) / math.sqrt(gains[best])
        gains = gains - factors[row] ** 2
        chosen.append(best)
        gains[chosen] = -np.inf
    return chosen


def log_determinant(vectors: Floats) -> float:
    """Return the logarithm of the determinant of the cosines, a share of the vectors each: 0 for all at right angles.

    The more alike, the further below 0. Shape (n, d), n at least 1; n beyond a few hundred says little more.
    """
    exact = vectors.astype(np.float64)
    kernel: NDArray[np.float64] = exact @ exact.T + RIDGE * np.eye(len(vectors))
    return float(np.linalg.slogdet(kernel)[1]) / len(vectors)


def mean_cosine(total: NDArray[np.float64], n: int) -> float:
    """Return the mean cosine over all pairs of ``n`` vectors of length 1, from their sum; 0 for fewer than two."""
    return (float(total @ total) - n) / (n * (n - 1)) if n > 1 else 0.0
