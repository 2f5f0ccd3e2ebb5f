"""Selections as Ising problems: values in every form and every device's numbers, what is refused, what probes show."""

import json
import sys
from itertools import product
from types import SimpleNamespace

import dimod
import numpy as np
import pytest

from papergraph.server.process.pbit_emulator import Pairs, PbitDevice, Sign
from papergraph.server.process.pbit_emulator import Problem as Message
from papergraph.server.selection.backends import select_with
from papergraph.server.selection.bounds import Reduced
from papergraph.server.selection.errors import BackendError, DeviceCapacityError, DeviceError, Fault, IsingError
from papergraph.server.selection.exact import polish
from papergraph.server.selection.ising import (
    CONVENTIONS,
    PROBES,
    Capabilities,
    Convention,
    Ising,
    Penalty,
    Samples,
    Schedule,
    as_spins,
    calibrated,
    check_ising,
    for_device,
    lowest,
    penalised_ising,
    sufficient_penalty,
)
from papergraph.server.selection.ising_backend import (
    ORBIT_PROBES,
    DimodBackend,
    DimodSampler,
    IsingBackend,
    OrbitSampler,
    Question,
    Undecided,
    choose_penalty,
    request,
)
from papergraph.server.selection.problem import Form, Problem, SelectionLimits
from papergraph.server.selection.solver import first_answer, select
from tests.support.selection_problems import clusters


def named(convention: Convention) -> str:
    return f"{'plus' if convention.sign > 0 else 'minus'}-{convention.pairs}"


SCHEDULE = Schedule(0.1, 5.0, 100)


def undecided(problem: Problem) -> Undecided:
    """The whole problem, nothing decided by a bound."""
    reduced = Reduced.of(problem, free=problem.allowed, inside=problem.pinned)
    return Undecided(reduced, reduced.linear, -np.inf)


def value(problem: Problem, reduced: Reduced, x: np.ndarray) -> float:
    """f of any set of candidates, whatever their number, from its definition."""
    inside = np.concatenate([reduced.inside, reduced.free[x > 0]])
    similarity = problem.gram(inside)
    pairs = 0.5 * (similarity.sum() - np.trace(similarity))
    return -problem.p * problem.relevance[inside].sum() + problem.q * pairs


def sent_energies(h: np.ndarray, above: np.ndarray, convention: Convention, spins: np.ndarray) -> np.ndarray:
    """What a device of a convention minimises, given a message's h and its couplings above the diagonal."""
    n = len(h)
    pair = np.array([[s[i] * s[j] for i in range(n) for j in range(i + 1, n)] for s in spins])
    return convention.sign * (spins @ h + convention.pairs * (pair @ above))


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize("convention", CONVENTIONS, ids=named)
@pytest.mark.parametrize(("bits", "field_bits"), [(None, None), (8, 16), (4, 10)])
def test_what_is_sent_is_the_objective_plus_the_penalty(form, convention, bits, field_bits):
    problem = clusters(
        9, n=30, k=5, alpha=0.6, form=form, limits=SelectionLimits(pinned=frozenset({1}), excluded=frozenset({4}))
    )
    question = Question.of(undecided(problem), Capabilities("a device", 100, bits, field_bits, convention))
    reduced, k = question.undecided.reduced, question.undecided.reduced.k
    message = request(question.sent.h, question.sent.j, num_reads=1, seed=0, schedule=question.schedule, timeout_ms=1.0)
    h, above = (np.array(json.loads(json.dumps(message[name])), dtype=np.float64) for name in ("h", "J"))
    g = np.random.default_rng(0)
    x = np.array([g.random(len(h)) < share for share in g.uniform(0.02, 0.98, size=60)]).astype(int)

    told = sent_energies(h, above, convention, 2 * x - 1) / question.sent.scale
    offset = reduced.constant + question.ising.offset
    expected = np.array([value(problem, reduced, row) for row in x]) + question.penalty.of(x.sum(axis=1), k)
    exact = question.ising.energies(2 * x - 1) + reduced.constant

    assert exact == pytest.approx(expected, abs=1e-7)  # vectors are in single precision
    assert np.abs(told + offset - exact).max() <= question.sent.error_bound + 1e-9
    if bits is None:
        assert question.sent.error_bound == pytest.approx(0.0, abs=1e-12)
    else:
        assert np.abs(above).max() <= 2 ** (bits - 1) - 1 and np.abs(h).max() <= 2 ** (field_bits - 1) - 1
        assert {type(number) for number in message["h"] + message["J"]} == {int}


