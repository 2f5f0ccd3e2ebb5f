"""Samplers that are libraries: any of dimod's, and Quantum Dice's ORBIT where its SDK is installed."""

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from papergraph.server.selection.errors import BackendError, DeviceError, Fault
from papergraph.server.selection.ising import Capabilities, Samples, Schedule, as_spins, calibrated, check_ising
from papergraph.server.selection.problem import Floats

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
