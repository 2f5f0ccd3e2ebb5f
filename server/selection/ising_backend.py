"""Backends that select by an Ising machine, and devices reached over HTTP."""

import hashlib
import importlib
import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from papergraph.errors import Code, OutboundError, OutboundStatusError
from papergraph.outbound.operator_service import OwnService
from papergraph.server.selection import compilation as kernels
from papergraph.server.selection import solver
from papergraph.server.selection.backends import PBIT, Proposal
from papergraph.server.selection.bounds import ConvexBound, Reduced, convex_bound, linear_bound, ruled
from papergraph.server.selection.errors import BackendError, DeviceCapacityError, DeviceError, Fault
from papergraph.server.selection.exact import fill, polish_all
from papergraph.server.selection.ising import (
    Capabilities,
    Convention,
    ForDevice,
    Ising,
    IsingSampler,
    Penalty,
    Samples,
    Schedule,
    as_spins,
    calibrated,
    check_ising,
    for_device,
    penalised_ising,
)
from papergraph.server.selection.problem import Floats, Indices, Problem
from papergraph.server.selection.result import DeviceReport
from papergraph.settings import Settings

# Selections by an Ising device, or by any sampler: asked twice at most, and never worse than the own first answer.
#
# Certain candidates are decided first; the rest, cut to the device's capacity, is sent in the penalty form, in its own
# numbers. Its states are repaired to exactly k, polished by exchanges, and valued here in double precision: what the
# device says of them counts for nothing. Where it fails, or gives nothing as good as the own first answer, the own
# solver's selection is given, with the reason.


ATTEMPTS = 2
FIRST_SHARE = 0.6
"""Share of the remaining time for the first attempt, which leaves time for a second."""

LONGEST_MS = 10_000.0
"""Default deadline in milliseconds."""

FIXING_SHARE, KEPT_SHARE, KEPT_S = 0.25, 0.15, 0.3
"""Shares of the deadline for deciding variables first, and for repair, polishing and the certificate, with its limit in
seconds.
"""

READS, SWEEPS = 16, 400
PENALTY_SPREADS = 1.0
COLDEST, HOTTEST = 10.0, 0.1
MOST_REPAIRED, MOST_POLISHED = 32, 8

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Undecided:
    """Problem sent to the device, without variables that are already fixed.

    Attributes:
        reduced: Undecided candidates.
        slope: Reduced cost of each candidate in the relaxation, shape (m,); the lowest are the most promising.
        lower_bound: Lower bound of the whole problem.
    """

    reduced: Reduced
    slope: Floats
    lower_bound: float

    @classmethod
    def of(cls, problem: Problem, first: Indices, end: float) -> "Undecided":
        """Decide what the bound rules in or out of every selection better than ``first``."""
        reduced = Reduced.of(problem, free=problem.allowed, inside=problem.pinned)
        places = np.flatnonzero(np.isin(reduced.free, first)).astype(np.int64)
        value = problem.objective(first)
        if not 0 < reduced.k < len(reduced.free):
            return cls(Reduced.of(problem, free=reduced.free[:0], inside=first), np.zeros(0), value)
        bound: ConvexBound = linear_bound(reduced, places)
        if problem.q > 0.0:
            tolerance = 1e-5 * max(abs(value), problem.p)
            bound = convex_bound(reduced, places, tolerance=tolerance, should_stop=lambda: time.perf_counter() >= end)
        out, into = ruled(reduced, bound, value)
        left = ~(out | into)
        inside = np.concatenate([reduced.inside, reduced.free[into]])
        return cls(Reduced.of(problem, free=reduced.free[left], inside=inside), bound.slope[left], bound.value)

    def cut(self, max_spins: int) -> "Undecided":
        """Keep the most promising candidates, as many as a device has spins.

        Raises:
            DeviceCapacityError: That is not even enough for those that are to be chosen.
        """
        if len(self.reduced.free) <= max_spins:
            return self
        if max_spins <= self.reduced.k:
            raise DeviceCapacityError(spins=self.reduced.k + 1, max_spins=max_spins)
        kept = np.sort(np.argsort(self.slope, kind="stable")[:max_spins])
        reduced = Reduced.of(self.reduced.problem, free=self.reduced.free[kept], inside=self.reduced.inside)
        return Undecided(reduced, self.slope[kept], self.lower_bound)


