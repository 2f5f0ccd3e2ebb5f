"""The own solver: an answer at once, a certificate next, and then the proof, as far as the deadline allows.

1. greedy     the best next candidate, k times, on the most promising ones; exchanges until none among all helps
2. certificate  the convex relaxation on a working set, priced over all candidates; it rules most of them out or in
3. tabu       exchanges with a memory among those that are left
4. branch and bound  with the convex bound, and with the doubly non-negative one where that is the better

Whatever the deadline there is a valid selection and a valid bound. The same seed gives the same answer unless a
deadline cuts the work off at another place. One thread.
"""

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from papergraph.server.selection import compilation as kernels
from papergraph.server.selection.bounds import ConvexBound, Reduced, convex_bound, linear_bound, ruled
from papergraph.server.selection.exact import LARGEST_TREE, ConvexTree, DnnTree, Search
from papergraph.server.selection.problem import Floats, Indices, Problem
from papergraph.server.selection.result import PROVEN, Certificate, SelectionReport, Stage, describe

PROMISING = 256
PER_CHOICE = 6
OFFERED_AT_ONCE = 32
EXCHANGE_ROUNDS = 8
TABU_ITERATIONS = 200
TABU_PATIENCE = 60
LARGEST_TABU, LARGEST_DNN = 800, 220
FIRST_TURN_S = 0.15
ROOT_S = 2.5e-8
"""Approximate seconds of a tree's root per pair of undecided candidates; the tree is skipped if less time remains."""

NAME = "exact"

Stop = Callable[[], bool]


def select(
    problem: Problem,
    *,
    deadline_ms: float | None = None,
    seed: int = 0,
    upto: Stage = Stage.BRANCH_AND_BOUND,
    cancelled: Stop = lambda: False,
) -> SelectionReport:
    """Select k candidates with a proven bound of their distance from the optimum.

    Args:
        problem: The problem.
        deadline_ms: Wall-clock time after which the search ends. Without it, the proof is completed if at most 2,000
            candidates are undecided, else skipped.
        seed: Seed of the tabu search.
        upto: The last stage to go to.
        cancelled: Called every few milliseconds; True ends the search like the deadline.

    Returns:
        A feasible selection with a valid bound.
    """
    start = time.perf_counter()
    end = np.inf if deadline_ms is None else start + deadline_ms / 1000.0

    def should_stop() -> bool:
        return time.perf_counter() >= end or cancelled()

    with _one_thread():
        chosen, bound, stage = _solve(problem, should_stop, seed, upto, end)
        return describe(
            problem,
            chosen,
            Certificate(
                lower_bound=bound,
                top_k=problem.objective(top_k(problem)),
                stage=stage,
                backend=NAME,
                certified_by=NAME,
                elapsed_ms=1000.0 * (time.perf_counter() - start),
            ),
        )


def certify(problem: Problem, chosen: Indices, *, deadline_ms: float | None = None) -> float:
    """Return a lower bound for a selection that somebody else found: the certificate stage alone."""
    end = np.inf if deadline_ms is None else time.perf_counter() + deadline_ms / 1000.0
    with _one_thread():
        reduced, places = _start(problem, chosen)
        if reduced.k == 0 or problem.q == 0.0:
            return problem.objective(chosen) if reduced.k == 0 else linear_bound(reduced, places).value
        return convex_bound(
            reduced, places, tolerance=_tolerance(problem, chosen), should_stop=lambda: time.perf_counter() >= end
        ).value


def top_k(problem: Problem) -> Indices:
    """Return the k most relevant candidates that keep the side constraints, by position.

    With a token budget the most relevant ones may not fit; the shortest feasible selection is then improved by
    exchanges that look at relevance only.
    """
    reduced = Reduced.of(problem, free=problem.allowed, inside=problem.pinned)
    relevance = -problem.relevance[problem.allowed]
    places = _first_choice(reduced, relevance)
    return np.concatenate([problem.pinned, problem.allowed[places]])


def first_answer(problem: Problem) -> Indices:
    """Return the first stage's selection: greedy, then exchanges until none among all candidates helps."""
    reduced = Reduced.of(problem, free=problem.allowed, inside=problem.pinned)
    return np.concatenate([problem.pinned, reduced.free[_greedy_and_exchanges(reduced)]])


