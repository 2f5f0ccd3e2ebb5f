"""The own solver and every other back end against brute force, on small random problems with every option."""

import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any

import dimod
import numpy as np
import pytest
from dwave.samplers import SimulatedAnnealingSampler

from papergraph.server.selection.backends import backend, select_with
from papergraph.server.selection.errors import SelectionError
from papergraph.server.selection.ising_backend import DimodBackend
from papergraph.server.selection.problem import Form, Problem, SelectionLimits
from papergraph.server.selection.result import SelectionReport
from papergraph.server.selection.solver import select

pytestmark = pytest.mark.slow

ALPHAS = (0.0, 0.3, 0.6, 0.9, 1.0)
SOURCES = ("vectors", "vectors", "positive semidefinite matrix", "any symmetric matrix")
PER_BATCH = 60
ABOVE = 1e-7
"""A bound may be this much above the optimum: what counts as proven."""


@dataclass
class Case:
    """A random problem, and every selection that keeps its constraints with what it is worth."""

    k: int
    alpha: float
    form: Form
    relevance: np.ndarray
    similarity: np.ndarray
    vectors: np.ndarray | None
    limits: SelectionLimits
    feasible: np.ndarray = field(init=False)
    values: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        states = states_with(len(self.relevance), self.k)
        self.feasible = states[self.keeps_the_limits(states)]
        self.values = self.worth(self.feasible)

    @property
    def optimum(self) -> float:
        return float(self.values.min())

    def worth(self, states: np.ndarray) -> np.ndarray:
        """f, as docs/selection.md writes it."""
        relevance = states @ self.relevance
        pairs = np.einsum("ai,ij,aj->a", states, np.triu(self.similarity, 1), states)
        if self.form is Form.PAIRS:
            return -self.alpha * relevance + (1.0 - self.alpha) * pairs
        mean = pairs / (self.k * (self.k - 1) / 2) if self.k > 1 else 0.0
        return -self.alpha * relevance / self.k + (1.0 - self.alpha) * mean

    def keeps_the_limits(self, states: np.ndarray) -> np.ndarray:
        limits, keeps = self.limits, np.ones(len(states), dtype=bool)
        keeps &= states[:, sorted(limits.pinned)].all(axis=1) & ~states[:, sorted(limits.excluded)].any(axis=1)
        if limits.max_per_paper is not None:
            of_paper = np.array([[paper == other for other in set(limits.papers)] for paper in limits.papers])
            keeps &= (states @ of_paper).max(axis=1) <= limits.max_per_paper
        if limits.token_budget is not None:
            keeps &= states @ np.array(limits.lengths) <= limits.token_budget
        return keeps

    def problem(self) -> Problem:
        options: dict[str, Any] = {"k": self.k, "alpha": self.alpha, "form": self.form, "limits": self.limits}
        if self.vectors is None:
            return Problem.from_similarity(self.similarity, self.relevance, **options)
        return Problem.from_vectors(self.vectors, self.relevance, **options)


def states_with(n: int, k: int) -> np.ndarray:
    """Every 0/1 vector of length n with k ones."""
    chosen = np.array(list(combinations(range(n), k)))
    states = np.zeros((len(chosen), n))
    np.put_along_axis(states, chosen, 1.0, axis=1)
    return states


def random_case(seed: int, *, largest_n: int) -> Case:
    """Make a case whose every trait is drawn: some cannot be met."""
    g = np.random.default_rng(seed)
    n = int(g.integers(4, largest_n + 1))
    k = int(g.integers(1, min(6, n) + 1))
    source = SOURCES[g.integers(len(SOURCES))]
    vectors, relevance = random_vectors(g, n), g.choice([0.2, 1.0, 5.0]) * g.normal(size=n)
    if g.random() < 0.15:
        relevance[:] = relevance[0]
    if source == "any symmetric matrix":
        half = g.uniform(-1.0, 1.0, size=(n, n))
        similarity = 0.5 * (half + half.T)
    else:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = vectors / np.where(lengths > 0.0, lengths, 1.0)
        similarity = unit @ unit.T
        if g.random() < 0.6:  # a cosine to a query, as in use
            relevance = unit @ g.normal(size=unit.shape[1]) / np.sqrt(unit.shape[1])
    return Case(
        k=k,
        alpha=float(g.choice(ALPHAS)),
        form=Form.MEAN if g.random() < 0.5 else Form.PAIRS,
        relevance=relevance,
        similarity=similarity,
        vectors=vectors if source == "vectors" else None,
        limits=random_limits(g, n, k),
    )