@dataclass(frozen=True)
class Question:
    """Request to the device, with the data to read its answer.

    Attributes:
        undecided: Candidates, one per spin.
        ising: Penalty form in exact numbers.
        sent: The same in the device's numbers.
        penalty: Penalty for the number of ones.
        schedule: Annealing schedule for the numbers sent.
    """

    undecided: Undecided
    ising: Ising
    sent: ForDevice
    penalty: Penalty
    schedule: Schedule

    @classmethod
    def of(cls, undecided: Undecided, capabilities: Capabilities, choose: "ChoosePenalty | None" = None) -> "Question":
        """Write a problem for a device, cut to what it holds.

        Raises:
            IsingError: It cannot be.
        """
        undecided = undecided.cut(capabilities.max_spins)
        reduced = undecided.reduced
        problem = reduced.problem
        similarity = problem.gram(reduced.free)
        penalty, spread = (choose or choose_penalty)(similarity, reduced.linear, problem.q, reduced.k)
        ising = penalised_ising(similarity, reduced.linear, problem.q, reduced.k, penalty)
        sent = for_device(ising, capabilities)
        unit = spread * sent.scale
        schedule = Schedule(HOTTEST / unit, COLDEST / unit, min(SWEEPS, capabilities.max_sweeps))
        return cls(undecided, ising, sent, penalty, schedule)


def choose_penalty(similarity: Floats, linear: Floats, q: float, k: int) -> tuple[Penalty, float]:
    """Return a penalty that keeps the number of ones near k without hiding f, and the spread from which it is computed.

    Each candidate adds gᵢ = cᵢ + q Σⱼ sᵢⱼ to f beside a greedy selection. With the tilt μ = -t, t half-way between the
    highest gᵢ inside and the lowest outside, one more or one less than k is worth nothing by itself, so that λ need
    not outweigh all of f but only what makes competitors differ: the spread, the median of |gᵢ - t| over the 2k nearest
    to t. It does not force k ones, as the sufficient penalty does; states are repaired.
    """
    m = len(linear)
    room = np.array([m], dtype=np.int64)
    chosen = kernels.greedy(similarity, linear, q, k, np.zeros(m, dtype=np.int64), room)
    added = kernels.fields(similarity, linear, q, chosen)
    inside = np.zeros(m, dtype=bool)
    inside[chosen] = True
    threshold = 0.5 * float(added[inside].max() + added[~inside].min())
    away = np.sort(np.abs(added - threshold))
    spread = max(float(np.median(away[: 2 * k])), 1e-3 * float(away[-1]), 1e-12)
    return Penalty(PENALTY_SPREADS * spread, -threshold), spread


ChoosePenalty = Callable[[Floats, Floats, float, int], tuple[Penalty, float]]
"""From similarity, linear costs, q and k a penalty, and the difference in energy that cooling is to resolve."""


