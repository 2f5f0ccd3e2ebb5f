"""The emulated device: what it takes, how it samples, and the ways in which it can be made to fail."""

import time
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from server.pbit_emulator import gibbs
from server.pbit_emulator.gibbs import Floats, Spins
from server.pbit_emulator.messages import MOST_SPINS, Answer, Description, Problem

WORK_AT_ONCE = 20_000_000
"""Spin updates, each with all that hangs on it, between two looks at the clock."""


class Sign(StrEnum):
    """Whether the device minimises h·s + Σ J s s, or the negative of it."""

    PLUS = "plus"
    MINUS = "minus"


class Pairs(StrEnum):
    """Whether a pair counts once in Σ J s s, or twice, as in s'Js."""

    ONCE = "once"
    TWICE = "twice"


class Fault(StrEnum):
    """How a device can fail."""

    LIES = "lies"
    """The energies are not those of the states."""
    STALLS = "stalls"
    """It never answers."""
    DIES = "dies"
    """The connection breaks in the middle of the answer."""
    EXITS = "exits"
    """The process ends when it is asked."""
    BUSY = "busy"
    """It is busy with others, always."""
    OTHER_PROBLEM = "other-problem"
    """It answers for another problem, and says so."""
    OTHER_STATES = "other-states"
    """It answers for another problem under the name of this one."""
    SPINS = "spins"
    """Values are 0 and 2."""
    SHAPE = "shape"
    """Each state lacks a spin."""
    GARBAGE = "garbage"
    """The answer is no JSON."""


class TooSlowError(Exception):
    """Not one read was finished in time."""


class UnacceptableError(ValueError):
    """A problem that the device cannot hold."""


@dataclass(frozen=True)
class PbitDevice:
    """An emulated device.

    Attributes:
        max_spins: Most spins of a problem.
        coupling_bits: J must be whole numbers of so many bits, sign included; None for any.
        field_bits: And h.
        sign: What it minimises.
        pairs: How it counts pairs.
        declared_sign: What it says it minimises, where that is not true.
        declared_pairs: How it says it counts pairs, where that is not true.
        fault: How it fails, if it does.
        fault_from: From how many spins on; smaller problems, such as those of calibration, are answered truly.
    """

    max_spins: int = 512
    coupling_bits: int | None = 8
    field_bits: int | None = 16
    sign: Sign = Sign.PLUS
    pairs: Pairs = Pairs.ONCE
    declared_sign: Sign | None = None
    declared_pairs: Pairs | None = None
    fault: Fault | None = None
    fault_from: int = 4

    def __post_init__(self) -> None:
        if not 1 <= self.max_spins <= MOST_SPINS:
            raise ValueError(f"max_spins must be in 1 to {MOST_SPINS}, got {self.max_spins}")

    def describe(self) -> Description:
        """Return what it says of itself."""
        return Description(
            name="papergraph dev pbit-emulator",
            max_spins=self.max_spins,
            coupling_bits=self.coupling_bits,
            field_bits=self.field_bits,
            sign=(self.declared_sign or self.sign).value,
            pairs=(self.declared_pairs or self.pairs).value,
        )

    def fails(self, problem: Problem, fault: Fault) -> bool:
        """Say whether it fails in this way at this problem."""
        return self.fault is fault and len(problem.h) >= self.fault_from

    def sample(self, problem: Problem) -> Answer:
        """Return states of a problem: as many as were asked for, or as the time is enough for.

        Raises:
            UnacceptableError: It cannot hold the problem.
            TooSlowError: The time was not enough for one state.
        """
        start = time.perf_counter()
        h, j = self._held(problem)
        sampled_h = h[::-1].copy() if self.fails(problem, Fault.OTHER_STATES) else h
        states = self._states(problem, sampled_h, j, start + problem.timeout_ms / 1000.0)
        spins = states.astype(np.float64)
        energies = spins @ sampled_h + 0.5 * np.einsum("ri,ri->r", spins @ j, spins)
        if self.fails(problem, Fault.LIES):
            energies = energies - 1.0 - np.abs(energies)
        given = states.astype(np.int64)
        if self.fails(problem, Fault.SPINS):
            given = given + 1
        if self.fails(problem, Fault.SHAPE):
            given = given[:, 1:]
        name = problem.problem[::-1] if self.fails(problem, Fault.OTHER_PROBLEM) else problem.problem
        took_ms = 1000.0 * (time.perf_counter() - start)
        return Answer(problem=name, states=given.tolist(), energies=energies.tolist(), device_time_ms=took_ms)

    def _held(self, problem: Problem) -> tuple[Floats, Floats]:
        """Return what it makes of h and J: what it minimises is h·s + Σ_{i<j} Jᵢⱼ sᵢ sⱼ of these."""
        n = len(problem.h)
        if n > self.max_spins:
            raise UnacceptableError(f"the problem has {n} spins, the device {self.max_spins}")
        h, above = np.array(problem.h, dtype=np.float64), np.array(problem.J, dtype=np.float64)
        for name, values, bits in (("h", h, self.field_bits), ("J", above, self.coupling_bits)):
            if bits is None:
                continue
            most = 2 ** (bits - 1) - 1
            if (np.abs(values) > most).any() or (values != np.rint(values)).any():
                raise UnacceptableError(f"{name} must be whole numbers in ±{most}")
        j = np.zeros((n, n))
        j[np.triu_indices(n, 1)] = above
        sign = 1.0 if self.sign is Sign.PLUS else -1.0
        pairs = 1.0 if self.pairs is Pairs.ONCE else 2.0
        return sign * h, sign * pairs * (j + j.T)

    def _states(self, problem: Problem, h: Floats, j: Floats, end: float) -> Spins:
        schedule, n = problem.schedule, len(h)
        betas = np.geomspace(schedule.beta_start, schedule.beta_end, schedule.sweeps)
        parts = np.array_split(betas, range(step := max(1, WORK_AT_ONCE // n**2), len(betas), step))
        seeds = np.random.SeedSequence(problem.seed).generate_state(problem.num_reads * (len(parts) + 1))
        finished: list[Spins] = []
        for replica in seeds.reshape(problem.num_reads, -1).tolist():
            states = np.where(np.random.default_rng(replica[0]).random(n) < 0.5, 1, -1).astype(np.int8)
            for part, seed in zip(parts, replica[1:], strict=True):
                if time.perf_counter() >= end:
                    break
                gibbs.cool(h, j, part, states, seed)
            else:
                finished.append(states)
                continue
            break
        if not finished:
            raise TooSlowError(f"{problem.timeout_ms:.0f} ms are not enough for {schedule.sweeps} sweeps of {n} spins")
        return np.array(finished)
