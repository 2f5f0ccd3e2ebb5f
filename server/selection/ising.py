"""Ising form of a selection, the samplers that minimise it, and their calibration."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from papergraph.server.selection.errors import DeviceCapacityError, DeviceError, Fault, IsingError
from papergraph.server.selection.problem import Floats

# Selections as Ising problems: the penalty form, spins, a device's own numbers, and what any sampler offers.
#
# A problem here is E(s) = h·s + Σ_{i<j} Jᵢⱼ sᵢ sⱼ over spins of -1 and 1, to be minimised; J is symmetric with zeros
# on its diagonal. Devices differ in sign, in how they count pairs, and in how finely they hold numbers:
# :func:`for_device` puts a problem into a device's own numbers, and says what that changes.


Spins = NDArray[np.int8]

SYMMETRY = 1e-9
"""Largest difference of Jᵢⱼ and Jⱼᵢ, against the largest coupling, that passes for rounding."""

FEWEST_BITS, MOST_BITS = 3, 32


@dataclass(frozen=True)
class Ising:
    """E(s) = h·s + Σ_{i<j} Jᵢⱼ sᵢ sⱼ + offset.

    Attributes:
        h: Fields, shape (n,).
        j: Couplings, shape (n, n), symmetric, zeros on the diagonal.
        offset: What is added to every state.
    """

    h: Floats
    j: Floats
    offset: float = 0.0

    def energies(self, states: NDArray[np.integer]) -> Floats:
        """Return E of each state in double precision, shape (r,), for states of shape (r, n)."""
        spins = np.asarray(states, dtype=np.float64)
        values: Floats = spins @ self.h + 0.5 * np.einsum("ri,ri->r", spins @ self.j, spins) + self.offset
        return values


@dataclass(frozen=True)
class Penalty:
    """λ (Σx - k)² + μ (Σx - k): what a number of ones other than k costs, and nothing for k ones.

    Attributes:
        weight: λ, above 0.
        tilt: μ, what each candidate costs beside f. It changes no selection of k; chosen well, k ones are the best
            number even where λ is small.
    """

    weight: float
    tilt: float = 0.0

    def of(self, ones: NDArray[np.integer] | int, k: int) -> Floats:
        """Return the penalty for a number of ones."""
        away = np.asarray(ones, dtype=np.float64) - k
        return self.weight * away**2 + self.tilt * away


def sufficient_penalty(similarity: Floats, linear: Floats, q: float, k: int) -> Penalty:
    """Return a penalty under which no state but k ones is lowest: λ > max|c| + q L.

    L is the largest sum, over candidates i, of the k largest |sᵢⱼ| with j ≠ i. From x with m ≠ k ones, one flip leads
    to a smaller E, so x is no minimiser:

    - m < k. Adding i costs at most |cᵢ| + q Σ|sᵢⱼ| over m ≤ k - 1 chosen j, so at most max|c| + qL < λ. The penalty
      falls by λ(2(k - m) - 1) ≥ λ.
    - m > k, t = m - k. Removing i costs at most |cᵢ| + q Σ|sᵢⱼ| over m - 1 = k + t - 1 others. The mean of the
      k + t - 1 largest is no larger than that of the k largest. So this is at most max|c| + qL(1 + (t - 1)/k) <
      λ(1 + (t - 1)/k) ≤ λ(2t - 1), and the penalty falls by λ(2t - 1).
    """
    off = np.abs(similarity - np.diag(np.diag(similarity)))
    largest = np.sort(off, axis=1)[:, -min(k, len(linear)) :].sum(axis=1).max(initial=0.0)
    return Penalty(float(np.abs(linear).max(initial=0.0)) + q * float(largest) + 1e-9)


def penalty_form(
    similarity: Floats, linear: Floats, q: float, k: int, penalty: Penalty | None = None
) -> tuple[Floats, float]:
    """Return Q, upper triangular, and an offset with x'Qx + offset = linear·x + q Σ_{i<j} sᵢⱼxᵢxⱼ + penalty(Σx).

    The penalty is the sufficient one unless another is given.

    Source: Glover, Kochenberger and Du 2019, Quantum Bridge Analytics I, arXiv:1811.11538.
    """
    m = len(linear)
    penalty = penalty or sufficient_penalty(similarity, linear, q, k)
    quadratic = np.triu(q * similarity + 2.0 * penalty.weight, 1)
    quadratic[np.diag_indices(m)] = linear + penalty.weight * (1.0 - 2.0 * k) + penalty.tilt
    return quadratic, penalty.weight * k * k - penalty.tilt * k


def ising_form(quadratic: Floats) -> tuple[Floats, Floats, float]:
    """Return h, J (upper triangular) and an offset with h·s + s'Js + offset = x'Qx for s = 2x - 1."""
    upper = np.triu(quadratic, 1)
    diagonal = np.diag(quadratic)
    j = upper / 4.0
    h = diagonal / 2.0 + (upper.sum(axis=0) + upper.sum(axis=1)) / 4.0
    return h, j, float(diagonal.sum() / 2.0 + upper.sum() / 4.0)


def penalised_ising(similarity: Floats, linear: Floats, q: float, k: int, penalty: Penalty | None = None) -> Ising:
    """Return the penalty form in spins: E(2x - 1) = linear·x + q Σ_{i<j} sᵢⱼxᵢxⱼ + penalty(Σx)."""
    quadratic, constant = penalty_form(similarity, linear, q, k, penalty)
    h, j, offset = ising_form(quadratic)
    return Ising(h, j + j.T, offset + constant)


@dataclass(frozen=True)
class Schedule:
    """Annealing schedule: from ``beta_start`` to ``beta_end`` in ``sweeps`` steps by equal factors.

    The betas refer to energies in the device's numbers; a sweep updates every spin once.
    """

    beta_start: float
    beta_end: float
    sweeps: int


@dataclass(frozen=True)
class Convention:
    """Objective of a device for h and J: it minimises sign (h·s + pairs Σ_{i<j} Jᵢⱼ sᵢ sⱼ).

    Attributes:
        sign: 1, or -1 for a device that maximises, as p-kit does.
        pairs: 1 if each pair counts once, 2 if s'Js counts it twice.
    """

    sign: int = 1
    pairs: int = 1

    def __str__(self) -> str:
        return f"{'+' if self.sign > 0 else '-'}(h·s + {'' if self.pairs == 1 else '2 '}Σ J s s)"


@dataclass(frozen=True)
class Capabilities:
    """Capabilities of a sampler.

    Attributes:
        name: Name of the sampler.
        max_spins: Most fully coupled spins.
        coupling_bits: Bits of the integers of J, including the sign; None for floating point.
        field_bits: Bits of the integers of h, in the same unit. They must hold the sum of all couplings of a spin,
            about log2(n) more bits for n spins.
        convention: Its objective.
        declared: Its declared objective, if small problems showed another one.
        max_reads: Most states of one call.
        max_sweeps: Longest schedule.
    """

    name: str
    max_spins: int
    coupling_bits: int | None = None
    field_bits: int | None = None
    convention: Convention = Convention()
    declared: Convention | None = None
    max_reads: int = 1000
    max_sweeps: int = 100_000

    def scale(self, h: Floats, j: Floats) -> float | None:
        """Return what makes h and J as large as it can hold, None where it holds any number."""
        fits = [
            (2 ** (bits - 1) - 1) / largest
            for bits, values in ((self.field_bits, h), (self.coupling_bits, j))
            if bits is not None and (largest := float(np.abs(values).max(initial=0.0))) > 0.0
        ]
        return min(fits, default=None)


@dataclass(frozen=True)
class Samples:
    """Result of a sampler.

    Attributes:
        states: Shape (r, n), -1 and 1.
        energies: Its energies of the states, shape (r,), in the device's numbers, used only to detect an answer to
            another problem. May be None.
        device_time_ms: Time reported by the device, or None.
    """

    states: Spins
    energies: Floats | None
    device_time_ms: float | None = None


class IsingSampler(Protocol):
    """A device, or a library, that samples low states; shaped like dimod's ``sample_ising``."""

    name: str

    def capabilities(self, *, timeout_s: float) -> Capabilities:
        """Return the capabilities; the first call connects and asks the device.

        Raises:
            BackendError: The device is not installed or not configured.
            DeviceError: The device does not answer, or its answer is unusable.
        """

    def sample_ising(
        self, h: Floats, j: Floats, *, num_reads: int, seed: int, schedule: Schedule, timeout_s: float
    ) -> Samples:
        """Return at most ``num_reads`` states for a problem in its own numbers; ``j`` symmetric, zero diagonal.

        Raises:
            IsingError: The problem is invalid or too large; nothing was sent.
            DeviceError: The device failed, was too slow, or its answer is unusable.
        """

    def forget(self) -> None:
        """Forget the capabilities after a failure; the next call asks again."""