class IsingBackend:
    """A back end that asks a sampler of low Ising states."""

    def __init__(self, sampler: IsingSampler, *, name: str | None = None, penalty: ChoosePenalty | None = None) -> None:
        """Ask nothing yet.

        Args:
            sampler: What is asked.
            name: What selections say found them; the sampler's by default.
            penalty: How the penalty is chosen; :func:`choose_penalty` by default.
        """
        self.name = name or sampler.name
        self._sampler, self._penalty = sampler, penalty

    def propose(self, problem: Problem, *, deadline_ms: float | None, seed: int) -> Proposal:
        """Return the best of the device's states, repaired and polished, or the own selection with the reason.

        Raises:
            BackendError: What the sampler needs is not installed.
        """
        start = time.perf_counter()
        limit_s = (LONGEST_MS if deadline_ms is None else deadline_ms) / 1000.0
        end = start + limit_s
        first = solver.first_answer(problem)
        undecided = Undecided.of(problem, first, start + FIXING_SHARE * limit_s)
        if not 0 < undecided.reduced.k < len(undecided.reduced.free):
            return self._own(problem, end, seed, "nothing was left for the device to decide")
        try:
            proposal = self._ask(undecided, end - min(KEPT_S, KEPT_SHARE * limit_s), end, seed)
        except (DeviceError, DeviceCapacityError) as error:
            fault = error.fault if isinstance(error, DeviceError) else Fault.REFUSED
            log.warning("a device gave no selection", extra={"backend": self.name, "fault": str(fault)})
            return self._own(problem, end, seed, str(error))
        assert proposal.device is not None
        worse = proposal.device.objective_polished - problem.objective(first)
        if worse > 1e-12 * max(1.0, abs(problem.objective(first))):
            reason = f"the best state of the device is worse than the own first answer by {worse:.3g}"
            return self._own(problem, end, seed, reason, proposal.device)
        return proposal

    def _own(
        self, problem: Problem, end: float, seed: int, reason: str, device: DeviceReport | None = None
    ) -> Proposal:
        left_ms = max(0.0, 1000.0 * (end - time.perf_counter()))
        found = solver.select(problem, deadline_ms=left_ms, seed=seed)
        chosen = np.array(found.positions, dtype=np.int64)
        return Proposal(chosen, found.lower_bound, solver.NAME, solver.NAME, reason, device)

    def _ask(self, undecided: Undecided, answer_by: float, end: float, seed: int) -> Proposal:
        failure: DeviceError | None = None
        start = time.perf_counter()
        for attempt in range(1, ATTEMPTS + 1):
            left_s = answer_by - time.perf_counter()
            until = time.perf_counter() + (left_s if attempt == ATTEMPTS else FIRST_SHARE * left_s)
            if left_s <= 0.0:
                break
            try:
                capabilities = self._sampler.capabilities(timeout_s=_left(until))
                question = Question.of(undecided, capabilities, self._penalty)
                sent = question.sent
                samples = self._sampler.sample_ising(
                    sent.h,
                    sent.j,
                    num_reads=min(READS, capabilities.max_reads),
                    seed=seed,
                    schedule=question.schedule,
                    timeout_s=_left(until),
                )
                check_samples(samples, sent)
            except DeviceError as error:
                self._sampler.forget()
                failure = error
                continue
            wall_ms = 1000.0 * (time.perf_counter() - start)
            return _read(question, samples, capabilities, end=end, attempts=attempt, wall_ms=wall_ms)
        raise failure or DeviceError(Fault.TIMEOUT, "no time was left to ask the device")


class DimodBackend(IsingBackend):
    """Any dimod sampler: see :class:`papergraph.server.selection.ising_backend.DimodSampler`."""

    def __init__(self, sampler: Any, *, name: str = "dimod", size: int = 512, **parameters: Any) -> None:
        """Sample nothing yet.

        Args:
            sampler: What has ``sample``.
            name: What selections say found them.
            size: Most candidates that it is asked about.
            **parameters: What it is called with, before what it takes of seed, reads and time.
        """
        super().__init__(DimodSampler(sampler, name=name, size=size, parameters=parameters))


def check_samples(samples: Samples, sent: ForDevice) -> None:
    """Validate states and their energies.

    Raises:
        DeviceError: MALFORMED, or WRONG_ENERGIES.
    """
    expected = sent.expected(as_spins(samples.states, len(sent.h)))
    if samples.energies is None:
        return
    tolerance = 1e-6 * max(1e-12, float(np.abs(sent.h).sum() + np.abs(sent.j).sum()))
    if samples.energies.shape != expected.shape or not (np.abs(samples.energies - expected) <= tolerance).all():
        raise DeviceError(Fault.WRONG_ENERGIES, "the energies from the device are not those of its states")


