"""Back ends behind one protocol: what they are given, what becomes of what they propose, and the penalty form."""

import sys
import time
from itertools import product
from types import SimpleNamespace

import dimod
import numpy as np
import pytest
from dwave.samplers import SimulatedAnnealingSampler

from papergraph.errors import Code
from papergraph.server.selection import backends
from papergraph.server.selection.backends import (
    BACKENDS,
    AnnealBackend,
    CpSatBackend,
    MmrBackend,
    Proposal,
    TopKBackend,
    backend,
    select_with,
)
from papergraph.server.selection.errors import BackendError, NoDeviceError, SelectionError
from papergraph.server.selection.exact import polish, repair
from papergraph.server.selection.ising import ising_form, penalty_form
from papergraph.server.selection.ising_backend import DimodBackend
from papergraph.server.selection.problem import Problem, SelectionLimits
from papergraph.server.selection.solver import first_answer, select
from tests.support.selection_problems import clusters

TWINS_AND_ANOTHER = np.array([[1, 0.98, 0.1], [0.98, 1, 0.1], [0.1, 0.1, 1]])
TWINS_RELEVANCE = [0.90, 0.89, 0.60]


def twins(alpha: float) -> Problem:
    return Problem.from_similarity(TWINS_AND_ANOTHER, TWINS_RELEVANCE, k=2, alpha=alpha)


class Proposing:
    """A back end that proposes what it is told to."""

    name = "told"

    def __init__(self, chosen, lower_bound=-np.inf) -> None:
        self._proposal = Proposal(np.array(chosen, dtype=np.int64), lower_bound)

    def propose(self, problem, *, deadline_ms, seed) -> Proposal:
        return self._proposal


class Sampler:
    """A sampler that gives the states that are made for so many variables."""

    def __init__(self, states, vartype: str = "BINARY") -> None:
        self.states, self.vartype, self.asked = states, vartype, None

    def sample(self, model, **parameters):
        self.asked = (model, parameters)
        return dimod.SampleSet.from_samples_bqm(
            np.array(self.states(model.num_variables)), model.change_vartype(self.vartype, inplace=False)
        )


def none_or_all(n: int) -> list[list[int]]:
    return [[0] * n, [1] * n, [1] * 2 + [0] * (n - 2)]


@pytest.mark.parametrize("name", [*BACKENDS, "dimod"])
def test_a_near_duplicate_gives_way_to_another_topic(name):
    chosen = DimodBackend(dimod.ExactSolver()) if name == "dimod" else backend(name)

    assert set(select_with(chosen, twins(1.0)).positions) == {0, 1}
    if name != "top_k":
        assert set(select_with(chosen, twins(0.5)).positions) == {0, 2}


@pytest.mark.parametrize("name", [*BACKENDS, "dimod"])
def test_every_back_end_keeps_every_side_constraint(name):
    chosen = DimodBackend(SimulatedAnnealingSampler(), num_reads=3, num_sweeps=50, seed=0)
    limits = SelectionLimits(
        lengths=[50 + 7 * (i % 11) for i in range(40)],
        token_budget=420,
        papers=[i % 13 for i in range(40)],
        max_per_paper=1,
        pinned=frozenset({3}),
        excluded=frozenset({0, 1, 2}),
    )
    problem = clusters(4, limits=limits)

    found = select_with(chosen if name == "dimod" else backend(name), problem, deadline_ms=2000.0)

    assert problem.is_feasible(found.positions)
    assert found.backend == ("exact" if found.fallback else name)
    assert found.lower_bound <= select(problem).objective + 1e-7


def test_the_better_bound_certifies_and_is_named():
    problem = clusters(0, k=4, alpha=0.3)
    best = select(problem)
    assert best.proven

    own = select_with(Proposing(best.positions, -100.0), problem)
    theirs = select_with(Proposing(best.positions, best.objective - 1e-4), problem)
    proof = select_with(Proposing(best.positions, best.objective), problem)

    assert (own.backend, own.certified_by) == ("told", "exact")
    assert own.lower_bound < best.objective - 1e-4
    assert (theirs.certified_by, theirs.gap, theirs.proven) == ("told", pytest.approx(1e-4), False)
    assert (proof.certified_by, proof.gap, proof.proven) == ("told", 0.0, True)


