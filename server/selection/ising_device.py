"""An Ising device behind HTTP, by the protocol of docs/ising-device.md; its messages are in schema/device.schema.json.

What cannot be answered is not sent. What comes back is checked here as a message: the problem's name, the shape, the
values; whether its energies are those of its states is checked where every sampler's are, in ``sampled``.
"""

import hashlib
import json
import threading
import time
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from papergraph.errors import OutboundDeadlineError, OutboundError, OutboundStatusError
from papergraph.outbound.operator_service import OwnService
from papergraph.settings import Settings
from server.selection.backends import PBIT
from server.selection.calibration import calibrated
from server.selection.errors import DeviceError, Fault
from server.selection.ising import Capabilities, Convention, Samples, Schedule, as_spins, check_ising
from server.selection.ising_backend import IsingBackend
from server.selection.problem import Floats

DEVICE_PATH, SAMPLE_PATH = "/v1/device", "/v1/sample_ising"
LARGEST_DESCRIPTION_BYTES = 65_536
BUSY_PAUSE_S = 0.05
LONGEST_MS = 60_000.0
"""Longest time that a device is given for one problem."""

WAY_S, WAY_S_PER_NUMBER = 0.004, 5e-7
"""What a request takes beside the device's own work: a connection, and numbers written, sent and read."""

LEAST_SHARE = 0.25
"""Of the time for an answer, what the device itself is given at least."""

SIGNS = {"plus": 1, "minus": -1}
PAIRS = {"once": 1, "twice": 2}


class Description(BaseModel):
    """What a device says of itself."""

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
            IsingError: The problem is none, or larger than the device; nothing was sent.
            DeviceError: It failed, was too slow, or what it answers cannot be used.
        """
        known = self._known
        check_ising(h, j, max_spins=known.max_spins if known else len(h))
        way_s = WAY_S + WAY_S_PER_NUMBER * len(h) * (len(h) + 1) / 2
        on_the_device_s = max(timeout_s - way_s, LEAST_SHARE * timeout_s)
        body = request(h, j, num_reads=num_reads, seed=seed, schedule=schedule, timeout_ms=1000.0 * on_the_device_s)
        most = 4096 + num_reads * (4 * len(h) + 64)
        return answer(self._ask(SAMPLE_PATH, body, timeout_s=timeout_s, max_bytes=most), body, n=len(h))

    def forget(self) -> None:
        """Ask it anew what it can take before the next problem: another device may stand there."""
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
        except OutboundDeadlineError as error:
            raise DeviceError(Fault.TIMEOUT, f"the device did not answer within {1000.0 * timeout_s:.0f} ms") from error
        except OutboundStatusError as error:
            raise DeviceError(Fault.REFUSED, f"the device refused with status {error.status}") from error
        except OutboundError as error:
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
        "timeout_ms": min(timeout_ms, LONGEST_MS),
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