@dataclass(frozen=True)
class ForDevice:
    """A problem in a device's own numbers.

    Attributes:
        h: Fields to send, shape (n,).
        j: Couplings to send, shape (n, n), symmetric, zeros on the diagonal.
        meant: What the device makes of them, in the units of the problem: sign and pairs undone, and scaled.
        scale: Its numbers for one unit of energy.
        error_bound: No state's energy differs by more from that of the problem, in units of the problem.
    """

    h: Floats
    j: Floats
    meant: Ising
    scale: float
    error_bound: float

    def expected(self, states: Spins) -> Floats:
        """Return the expected energies of states in the device's numbers."""
        return self.scale * (self.meant.energies(states) - self.meant.offset)


def for_device(ising: Ising, capabilities: Capabilities) -> ForDevice:
    """Convert a problem to a device's numbers: sign, count of pairs, integers.

    Raises:
        IsingError: The problem is invalid, or too large for the device.
    """
    check_ising(ising.h, ising.j, max_spins=capabilities.max_spins)
    sign, pairs = capabilities.convention.sign, capabilities.convention.pairs
    h, j = sign * ising.h, sign * ising.j / pairs
    scale = capabilities.scale(h, j)
    if scale is not None:
        h, j = np.rint(h * scale), np.rint(j * scale)
    scale = scale or 1.0
    meant = Ising(sign * h / scale, sign * pairs * j / scale, ising.offset)
    error = np.abs(meant.h - ising.h).sum() + 0.5 * np.abs(meant.j - ising.j).sum()
    return ForDevice(h, j, meant, scale, float(error))


