"""What a device really makes of h and J, found out with problems of two and three spins.

Devices and libraries differ in sign and in whether a pair counts once or twice, and say so at best in their documents.
Each probe has another lowest state under each convention. States are all that is looked at: energies that a device
reports could be made up.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np

from server.selection.errors import DeviceError, Fault
from server.selection.ising import Capabilities, Convention, Ising, Samples, Schedule, as_spins
from server.selection.problem import Floats

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
    """Return the states of a small problem that are lowest under a convention."""
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
            + ", docs/ising-device.md",
        )
    shown, declared = fitting[0], capabilities.convention
    return replace(capabilities, convention=shown, declared=None if shown == declared else declared)