@pytest.mark.parametrize("form", Form)
def test_the_model_that_a_dimod_sampler_gets_has_the_objective_s_values(form):
    problem, models = clusters(9, n=9, k=3, alpha=0.6, form=form, limits=SelectionLimits(pinned=frozenset({1}))), []

    class Keeping(dimod.ExactSolver):
        def sample(self, model, **parameters):
            models.append(model)
            return super().sample(model, **parameters)

    question = Question.of(undecided(problem), Capabilities("dimod", 100))
    DimodSampler(Keeping(), name="dimod", size=100, parameters={}).sample_ising(
        question.sent.h, question.sent.j, num_reads=1, seed=0, schedule=SCHEDULE, timeout_s=1.0
    )

    reduced, binary = question.undecided.reduced, models[0].change_vartype("BINARY", inplace=False)
    for x in np.array(list(product([0, 1], repeat=8))):
        expected = value(problem, reduced, x) + question.penalty.of(x.sum(), reduced.k)
        assert binary.energy(x) + question.ising.offset + reduced.constant == pytest.approx(float(expected), abs=1e-7)


def test_a_small_penalty_leaves_more_of_the_objective_to_be_seen_and_selections_in_their_order():
    problem = clusters(3, n=12, k=4, alpha=0.6)
    reduced = undecided(problem).reduced
    similarity = problem.gram(reduced.free)
    small, _ = choose_penalty(similarity, reduced.linear, problem.q, 4)
    forcing = sufficient_penalty(similarity, reduced.linear, problem.q, 4)
    x = np.array(list(product([0, 1], repeat=12)))
    of_k = x.sum(axis=1) == 4

    energies = [
        penalised_ising(similarity, reduced.linear, problem.q, 4, penalty).energies(2 * x - 1)
        for penalty in (small, forcing)
    ]

    assert small.weight < 0.2 * forcing.weight
    assert energies[0][of_k] == pytest.approx(energies[1][of_k], abs=1e-9)
    assert x[np.argmin(energies[1])].sum() == 4
    assert abs(x[np.argmin(energies[0])].sum() - 4) <= 1


@pytest.mark.parametrize(
    ("h", "j", "told"),
    [
        ([1.0, np.nan], np.zeros((2, 2)), "not finite"),
        ([1.0, 1.0], [[0, np.inf], [np.inf, 0]], "not finite"),
        ([1.0, 1.0], [[0, 1.0], [2.0, 0]], "not symmetric"),
        ([1.0, 1.0], [[0, 1.0], [0, 0]], "not symmetric"),
        ([1.0, 1.0], [[3.0, 1.0], [1.0, 0]], "diagonal"),
        ([1.0, 1.0], np.zeros((3, 3)), r"shape \(n,\)"),
        ([], np.zeros((0, 0)), "at least 1"),
    ],
)
def test_what_is_no_ising_problem_is_refused(h, j, told):
    with pytest.raises(IsingError, match=told) as raised:
        check_ising(np.array(h), np.array(j), max_spins=10)
    with pytest.raises(IsingError, match=told):
        for_device(Ising(np.array(h), np.array(j)), Capabilities("a device", 10))

    assert raised.value.field == "ising"


def test_more_spins_than_the_device_has_are_refused_with_both_numbers():
    with pytest.raises(DeviceCapacityError, match="the problem has 11 spins, the device 10: give it") as raised:
        check_ising(np.zeros(11), np.zeros((11, 11)), max_spins=10)

    assert (raised.value.spins, raised.value.max_spins) == (11, 10)


@pytest.mark.parametrize(
    "states",
    [[[1, 0]], [[1, 2]], [[1, 257]], [[1, -1], [1]], [[1, -1, 1]], [], [[]], [1, -1], [[1.0, -1.0]], [["1", "-1"]],
     [[True, True]], [[1, None]], [[1, 2**70]], "11", None, {"a": 1}],
)  # fmt: skip
def test_what_are_no_states_is_refused(states):
    with pytest.raises(DeviceError) as raised:
        as_spins(states, 2)

    assert raised.value.fault is Fault.MALFORMED