def _read(
    question: Question, samples: Samples, capabilities: Capabilities, *, end: float, attempts: int, wall_ms: float
) -> Proposal:
    """Make selections of the states, the lowest first while there is time, and the best of these the proposal."""
    reduced = question.undecided.reduced
    problem = reduced.problem
    states = samples.states
    exact = question.ising.energies(states)
    error = float(np.abs(question.sent.meant.energies(states) - exact).max())
    different, at = np.unique(states, axis=0, return_index=True)
    filled: dict[tuple[int, ...], Indices] = {}
    for state in different[np.argsort(exact[at], kind="stable")][:MOST_REPAIRED]:
        chosen = np.sort(fill(problem, np.concatenate([reduced.inside, reduced.free[state > 0]])))
        filled.setdefault(tuple(chosen.tolist()), chosen)
        if time.perf_counter() >= end:
            break
    best = sorted(filled.values(), key=problem.objective)[:MOST_POLISHED]
    polished = polish_all(problem, best)
    found = min(polished, key=problem.objective)
    report = DeviceReport(
        name=capabilities.name,
        spins=len(reduced.free),
        reads=len(states),
        feasible_reads=int(((states > 0).sum(axis=1) == reduced.k).sum()),
        attempts=attempts,
        device_ms=samples.device_time_ms,
        wall_ms=wall_ms,
        penalty=question.penalty.weight,
        coupling_bits=capabilities.coupling_bits,
        quantisation_error=error,
        quantisation_bound=question.sent.error_bound,
        objective_sampled=problem.objective(best[0]),
        objective_polished=problem.objective(found),
        corrected=None if capabilities.declared is None else str(capabilities.declared),
    )
    return Proposal(found, question.undecided.lower_bound, certified_by=solver.NAME, device=report)


def _left(until: float) -> float:
    left = until - time.perf_counter()
    if left <= 0.0:
        raise DeviceError(Fault.TIMEOUT, "no time was left to ask the device")
    return left


# An Ising device behind HTTP, by the protocol of docs/selection.md; its messages are in schema/device.schema.json.
#
# Impossible requests are refused here. Answers are validated as messages: the problem's name, the shape, the values;
# whether its energies are those of its states is checked where every sampler's are, in ``sampled``.


DEVICE_PATH, SAMPLE_PATH = "/v1/device", "/v1/sample_ising"
LARGEST_DESCRIPTION_BYTES = 65_536
BUSY_PAUSE_S = 0.05
LONGEST_DEVICE_MS = 60_000.0
"""Longest time that a device is given for one problem."""

WAY_S, WAY_S_PER_NUMBER = 0.004, 5e-7
"""Overhead of a request in seconds: a connection, and each number written, sent and read."""

LEAST_SHARE = 0.25
"""Least share of the time for an answer that the device itself gets."""

SIGNS = {"plus": 1, "minus": -1}
PAIRS = {"once": 1, "twice": 2}


class Description(BaseModel):
    """Description of a device by itself."""

    model_config = ConfigDict(extra="ignore", strict=True)

    name: str = Field(min_length=1, max_length=100)
    protocol: int = Field(ge=1, le=1)
    max_spins: int = Field(ge=1, le=1_000_000)
    max_reads: int = Field(ge=1, le=1_000_000)
    max_sweeps: int = Field(ge=1, le=1_000_000_000)
    coupling_bits: int | None = Field(ge=3, le=32)
    field_bits: int | None = Field(ge=3, le=48)
    sign: str = Field(pattern="^(plus|minus)$")
    pairs: str = Field(pattern="^(once|twice)$")

    def capabilities(self) -> Capabilities:
        """Return the same in our words."""
        return Capabilities(
            name=self.name,
            max_spins=self.max_spins,
            coupling_bits=self.coupling_bits,
            field_bits=self.field_bits,
            convention=Convention(SIGNS[self.sign], PAIRS[self.pairs]),
            max_reads=self.max_reads,
            max_sweeps=self.max_sweeps,
        )


