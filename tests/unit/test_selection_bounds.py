"""No bound is ever above what a selection reaches, and nothing is decided against a better selection."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from papergraph.server.selection import exact
from papergraph.server.selection.bound_kernels import newton_step, product, project, quadratic_bound
from papergraph.server.selection.bounds import (
    Reduced,
    convex_bound,
    dnn_bound,
    dnn_ruled,
    largest_eigenvalue,
    linear_bound,
    ruled,
)
from papergraph.server.selection.exact import ConvexTree, DnnTree, Search, diagonal_shift
from papergraph.server.selection.problem import Form, Problem, SelectionLimits

thorough = settings(max_examples=80, deadline=None, derandomize=True)
ROUNDING = 1e-9


def never() -> bool:
    return False


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Small problems of vectors with entries that are easy to read, with some candidates pinned or excluded."""
    n = draw(st.integers(3, 8))
    k = draw(st.integers(1, n - 1))
    d = draw(st.integers(1, 4))
    entries = st.floats(-2.0, 2.0, width=16)
    vectors = draw(arrays(np.float32, (n, d), elements=entries))
    relevance = draw(arrays(np.float64, n, elements=entries))
    places = draw(st.permutations(range(n)))
    n_pinned = draw(st.integers(0, k - 1))
    n_excluded = draw(st.integers(0, n - k - 1))
    limits = SelectionLimits(
        pinned=frozenset(places[:n_pinned]), excluded=frozenset(places[n_pinned : n_pinned + n_excluded])
    )
    return Problem.from_vectors(
        vectors,
        relevance,
        k=k,
        alpha=draw(st.sampled_from([0.0, 0.1, 0.5, 0.9])),
        form=draw(st.sampled_from(Form)),
        limits=limits,
    )


def undecided(problem: Problem) -> Reduced:
    return Reduced.of(problem, free=problem.allowed, inside=problem.pinned)


def selections(reduced: Reduced) -> list[tuple[tuple[int, ...], float]]:
    """Every selection, as places among the free candidates, with its value."""
    problem = reduced.problem
    every = list(combinations(range(len(reduced.free)), reduced.k))
    states = np.zeros((len(every), problem.n))
    states[:, reduced.inside] = 1.0
    np.put_along_axis(states, reduced.free[np.array(every)], 1.0, axis=1)
    pairs = np.einsum("ai,ij,aj->a", states, np.triu(problem.gram(np.arange(problem.n)), 1), states)
    values = -problem.p * (states @ problem.relevance) + problem.q * pairs
    return list(zip(every, values.tolist(), strict=True))


def lowest(reduced: Reduced) -> float:
    return min(value for _, value in selections(reduced))


def slack(value: float) -> float:
    return ROUNDING * max(1.0, abs(value))


def assert_nothing_is_decided_against_a_better_one(
    out: np.ndarray, into: np.ndarray, every: list[tuple[tuple[int, ...], float]], best_value: float
) -> None:
    ruled_out, ruled_in = set(np.flatnonzero(out)), set(np.flatnonzero(into))
    assert not ruled_out & ruled_in
    for places, value in every:
        if value < best_value - 1e-8 * max(1.0, abs(best_value)):
            assert not ruled_out & set(places)
            assert ruled_in <= set(places)


@thorough
@given(problems(), st.data())
def test_the_tangent_at_any_selection_is_below_every_selection(problem, data):
    reduced = undecided(problem)
    at, _ = data.draw(st.sampled_from(selections(reduced)))

    bound = linear_bound(reduced, np.array(at, dtype=np.int64)).value

    assert bound <= lowest(reduced) + slack(bound)


@thorough
@given(problems(), st.data(), st.sampled_from([1e-9, 1e-3, 10.0]), st.booleans())
def test_the_convex_bound_is_below_every_selection_however_early_it_ends(problem, data, tolerance, at_once):
    reduced = undecided(problem)
    at, _ = data.draw(st.sampled_from(selections(reduced)))
    start = np.array(at, dtype=np.int64)

    bound = convex_bound(reduced, start, tolerance=tolerance, should_stop=lambda: at_once)

    assert bound.value <= lowest(reduced) + slack(bound.value)
    assert bound.value >= linear_bound(reduced, start).value