def answering(device: PbitDevice):
    """A device that is asked without HTTP."""

    def ask(h, j, reads, schedule):
        body = request(h, j, num_reads=reads, seed=3, schedule=schedule, timeout_ms=1000.0)
        told = device.sample(Message.model_validate(json.loads(json.dumps(body))))
        return Samples(as_spins(told.states, len(h)), np.array(told.energies))

    return ask


@pytest.mark.parametrize("convention", CONVENTIONS, ids=named)
def test_probes_show_the_convention_whatever_is_declared(convention):
    device = PbitDevice(
        sign=Sign.PLUS if convention.sign > 0 else Sign.MINUS,
        pairs=Pairs.ONCE if convention.pairs == 1 else Pairs.TWICE,
        coupling_bits=3,
        field_bits=3,
    )

    true = calibrated(answering(device), Capabilities("true", 10, convention=convention))
    wrong = calibrated(answering(device), Capabilities("wrong", 10, convention=Convention(-convention.sign, 1)))

    assert (true.convention, true.declared) == (convention, None)
    assert (wrong.convention, wrong.declared) == (convention, Convention(-convention.sign, 1))


def test_each_convention_has_answers_of_its_own_to_the_probes():
    answers = {convention: tuple(frozenset(lowest(h, j, convention)) for h, j in PROBES) for convention in CONVENTIONS}

    for one, other in product(CONVENTIONS, CONVENTIONS):
        if one != other:
            assert any(not (a & b) for a, b in zip(answers[one], answers[other], strict=True))


def transposed(h, j):
    order = np.arange(len(h))[::-1]
    return h, j[np.ix_(order, order)]


@pytest.mark.parametrize(
    "spoil", [transposed, lambda h, j: (h, 0.0 * j), lambda h, j: (-h, j), lambda h, j: (0.0 * h, j)],
    ids=["pairs in another order", "no couplings", "fields of another sign", "no fields"],
)  # fmt: skip
def test_a_device_of_no_known_convention_is_refused(spoil):
    ask = answering(PbitDevice(coupling_bits=None, field_bits=None))

    with pytest.raises(DeviceError, match="those of no known convention") as raised:
        calibrated(lambda h, j, reads, schedule: ask(*spoil(h, j), reads, schedule), Capabilities("odd", 10))

    assert raised.value.fault is Fault.CONVENTION


class Telling:
    """A sampler that gives fixed answers, or errors, in turn."""

    name = "telling"

    def __init__(self, *answers, **capabilities) -> None:
        self.answers, self.asked, self.forgotten = list(answers), [], 0
        self.told = Capabilities("telling", **{"max_spins": 100, **capabilities})

    def capabilities(self, *, timeout_s):
        return self.told

    def sample_ising(self, h, j, *, num_reads, seed, schedule, timeout_s):
        self.asked.append((h, j))
        answer = self.answers.pop(0)
        return answer(h, j) if callable(answer) else answer

    def forget(self):
        self.forgotten += 1


def all_up(h, j, off=0.0):
    states = np.ones((2, len(h)), dtype=np.int8)
    return Samples(states, Ising(h, j).energies(states) + off, 1.5)


def test_the_device_is_asked_again_once_and_then_the_own_solver_is():
    problem = clusters(2, alpha=0.3)
    again = Telling(lambda h, j: all_up(h, j, off=1.0), all_up)
    never = Telling(lambda h, j: all_up(h, j, off=1.0), lambda h, j: Samples(np.zeros((1, len(h)), np.int8), None))

    second, none = (select_with(IsingBackend(sampler), problem) for sampler in (again, never))

    assert (second.device.attempts, again.forgotten, len(again.asked)) == (2, 1, 2)
    assert second.device.device_ms == 1.5
    assert (none.backend, none.device, never.forgotten, len(never.asked)) == ("exact", None, 2, 2)
    assert none.fallback == "the device gave values that are not -1 or 1 for spins"
    assert none.objective == pytest.approx(select(problem).objective)


