"""Exact selection, and repair of selections that break the problem's limits."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from papergraph.server.selection import compilation as kernels
from papergraph.server.selection.bounds import Reduced, dnn_bound, dnn_ruled, largest_eigenvalue
from papergraph.server.selection.problem import Floats, Indices, Problem

# Selections out of any sets of candidates: filled to k, within the side constraints, and polished by exchanges


MOST_PROMISING = 512
"""Number of candidates outside a selection that are tried as replacements; the most promising ones."""


def repair(problem: Problem, proposed: Indices) -> Indices:
    """Make a selection of any set of candidates: drop and add what costs least, then exchange until none helps.

    Args:
        problem: What is asked.
        proposed: Positions, any number, whether allowed or not.
    """
    return polish(problem, fill(problem, proposed))


def fill(problem: Problem, proposed: Indices) -> Indices:
    """Make a selection of any set of candidates: drop and add what costs least; what is one already stays as it is."""
    if problem.is_feasible(proposed):
        return proposed
    chosen = [int(position) for position in problem.pinned]
    wanted = np.intersect1d(proposed, problem.allowed)
    for pool in (wanted, problem.allowed):
        while len(chosen) < problem.k:
            waiting = np.setdiff1d(pool, chosen)
            if not len(waiting):
                break
            linear = Reduced.of(problem, free=waiting, inside=np.array(chosen, dtype=np.int64)).linear
            for place in np.argsort(linear, kind="stable"):
                if leads_somewhere(problem, [*chosen, int(waiting[place])]):
                    chosen.append(int(waiting[place]))
                    break
            else:
                break
    return np.array(chosen, dtype=np.int64)


def polish(problem: Problem, chosen: Indices) -> Indices:
    """Exchange chosen candidates for others among the most promising ones until no exchange helps."""
    return polish_all(problem, [chosen])[0]


def polish_all(problem: Problem, selections: Sequence[Indices]) -> list[Indices]:
    """Polish several selections of one problem, which have the similarities in common."""
    reduced = Reduced.of(problem, free=problem.allowed, inside=problem.pinned)
    places = [np.flatnonzero(np.isin(reduced.free, chosen)) for chosen in selections]
    promising = np.argsort(reduced.linear, kind="stable")[:MOST_PROMISING]
    near = np.unique(np.concatenate([promising, *places]))
    similarity = problem.gram(reduced.free[near])
    polished = []
    for its in places:
        inside = np.searchsorted(near, its)
        kernels.swap(
            similarity,
            reduced.linear[near],
            problem.q,
            inside,
            reduced.group[near],
            reduced.room,
            reduced.length[near],
            reduced.budget,
            50 * problem.k,
        )
        polished.append(np.concatenate([problem.pinned, reduced.free[near[inside]]]))
    return polished


def leads_somewhere(problem: Problem, chosen: list[int]) -> bool:
    """Say whether some feasible selection holds all of ``chosen``: the shortest one that keeps the caps must fit."""
    counts = np.bincount(problem.group[chosen], minlength=int(problem.group.max(initial=0)) + 1)
    total, n = int(problem.length[chosen].sum()), len(chosen)
    if counts.max(initial=0) > problem.cap or total > problem.budget or n > problem.k:
        return False
    if not problem.constrained:
        return True
    waiting = np.setdiff1d(problem.allowed, chosen)
    for position in waiting[np.argsort(problem.length[waiting], kind="stable")]:
        if n == problem.k:
            break
        if counts[problem.group[position]] < problem.cap:
            counts[problem.group[position]] += 1
            total += int(problem.length[position])
            n += 1
    return n == problem.k and total <= problem.budget


# Branch and bound: grow the tree until nothing is open, the deadline passes, or somebody cancels


LARGEST_TREE = 2000
OPEN_BYTES = 32_000_000
"""Memory for open nodes in bytes; when it is full the search continues depth first."""

WORK_AT_ONCE = 300_000
"""Nodes times squared candidates between two looks at the clock: a few milliseconds."""

SHIFT_ROUNDS = 12
WORTHWHILE = 0.02
"""Share of the gap that a round of shifting the diagonal must close for another to be made."""

LARGEST_SHIFTED = 384
DNN_ITERATIONS = 150


@dataclass
class Search:
    """State of a search: the best selection and a lower bound.

    Attributes:
        chosen: Positions of the selection, shape (k,); it may violate decisions that hold for all better ones.
        value: f of the selection.
        bound: Lower bound of f.
    """

    chosen: Indices
    value: float
    bound: float

    @property
    def closed(self) -> bool:
        """True if the selection is proven optimal."""
        return self.bound >= self.value - 1e-9 * max(1.0, abs(self.value))


class ConvexTree:
    """Best-first search with the convex bound at every node, in bounded memory; can be continued after a pause."""

    def __init__(self, reduced: Reduced, found: Search, weight: Floats, should_stop: Callable[[], bool]) -> None:
        m, k = len(reduced.free), reduced.k
        self._reduced = reduced
        self._found = found
        self._constant = reduced.constant
        similarity = reduced.problem.gram(reduced.free)
        gap = found.value - found.bound
        shift = diagonal_shift(
            similarity, weight, should_stop, worthwhile=WORTHWHILE * gap / max(0.5 * reduced.problem.q, 1e-300)
        )
        similarity[np.diag_indices(m)] -= shift
        self._s = similarity
        self._c = reduced.convex_linear + 0.5 * reduced.problem.q * shift
        self._lipschitz = largest_eigenvalue(reduced.problem.q * similarity)
        n_rows = m + 3 + OPEN_BYTES // (9 * m + 8)
        self._status = np.zeros((n_rows, m), dtype=np.int8)
        self._bounds = np.full(n_rows, -np.inf)
        self._points = np.zeros((n_rows, m))
        self._points[0] = weight
        self._n_open = 1
        self._best = np.zeros(k, dtype=np.int64)
        self._value = self._first_value = found.value - self._constant
        self._root = found.bound - self._constant
        self._k = k

    def grow(self, should_stop: Callable[[], bool]) -> Search:
        """Work off nodes until the tree is closed or ``should_stop`` says so."""
        reduced, prune = self._reduced, 1e-10 * max(1.0, abs(self._value))
        n_nodes = int(np.clip(WORK_AT_ONCE / max(1, len(reduced.free)) ** 2, 1, 64))
        while self._n_open and not should_stop():
            self._n_open, self._value, _ = kernels.grow_tree(
                self._s,
                self._c,
                reduced.problem.q,
                self._k,
                self._lipschitz,
                reduced.group,
                reduced.room,
                reduced.length,
                reduced.budget,
                self._status,
                self._bounds,
                self._points,
                self._n_open,
                self._value,
                self._best,
                n_nodes,
                prune,
            )
        open_bound = float(self._bounds[: self._n_open].min()) if self._n_open else self._value
        bound = max(self._root, min(open_bound, self._value))
        value = self._value + self._constant
        chosen = self._found.chosen
        if self._value < self._first_value:
            chosen = np.concatenate([reduced.inside, reduced.free[self._best]])
        return Search(chosen, min(value, self._found.value), bound + self._constant)


def diagonal_shift(
    similarity: Floats, weight: Floats, should_stop: Callable[[], bool], *, worthwhile: float = 0.0
) -> Floats:
    """Return how much to take off the diagonal so that the rest stays positive semidefinite, shape (m,).

    xᵢ² = xᵢ, so what is taken off the quadratic part can be put on the linear one; between 0 and 1 that only raises the
    relaxation. Most is taken off where ``weight``, the relaxation's point, is least decided: the shift is t·w with the
    largest t that keeps S - t Diag(w) positive semidefinite, and w is moved towards what gains most, for as long as a
    round gains ``worthwhile``, in units of x'Sx.
    """
    m = len(weight)
    undecided = weight * (1.0 - weight) + 1e-3
    w = np.sqrt(undecided)
    best, best_gain = np.zeros(m), 0.0
    for _ in range(SHIFT_ROUNDS if m <= LARGEST_SHIFTED else 0):
        if should_stop():
            break
        root = 1.0 / np.sqrt(w)
        values, vectors = np.linalg.eigh(similarity * root[:, None] * root[None, :])
        t = max(0.0, float(values[0]) - 1e-9)
        gain = t * float(w @ undecided)
        gained = gain - best_gain
        if gained > 0.0:
            best, best_gain = t * w, gain
        if t == 0.0 or gained < worthwhile:
            break
        tight = (vectors[:, : max(1, m // 20)] ** 2).mean(axis=1)  # where the lowest eigenvectors live
        w = w * np.exp(0.7 * (undecided * w / float(w @ undecided) - tight) / np.maximum(tight, 1.0 / m))
        w = np.clip(w / w.mean(), 1e-3, 1e3)
    return best


class DnnTree:
    """Best-first search with the doubly non-negative bound; for few candidates, where the convex one is loose."""

    def __init__(self, reduced: Reduced, found: Search) -> None:
        self._reduced = reduced
        self._found = found
        problem = reduced.problem
        self._cost = 0.5 * problem.q * problem.gram(reduced.free)
        np.fill_diagonal(self._cost, reduced.linear)
        self._heap: list[tuple[float, int, Indices, Indices, Floats]] = []
        self._counter = 0
        self._unvisited = [(np.arange(len(reduced.free)), np.zeros(0, dtype=np.int64), -np.inf)]

    def grow(self, should_stop: Callable[[], bool]) -> Search:
        """Work off nodes until the tree is closed or ``should_stop`` says so."""
        while (self._unvisited or self._heap) and not should_stop():
            if self._unvisited:
                self._visit(*self._unvisited.pop(), should_stop)
                continue
            bound, _, free, inside, diagonal = heapq.heappop(self._heap)
            if self._hopeless(bound):
                continue
            place = int(np.argmin(np.abs(diagonal - 0.5)))
            rest = np.delete(free, place)
            self._unvisited += [(rest, inside, bound), (rest, np.append(inside, free[place]), bound)]
        bound = min([np.inf, *(node[2] for node in self._unvisited), *(entry[0] for entry in self._heap)])
        constant = self._reduced.constant
        self._found.bound = max(self._found.bound, min(bound + constant, self._found.value))
        return self._found

    def _hopeless(self, bound: float) -> bool:
        value = self._found.value - self._reduced.constant
        return bound >= value - 1e-10 * max(1.0, abs(value))

    def _offer(self, chosen: Indices) -> None:
        reduced = self._reduced
        counts = np.bincount(reduced.group[chosen], minlength=len(reduced.room))
        if np.any(counts > reduced.room) or int(reduced.length[chosen].sum()) > reduced.budget:
            return
        value = float(self._cost[np.ix_(chosen, chosen)].sum()) + reduced.constant
        if value < self._found.value - 1e-12:
            self._found.value = value
            self._found.chosen = np.concatenate([reduced.inside, reduced.free[chosen]])

    def _visit(self, free: Indices, inside: Indices, bound: float, should_stop: Callable[[], bool]) -> None:
        """Bound a node, decide what its bound decides, and put what is left on the heap; when stopped, keep it."""
        reduced, cost = self._reduced, self._cost
        while True:
            if should_stop():
                self._unvisited.append((free, inside, bound))
                return
            left = reduced.room - np.bincount(reduced.group[inside], minlength=len(reduced.room))
            slack = reduced.budget - int(reduced.length[inside].sum())
            if np.any(left < 0) or slack < 0:
                return
            free = free[(left[reduced.group[free]] > 0) & (reduced.length[free] <= slack)]
            k = reduced.k - len(inside)
            if k < 0 or len(free) < k:
                return
            if k in (0, len(free)):
                self._offer(np.concatenate([inside, free[:k]]))
                return
            node = cost[np.ix_(free, free)].copy()
            node[np.diag_indices(len(free))] += 2.0 * cost[np.ix_(free, inside)].sum(axis=1)
            constant = float(cost[np.ix_(inside, inside)].sum())
            if k == 1:
                for place in range(len(free)):
                    self._offer(np.append(inside, free[place]))
                return
            value = self._found.value - reduced.constant - constant
            iterations = DNN_ITERATIONS if self._counter else 3 * DNN_ITERATIONS
            found = dnn_bound(node, k, iterations=iterations, enough=value, should_stop=should_stop)
            bound = max(bound, found.value + constant)
            if self._hopeless(bound):
                return
            self._offer(np.concatenate([inside, free[np.argsort(-found.diagonal)[:k]]]))
            out, into = dnn_ruled(found, k, self._found.value - reduced.constant - constant)
            undecided = ~(out | into)
            if not out.any() and not into.any():
                break
            few = int((~undecided).sum()) < max(1, len(free) // 10)
            inside, diagonal, free = np.concatenate([inside, free[into]]), found.diagonal[undecided], free[undecided]
            if few and 1 < reduced.k - len(inside) < len(free):
                self._push(bound, free, inside, diagonal)
                return
        self._push(bound, free, inside, found.diagonal)

    def _push(self, bound: float, free: Indices, inside: Indices, diagonal: Floats) -> None:
        heapq.heappush(self._heap, (bound, self._counter, free, inside, diagonal))
        self._counter += 1