@pytest.mark.parametrize(
    "chosen", [[], [0, 1], [0, 0, 1, 2], [0, 1, 2, 40], [0, 1, 2, -1], [0, 1, 2, 39], [1, 2, 3, 4], range(40)]
)
def test_what_is_no_selection_is_refused(chosen):
    problem = clusters(0, k=4, limits=SelectionLimits(pinned=frozenset({0}), excluded=frozenset({39})))

    with pytest.raises(BackendError, match=r"back end 'told' proposed .* which is no selection") as raised:
        select_with(Proposing(chosen), problem)

    assert raised.value.code is Code.UNAVAILABLE


@pytest.mark.parametrize("above", [1e-3, np.inf])
def test_a_bound_above_what_was_proposed_is_refused(above):
    problem = clusters(0, k=4)

    with pytest.raises(BackendError, match="back end 'told' gave a lower bound above the objective"):
        select_with(Proposing([0, 1, 2, 3], problem.objective([0, 1, 2, 3]) + above), problem)


def test_a_bound_that_is_no_number_counts_for_nothing():
    found = select_with(Proposing([0, 1, 2, 3], np.nan), clusters(0, k=4))

    assert found.certified_by == "exact"
    assert np.isfinite(found.lower_bound)


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(
        SelectionError, match="no back end 'gurobi', only exact, cpsat, anneal, mmr, top_k, pbit"
    ) as raised:
        backend("gurobi")

    assert raised.value.field == "backend"


@pytest.mark.parametrize(
    ("made", "module", "package"),
    [
        (CpSatBackend, "ortools.sat.python", "ortools"),
        (lambda: DimodBackend(Sampler(none_or_all)), "dimod", "dimod"),
    ],
)
def test_a_package_that_is_not_installed_is_named(monkeypatch, made, module, package):
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(BackendError, match=f"needs .*: uv add {package}"):
        select_with(made(), clusters(0))


class Broken:
    def __init__(self) -> None:
        self.asked = 0

    def sample(self, model, **parameters):
        self.asked += 1
        raise ConnectionError("the device is cold")


def test_a_sampler_that_fails_twice_leaves_the_own_selection_and_the_reason():
    problem, broken = clusters(0), Broken()

    found = select_with(DimodBackend(broken, name="cold"), problem)
    nonsense = select_with(DimodBackend(SimpleNamespace(sample=lambda model: "nonsense")), problem)

    assert (found.backend, found.device, broken.asked) == ("exact", None, 2)
    assert found.fallback == "the sampler of back end 'cold' failed: the device is cold"
    assert found.objective == pytest.approx(select(problem).objective)
    assert (nonsense.backend, nonsense.objective) == ("exact", found.objective)
    assert "the sampler of back end 'dimod' failed" in nonsense.fallback


def test_samples_of_any_size_are_repaired_and_what_they_were_is_told():
    problem = clusters(1, n=12, k=3, alpha=0.3)

    found = select_with(DimodBackend(Sampler(none_or_all)), problem)

    assert problem.is_feasible(found.positions)
    assert (found.device.reads, found.device.feasible_reads, found.device.attempts) == (3, 0, 1)
    assert found.device.objective_polished <= found.device.objective_sampled
    assert found.objective <= found.device.objective_polished


def test_samples_may_be_spins():
    problem = clusters(1, n=12, k=3, alpha=0.3)

    once, again = (
        select_with(DimodBackend(Sampler(states, kind)), problem)
        for states, kind in ((none_or_all, "BINARY"), (lambda n: 2 * np.array(none_or_all(n)) - 1, "SPIN"))
    )

    assert once.positions == again.positions
    assert again.backend == "dimod"


def test_no_samples_leave_the_own_selection():
    problem = clusters(1, n=12, k=3, alpha=0.3)

    found = select_with(DimodBackend(Sampler(lambda n: np.zeros((0, n), dtype=int))), problem)

    assert problem.is_feasible(found.positions)
    assert found.backend == "exact" and "states of shape (0, " in found.fallback


def test_a_sampler_gets_its_parameters_and_no_more_candidates_than_it_can_take():
    problem, sampler = clusters(1, n=40, k=3, alpha=0.3), Sampler(none_or_all)

    select_with(DimodBackend(sampler, size=10, num_reads=7), problem)

    model, parameters = sampler.asked
    assert model.num_variables == 10
    assert parameters == {"num_reads": 7}


def test_a_sampler_gets_seed_reads_and_time_where_it_takes_them():
    sampler = Sampler(none_or_all)
    sampler.parameters = {"seed": [], "timeout": [], "num_reads": [], "beta_range": []}

    select_with(DimodBackend(sampler, num_reads=3), clusters(1, alpha=0.3), deadline_ms=1000.0, seed=2**40 + 5)

    _, parameters = sampler.asked
    assert (parameters["seed"], parameters["num_reads"]) == (5, 3)
    assert 0.0 < parameters["timeout"] < 600.0  # of one attempt, in milliseconds as dimod's tabu has it
    assert set(parameters) == {"seed", "num_reads", "timeout"}