def _solve(problem: Problem, should_stop: Stop, seed: int, upto: Stage, end: float) -> tuple[Indices, float, Stage]:
    chosen = first_answer(problem)
    reduced, places = _start(problem, chosen)
    if reduced.k == 0:
        return chosen, problem.objective(chosen), Stage.GREEDY
    value = problem.objective(chosen)
    bound: ConvexBound = linear_bound(reduced, places)
    if upto is Stage.GREEDY or should_stop() or _is_proof(value, bound.value):
        return chosen, bound.value, Stage.GREEDY
    better = convex_bound(reduced, places, tolerance=_tolerance(problem, chosen), should_stop=should_stop)
    bound = better if better.value > bound.value else bound
    lowest = bound.value
    if upto is Stage.CERTIFICATE or should_stop() or _is_proof(value, lowest):
        return chosen, lowest, Stage.CERTIFICATE
    whole = reduced
    reduced, weight = _decide(problem, whole, bound, value)
    chosen, better_value = _tabu(problem, reduced, chosen, value, seed)
    if better_value < value:  # the same bound decides more against a better selection
        value = better_value
        reduced, weight = _decide(problem, whole, bound, value)
    too_late = time.perf_counter() + ROOT_S * len(reduced.free) ** 2 > end
    if upto is Stage.TABU or should_stop() or too_late or len(reduced.free) > LARGEST_TREE or _is_proof(value, lowest):
        return chosen, lowest, Stage.TABU
    found = _branch(problem, reduced, weight, Search(chosen, value, lowest), should_stop, end)
    return found.chosen, found.bound, Stage.BRANCH_AND_BOUND


def _start(problem: Problem, chosen: Indices) -> tuple[Reduced, Indices]:
    reduced = Reduced.of(problem, free=problem.allowed, inside=problem.pinned)
    return reduced, _places(reduced, chosen)


def _places(reduced: Reduced, chosen: Indices) -> Indices:
    """Return where the part of a selection that is not decided stands among the free candidates."""
    return np.flatnonzero(np.isin(reduced.free, chosen)).astype(np.int64)


def _greedy_and_exchanges(reduced: Reduced) -> Indices:
    """Return a selection that no exchange with any free candidate improves, as places among them.

    Works on the most promising candidates and then looks at all others, a few at a time, for one that would improve it.
    """
    problem, k = reduced.problem, reduced.k
    if k == 0:
        return np.zeros(0, dtype=np.int64)
    m = len(reduced.free)
    size = min(m, max(PROMISING, PER_CHOICE * k))
    places = np.argpartition(reduced.linear, size - 1)[:size] if size < m else np.arange(m)
    if problem.constrained:
        places = np.union1d(places, _shortest(reduced))
    places = np.sort(places)
    similarity = problem.rough_gram(reduced.free[places])
    inside = _first_choice_on(reduced, places, similarity)
    for _ in range(EXCHANGE_ROUNDS):
        kernels.swap(
            similarity,
            reduced.linear[places],
            problem.q,
            inside,
            reduced.group[places],
            reduced.room,
            reduced.length[places],
            reduced.budget,
            50 * k,
        )
        if len(places) == m or (problem.q == 0.0 and not problem.constrained):
            break
        added = _offers(reduced, places, places[inside])
        if not len(added):
            break
        inside_places = places[inside]
        places = np.concatenate([places, added])
        similarity = problem.rough_gram(reduced.free[places])
        inside = np.array([int(np.flatnonzero(places == place)[0]) for place in inside_places], dtype=np.int64)
    return places[inside]


def _offers(reduced: Reduced, places: Indices, inside: Indices) -> Indices:
    """Return the outside candidates that would improve the selection most if exchanged for one of it."""
    problem = reduced.problem
    together = problem.weighted_sum(reduced.free[inside], np.ones(len(inside)), exact=False)[reduced.free]
    field = reduced.linear + problem.q * together
    gram = problem.gram(reduced.free[inside])
    own = reduced.linear[inside] + problem.q * (gram.sum(axis=1) - np.diag(gram))
    outside = np.ones(len(field), dtype=bool)
    outside[places] = False
    largest = float(gram.max()) if problem.matrix is not None else 1.0
    candidates = np.flatnonzero(outside & (field - problem.q * max(1.0, largest) < own.max()))
    if not len(candidates):
        return candidates
    similarity = problem.gram_between(reduced.free[candidates], reduced.free[inside])
    change = field[candidates, None] - own[None, :] - problem.q * similarity
    if problem.constrained:
        longer = reduced.length[candidates, None] - reduced.length[inside][None, :]
        slack = reduced.budget - int(reduced.length[inside].sum())
        left = reduced.room - np.bincount(reduced.group[inside], minlength=len(reduced.room))
        same = reduced.group[candidates, None] == reduced.group[inside][None, :]
        change[(longer > slack) | ~(same | (left[reduced.group[candidates]] > 0)[:, None])] = np.inf
    gain = change.min(axis=1)
    best = np.argsort(gain, kind="stable")[:OFFERED_AT_ONCE]
    offered: Indices = candidates[best[gain[best] < -1e-7 * max(problem.p, problem.q)]]
    return offered


def _first_choice_on(reduced: Reduced, places: Indices, similarity: Floats) -> Indices:
    if reduced.budget >= int(reduced.length.sum()):
        chosen: Indices = kernels.greedy(
            similarity, reduced.linear[places], reduced.problem.q, reduced.k, reduced.group[places], reduced.room
        )
        return chosen
    shortest: Indices = np.searchsorted(places, np.sort(_shortest(reduced))).astype(np.int64)
    return shortest


