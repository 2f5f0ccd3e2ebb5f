"""What the own solver answers: its certificate, its order, its stages, and what a deadline leaves of it."""

import time
from itertools import combinations, pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from papergraph.server.selection import solver
from papergraph.server.selection.problem import Form, Problem, SelectionLimits
from papergraph.server.selection.result import PROVEN, SelectionReport, Stage
from papergraph.server.selection.solver import certify, first_answer, select, top_k

STAGES = list(Stage)


def clustered(n: int, seed: int, *, k: int, alpha: float = 0.7, d: int = 384, **options) -> Problem:
    """Unit vectors in clusters of uneven size on one side of a query, as passages to a question lie."""
    g = np.random.default_rng(seed)
    query = g.normal(size=d) / np.sqrt(d)
    centres = 0.6 * query + 0.8 * g.normal(size=(2 * k, d)) / np.sqrt(d)
    weights = g.dirichlet(np.full(2 * k, 0.5))
    own = g.normal(size=(n, d)) / np.sqrt(d) * g.uniform(0.2, 0.9, size=(n, 1))
    rows = centres[g.choice(2 * k, size=n, p=weights)] + own
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Problem.from_vectors(rows, rows @ query / np.linalg.norm(query), k=k, alpha=alpha, **options)


def hard() -> Problem:
    """Directions without any order: far from proven within seconds."""
    g = np.random.default_rng(0)
    rows = g.normal(size=(200, 384))
    return Problem.from_vectors(rows, rows @ g.normal(size=384) / 384, k=10, alpha=0.3)