def test_the_device_is_asked_for_by_name_where_one_is_set():
    device = Proposing([0, 1])

    assert backend("pbit", device=device) is device
    with pytest.raises(
        NoDeviceError, match="goes into PAPERGRAPH_DEVICE_URL, and papergraph dev pbit-emulator is"
    ) as raised:
        backend("pbit")

    assert (raised.value.field, raised.value.code) == ("backend", Code.BAD_USER_INPUT)


def test_the_same_seed_gives_the_same_annealed_selection():
    problem = clusters(2, n=200, k=8, alpha=0.4)

    once, again = (select_with(AnnealBackend(), problem, seed=5) for _ in range(2))

    assert once.positions == again.positions


def test_annealing_is_never_worse_than_the_first_answer_and_heeds_its_deadline():
    problem = clusters(3, n=300, k=10, alpha=0.4)
    select_with(AnnealBackend(), problem, deadline_ms=1.0)

    start = time.process_time()  # other processes do not count
    hurried = select_with(AnnealBackend(), problem, deadline_ms=20.0)
    took_ms = 1000.0 * (time.process_time() - start)
    unhurried = select_with(AnnealBackend(), problem)
    print(f"anneal with 20 ms: {took_ms:.0f} ms")

    assert unhurried.objective <= select_with(Proposing(hurried.positions), problem).objective + 1e-9
    assert took_ms < 1000.0


def test_cpsat_without_time_still_answers_and_claims_no_bound_it_does_not_have():
    problem = clusters(6, n=300, k=10, alpha=0.3)  # more candidates than it takes are left

    found = select_with(CpSatBackend(), problem, deadline_ms=300.0)

    assert problem.is_feasible(found.positions)
    assert found.certified_by == "exact"
    assert found.lower_bound <= found.objective


@pytest.mark.parametrize("deadline_ms", [1.0, 40.0])
def test_cpsat_counts_all_that_it_does_and_is_not_started_when_its_time_is_over(monkeypatch, deadline_ms):
    from ortools.sat.python import cp_model

    problem = clusters(6, n=300, k=10, alpha=0.3)
    looks = 0

    def clock() -> float:  # each look takes a millisecond; there are more pairs than 40 ms have looks
        nonlocal looks
        looks += 1
        return looks / 1000.0

    def solve(*_: object) -> None:
        raise AssertionError("CP-SAT was started after its time")

    monkeypatch.setattr(backends, "time", SimpleNamespace(perf_counter=clock))
    monkeypatch.setattr(cp_model.CpSolver, "solve", solve)

    found = CpSatBackend().propose(problem, deadline_ms=deadline_ms, seed=0)

    assert found.chosen.tolist() == first_answer(problem).tolist()
    assert found.lower_bound == -np.inf
    assert looks <= deadline_ms + 5


def test_cpsat_that_has_begun_is_stopped_at_its_deadline(monkeypatch):
    from ortools.sat.python import cp_model

    problem, deadline_s = clusters(6, n=300, k=10, alpha=0.3), 1.2
    given, used, solve = [], [], cp_model.CpSolver.solve

    def watched(solver: cp_model.CpSolver, model: cp_model.CpModel) -> object:
        given.append(solver.parameters.max_time_in_seconds)
        begin = time.process_time()  # other processes do not count
        status = solve(solver, model)
        used.append(time.process_time() - begin)
        return status

    monkeypatch.setattr(cp_model.CpSolver, "solve", watched)
    CpSatBackend().propose(problem, deadline_ms=1.0, seed=0)  # loads the kernels of the bound

    begin = time.process_time()
    found = CpSatBackend().propose(problem, deadline_ms=1000.0 * deadline_s, seed=0)
    took_s = time.process_time() - begin
    print(f"cpsat: {took_s:.2f} s of {deadline_s} s")

    assert problem.is_feasible(found.chosen.tolist())
    assert took_s < deadline_s + 1.0
    for limit_s, spent_s in zip(given, used, strict=True):
        assert 0.0 < limit_s < deadline_s
        assert spent_s < limit_s + 1.0