def random_vectors(g: np.random.Generator, n: int) -> np.ndarray:
    """Clustered rows of any length, at times with zeros, with equal or with opposite ones among them."""
    d = int(g.choice([2, 3, 8, 384]))
    centres = g.normal(size=(int(g.integers(1, 5)), d))
    rows = centres[g.integers(len(centres), size=n)] + g.choice([0.1, 0.5, 2.0]) * g.normal(size=(n, d))
    trait = g.random()
    if trait < 0.1:
        rows[g.integers(n, size=2)] = 0.0
    elif trait < 0.25:
        rows[g.integers(n, size=3)] = rows[0]
    elif trait < 0.35:
        rows[: n // 2] = -rows[n - n // 2 :]
    elif trait < 0.38:
        rows[:] = rows[0]
    return rows


def random_limits(g: np.random.Generator, n: int, k: int) -> SelectionLimits:
    everything = g.random() < 0.15
    options: dict[str, Any] = {}
    if everything or g.random() < 0.3:
        options["papers"] = [f"paper {i}" for i in g.integers(max(2, n // 2), size=n)]
        options["max_per_paper"] = int(g.integers(1, 4))
    if everything or g.random() < 0.3:
        lengths = g.integers(0, 200, size=n)
        options["lengths"] = lengths.tolist()
        options["token_budget"] = int(g.uniform(0.6, 1.4) * k * lengths.mean())
    places = g.permutation(n).tolist()
    if everything or g.random() < 0.3:
        options["pinned"] = frozenset(places[: g.integers(1, min(k, 3) + 1)])
    if everything or g.random() < 0.3:
        options["excluded"] = frozenset(places[n - g.integers(1, 3) :]) - options.get("pinned", frozenset())
    return SelectionLimits(**options)


def assert_it_holds(found: SelectionReport, case: Case) -> None:
    """A selection is feasible, worth what it says, and its bound and certificate are true."""
    state = np.zeros((1, len(case.relevance)))
    state[0, list(found.positions)] = 1.0

    assert len(found.positions) == len(set(found.positions)) == case.k
    assert case.keeps_the_limits(state)[0]
    assert found.objective == pytest.approx(case.worth(state)[0], rel=1e-6, abs=3e-6)
    assert found.objective >= case.optimum - 3e-6
    assert found.lower_bound <= case.optimum + ABOVE * max(1.0, abs(case.optimum))
    assert found.gap == found.objective - found.lower_bound >= 0.0
    assert 0.0 <= found.certified_gain <= 1.0
    assert found.proven == (found.gap == 0.0)
    if found.proven:
        assert found.objective == pytest.approx(case.optimum, rel=1e-6, abs=3e-6)


def with_the_solvers_similarity(case: Case, problem: Problem) -> Case:
    """Take single-precision rounding of vectors out of the comparison, once it is seen to be no more than that."""
    gram = problem.gram(np.arange(problem.n))
    off = ~np.eye(problem.n, dtype=bool)
    np.testing.assert_allclose(gram[off], case.similarity[off], atol=1e-6)
    return Case(case.k, case.alpha, case.form, case.relevance, gram, case.vectors, case.limits)


@cache
def cases(batch: int, n_cases: int, *, largest_n: int = 13) -> list[tuple[Case, Problem]]:
    """Return so many cases that can be met; those that cannot are refused on the way."""
    met: list[tuple[Case, Problem]] = []
    seed = 1_000_000 * batch
    while len(met) < n_cases:
        case = random_case(seed, largest_n=largest_n)
        seed += 1
        if len(case.feasible):
            problem = case.problem()
            met.append((with_the_solvers_similarity(case, problem), problem))
        else:
            with pytest.raises(SelectionError):
                case.problem()
    return met


@pytest.mark.parametrize("batch", range(10))
def test_the_own_solver_finds_and_proves_the_optimum(batch):
    for case, problem in cases(batch, PER_BATCH):
        found = select(problem, seed=batch)

        assert_it_holds(found, case)
        assert found.proven
        assert (found.backend, found.certified_by) == ("exact", "exact")
        assert found.objective == pytest.approx(case.optimum, abs=2 * ABOVE * max(1.0, abs(case.optimum)))


@pytest.mark.parametrize("name", ["anneal", "mmr", "top_k"])
def test_a_heuristic_selects_what_is_feasible_under_the_own_certificate(name):
    for case, problem in cases(20, 500):
        found = select_with(backend(name), problem, seed=3)

        assert_it_holds(found, case)
        assert (found.backend, found.certified_by) == (name, "exact")


def test_the_own_solver_is_one_of_the_back_ends():
    for case, problem in cases(20, 500)[:100]:
        found = select_with(backend("exact"), problem)

        assert_it_holds(found, case)
        assert found.proven
        assert (found.backend, found.certified_by) == ("exact", "exact")


def test_cpsat_without_a_deadline_finds_the_optimum():
    certified_by = Counter()
    start = time.perf_counter()
    for case, problem in cases(22, 500, largest_n=8):
        found = select_with(backend("cpsat"), problem)

        assert_it_holds(found, case)
        assert found.backend == "cpsat"
        largest = max(problem.p * np.abs(case.relevance).max(), problem.q * np.abs(case.similarity).max())
        assert found.objective <= case.optimum + 1e-5 * largest + 1e-9  # it works with whole numbers
        certified_by[found.certified_by] += 1
    print(f"cpsat: certificates {dict(certified_by)}, {time.perf_counter() - start:.1f} s")

    assert set(certified_by) == {"exact", "cpsat"}


def test_an_exact_sampler_of_the_penalty_form_finds_the_optimum_where_nothing_else_limits_it():
    compared = 0
    for case, problem in cases(23, 500, largest_n=6):
        found = select_with(DimodBackend(dimod.ExactSolver(), name="exhaustive"), problem)

        assert_it_holds(found, case)
        assert (found.backend, found.certified_by) == ("exact" if found.fallback else "exhaustive", "exact")
        if not problem.constrained:
            compared += 1
            assert found.objective == pytest.approx(case.optimum, abs=1e-6)
    assert compared > 30


def test_samples_of_an_annealer_become_feasible_selections():
    sampler, asked = DimodBackend(SimulatedAnnealingSampler(), name="dwave", num_reads=3, num_sweeps=50, seed=1), 0
    for case, problem in cases(20, 500):
        found = select_with(sampler, problem)

        assert_it_holds(found, case)
        assert (found.backend, found.certified_by) == ("exact" if found.fallback else "dwave", "exact")
        asked += found.backend == "dwave"
    assert asked > 100


def test_every_option_was_met_often():
    met = [pair for batch in range(10) for pair in cases(batch, PER_BATCH)]
    seen = Counter(
        trait
        for case, problem in met
        for trait, there in {
            "vectors": case.vectors is not None,
            "matrix": case.vectors is None,
            "not semidefinite": problem.shift > 0.01,
            "zero vector": case.vectors is not None and bool((np.linalg.norm(case.vectors, axis=1) == 0.0).any()),
            "equal vectors": case.vectors is not None and len(np.unique(case.vectors, axis=0)) < len(case.vectors) - 1,
            "cap": case.limits.max_per_paper is not None,
            "budget": case.limits.token_budget is not None,
            "pinned": bool(case.limits.pinned),
            "excluded": bool(case.limits.excluded),
            "all limits": bool(
                case.limits.max_per_paper and case.limits.token_budget and case.limits.pinned and case.limits.excluded
            ),
            "k = n": case.k == len(case.relevance),
            **{f"k = {k}": case.k == k for k in range(1, 7)},
            **{f"alpha {alpha}": case.alpha == alpha for alpha in ALPHAS},
            **{form.value: case.form is form for form in Form},
        }.items()
        if there
    )

    assert len(met) >= 500
    assert min(seen.values()) >= 8
    assert len(seen) == 24