class HttpDevice:
    """A device at an address that an operator set; may be used from several threads, but not on an event loop's own."""

    name = PBIT

    def __init__(self, url: str, *, token: str = "") -> None:
        """Connect to nothing yet.

        Args:
            url: Its address, such as ``http://127.0.0.1:8765``.
            token: Shown to it as a bearer token, if not empty.

        Raises:
            BlockedUrlError: It is no address, or has a login, a query or a fragment.
        """
        self._service = OwnService(
            url, deadline_s=60.0, max_bytes=LARGEST_DESCRIPTION_BYTES, token=token, pause_s=BUSY_PAUSE_S
        )
        self._connecting = threading.Lock()
        self._known: Capabilities | None = None

    def capabilities(self, *, timeout_s: float) -> Capabilities:
        """Return what it can take; the first time, and after a failure, it is asked, and calibrated.

        Raises:
            DeviceError: It does not answer, or what it answers cannot be used.
        """
        end = time.monotonic() + timeout_s
        if (known := self._known) is not None:
            return known
        if not self._connecting.acquire(timeout=max(0.0, timeout_s)):
            raise DeviceError(
                Fault.TIMEOUT, "the device is being connected to by others, and has not answered them yet"
            )
        try:
            if self._known is None:
                self._known = self._connect(end)
            return self._known
        finally:
            self._connecting.release()

    def sample_ising(
        self, h: Floats, j: Floats, *, num_reads: int, seed: int, schedule: Schedule, timeout_s: float
    ) -> Samples:
        """Send a problem in the device's own numbers, and return its states.

        Raises:
            IsingError: The problem is invalid or too large; nothing was sent.
            DeviceError: The device failed, was too slow, or its answer is unusable.
        """
        known = self._known
        check_ising(h, j, max_spins=known.max_spins if known else len(h))
        way_s = WAY_S + WAY_S_PER_NUMBER * len(h) * (len(h) + 1) / 2
        on_the_device_s = max(timeout_s - way_s, LEAST_SHARE * timeout_s)
        body = request(h, j, num_reads=num_reads, seed=seed, schedule=schedule, timeout_ms=1000.0 * on_the_device_s)
        most = 4096 + num_reads * (4 * len(h) + 64)
        return answer(self._ask(SAMPLE_PATH, body, timeout_s=timeout_s, max_bytes=most), body, n=len(h))

    def forget(self) -> None:
        """Forget the capabilities, because another device may answer at this address now."""
        self._known = None

    def _connect(self, end: float) -> Capabilities:
        told = self._ask(DEVICE_PATH, None, timeout_s=end - time.monotonic(), max_bytes=LARGEST_DESCRIPTION_BYTES)
        try:
            described = Description.model_validate_json(told).capabilities()
        except ValidationError as error:
            first = error.errors()[0]
            at = ".".join(str(part) for part in first["loc"])
            raise DeviceError(
                Fault.MALFORMED, f"the device's description cannot be used: {at} {first['msg']}"
            ) from error

        def ask(h: Floats, j: Floats, reads: int, schedule: Schedule) -> Samples:
            return self.sample_ising(
                h,
                j,
                num_reads=min(reads, described.max_reads),
                seed=0,
                schedule=schedule,
                timeout_s=end - time.monotonic(),
            )

        return calibrated(ask, described)

    def _ask(self, path: str, body: dict[str, Any] | None, *, timeout_s: float, max_bytes: int) -> bytes:
        if timeout_s <= 0.0:
            raise DeviceError(Fault.TIMEOUT, "no time was left to ask the device")
        try:
            if body is None:
                return self._service.get(path, deadline_s=timeout_s, max_bytes=max_bytes)
            return self._service.post_json(path, body, deadline_s=timeout_s, max_bytes=max_bytes)
        except OutboundStatusError as error:
            raise DeviceError(Fault.REFUSED, f"the device refused with status {error.status}") from error
        except OutboundError as error:
            if error.code is Code.TIMEOUT:
                told = f"the device did not answer within {1000.0 * timeout_s:.0f} ms"
                raise DeviceError(Fault.TIMEOUT, told) from error
            raise DeviceError(Fault.UNREACHABLE, "the device cannot be reached, or broke off") from error