def _first_choice(reduced: Reduced, linear: Floats) -> Indices:
    """Return the best k by linear costs alone, as places: in order under the caps, by exchanges under a budget."""
    left = reduced.room.copy()
    inside: list[int] = []
    budgeted = reduced.budget < int(reduced.length.sum())
    order = np.argsort(linear, kind="stable")
    if not budgeted:
        for place in order:
            if len(inside) == reduced.k:
                break
            if left[reduced.group[place]] > 0:
                left[reduced.group[place]] -= 1
                inside.append(int(place))
        return np.array(inside, dtype=np.int64)
    chosen = _shortest(reduced)
    near = np.union1d(order[: max(PROMISING, PER_CHOICE * reduced.k)], chosen)
    local = np.searchsorted(near, np.sort(chosen))
    nothing = np.zeros((len(near), len(near)))
    kernels.swap(
        nothing,
        linear[near],
        0.0,
        local,
        reduced.group[near],
        reduced.room,
        reduced.length[near],
        reduced.budget,
        50 * reduced.k,
    )
    return near[local]


def _shortest(reduced: Reduced) -> Indices:
    """Return the selection with the fewest tokens that keeps the caps, as places; ties by linear cost."""
    left = reduced.room.copy()
    inside: list[int] = []
    for place in np.lexsort((reduced.linear, reduced.length)):
        if len(inside) == reduced.k:
            break
        if left[reduced.group[place]] > 0:
            left[reduced.group[place]] -= 1
            inside.append(int(place))
    return np.array(inside, dtype=np.int64)


def _decide(problem: Problem, reduced: Reduced, bound: ConvexBound, value: float) -> tuple[Reduced, Floats]:
    """Take out what the bound rules out, put in what it rules in; return the rest with the relaxation's point on it."""
    out, into = ruled(reduced, bound, value)
    undecided = ~(out | into)
    inside = np.concatenate([reduced.inside, reduced.free[into]])
    return Reduced.of(problem, free=reduced.free[undecided], inside=inside), bound.weight[undecided]


def _tabu(problem: Problem, reduced: Reduced, chosen: Indices, value: float, seed: int) -> tuple[Indices, float]:
    """Improve the selection among the undecided candidates; everything decided is right for any better selection."""
    places = _places(reduced, chosen)
    if len(places) != reduced.k or reduced.k == 0 or len(reduced.free) <= reduced.k:
        return chosen, value
    near = np.union1d(np.argsort(reduced.linear, kind="stable")[:LARGEST_TABU], places)
    found = kernels.tabu(
        problem.rough_gram(reduced.free[near]),
        reduced.linear[near],
        problem.q,
        np.searchsorted(near, places),
        reduced.group[near],
        reduced.room,
        reduced.length[near],
        reduced.budget,
        TABU_ITERATIONS,
        TABU_PATIENCE,
        seed,
    )
    better = np.concatenate([reduced.inside, reduced.free[near[found]]])
    better_value = problem.objective(better)
    return (better, better_value) if better_value < value else (chosen, value)


def _branch(problem: Problem, reduced: Reduced, weight: Floats, found: Search, should_stop: Stop, end: float) -> Search:
    """Grow the convex tree; where it does not close soon and candidates are few, give the other bound its turn."""
    if reduced.k <= 0 or len(reduced.free) <= reduced.k:  # a better selection could only be this one
        only = np.concatenate([reduced.inside, reduced.free])
        if len(only) == problem.k and problem.is_feasible(only) and problem.objective(only) < found.value:
            return Search(only, problem.objective(only), problem.objective(only))
        return Search(found.chosen, found.value, found.value)
    turn_end = min(end, time.perf_counter() + FIRST_TURN_S)
    convex = ConvexTree(reduced, found, weight, should_stop)
    found = convex.grow(lambda: should_stop() or time.perf_counter() >= turn_end)
    if found.closed or should_stop():
        return found
    if len(reduced.free) <= LARGEST_DNN and problem.q > 0.0:
        root = found.bound
        dnn = DnnTree(reduced, Search(found.chosen, found.value, found.bound))
        other = dnn.grow(_after_root(should_stop))
        if other.closed or other.bound - root > 0.0:
            return dnn.grow(should_stop)
        found = Search(other.chosen, other.value, max(other.bound, found.bound))
    last = convex.grow(should_stop)
    if last.value > found.value:
        return Search(found.chosen, found.value, min(max(last.bound, found.bound), found.value))
    return Search(last.chosen, last.value, max(last.bound, min(found.bound, last.value)))


def _after_root(should_stop: Stop) -> Stop:
    """Let a best-first tree bound its root, and stop before the first node behind it unless that is soon."""
    end = time.perf_counter() + 2.0 * FIRST_TURN_S

    def stop() -> bool:
        return should_stop() or time.perf_counter() >= end

    return stop


def _tolerance(problem: Problem, chosen: Indices) -> float:
    return 5e-5 * max(abs(problem.objective(chosen)), 0.05 * problem.p * problem.k)


def _is_proof(value: float, bound: float) -> bool:
    return value - bound <= PROVEN * max(1.0, abs(value))


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def _one_thread() -> Any:
    return _controller().limit(limits=1)