def assert_it_is_consistent(found: SelectionReport, problem: Problem) -> None:
    assert problem.is_feasible(found.positions)
    assert found.objective == pytest.approx(problem.objective(found.positions), abs=1e-12)
    assert found.gap == found.objective - found.lower_bound >= 0.0
    assert found.proven == (found.gap <= PROVEN * max(1.0, abs(found.objective)))
    assert 0.0 <= found.certified_gain <= 1.0


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile or load every kernel, so that no deadline pays for it."""
    select(clustered(300, 0, k=6, alpha=0.3), deadline_ms=700.0)


@pytest.fixture(scope="module")
def large() -> Problem:
    return clustered(2000, 1, k=20)


@pytest.fixture(scope="module")
def best_known(large) -> float:
    return min(select(large, deadline_ms=1500.0, seed=seed).objective for seed in range(2))


# What is answered


def test_the_order_is_that_of_greedy_gains():
    problem = clustered(40, 3, k=8, alpha=0.5)
    found = select(problem)
    gram, left = problem.gram(np.arange(40)), list(found.positions)

    for place, position in enumerate(found.positions):
        before = list(found.positions[:place])
        gain = {i: problem.p * problem.relevance[i] - problem.q * gram[i, before].sum() for i in left}

        assert gain[position] == pytest.approx(max(gain.values()), abs=1e-12)
        left.remove(position)


def test_a_marginal_is_what_would_be_lost_without_the_candidate():
    problem = clustered(40, 3, k=8, alpha=0.5)
    found = select(problem)

    for position, marginal in zip(found.positions, found.marginal, strict=True):
        rest = [other for other in found.positions if other != position]
        assert marginal == pytest.approx(problem.objective(rest) - found.objective, abs=1e-12)
    pairs = problem.q * found.mean_pair_similarity * 8 * 7 / 2
    assert sum(found.marginal) == pytest.approx(-found.objective - pairs, abs=1e-12)


def test_redundancy_and_the_nearest_are_those_among_the_selected():
    similarity = [[1.0, 0.9, 0.1, 0.3], [0.9, 1.0, 0.2, 0.3], [0.1, 0.2, 1.0, 0.5], [0.3, 0.3, 0.5, 1.0]]
    found = select(Problem.from_similarity(similarity, [0.9, 0.1, 0.8, 0.7], k=3, alpha=0.7))
    alone = select(Problem.from_similarity(similarity, [0.9, 0.1, 0.8, 0.7], k=1, alpha=0.7))

    assert found.positions == (0, 2, 3)
    assert found.redundancy == pytest.approx([(0.1 + 0.3) / 2, (0.1 + 0.5) / 2, (0.3 + 0.5) / 2])
    assert found.nearest == (3, 3, 2)
    assert found.nearest_similarity == pytest.approx([0.3, 0.5, 0.5])
    assert (alone.redundancy, alone.nearest, alone.nearest_similarity) == ((0.0,), (0,), (0.0,))


@pytest.mark.parametrize("form", Form)
def test_the_means_are_those_of_the_selection_and_make_up_the_objective(form):
    problem = clustered(40, 4, k=8, alpha=0.6, form=form)
    found = select(problem)
    gram = problem.gram(np.array(found.positions))
    relevance = problem.relevance[list(found.positions)].mean()
    similarity = gram[~np.eye(8, dtype=bool)].mean()

    assert found.mean_relevance == pytest.approx(relevance)
    assert found.mean_pair_similarity == pytest.approx(similarity)
    weights = (0.6, 0.4) if form is Form.MEAN else (0.6 * 8, 0.4 * 8 * 7 / 2)
    assert found.objective == pytest.approx(-weights[0] * relevance + weights[1] * similarity)


def test_rho_is_the_share_of_the_attainable_gain_over_top_k_that_is_certain():
    problem = clustered(300, 5, k=8, alpha=0.5)
    found = select(problem, upto=Stage.CERTIFICATE)
    plain = problem.objective(top_k(problem))

    assert not found.proven
    assert found.certified_gain == pytest.approx((plain - found.objective) / (plain - found.lower_bound))


def test_a_single_candidate_is_the_most_relevant_one():
    for alpha in (0.3, 1.0):
        found = select(Problem.from_vectors(np.eye(3), [0.2, 0.9, 0.4], k=1, alpha=alpha))

        assert found.positions == (1,)
        assert (found.mean_pair_similarity, found.proven, found.certified_gain) == (0.0, True, 1.0)
        assert found.objective == pytest.approx(-alpha * 0.9)


def test_all_candidates_are_a_proven_selection():
    problem = clustered(7, 6, k=7)
    found = select(problem)

    assert sorted(found.positions) == list(range(7))
    assert (found.proven, found.gap, found.certified_gain) == (True, 0.0, 1.0)


def test_nothing_is_left_to_choose_when_all_are_pinned():
    found = select(clustered(9, 6, k=3, limits=SelectionLimits(pinned=frozenset({2, 4, 8}))))

    assert set(found.positions) == {2, 4, 8}
    assert found.proven


def test_among_equal_vectors_relevance_decides():
    relevance = [0.3, 0.9, 0.1, 0.8, 0.5]

    found = select(Problem.from_vectors(np.ones((5, 4)), relevance, k=3, alpha=0.5))

    assert found.positions == (1, 3, 4)
    assert found.proven
    assert found.mean_pair_similarity == pytest.approx(1.0)


def test_candidates_that_are_all_alike_give_some_selection_with_proof():
    found = select(Problem.from_vectors(np.zeros((6, 4)), np.full(6, 0.5), k=3, alpha=0.5))

    assert len(set(found.positions)) == 3
    assert found.proven


def test_alpha_1_is_top_k_and_alpha_0_forgets_relevance():
    g = np.random.default_rng(7)
    rows, relevance, other = g.normal(size=(40, 5)), g.normal(size=40), g.normal(size=40)

    only_relevance = select(Problem.from_vectors(rows, relevance, k=5, alpha=1.0))
    no_relevance, nor_here = (select(Problem.from_vectors(rows, r, k=5, alpha=0.0)) for r in (relevance, other))

    assert list(only_relevance.positions) == np.argsort(-relevance)[:5].tolist()
    assert set(no_relevance.positions) == set(nor_here.positions)
    assert only_relevance.proven and no_relevance.proven


def test_a_near_duplicate_gives_way_to_another_topic():
    similarity = np.array([[1, 0.98, 0.1], [0.98, 1, 0.1], [0.1, 0.1, 1]])
    relevance = np.array([0.90, 0.89, 0.60])

    assert set(select(Problem.from_similarity(similarity, relevance, k=2, alpha=1.0)).positions) == {0, 1}
    assert set(select(Problem.from_similarity(similarity, relevance, k=2, alpha=0.5)).positions) == {0, 2}


def test_the_forms_agree_at_the_alpha_that_the_answer_names():
    mean = select(clustered(40, 8, k=6, alpha=0.6))

    pairs = select(clustered(40, 8, k=6, alpha=mean.alpha_pairs, form=Form.PAIRS))

    assert mean.proven and pairs.proven
    assert set(mean.positions) == set(pairs.positions)
    assert mean.alpha_pairs == pytest.approx(0.6 * 5 / (0.6 * 5 + 2 * 0.4))


def test_top_k_keeps_the_side_constraints():
    relevance = [0.9, 0.8, 0.7, 0.6, 0.5]
    capped = SelectionLimits(papers=list("aabbc"), max_per_paper=1)
    short = SelectionLimits(lengths=[100, 10, 100, 10, 10], token_budget=120)

    def of(limits: SelectionLimits) -> set[int]:
        return set(top_k(Problem.from_vectors(np.eye(5), relevance, k=3, limits=limits)).tolist())

    assert of(SelectionLimits()) == {0, 1, 2}
    assert of(capped) == {0, 2, 4}
    assert of(short) == {0, 1, 3}
    assert of(SelectionLimits(pinned=frozenset({4}), excluded=frozenset({0}))) == {4, 1, 2}


def test_no_exchange_with_any_candidate_improves_the_first_answer():
    problem = clustered(600, 9, k=5, alpha=0.5)
    chosen = first_answer(problem)
    value = problem.objective(chosen)

    for out in range(5):
        rest = np.delete(chosen, out)
        change = -problem.p * problem.relevance + problem.q * problem.weighted_sum(rest, np.ones(4), exact=True)
        change[chosen] = np.inf
        assert problem.objective(rest) + change.min() >= value - 1e-6


def test_a_bound_for_somebody_else_s_selection_is_below_the_optimum():
    problem = clustered(40, 10, k=5, alpha=0.4)
    optimum = select(problem)
    worst = np.array([40 - 1 - i for i in range(5)])

    assert optimum.proven
    assert certify(problem, worst) <= optimum.objective + PROVEN
    assert certify(problem, worst, deadline_ms=0.0) <= optimum.objective + PROVEN
    assert certify(problem, np.array(optimum.positions)) <= optimum.objective + PROVEN


def test_very_many_candidates_have_a_valid_bound_in_single_precision():
    """More than the pass in double precision is made for: the bound takes the rounding off."""
    problem = clustered(21_000, 11, k=5, alpha=0.8, d=16)

    found = select(problem, upto=Stage.CERTIFICATE)
    better = select(problem, deadline_ms=500.0)

    assert_it_is_consistent(found, problem)
    assert found.lower_bound <= better.objective + PROVEN


# Stages, seeds, deadlines


@pytest.mark.parametrize("upto", Stage)
def test_the_solver_goes_no_further_than_asked(upto):
    problem = clustered(200, 12, k=6, alpha=0.3)

    found = select(problem, upto=upto, deadline_ms=400.0)

    assert_it_is_consistent(found, problem)
    assert STAGES.index(found.stage) <= STAGES.index(upto)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", Form)
def test_a_further_stage_never_has_a_worse_answer_or_a_worse_bound(form, seed):
    problem = clustered(60, seed, k=6, alpha=0.5, d=24, form=form)

    stages = [select(problem, upto=stage) for stage in Stage]

    objectives, bounds = [found.objective for found in stages], [found.lower_bound for found in stages]
    assert objectives == sorted(objectives, reverse=True)
    assert all(later >= earlier - 1e-12 for earlier, later in pairwise(bounds))
    assert stages[-1].proven


def test_the_proof_agrees_with_brute_force_where_it_takes_a_tree():
    problem = clustered(26, 13, k=5, alpha=0.3, d=8)
    gram = problem.gram(np.arange(26))

    found = select(problem)

    optimum = min(
        -problem.p * problem.relevance[list(chosen)].sum()
        + problem.q * (gram[np.ix_(chosen, chosen)].sum() - np.diag(gram)[list(chosen)].sum()) / 2
        for chosen in combinations(range(26), 5)
    )
    assert found.proven
    assert found.objective == pytest.approx(optimum, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_the_same_seed_gives_the_same_answer(seed):
    problem = clustered(60, 14, k=6, alpha=0.5)

    once, again = (select(problem, seed=seed) for _ in range(2))

    assert once.positions == again.positions
    assert (once.objective, once.lower_bound, once.stage) == (again.objective, again.lower_bound, again.stage)


@pytest.fixture
def own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver's clock is this process's own time, so that other work on the machine does not count."""
    monkeypatch.setattr(solver, "time", SimpleNamespace(perf_counter=time.process_time))


