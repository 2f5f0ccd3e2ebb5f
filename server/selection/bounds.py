"""Lower bounds that hold for every selection, and the candidates that they rule in or out.

Two relaxations. The convex one keeps the whole diagonal of a positive semidefinite similarity (xᵢ² = xᵢ makes it free)
and is tight when k or alpha is large. The doubly non-negative one is a semidefinite programme with X >= 0, solved by
ADMM on its dual, and is tight when they are small. Both give a bound from any iterate: a deadline costs tightness, not
truth.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from papergraph.server.selection import compilation as kernels
from papergraph.server.selection.problem import Floats, Indices, Problem

Bools = NDArray[np.bool_]

WORKING_SET = 256
PER_CHOICE = 6
ADDED_AT_ONCE = 96
ROUNDS = 6
CALLS, ITERATIONS = 8, 64
"""The inner loop looks at the clock after each call."""

EXACT_UP_TO = 20_000
ROUNDING = 3e-5
"""Largest relative error of a single-precision inner product of up to 500 terms."""


@dataclass(frozen=True)
class Reduced:
    """A problem without what is decided: the free candidates, with what is in folded into their linear parts.

    Attributes:
        problem: The whole.
        free: Positions of the candidates that are undecided, shape (m,).
        inside: Positions that are in.
        constant: f of what is in.
        linear: What each free candidate adds to f beside what is in, shape (m,).
    """

    problem: Problem
    free: Indices
    inside: Indices
    constant: float
    linear: Floats

    @classmethod
    def of(cls, problem: Problem, *, free: Indices, inside: Indices) -> "Reduced":
        """Decide that ``inside`` is in and everything but ``free`` is out."""
        linear = -problem.p * problem.relevance[free]
        constant = 0.0
        if len(inside):
            linear = linear + problem.q * problem.weighted_sum(inside, np.ones(len(inside)), exact=True, at=free)
            constant = problem.objective(inside)
        return cls(problem, free, inside, constant, linear)

    @cached_property
    def k(self) -> int:
        """Number of candidates still to choose."""
        return self.problem.k - len(self.inside)

    @cached_property
    def room(self) -> Indices:
        """For each group, how many more of it may be chosen."""
        n_groups = int(self.problem.group.max(initial=0)) + 1
        return self.problem.cap - np.bincount(self.problem.group[self.inside], minlength=n_groups)

    @cached_property
    def budget(self) -> int:
        """Remaining token budget."""
        return self.problem.budget - int(self.problem.length[self.inside].sum())

    @cached_property
    def group(self) -> Indices:
        """Group of each free candidate."""
        return self.problem.group[self.free]

    @cached_property
    def length(self) -> Indices:
        """Length of each free candidate."""
        return self.problem.length[self.free]

    @cached_property
    def convex_linear(self) -> Floats:
        """Linear part of the convex form, whose quadratic part has the diagonal of the similarity in it."""
        return self.linear - 0.5 * self.problem.q * self.problem.diagonal[self.free]


@dataclass(frozen=True)
class ConvexBound:
    """The convex relaxation's bound with what proves it.

    Attributes:
        value: No selection has a smaller f.
        slope: Gradient at the point that proves it, for each free candidate, shape (m,).
        weight: The point itself: how much of each free candidate, in [0, 1], shape (m,).
        slack: What was taken off the value for single precision.
    """

    value: float
    slope: Floats
    weight: Floats
    slack: float = 0.0


def linear_bound(reduced: Reduced, chosen: Indices) -> ConvexBound:
    """Bound f by the convex form's tangent at a selection: one pass over the candidates, whatever their number.

    Args:
        reduced: What is undecided.
        chosen: Places among the free candidates, shape (k,).
    """
    weight = np.zeros(len(reduced.free))
    weight[chosen] = 1.0
    return _priced(reduced, chosen, np.ones(len(chosen)), weight, exact=False)


def convex_bound(reduced: Reduced, start: Indices, *, tolerance: float, should_stop: Callable[[], bool]) -> ConvexBound:
    """Minimise the convex form on a working set, priced over all candidates, until the working set is enough.

    Args:
        reduced: What is undecided.
        start: Places of a selection among the free candidates; part of the first working set.
        tolerance: Gap between the relaxation's value and the bound, in units of f, that is good enough.
        should_stop: Asked between rounds.
    """
    problem, k = reduced.problem, reduced.k
    convex = reduced.convex_linear
    size = min(len(convex), max(WORKING_SET, PER_CHOICE * k))
    places = np.union1d(np.argpartition(convex, size - 1)[:size], start)
    x = np.where(np.isin(places, start), 0.5, 0.0) + 0.5 * k / len(places)
    best = linear_bound(reduced, start)
    for turn in range(ROUNDS):
        similarity = problem.rough_gram(reduced.free[places])  # the proof is priced exactly below
        lipschitz = problem.q * largest_eigenvalue(similarity)
        every = np.arange(len(places))
        for _ in range(CALLS):
            bound, x, _ = kernels.quadratic_bound(
                similarity, problem.q, every, convex[places], k, lipschitz, x, ITERATIONS, 0.3 * tolerance, np.inf
            )
            value = float(convex[places] @ x + 0.5 * problem.q * (x @ similarity @ x))
            if value - bound < 0.3 * tolerance or should_stop():
                break
        weight = np.zeros(len(convex))
        weight[places] = x
        used = places[x > 0.0]
        value_on_places = reduced.constant + bound
        priced = _priced(reduced, used, weight[used], weight, exact=False)
        outside = np.setdiff1d(np.arange(len(convex)), places)
        last = turn == ROUNDS - 1 or not len(outside) or should_stop()
        if last or value_on_places - (priced.value + priced.slack) < tolerance:
            priced = _priced(reduced, used, weight[used], weight, exact=True)
            last = last or value_on_places - priced.value < tolerance
        if priced.value > best.value:
            best = priced
        if last:
            break
        added = outside[np.argsort(priced.slope[outside])[:ADDED_AT_ONCE]]
        places, x = np.concatenate([places, added]), np.concatenate([x, np.zeros(len(added))])
    return best


def ruled(reduced: Reduced, bound: ConvexBound, best_value: float) -> tuple[Bools, Bools]:
    """Return which free candidates are out and which are in of every selection better than ``best_value``.

    Source: reduced-cost fixing; the cost of forcing a candidate in (out) is its slope against that of the last one in
    (first one out) of the tangent's own minimum.
    """
    order = np.argsort(bound.slope, kind="stable")
    k, m = reduced.k, len(order)
    out, inside = np.zeros(m, dtype=bool), np.zeros(m, dtype=bool)
    if not 0 < k < m:
        return out, inside
    last_in, first_out = bound.slope[order[k - 1]], bound.slope[order[k]]
    margin = 1e-9 * max(1.0, abs(best_value))
    out[order[k:]] = bound.value + bound.slope[order[k:]] - last_in > best_value + margin
    inside[order[:k]] = bound.value + first_out - bound.slope[order[:k]] > best_value + margin
    return out, inside


def largest_eigenvalue(h: Floats) -> float:
    """Return an upper estimate of the largest eigenvalue of a positive semidefinite matrix, by power iteration."""
    vector = h @ (1.0 + 0.5 * np.cos(np.arange(len(h))))  # no symmetry of h is likely to cancel it
    norm = 0.0
    for _ in range(12):
        vector = h @ vector
        norm = float(np.linalg.norm(vector))
        if norm == 0.0:
            return 1e-12
        vector /= norm
    return max(1.05 * norm, 1e-12)


def _priced(reduced: Reduced, used: Indices, weights: Floats, weight: Floats, *, exact: bool) -> ConvexBound:
    """Bound f by the tangent of the convex form at a point that is given by its non-zero weights.

    In single precision unless ``exact``, with what that can be wrong taken off.
    """
    problem, k = reduced.problem, reduced.k
    exact = (exact and problem.n <= EXACT_UP_TO) or problem.matrix is not None
    every = len(reduced.free) == problem.n
    similarity = problem.weighted_sum(reduced.free[used], weights, exact=exact, at=None if every else reduced.free)
    convex = reduced.convex_linear
    slope = convex + problem.q * similarity
    quadratic = float(weights @ similarity[used])
    value = float(convex[used] @ weights) + 0.5 * problem.q * quadratic
    lowest = float(np.partition(slope, k - 1)[:k].sum()) if k else 0.0
    slack = 0.0 if exact else 2.0 * k * problem.q * ROUNDING * float(np.sqrt(max(quadratic, 0.0)))
    bound = reduced.constant + value - float(slope[used] @ weights) + lowest - slack - 1e-12
    return ConvexBound(bound, slope, weight, slack)


@dataclass(frozen=True)
class DnnBound:
    """The doubly non-negative relaxation's bound for a dense problem, with the dual solution that proves it.

    Attributes:
        value: No selection has a smaller value of x'Cx.
        diagonal: Diagonal of the relaxed X: how much of each candidate, shape (n,).
        z: Dual matrix M - lmin I, positive semidefinite, shape (n, n).
        lowest: lmin, the lowest eigenvalue of M.
    """

    value: float
    diagonal: Floats
    z: Floats
    lowest: float


def dnn_bound(cost: Floats, k: int, *, iterations: int, enough: float, should_stop: Callable[[], bool]) -> DnnBound:
    """Bound x'Cx over binary x with k ones by k·lmin(C + k Diag(u) - (u1' + 1u')/2 - W), valid for any u and W >= 0.

    ADMM on the dual finds u and W; the bound is taken from the best iterate.

    Args:
        cost: C, symmetric, shape (n, n); linear costs on its diagonal.
        k: Number of ones, 2 <= k < n.
        iterations: Most iterations; each costs an eigenvalue decomposition.
        enough: Stop once the bound exceeds this.
        should_stop: Asked at every iteration.

    Source: Burer 2009, copositive programming, doi:10.1007/s10107-008-0223-z; ADMM after Wen, Goldfarb and Yin 2010,
    doi:10.1007/s12532-010-0017-1.
    """
    n = len(cost)
    scale = float(np.linalg.norm(cost)) / np.sqrt(n) + 1e-12
    c = cost / scale
    linear, diagonal = _Cardinality(n, k), np.arange(n)
    x = np.full((n, n), k * (k - 1) / (n * max(1, n - 1)))
    x[diagonal, diagonal] = k / n
    w, z, penalty = np.zeros((n, n)), np.zeros((n, n)), 1.0
    best = DnnBound(-np.inf, x[diagonal, diagonal].copy(), z, 0.0)
    for iteration in range(1, iterations + 1):
        y = linear.inverse @ (linear.of(c - w - z) + (linear.right - linear.of(x)) / penalty)
        image = linear.adjoint(y)
        w = np.maximum(c - image - z - x / penalty, 0.0)
        w[diagonal, diagonal] = 0.0
        v = c - image - w - x / penalty
        values, vectors = np.linalg.eigh(0.5 * (v + v.T))
        positive = values > 0.0
        z = (vectors[:, positive] * values[positive]) @ vectors[:, positive].T
        x = penalty * (z - 0.5 * (v + v.T))
        if should_stop():
            break
        if iteration % 10 and iteration != iterations:
            continue
        m = c - linear.adjoint(np.append(y[:n], 0.0)) - w
        m = 0.5 * (m + m.T)
        lowest = float(np.linalg.eigvalsh(m)[0])
        # the eigenvalue is known up to rounding only
        value = (k * lowest - 1e-13 * n * float(np.abs(m).max())) * scale
        if value > best.value:
            best = DnnBound(value, x[diagonal, diagonal].copy(), (m - lowest * np.eye(n)) * scale, lowest * scale)
        primal = linear.violation(x)
        dual = float(np.linalg.norm(image + w + z - c)) / (1.0 + float(np.linalg.norm(c)))
        if best.value > enough or max(primal, dual) < 2e-5:
            break
        penalty = _balanced(penalty, primal, dual)
    return best


class _Cardinality:
    """The equations of k ones in the relaxation: each row of X sums to k times its diagonal, and that sums to k.

    Attributes:
        inverse: Pseudo-inverse of the equations times their transpose, shape (n + 1, n + 1).
        right: Their right sides, shape (n + 1,).
    """

    def __init__(self, n: int, k: int) -> None:
        self._n, self._k, self._diagonal = n, k, np.arange(n)
        system = np.full((n + 1, n + 1), 0.5)
        system[self._diagonal, self._diagonal] += 0.5 * n - 1.0 + (1.0 - k) ** 2
        system[:n, n] = system[n, :n] = 1.0 - k
        system[n, n] = n
        self.inverse: Floats = np.linalg.pinv(system)
        self.right: Floats = np.zeros(n + 1)
        self.right[n] = k

    def of(self, matrix: Floats) -> Floats:
        """Return the left sides for a matrix, shape (n + 1,)."""
        own = matrix[self._diagonal, self._diagonal]
        return np.append(matrix.sum(axis=1) - self._k * own, own.sum())

    def adjoint(self, y: Floats) -> Floats:
        """Return the matrix, shape (n, n), whose inner product with X is that of ``y`` with the left sides."""
        n = self._n
        matrix = 0.5 * (y[:n, None] + y[None, :n])
        matrix[self._diagonal, self._diagonal] = y[:n] * (1.0 - self._k) + y[n]
        return matrix

    def violation(self, x: Floats) -> float:
        """Return how far a matrix is from the equations, or from entries of at least 0, as a relative norm."""
        return max(
            float(np.linalg.norm(self.of(x) - self.right)) / (1 + self._k),
            float(np.linalg.norm(np.minimum(x, 0.0))) / (1.0 + float(np.linalg.norm(x))),
        )


def _balanced(penalty: float, primal: float, dual: float) -> float:
    """Return the penalty that brings both residuals nearer to each other."""
    if primal > 5.0 * dual:
        return penalty / 1.3
    return penalty * 1.3 if dual > 5.0 * primal else penalty


def dnn_ruled(bound: DnnBound, k: int, best_value: float) -> tuple[Bools, Bools]:
    """Return which candidates are out and which are in of every selection better than ``best_value``.

    x'Cx >= k·lmin + x'Zx with Z positive semidefinite, for every selection; minimising x'Zx under Σx = k and xᵢ = 1
    (or 0) has a closed form in one inverse. A ridge of weight e is added to Z and e·k taken off again.
    """
    n = len(bound.diagonal)
    ridge = 1e-4 * float(np.trace(bound.z)) / n + 1e-7
    inverse = np.linalg.inv(bound.z + ridge * np.eye(n))
    rows, own = inverse.sum(axis=1), np.diag(inverse)
    total = float(rows.sum())
    determinant = own * total - rows * rows
    base = bound.value - ridge * k

    def if_it_is(value: float) -> Floats:
        above: Floats = (total * value * value - 2.0 * rows * value * k + own * k * k) / determinant
        return base + np.where(determinant > 1e-12 * total * own, above, 0.0)

    margin = 1e-9 * max(1.0, abs(best_value))
    out = if_it_is(1.0) > best_value + margin
    inside = (if_it_is(0.0) > best_value + margin) & ~out
    return out, inside