def device_of(settings: Settings) -> IsingBackend | None:
    """Return the back end of the device that the settings name, if they name one.

    Raises:
        BlockedUrlError: What they name is no address.
    """
    if not settings.device.url:
        return None
    return IsingBackend(HttpDevice(settings.device.url, token=settings.device.token.get_secret_value()))


def request(
    h: Floats, j: Floats, *, num_reads: int, seed: int, schedule: Schedule, timeout_ms: float
) -> dict[str, Any]:
    """Return the message of a problem: its couplings are the rows above the diagonal, one after the other."""
    above = j[np.triu_indices(len(h), 1)]
    name = hashlib.sha256(h.astype("<f8").tobytes() + above.astype("<f8").tobytes()).hexdigest()
    return {
        "problem": name,
        "h": _numbers(h),
        "J": _numbers(above),
        "num_reads": num_reads,
        "seed": seed % 2**63,
        "schedule": {
            "beta_start": schedule.beta_start,
            "beta_end": schedule.beta_end,
            "sweeps": schedule.sweeps,
        },
        "timeout_ms": min(timeout_ms, LONGEST_DEVICE_MS),
    }


def answer(data: bytes, asked: dict[str, Any], *, n: int) -> Samples:
    """Return the samples of an answer to a problem.

    Raises:
        DeviceError: MALFORMED or OTHER_PROBLEM.
    """
    try:
        told = json.loads(data, parse_constant=_refuse_constant)
        name, states = told["problem"], as_spins(told["states"], n)
        energies = np.asarray(told["energies"], dtype=np.float64)
        took = told.get("device_time_ms")
        device_time_ms = None if took is None else float(took)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise DeviceError(Fault.MALFORMED, f"the device's answer is none of the protocol: {error!r:.100}") from error
    if name != asked["problem"]:
        raise DeviceError(Fault.OTHER_PROBLEM, "the device answered for another problem")
    if len(states) > asked["num_reads"] or energies.shape != (len(states),):
        raise DeviceError(
            Fault.MALFORMED,
            f"the device gave {len(states)} states and {energies.size} energies for {asked['num_reads']} reads",
        )
    return Samples(states, energies, device_time_ms)


def _numbers(values: Floats) -> list[float]:
    """Return whole numbers as such, which are shorter, and others as they are."""
    whole = values.astype(np.int64)
    numbers: list[float] = (whole if (whole == values).all() else values).tolist()
    return numbers


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


TIMES = {"timeout": 1000.0, "time_limit": 1.0}
"""Names of the time limits of dimod samplers, with the number of their units in a second."""

ORBIT = "orbit"
ORBIT_SPINS = 2000
ORBIT_PROBES = 5
"""Repetitions of each probe, as one call returns one state."""


class DimodSampler:
    """Any dimod sampler; it takes any numbers, in dimod's own convention, which is ours.

    Seed, reads and time are passed on where the sampler's ``parameters`` name them.
    """

    def __init__(self, sampler: Any, *, name: str, size: int, parameters: Mapping[str, Any]) -> None:
        """Sample nothing yet; ``parameters`` come before what is passed on."""
        self.name = name
        self._sampler, self._size, self._parameters = sampler, size, dict(parameters)

    def capabilities(self, *, timeout_s: float) -> Capabilities:
        """Return what it may be given.

        Raises:
            BackendError: dimod is not installed.
        """
        try:
            importlib.import_module("dimod")
        except ImportError as error:
            raise BackendError(f"the back end {self.name!r} needs dimod: uv add dimod") from error
        return Capabilities(self.name, max_spins=self._size)

    def sample_ising(
        self, h: Floats, j: Floats, *, num_reads: int, seed: int, schedule: Schedule, timeout_s: float
    ) -> Samples:
        """Return states; ``schedule`` is ignored, as is ``timeout_s`` by samplers without a limit.

        Raises:
            IsingError: The problem is invalid or too large.
            DeviceError: The sampler failed.
        """
        import dimod

        check_ising(h, j, max_spins=self._size)
        model = dimod.BinaryQuadraticModel(h, np.triu(j, 1), 0.0, "SPIN")
        taken = set(getattr(self._sampler, "parameters", None) or ())
        passed: dict[str, Any] = {"num_reads": num_reads, "seed": seed % 2**31}
        passed |= {name: per_s * timeout_s for name, per_s in TIMES.items()}
        chosen = {name: value for name, value in passed.items() if name in taken} | self._parameters
        try:
            found = self._sampler.sample(model, **chosen)
            order = np.argsort(np.array(list(found.variables)))
            states = np.where(found.record.sample[:, order] > 0, 1, -1)
            energies = np.asarray(found.record.energy, dtype=np.float64)
        except Exception as error:  # a sampler may be anything
            raise DeviceError(Fault.REFUSED, f"the sampler of back end {self.name!r} failed: {error}") from error
        return Samples(as_spins(states, len(h)), energies)

    def forget(self) -> None:
        """Do nothing: a library stays what it is."""