@pytest.mark.slow
@pytest.mark.usefixtures("own_time")
def test_whatever_the_deadline_there_is_a_selection_and_a_bound(large, best_known):
    for deadline_ms in (0.0, 1.0, 5.0, 20.0, 50.0, 200.0):
        first = select(large, deadline_ms=0.0).ms  # the first answer is always finished
        start = time.process_time()
        found = select(large, deadline_ms=deadline_ms)
        took_ms = 1000.0 * (time.process_time() - start)
        over = took_ms - max(deadline_ms, first)
        print(
            f"{deadline_ms:5.0f} ms asked, {took_ms:6.1f} ms taken, first answer {first:.1f} ms, {found.stage}, "
            f"gap {found.gap:.2e}, rho {found.certified_gain:.3f}"
        )

        assert_it_is_consistent(found, large)
        assert found.lower_bound <= best_known + PROVEN
        assert over < max(0.2 * deadline_ms, 5.0) + 100.0  # a root that is begun is finished


@pytest.mark.usefixtures("own_time")
def test_a_deadline_holds_in_the_middle_of_the_tree():
    problem = hard()
    for deadline_ms in (30.0, 100.0, 400.0):
        found = select(problem, deadline_ms=deadline_ms)
        print(f"{deadline_ms:.0f} ms asked, {found.ms:.1f} ms taken, {found.stage}, gap {found.gap:.2e}")

        assert_it_is_consistent(found, problem)
        assert found.stage is Stage.BRANCH_AND_BOUND or deadline_ms < 100.0
        assert found.ms < 1.2 * deadline_ms + 200.0


def test_who_cancels_at_once_gets_the_first_answer_with_a_bound(large, best_known):
    found = select(large, cancelled=lambda: True)

    assert found.stage is Stage.GREEDY
    assert_it_is_consistent(found, large)
    assert found.lower_bound <= best_known + PROVEN


@pytest.mark.parametrize("questions", [2, 5, 20, 60])
def test_who_cancels_later_gets_what_there_is(questions):
    problem, asked = hard(), 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked >= questions

    found = select(problem, cancelled=cancelled)

    assert_it_is_consistent(found, problem)
    assert not found.proven
    assert asked < questions + 10