def test_states_that_are_worse_than_the_own_first_answer_leave_that_and_are_told():
    g = np.random.default_rng(1)
    half = g.normal(size=(30, 30))
    problem = Problem.from_similarity(
        half + half.T, np.zeros(30), k=6, alpha=0.0
    )  # many selections that no exchange helps
    first = problem.objective(first_answer(problem))
    stuck = next(
        chosen
        for chosen in (polish(problem, g.choice(30, 6, replace=False)) for _ in range(200))
        if problem.objective(chosen) > first + 1e-6
    )

    def give_stuck(h, j):
        state = np.where(np.isin(np.arange(30), stuck), 1, -1)[None, :].astype(np.int8)
        return Samples(state, Ising(h, j).energies(state))

    found = select_with(IsingBackend(Telling(give_stuck)), problem, deadline_ms=300.0)

    assert found.backend == "exact" and "worse than the own first answer by" in found.fallback
    assert found.device.objective_polished == pytest.approx(problem.objective(stuck))
    assert found.objective <= first + 1e-9 < found.device.objective_polished


def test_a_device_gets_the_most_promising_candidates_that_it_can_hold_and_one_that_is_too_small_none():
    problem, small, tiny = clusters(2, alpha=0.3), Telling(all_up, max_spins=9), Telling(max_spins=6)

    found, none = (select_with(IsingBackend(sampler), problem) for sampler in (small, tiny))

    assert [len(h) for h, _ in small.asked] == [9] and found.device.spins == 9
    assert (none.backend, tiny.asked) == ("exact", [])
    assert none.fallback == "the problem has 7 spins, the device 6: give it fewer candidates"


def test_what_the_bound_decides_is_not_asked():
    problem, sampler = clusters(0, k=4, alpha=1.0), Telling()

    found = select_with(IsingBackend(sampler), problem)

    assert sampler.asked == []
    assert (found.backend, found.proven) == ("exact", True)
    assert found.fallback == "nothing was left for the device to decide"


def test_orbit_is_named_where_it_is_not_installed():
    with pytest.raises(BackendError, match="needs the ORBIT SDK, which comes from Quantum Dice: install it"):
        select_with(IsingBackend(OrbitSampler()), clusters(2, alpha=0.3))


@pytest.mark.parametrize("convention", CONVENTIONS, ids=named)
def test_an_installed_orbit_is_calibrated_and_asked(monkeypatch, convention):
    asked = []

    def optimize_ising(j, h, *, full_sweeps, beta_initial, beta_end, random_seed):
        asked.append((full_sweeps, random_seed))
        device = PbitDevice(coupling_bits=None, field_bits=None)
        told = answering(device)(convention.sign * h, convention.sign * convention.pairs * j, 1,
                                 Schedule(beta_initial, beta_end, full_sweeps))  # fmt: skip
        return SimpleNamespace(min_state=told.states[0].tolist(), min_cost=0.0, execution_time=0.25)

    monkeypatch.setitem(sys.modules, "orbit", SimpleNamespace(optimize_ising=optimize_ising))
    problem = clusters(2, alpha=0.3)

    found = select_with(IsingBackend(OrbitSampler()), problem, seed=11)

    assert (found.device.name, found.device.device_ms, found.device.reads) == ("orbit", 250.0, 1)
    assert len(asked) == ORBIT_PROBES * len(PROBES) + 1 and asked[-1][1] == 11
    assert found.objective <= problem.objective(first_answer(problem)) + 1e-12
    assert (found.device.corrected is None) == (convention == Convention())


def test_annealed_states_of_dimod_are_close_before_they_are_polished():
    from dwave.samplers import SimulatedAnnealingSampler

    problem = clusters(5, n=150, k=8, alpha=0.5)

    found = select_with(DimodBackend(SimulatedAnnealingSampler(), num_sweeps=200), problem, seed=1)
    lowest_known = select(problem, deadline_ms=1000.0).objective

    assert found.device.objective_sampled <= lowest_known + 0.1 * abs(lowest_known)
    assert found.objective <= lowest_known + 0.01 * abs(lowest_known)


def test_the_penalty_is_nothing_for_k_ones():
    assert Penalty(0.5, -3.0).of(4, 4) == 0.0
    assert Penalty(0.5, -3.0).of(6, 4) == 0.5 * 4 - 6.0