def test_mmr_is_the_published_rule():
    problem = clusters(7, n=30, k=5, alpha=0.6)
    similarity, chosen = problem.gram(np.arange(30)), [int(np.argmax(problem.relevance))]
    while len(chosen) < 5:
        score = 0.6 * problem.relevance - 0.4 * similarity[:, chosen].max(axis=1)
        score[chosen] = -np.inf
        chosen.append(int(np.argmax(score)))

    assert MmrBackend().propose(problem, deadline_ms=None, seed=0).chosen.tolist() == chosen


def test_top_k_is_the_most_relevant():
    problem = clusters(7, n=30, k=5)

    chosen = TopKBackend().propose(problem, deadline_ms=None, seed=0).chosen

    assert set(chosen.tolist()) == set(np.argsort(-problem.relevance)[:5].tolist())


def test_repair_keeps_what_it_can_and_polish_leaves_no_better_exchange():
    problem = clusters(8, n=30, k=5, alpha=0.5, limits=SelectionLimits(pinned=frozenset({2}), excluded=frozenset({4})))
    best = select(problem)

    assert set(repair(problem, np.array(best.positions)).tolist()) == set(best.positions)
    for proposed in (np.arange(30), np.zeros(0, dtype=np.int64), np.array([4, 7])):
        chosen = repair(problem, proposed)
        value = problem.objective(chosen)

        assert problem.is_feasible(chosen)
        assert problem.objective(polish(problem, chosen)) == pytest.approx(value, abs=1e-12)
        for out, into in product(range(5), range(30)):
            exchanged = chosen.copy()
            exchanged[out] = into
            if problem.is_feasible(exchanged):
                assert problem.objective(exchanged) >= value - 1e-9


def penalised(seed: int) -> tuple[np.ndarray, np.ndarray, float, int]:
    """Similarity of any sign, linear costs of any sign and size, q and k."""
    g = np.random.default_rng(seed)
    n = int(g.integers(2, 11))
    half = g.uniform(-1.0 if seed % 2 else 0.0, 1.0, size=(n, n))
    similarity = 0.5 * (half + half.T)
    np.fill_diagonal(similarity, 1.0)
    linear = g.choice([0.01, 1.0, 10.0]) * g.normal(size=n)
    return similarity, linear, float(g.choice([0.0, 0.1, 1.0, 5.0])), int(g.integers(1, n + 1))


def every_state(n: int) -> np.ndarray:
    return np.array(list(product([0.0, 1.0], repeat=n)))


def energy(quadratic: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("ai,ij,aj->a", x, quadratic, x)


def plain(similarity: np.ndarray, linear: np.ndarray, q: float, x: np.ndarray) -> np.ndarray:
    return x @ linear + q * np.einsum("ai,ij,aj->a", x, np.triu(similarity, 1), x)


@pytest.mark.parametrize("seed", range(60))
def test_the_penalty_form_is_the_objective_plus_a_penalty_that_forces_k_ones(seed):
    similarity, linear, q, k = penalised(seed)
    x = every_state(len(linear))
    of_size_k = x.sum(axis=1) == k
    wrong = (x.sum(axis=1) - k) ** 2

    quadratic, offset = penalty_form(similarity, linear, q, k)
    total, f = energy(quadratic, x) + offset, plain(similarity, linear, q, x)

    assert not np.tril(quadratic, -1).any()
    assert total[of_size_k] == pytest.approx(f[of_size_k], abs=1e-9)
    weights = (total - f)[~of_size_k] / wrong[~of_size_k]
    assert weights == pytest.approx(np.full(len(weights), weights.max(initial=0.0)))  # one and the same λ
    lowest = total.min()
    assert set(x[total <= lowest + 1e-12 * abs(lowest)].sum(axis=1)) == {k}
    assert lowest == pytest.approx(f[of_size_k].min(), abs=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_the_ising_form_is_the_same_energy_in_spins(seed):
    quadratic, _ = penalty_form(*penalised(seed))
    x = every_state(len(quadratic))
    s = 2.0 * x - 1.0

    h, j, offset = ising_form(quadratic)

    assert not np.tril(j).any()
    assert s @ h + energy(j, s) + offset == pytest.approx(energy(quadratic, x), abs=1e-9)


def test_alpha_1_selects_the_top_k_in_every_back_end():
    problem = clusters(10, n=12, k=3, alpha=1.0)
    best = set(np.argsort(-problem.relevance)[:3].tolist())

    for chosen in [*(backend(name) for name in BACKENDS), DimodBackend(dimod.ExactSolver())]:
        found = select_with(chosen, problem)

        assert set(found.positions) == best
        assert found.proven and found.certified_gain == 1.0