@thorough
@given(problems(), st.data())
def test_the_convex_bound_decides_nothing_against_a_better_selection(problem, data):
    reduced = undecided(problem)
    every = selections(reduced)
    at, _ = data.draw(st.sampled_from(every))
    bound = convex_bound(reduced, np.array(at, dtype=np.int64), tolerance=1e-6, should_stop=never)

    for _, best_value in every:
        out, into = ruled(reduced, bound, best_value)

        assert_nothing_is_decided_against_a_better_one(out, into, every, best_value)


@st.composite
def dense_costs(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    n = draw(st.integers(3, 8))
    half = draw(arrays(np.float64, (n, n), elements=st.floats(-2.0, 2.0, width=16)))
    return 0.5 * (half + half.T), draw(st.integers(2, n - 1))


def worth(cost: np.ndarray, k: int) -> list[tuple[tuple[int, ...], float]]:
    return [(places, float(cost[np.ix_(places, places)].sum())) for places in combinations(range(len(cost)), k)]


@thorough
@given(dense_costs(), st.sampled_from([1, 5, 10, 80]))
def test_the_doubly_non_negative_bound_is_below_every_selection_for_any_matrix(instance, iterations):
    cost, k = instance

    bound = dnn_bound(cost, k, iterations=iterations, enough=np.inf, should_stop=never)

    optimum = min(value for _, value in worth(cost, k))
    assert bound.value <= optimum + slack(optimum)


@thorough
@given(dense_costs(), st.sampled_from([1, 20, 80]))
def test_the_doubly_non_negative_bound_decides_nothing_against_a_better_selection(instance, iterations):
    cost, k = instance
    every = worth(cost, k)
    bound = dnn_bound(cost, k, iterations=iterations, enough=np.inf, should_stop=never)

    for _, best_value in every:
        out, into = dnn_ruled(bound, k, best_value)

        assert_nothing_is_decided_against_a_better_one(out, into, every, best_value)


def test_a_doubly_non_negative_bound_that_is_stopped_at_once_promises_nothing():
    cost = np.diag([1.0, 2.0, 3.0])

    bound = dnn_bound(cost, 2, iterations=100, enough=np.inf, should_stop=lambda: True)
    out, into = dnn_ruled(bound, 2, best_value=3.0)

    assert bound.value == -np.inf
    assert not out.any() and not into.any()


def test_the_doubly_non_negative_bound_is_tighter_where_k_and_alpha_are_small():
    g = np.random.default_rng(5)
    problem = Problem.from_vectors(g.normal(size=(20, 8)), g.normal(size=20), k=3, alpha=0.3)
    reduced = undecided(problem)
    cost = 0.5 * problem.q * problem.gram(reduced.free)
    np.fill_diagonal(cost, reduced.linear)

    convex = convex_bound(reduced, np.arange(3), tolerance=1e-9, should_stop=never).value
    dnn = dnn_bound(cost, 3, iterations=400, enough=np.inf, should_stop=never).value

    assert convex < dnn <= lowest(reduced) + ROUNDING


@pytest.mark.parametrize("iterations", [1, 7, 8, 64])
@pytest.mark.parametrize("seed", range(10))
def test_the_quadratic_bound_holds_wherever_its_iteration_stops(seed, iterations):
    g = np.random.default_rng(seed)
    n, k = 9, 4
    factor = g.normal(size=(n, int(g.integers(1, 9))))
    h, c = factor @ factor.T, g.normal(size=n)
    start = project(g.normal(size=n), k)

    bound, point, slope = quadratic_bound(
        h, 1.0, np.arange(n), c, k, largest_eigenvalue(h), start, iterations, 0.0, np.inf
    )

    points = [project(5.0 * g.normal(size=n), k) for _ in range(300)]
    corners = [np.isin(np.arange(n), places).astype(float) for places in combinations(range(n), k)]
    assert bound <= min(float(c @ x + 0.5 * x @ h @ x) for x in [*points, *corners]) + ROUNDING
    assert point.sum() == pytest.approx(k)
    np.testing.assert_allclose(slope, c + h @ point)


@pytest.mark.parametrize("seed", range(20))
def test_the_product_is_that_of_the_free_part_however_many_are_free(seed):
    g = np.random.default_rng(seed)
    m = int(g.integers(2, 60))
    s = g.normal(size=(m, m))
    s = s + s.T
    free = np.sort(g.choice(m, int(g.integers(1, m + 1)), replace=False))
    x = np.where(g.random(len(free)) < 0.5, g.random(len(free)), 0.0)

    assert product(s, 0.3, free, x) == pytest.approx(0.3 * s[np.ix_(free, free)] @ x, abs=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_a_newton_step_stays_in_the_polytope_and_is_never_worse(seed):
    g = np.random.default_rng(seed)
    n, k = 30, 6
    rows = g.normal(size=(n, 8))
    h, c, x = rows @ rows.T, g.normal(size=n), project(0.5 * g.normal(size=n), 6)

    def value(point):
        return c @ point + 0.5 * point @ h @ point

    moved = newton_step(h, 1.0, np.arange(n), c + h @ x, x, k)

    assert moved.sum() == pytest.approx(k, abs=1e-6)
    assert np.all(moved >= 0.0) and np.all(moved <= 1.0)
    assert value(moved) <= value(x) + 1e-9


def test_the_quadratic_bound_closes_on_the_minimum_of_the_relaxation():
    g = np.random.default_rng(1)
    factor = g.normal(size=(20, 12))
    h, c = factor @ factor.T, g.normal(size=20)

    bound, point, _ = quadratic_bound(
        h, 1.0, np.arange(20), c, 5, largest_eigenvalue(h), np.full(20, 0.25), 5000, 1e-8, np.inf
    )

    assert c @ point + 0.5 * point @ h @ point - bound <= 1e-8


def test_projection_finds_the_nearest_point_of_the_capped_simplex():
    assert project(np.array([5.0, 0.2, -3.0]), 1) == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)
    assert project(np.array([0.5, 0.5, 0.5]), 1) == pytest.approx([1 / 3] * 3)
    assert project(np.array([0.9, 0.7, -1.0]), 2) == pytest.approx([1.0, 1.0, 0.0], abs=1e-9)


@thorough
@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 16))
def test_what_is_taken_off_the_diagonal_leaves_the_similarity_semidefinite(seed, n, d):
    g = np.random.default_rng(seed)
    rows = g.normal(size=(n, d))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    similarity = rows @ rows.T
    weight = project(g.normal(size=n), max(1, n // 3))

    shift = diagonal_shift(similarity, weight, never)

    assert shift.min() >= 0.0
    assert np.linalg.eigvalsh(similarity - np.diag(shift))[0] >= -1e-9


def test_the_shift_lifts_the_bound_where_the_similarity_has_full_rank():
    g = np.random.default_rng(2)
    problem = Problem.from_vectors(g.normal(size=(12, 40)), g.normal(size=12), k=4, alpha=0.5)
    s, weight = problem.gram(problem.allowed), np.full(12, 1 / 3)
    c = undecided(problem).convex_linear

    def bound(shift: np.ndarray) -> float:
        h = problem.q * (s - np.diag(shift))
        return quadratic_bound(
            h,
            1.0,
            np.arange(len(h)),
            c + 0.5 * problem.q * shift,
            4,
            largest_eigenvalue(h),
            weight,
            5000,
            1e-10,
            np.inf,
        )[0]

    shift = diagonal_shift(s, weight, never)

    assert shift.min() > 0.0
    assert bound(np.zeros(12)) < bound(shift) <= lowest(undecided(problem)) + ROUNDING


def test_opposite_rows_do_not_hide_the_largest_eigenvalue():
    opposite = np.array([[1.0, -1.0], [-1.0, 1.0]])  # its rows sum to nothing

    assert largest_eigenvalue(opposite) >= 2.0


class Clock:
    """Says stop once, at the n-th question, and then lets the work go on."""

    def __init__(self, stop_at: int) -> None:
        self.stop_at, self.asked = stop_at, 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked == self.stop_at


def two_clusters(seed: int, limits: SelectionLimits | None = None) -> tuple[Problem, Reduced]:
    g = np.random.default_rng(seed)
    rows = g.normal(size=(2, 6))[g.integers(2, size=12)] + 0.6 * g.normal(size=(12, 6))
    problem = Problem.from_vectors(rows, 0.3 * g.normal(size=12), k=4, alpha=0.3, limits=limits)
    return problem, undecided(problem)


def worst(problem: Problem, reduced: Reduced) -> Search:
    places, value = max(selections(reduced), key=lambda each: each[1])
    return Search(np.concatenate([reduced.inside, reduced.free[list(places)]]), value, -np.inf)


@pytest.mark.slow
@pytest.mark.parametrize("stop_at", [1, 2, 3, 5, 10, 40, 150])
@pytest.mark.parametrize("kind", ["convex", "doubly non-negative"])
def test_a_tree_that_was_paused_anywhere_is_valid_then_and_closes_later(kind, stop_at):
    for seed in range(4):
        problem, reduced = two_clusters(seed)
        start = worst(problem, reduced)
        if kind == "convex":
            tree = ConvexTree(reduced, start, np.full(12, 1 / 3), never)
        else:
            tree = DnnTree(reduced, Search(start.chosen, start.value, start.bound))

        paused = tree.grow(Clock(stop_at))
        bound_then, value_then, worth_then = paused.bound, paused.value, problem.objective(paused.chosen)
        done = tree.grow(never)

        optimum = lowest(reduced)
        assert bound_then <= optimum + ROUNDING
        assert optimum - ROUNDING <= value_then == pytest.approx(worth_then, abs=1e-9)
        assert done.closed
        assert done.value == pytest.approx(optimum, abs=1e-9)
        assert problem.objective(done.chosen) == pytest.approx(optimum, abs=1e-9)


def test_a_tree_without_room_for_open_nodes_goes_on_in_depth(monkeypatch):
    rooms = (exact.OPEN_BYTES, 0)
    for seed in range(6):
        problem, reduced = two_clusters(seed)
        n_rows = []
        for room in rooms:
            monkeypatch.setattr(exact, "OPEN_BYTES", room)
            tree = ConvexTree(reduced, worst(problem, reduced), np.full(12, 1 / 3), never)
            n_rows.append(len(tree._bounds))

            done = tree.grow(never)

            assert done.closed
            assert done.value == pytest.approx(lowest(reduced), abs=1e-9)
            assert problem.objective(done.chosen) == pytest.approx(done.value, abs=1e-9)
        assert n_rows[1] == 12 + 3 < n_rows[0]


def test_both_trees_keep_the_side_constraints():
    limits = SelectionLimits(
        papers=[i // 3 for i in range(12)], max_per_paper=1, lengths=[10 * (i % 4) for i in range(12)], token_budget=50
    )
    for seed in range(6):
        problem, reduced = two_clusters(seed, limits)
        feasible = [
            (chosen, problem.objective(chosen))
            for chosen in combinations(range(12), 4)
            if len({i // 3 for i in chosen}) == 4 and sum(10 * (i % 4) for i in chosen) <= 50
        ]
        chosen, value = max(feasible, key=lambda each: each[1])
        optimum = min(value for _, value in feasible)

        for tree in (
            ConvexTree(reduced, Search(np.array(chosen), value, -np.inf), np.full(12, 1 / 3), never),
            DnnTree(reduced, Search(np.array(chosen), value, -np.inf)),
        ):
            done = tree.grow(never)

            assert done.closed
            assert done.value == pytest.approx(optimum, abs=1e-9)
            assert problem.is_feasible(done.chosen)