def check_ising(h: Floats, j: Floats, *, max_spins: int) -> None:
    """Validate an Ising problem before it is sent.

    Raises:
        IsingError: The shapes differ, a value is infinite, or J is asymmetric or has a diagonal.
        DeviceCapacityError: The problem has more spins than the device.
    """
    n = len(h)
    if h.ndim != 1 or not n or j.shape != (n, n):
        raise IsingError(f"h must have shape (n,) and J (n, n) with n at least 1, got {h.shape} and {j.shape}")
    if n > max_spins:
        raise DeviceCapacityError(spins=n, max_spins=max_spins)
    if not (np.isfinite(h).all() and np.isfinite(j).all()):
        raise IsingError("h or J has a value that is not finite")
    if np.abs(j - j.T).max() > SYMMETRY * max(float(np.abs(j).max()), 1e-300):
        raise IsingError("J is not symmetric")
    if np.diag(j).any():
        raise IsingError("J has values on its diagonal, which no spin can feel")


def as_spins(values: Any, n: int) -> Spins:
    """Return what a device gave as states of ``n`` spins, shape (r, n), at least one of them.

    Raises:
        DeviceError: MALFORMED, they are none.
    """
    try:
        states = np.asarray(values)
    except ValueError as error:
        raise DeviceError(Fault.MALFORMED, f"the device gave states of different lengths for {n} spins") from error
    if states.ndim != 2 or states.shape[1] != n or not len(states):
        raise DeviceError(Fault.MALFORMED, f"the device gave states of shape {states.shape} for {n} spins")
    if states.dtype.kind != "i" or not (np.abs(states) == 1).all():
        raise DeviceError(Fault.MALFORMED, "the device gave values that are not -1 or 1 for spins")
    return states.astype(np.int8)


# Objective of a device for h and J, determined with problems of two and three spins.
#
# Devices and libraries differ in sign and in whether a pair counts once or twice, and say so at best in their
# documents. Each probe has another lowest state under each convention. States are all that is looked at: energies that
# a device reports could be made up.


CONVENTIONS = tuple(Convention(sign, pairs) for sign, pairs in product((1, -1), (1, 2)))

PROBE_SCHEDULE = Schedule(0.1, 5.0, 200)
PROBE_READS = 25
AGREED = 0.6
"""Share of the states that must be lowest under one and the same convention."""

Ask = Callable[[Floats, Floats, int, Schedule], Samples]
"""Samples a problem: h, J, how many states, of which there may be fewer, how to cool."""


def _couplings(n: int, **pairs: float) -> Floats:
    j = np.zeros((n, n))
    for name, value in pairs.items():
        first, second = int(name[1]), int(name[2])
        j[first, second] = j[second, first] = value
    return j


# All numbers are within ±3, which three bits hold.
PROBES: tuple[tuple[Floats, Floats], ...] = (
    (np.array([3.0, 3.0]), _couplings(2, j01=2.0)),  # whether the pair outweighs the fields says how often it counts
    (np.array([3.0, 3.0]), _couplings(2, j01=-2.0)),
    (np.array([3.0, 0.0, 0.0]), _couplings(3, j01=2.0, j12=-2.0)),  # and in which order the pairs are read
)


def lowest(h: Floats, j: Floats, convention: Convention) -> set[tuple[int, ...]]:
    """Return all states of lowest energy under a convention, by enumeration; for small problems only."""
    states = np.array(list(product((-1, 1), repeat=len(h))), dtype=np.int8)
    energies = Ising(convention.sign * h, convention.sign * convention.pairs * j).energies(states)
    return {tuple(state.tolist()) for state in states[energies <= energies.min() + 1e-9]}


def calibrated(ask: Ask, capabilities: Capabilities) -> Capabilities:
    """Return what a device can take, with the convention that the probes show; what it declared is kept beside it.

    Raises:
        DeviceError: CONVENTION, no known convention explains its states, or more than one does; or it failed.
    """
    fitting = list(CONVENTIONS)
    for h, j in PROBES:
        if len(h) > capabilities.max_spins:
            raise DeviceError(Fault.CONVENTION, f"the device has {capabilities.max_spins} spins, too few for anything")
        states = as_spins(ask(h, j, PROBE_READS, PROBE_SCHEDULE).states, len(h))
        seen = [tuple(state.tolist()) for state in states]
        fitting = [
            convention
            for convention in fitting
            if np.mean([state in lowest(h, j, convention) for state in seen]) >= AGREED
        ]
    if len(fitting) != 1:
        raise DeviceError(
            Fault.CONVENTION,
            "the states that the device gives for problems of two and three spins are those of "
            + ("no known convention" if not fitting else "several conventions")
            + ", docs/selection.md#ising-device",
        )
    shown, declared = fitting[0], capabilities.convention
    return replace(capabilities, convention=shown, declared=None if shown == declared else declared)
