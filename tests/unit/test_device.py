"""The p-bit device over HTTP: messages against the schema on both sides, the emulated device, what its faults do."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import httpx
import jsonschema
import numpy as np
import pytest
from fastapi.testclient import TestClient

from papergraph.cli.commands.dev import pbit_emulator
from papergraph.errors import BlockedUrlError, InputError
from papergraph.server.process.pbit_emulator import Fault as Failing
from papergraph.server.process.pbit_emulator import PbitDevice, TooSlowError, create_emulator
from papergraph.server.process.pbit_emulator import Problem as Message
from papergraph.server.retrieval.candidates import RankedCandidate
from papergraph.server.retrieval.resources import Resources, equipped
from papergraph.server.retrieval.steps.select import Select, choose
from papergraph.server.selection.backends import select_with
from papergraph.server.selection.errors import DeviceCapacityError, DeviceError, Fault, NoDeviceError
from papergraph.server.selection.ising import Convention, Schedule
from papergraph.server.selection.ising_backend import HttpDevice, IsingBackend, answer, device_of, request
from papergraph.server.selection.problem import Problem, SelectionLimits
from papergraph.server.selection.solver import first_answer, select
from papergraph.settings import Settings
from tests.support.pbit_emulators import emulators
from tests.support.selection_problems import clusters

SCHEMA = json.loads((Path(__file__).parents[2] / "schema" / "device.schema.json").read_text(encoding="utf-8"))
DEADLINE_MS = 1200.0
SLACK_S = 15.0
"""What a busy machine may add to a deadline: the reading of the clock is ours, the processor is not."""

REASONS = {
    Failing.LIES: "not those of its states",
    Failing.STALLS: "did not answer within",
    Failing.DIES: "cannot be reached, or broke off",
    Failing.EXITS: "cannot be reached, or broke off",
    Failing.BUSY: "did not answer within",
    Failing.OTHER_PROBLEM: "answered for another problem",
    Failing.OTHER_STATES: "not those of its states",
    Failing.SPINS: "values that are not -1 or 1",
    Failing.SHAPE: "states of shape",
    Failing.GARBAGE: "none of the protocol",
}
OTHERS = {
    "plain": {},
    "float": {"coupling_bits": None, "field_bits": None},
    "small": {"max_spins": 12},
    "p-kit": {"sign": "minus", "pairs": "twice"},
    "misdeclared": {"sign": "minus", "pairs": "twice", "declared_sign": "plus", "declared_pairs": "once"},
    "faulty from the start": {"fault": "lies", "fault_from": 0},
}


@pytest.fixture(scope="module")
def devices():
    select(hard(), deadline_ms=100.0)  # kernels are loaded before anything is timed
    with emulators(OTHERS | {fault.value: {"fault": fault.value} for fault in Failing}) as urls:
        yield urls


def hard(seed: int = 2, **options) -> Problem:
    return clusters(seed, **{"n": 60, "k": 6, "alpha": 0.4, **options})


def asked(url: str, problem: Problem, **options):
    return select_with(IsingBackend(HttpDevice(url)), problem, **options)


def message(n: int = 5, **changes):
    g = np.random.default_rng(n)
    half = np.triu(g.integers(-9, 10, size=(n, n)), 1).astype(float)
    body = request(
        g.integers(-9, 10, size=n).astype(float),
        half + half.T,
        num_reads=3,
        seed=7,
        schedule=Schedule(0.01, 2.0, 50),
        timeout_ms=1000.0,
    )
    return body | changes


def holds(kind: str, instance) -> None:
    jsonschema.Draft202012Validator(SCHEMA | {"$ref": f"#/$defs/{kind}"}).validate(instance)


@pytest.mark.slow
@pytest.mark.parametrize("fault", Failing)
def test_every_fault_leaves_a_feasible_selection_no_worse_than_the_greedy_one_in_time(devices, fault):
    problem = hard(limits=SelectionLimits(pinned=frozenset({3}), excluded=frozenset({0})))

    start = time.perf_counter()
    found = asked(devices[fault.value], problem, deadline_ms=DEADLINE_MS)
    took_s = time.perf_counter() - start

    assert problem.is_feasible(found.positions)
    assert found.objective <= problem.objective(first_answer(problem)) + 1e-12
    assert (found.backend, found.device) == ("exact", None)
    assert REASONS[fault] in found.fallback
    assert devices[fault.value] not in found.fallback  # where the device stands is not for everybody
    assert took_s < DEADLINE_MS / 1000.0 + SLACK_S


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "float", "small", "p-kit", "misdeclared"])
def test_a_device_s_selection_is_certified_and_near_the_best(devices, name):
    problem = hard(1, n=80)
    best = select(problem, deadline_ms=500.0)

    found = asked(devices[name], problem, deadline_ms=8000.0, seed=3)

    assert problem.is_feasible(found.positions)
    assert (found.backend, found.fallback, found.device.attempts) == ("pbit", None, 1)
    assert found.device.spins == (12 if name == "small" else 80)
    assert found.lower_bound <= best.objective
    assert found.objective <= best.objective + 0.03 * abs(best.objective)
    assert found.device.coupling_bits == (None if name == "float" else 8)
    assert 0.0 <= found.device.quantisation_error <= found.device.quantisation_bound
    assert (found.device.quantisation_bound < 1e-9) == (name == "float")
    assert found.device.corrected == ("+(h·s + Σ J s s)" if name == "misdeclared" else None)


def test_the_same_seed_gives_the_same_selection_and_states(devices):
    problem = hard()

    once, again = (asked(devices["plain"], problem, deadline_ms=8000.0, seed=5) for _ in range(2))
    one, same, other = (httpx.post(f"{devices['plain']}/v1/sample_ising", json=message(30, seed=s)) for s in (1, 1, 2))

    assert once.positions == again.positions
    assert once.device.objective_sampled == again.device.objective_sampled
    assert one.json()["states"] == same.json()["states"] != other.json()["states"]


def test_a_device_that_fails_its_calibration_is_not_used(devices):
    found = asked(devices["faulty from the start"], hard(), deadline_ms=DEADLINE_MS)

    assert found.backend == "exact"
    assert found.fallback  # energies of probes are not looked at, those of the first problem are
    assert REASONS[Failing.LIES] in found.fallback


def test_what_stands_at_the_address_later_is_asked_anew(devices):
    device = HttpDevice(devices["plain"])
    before = device.capabilities(timeout_s=5.0)
    device._service = HttpDevice(devices["p-kit"])._service  # another device at the same address

    assert device.capabilities(timeout_s=5.0) is before
    device.forget()
    assert device.capabilities(timeout_s=5.0).convention == Convention(-1, 2)


def test_nothing_is_sent_that_the_device_cannot_hold(devices):
    device = HttpDevice(devices["small"])
    device.capabilities(timeout_s=5.0)
    device._service = None

    with pytest.raises(DeviceCapacityError, match="the problem has 13 spins, the device 12"):
        device.sample_ising(
            np.zeros(13), np.zeros((13, 13)), num_reads=1, seed=0, schedule=Schedule(1.0, 1.0, 1), timeout_s=1.0
        )


def test_nobody_at_the_address_leaves_the_own_selection():
    found = asked("http://127.0.0.1:9", hard(), deadline_ms=400.0)

    assert (found.backend, found.fallback) == ("exact", "the device cannot be reached, or broke off")


async def test_a_search_s_selection_asks_the_device_that_the_settings_name(devices):
    g = np.random.default_rng(1)
    vectors = {f"chunk {i}": g.normal(size=8) for i in range(60)}

    candidates = [RankedCandidate(id, "a paper", score=1.0 - 0.01 * place) for place, id in enumerate(vectors)]
    step = Select(k=6, pool=60, alpha=0.3, backend="pbit", deadline_ms=8000.0)

    async with equipped(
        Settings(device={"url": devices["plain"]}), Resources(None, SimpleNamespace(searched=None))
    ) as given:
        chosen, found = await choose(given, candidates, step, vectors=vectors)
    async with equipped(Settings(), Resources(None, SimpleNamespace(searched=None))) as without:
        with pytest.raises(NoDeviceError):
            await choose(without, candidates, step, vectors=vectors)

    assert {candidate.chunk_id for candidate in chosen} == set(found.ids)
    assert found.device.name == "papergraph dev pbit-emulator"
    assert found.backend == ("exact" if found.fallback else "pbit")


def test_the_page_names_each_field_of_the_messages():
    page = (Path(__file__).parents[2] / "docs" / "selection.md").read_text(encoding="utf-8")
    _, _, protocol = page.partition("**Protocol**")

    for kind in ("Description", "Problem", "Answer"):
        for name in SCHEMA["$defs"][kind]["properties"]:
            assert f"`{name}`" in protocol


def test_our_messages_hold_to_the_schema():
    for body in (message(1), message(6), message(6, h=[0.5] * 6)):
        holds("Problem", json.loads(json.dumps(body)))
    with pytest.raises(jsonschema.ValidationError):
        holds("Problem", message() | {"more": 1})


def test_the_emulator_s_messages_hold_to_the_schema():
    client = TestClient(create_emulator(PbitDevice(max_spins=20)), base_url="http://127.0.0.1")
    answered = client.post("/v1/sample_ising", json=message())

    holds("Description", client.get("/v1/device").json())
    holds("Answer", answered.json())
    assert answered.json()["problem"] == message()["problem"]
    assert np.array(answered.json()["states"]).shape == (3, 5)
    for refused in (client.post("/v1/sample_ising", json={}), client.post("/v1/sample_ising", json=message(21))):
        holds("Refusal", refused.json())
        assert refused.json()["status"] == refused.status_code == 422


@pytest.mark.parametrize(
    "changes",
    [
        {"h": [1, 2]},
        {"h": []},
        {"h": [1, 2, 3, 4, "5"]},
        {"h": [0.5] * 5},
        {"h": [40_000] * 5},
        {"J": [128] * 10},
        {"J": [1] * 9},
        {"J": None},
        {"num_reads": 0},
        {"num_reads": 1001},
        {"seed": -1},
        {"timeout_ms": 0},
        {"timeout_ms": 60_001},
        {"problem": "mine"},
        {"more": 1},
        {"schedule": {"beta_start": 0, "beta_end": 1, "sweeps": 1}},
        {"schedule": {"beta_start": 1, "beta_end": 1, "sweeps": 100_001}},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_the_emulator_refuses_what_it_cannot_hold(changes):
    client = TestClient(create_emulator(PbitDevice()), base_url="http://127.0.0.1")

    refused = client.post("/v1/sample_ising", json=message(**changes))

    assert refused.status_code == 422
    holds("Refusal", refused.json())


def test_the_emulator_reads_no_more_than_its_largest_problem_and_is_not_reached_by_other_names():
    device = PbitDevice(max_spins=10)
    client = TestClient(create_emulator(device), base_url="http://127.0.0.1")

    assert client.post("/v1/sample_ising", content=b" " * 10_000).status_code == 413
    assert client.get("/v1/device", headers={"host": "rebound.example"}).status_code == 400
    assert client.get("/v1/elsewhere").status_code == 404


def test_the_emulator_asks_for_its_token():
    client = TestClient(create_emulator(PbitDevice(), token="a secret"))

    for headers, status in (
        ({}, 401),
        ({"authorization": "Bearer other"}, 401),
        ({"authorization": "Bearer a secret"}, 200),
    ):
        assert client.get("/v1/device", headers=headers).status_code == status


def test_time_ends_with_the_reads_that_are_finished_or_a_refusal():
    some = Message.model_validate(message(300, num_reads=1000, timeout_ms=60.0))
    none = Message.model_validate(
        message(300, timeout_ms=1.0, schedule={"beta_start": 0.1, "beta_end": 1.0, "sweeps": 100_000})
    )

    start = time.perf_counter()
    states = PbitDevice().sample(some).states
    with pytest.raises(TooSlowError, match="1 ms are not enough for 100000 sweeps of 300 spins"):
        PbitDevice().sample(none)

    assert 1 <= len(states) < 1000
    assert time.perf_counter() - start < 30.0


def test_cold_p_bits_find_the_lowest_state_and_hot_ones_any():
    h = np.array([1.0, -2.0, 0.5])
    cold = request(h, np.zeros((3, 3)), num_reads=50, seed=1, schedule=Schedule(1.0, 20.0, 50), timeout_ms=1000.0)
    hot = request(h, np.zeros((3, 3)), num_reads=400, seed=1, schedule=Schedule(0.5, 0.5, 20), timeout_ms=5000.0)
    device = PbitDevice(coupling_bits=None, field_bits=None)

    frozen, boiling = (np.array(device.sample(Message.model_validate(body)).states) for body in (cold, hot))

    assert (frozen == [-1, 1, -1]).all()
    assert boiling.mean(axis=0) == pytest.approx(-np.tanh(0.5 * h), abs=0.15)  # Boltzmann's law, three free spins


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"", Fault.MALFORMED),
        (b"[]", Fault.MALFORMED),
        (b"null", Fault.MALFORMED),
        (b"[" * 100_000, Fault.MALFORMED),
        (b'{"problem": "other", "states": [[1, 1]], "energies": [0]}', Fault.OTHER_PROBLEM),
        (b'{"problem": "mine", "states": [[1, 1], [1, 1], [1, 1]], "energies": [0, 0, 0]}', Fault.MALFORMED),
        (b'{"problem": "mine", "states": [[1, 1]], "energies": [NaN]}', Fault.MALFORMED),
        (b'{"problem": "mine", "states": [[1, 1]], "energies": [0, 0]}', Fault.MALFORMED),
        (b'{"problem": "mine", "states": [[1, 1]], "energies": "low"}', Fault.MALFORMED),
        (b'{"problem": "mine", "states": [[1, 1]]}', Fault.MALFORMED),
        (b'{"problem": "mine", "states": [[1, 257]], "energies": [0]}', Fault.MALFORMED),
        (b'{"problem": "mine", "states": [[1, 1]], "energies": [0], "device_time_ms": []}', Fault.MALFORMED),
    ],
    ids=range(12),
)
def test_an_answer_that_is_none_is_an_error_of_the_device(body, fault):
    with pytest.raises(DeviceError) as raised:
        answer(body, {"problem": "mine", "num_reads": 2}, n=2)

    assert raised.value.fault is fault


def test_the_settings_name_the_device_and_wrong_addresses_are_refused_at_once():
    device = device_of(Settings(device={"url": "http://127.0.0.1:8765", "token": "a secret"}))

    assert device_of(Settings()) is None
    assert device.name == "pbit"
    with pytest.raises(BlockedUrlError):
        device_of(Settings(device={"url": "http://user:password@127.0.0.1:8765"}))


@pytest.mark.slow
def test_the_command_serves_the_device_until_it_is_told_to_stop(tmp_path):
    command = [
        str(Path(sys.executable).parent / "papergraph"),
        "dev",
        "pbit-emulator",
        "--port",
        "0",
        "--max-spins",
        "50",
    ]
    environment = os.environ | {"PAPERGRAPH_DEVICE_TOKEN": "a secret"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment) as it:
        url = it.stdout.readline().strip()
        found = select_with(IsingBackend(HttpDevice(url, token="a secret")), hard(), deadline_ms=60_000.0)
        without = asked(url, hard(), deadline_ms=20_000.0)
        it.send_signal(signal.SIGTERM)
        status = it.wait(10)

    assert (found.backend, found.device.spins) == ("pbit", 50)
    assert without.fallback == "the device refused with status 401"
    assert status == 0


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"host": "192.0.2.1"}, "host"),
        ({"fault": "sulks"}, "fault"),
        ({"sign": "+"}, "sign"),
        ({"pairs": "thrice"}, "pairs"),
        ({"declare": "plus"}, "declare"),
        ({"coupling_bits": 2}, "coupling_bits"),
    ],
    ids=["open", "fault", "sign", "pairs", "declare", "bits"],
)
def test_the_command_refuses_what_it_does_not_know(options, field):
    defaults = {"host": "127.0.0.1", "port": 0, "max_spins": 5, "coupling_bits": 8, "field_bits": 16, "sign": "plus"}
    defaults |= {"pairs": "once", "declare": None, "fault": None, "fault_from": 4}

    with pytest.raises(InputError) as raised:
        pbit_emulator(**(defaults | options))

    assert raised.value.field == field