class OrbitSampler:
    """The ``optimize_ising`` of the ORBIT SDK (Quantum Dice), which is not among our dependencies.

    Its documents do not tell its signs and how it counts pairs, so it is calibrated like a device. It gives one state
    for each call.

    Source: ORBIT 0.2.0 documentation, ``optimize_ising``.
    """

    name = ORBIT

    def __init__(self, *, module: str = ORBIT, max_spins: int = ORBIT_SPINS, **parameters: Any) -> None:
        """Import nothing yet.

        Args:
            module: What has ``optimize_ising``.
            max_spins: Most spins that it is given.
            **parameters: Go to ``optimize_ising`` as they are.
        """
        self._module, self._max_spins, self._parameters = module, max_spins, parameters
        self._known: Capabilities | None = None

    def capabilities(self, *, timeout_s: float) -> Capabilities:
        """Return what it can take, calibrated when it is asked first.

        Raises:
            BackendError: The SDK is not installed.
            DeviceError: It follows no known convention, or failed.
        """
        if self._known is None:
            self._known = calibrated(self._probe, Capabilities(self.name, self._max_spins, max_reads=1))
        return self._known

    def sample_ising(
        self, h: Floats, j: Floats, *, num_reads: int, seed: int, schedule: Schedule, timeout_s: float
    ) -> Samples:
        """Return the lowest state; ``schedule`` and ``timeout_s`` are ignored.

        Raises:
            IsingError: The problem is invalid or too large.
            BackendError: The SDK is not installed.
            DeviceError: It failed.
        """
        check_ising(h, j, max_spins=self._max_spins)
        try:
            optimize_ising = importlib.import_module(self._module).optimize_ising
        except (ImportError, AttributeError) as error:
            raise BackendError(
                "the back end 'orbit' needs the ORBIT SDK, which comes from Quantum Dice: install it beside papergraph"
            ) from error
        options = {
            "full_sweeps": schedule.sweeps,
            "beta_initial": schedule.beta_start,
            "beta_end": schedule.beta_end,
            "random_seed": seed % 2**31,
        }
        try:
            result = optimize_ising(j, h, **(options | self._parameters))
            state = np.asarray(result.min_state)
            took_s = getattr(result, "execution_time", None)
        except Exception as error:  # somebody else's code
            raise DeviceError(Fault.REFUSED, f"ORBIT failed: {error}") from error
        return Samples(
            as_spins(np.atleast_2d(state).astype(np.int64), len(h)),
            None,
            None if took_s is None else 1000.0 * float(took_s),
        )

    def forget(self) -> None:
        """Calibrate again."""
        self._known = None

    def _probe(self, h: Floats, j: Floats, reads: int, schedule: Schedule) -> Samples:
        each = [
            self.sample_ising(h, j, num_reads=1, seed=seed, schedule=schedule, timeout_s=1.0).states
            for seed in range(min(reads, ORBIT_PROBES))
        ]
        return Samples(np.concatenate(each), None)
