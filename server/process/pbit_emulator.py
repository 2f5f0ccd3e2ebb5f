"""An emulated p-bit device: a process of its own that samples Ising problems by the protocol of docs/selection.md.

It imports nothing of the selection that asks it: the protocol is all that both sides know.
"""

import asyncio
import hmac
import math
import os
import socket
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, Self

import numba
import numpy as np
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config

from papergraph.errors import Code
from papergraph.server.middleware.requests import DisconnectWatcher, RequestBodies, RequestDeadline
from papergraph.server.operations.error_responses import error_answer
from papergraph.server.process.sockets import Server, ended_by_signals, started

# Sequential Gibbs sampling of p-bits, compiled once per machine and kept.
#
# A p-bit is a spin that is sgn(tanh(β Iᵢ) + u) at each update, u uniform in (-1, 1) and Iᵢ = -∂E/∂sᵢ its input: 1 with
# probability 1 / (1 + exp(-2 β Iᵢ)), which is Gibbs sampling of exp(-β E).
#
# Source: Camsari, Faria, Sutton and Datta 2017, Stochastic p-bits for Invertible Logic, doi:10.1103/PhysRevX.7.031014.


Floats = NDArray[np.float64]
Spins = NDArray[np.int8]


@numba.njit(cache=True, nogil=True)
def cool(h: Floats, j: Floats, betas: Floats, states: Spins, seed: int) -> None:
    """Sweep once through all p-bits of a replica at each of ``betas``, in place.

    Args:
        h: Fields, shape (n,).
        j: Couplings, shape (n, n), symmetric, zeros on the diagonal.
        betas: Inverse temperatures, shape (sweeps,), for E = h·s + Σ_{i<j} Jᵢⱼ sᵢ sⱼ.
        states: Where the replica is, shape (n,), -1 and 1.
        seed: Of these sweeps, in [0, 2³²).
    """
    np.random.seed(seed)
    n = len(h)
    slope = h.copy()
    for i in range(n):
        for m in range(n):
            slope[m] += j[i, m] * states[i]
    for beta in betas:
        for i in range(n):
            state = 1 if math.tanh(-beta * slope[i]) + 2.0 * np.random.random() - 1.0 > 0.0 else -1
            if state != states[i]:
                states[i] = state
                for m in range(n):
                    slope[m] += 2.0 * state * j[i, m]


def compile_it() -> None:
    """Compile the sweeps for the types that the device uses; kept on disk, so that it happens once."""
    cool(np.zeros(2), np.zeros((2, 2)), np.ones(1), np.ones(2, dtype=np.int8), 0)


# The messages of the protocol as the emulator reads and writes them; schema/device.schema.json is what counts


PROTOCOL = 1
MOST_SPINS, MOST_READS, MOST_SWEEPS = 4096, 1000, 100_000
LONGEST_MS = 60_000.0

Finite = Annotated[float, Field(allow_inf_nan=False)]
Beta = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Message(BaseModel):
    """A message with these fields and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Description(Message):
    """``GET /v1/device``: what the device can take."""

    name: str
    protocol: int = PROTOCOL
    max_spins: int
    max_reads: int = MOST_READS
    max_sweeps: int = MOST_SWEEPS
    coupling_bits: int | None
    field_bits: int | None
    sign: Literal["plus", "minus"]
    pairs: Literal["once", "twice"]


class CoolingSchedule(Message):
    """From one inverse temperature to another, by the same factor at each sweep."""

    beta_start: Beta
    beta_end: Beta
    sweeps: int = Field(ge=1, le=MOST_SWEEPS)


class Problem(Message):
    """``POST /v1/sample_ising``: a problem in the device's own numbers."""

    problem: str = Field(pattern="^[0-9a-f]{64}$")
    h: list[Finite] = Field(min_length=1, max_length=MOST_SPINS)
    J: list[Finite]
    num_reads: int = Field(ge=1, le=MOST_READS)
    seed: int = Field(ge=0, le=2**63 - 1)
    schedule: CoolingSchedule
    timeout_ms: float = Field(gt=0, le=LONGEST_MS)

    @model_validator(mode="after")
    def _is_a_triangle(self) -> Self:
        n = len(self.h)
        if len(self.J) != n * (n - 1) // 2:
            raise ValueError(f"J must have the {n * (n - 1) // 2} couplings above the diagonal, got {len(self.J)}")
        return self


class Answer(Message):
    """States of the problem that it names, with their energies in the device's own numbers."""

    problem: str
    states: list[list[int]]
    energies: list[float]
    device_time_ms: float


# The emulated device: what it takes, how it samples, and the ways in which it can be made to fail


WORK_AT_ONCE = 20_000_000
"""Spin updates, each with all that hangs on it, between two looks at the clock."""


class Sign(StrEnum):
    """Sign of the objective h·s + Σ J s s that the device minimises."""

    PLUS = "plus"
    MINUS = "minus"


class Pairs(StrEnum):
    """Count of a pair in Σ J s s: once, or twice as in s'Js."""

    ONCE = "once"
    TWICE = "twice"


class Fault(StrEnum):
    """Simulated fault of a device."""

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
                cool(h, j, part, states, seed)
            else:
                finished.append(states)
                continue
            break
        if not finished:
            raise TooSlowError(f"{problem.timeout_ms:.0f} ms are not enough for {schedule.sweeps} sweeps of {n} spins")
        return np.array(finished)


# Emulated device behind HTTP: two routes with limits, and a process that stops on a signal


THIS_MACHINE = ["127.0.0.1", "localhost", "[::1]"]
BYTES_PER_NUMBER, BESIDE_THE_NUMBERS = 26, 4096
MOST_WAITING = 8
SHUTDOWN_S = 1
LONGEST_STALL_S = 3600.0
LONGEST_REQUEST_S = LONGEST_MS / 1000.0 + 10.0


def create_emulator(device: PbitDevice, *, token: str = "") -> FastAPI:
    """Return the application of a device; a ``token`` makes it a required bearer token."""
    app = FastAPI(title="papergraph dev pbit-emulator", docs_url=None, redoc_url=None, openapi_url=None)
    turn, waiting = asyncio.Lock(), 0

    @app.get("/v1/device")
    async def describe() -> Description:
        return device.describe()

    @app.post("/v1/sample_ising")
    async def sample_ising(request: Request) -> Response:
        nonlocal waiting
        try:
            problem = Problem.model_validate_json(await request.body())  # far quicker than by way of Python's lists
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            return _refusal(422, f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}")
        if device.fails(problem, Fault.EXITS):
            os._exit(1)
        if device.fails(problem, Fault.STALLS):
            await asyncio.sleep(LONGEST_STALL_S)
        if waiting >= MOST_WAITING or device.fails(problem, Fault.BUSY):
            return _refusal(503, "the device is busy")
        waiting += 1
        try:
            async with turn:  # a device does one thing at a time
                answer = await asyncio.to_thread(device.sample, problem)
        except UnacceptableError as error:
            return _refusal(422, str(error))
        except TooSlowError as error:
            return _refusal(504, str(error))
        finally:
            waiting -= 1
        return _answered(device, problem, answer)

    n = device.max_spins
    app.add_middleware(DisconnectWatcher)
    app.add_middleware(RequestBodies, max_bytes=BESIDE_THE_NUMBERS + BYTES_PER_NUMBER * (n + n * (n - 1) // 2))
    app.add_middleware(RequestDeadline, seconds_of=lambda method, path: LONGEST_REQUEST_S)
    if token:
        app.add_middleware(Bearers, token=token)
    else:  # a page elsewhere that makes its own name lead here is not answered
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=THIS_MACHINE, www_redirect=False)
    return app


class Bearers:
    """Middleware that answers 401 without the bearer token."""

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        self._app, self._expected = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http":
            shown = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(shown, self._expected):
                told = "the device asks for its token; PAPERGRAPH_DEVICE_TOKEN is where it goes"
                return await error_answer(scope, Code.UNAUTHENTICATED, told, status=401)(scope, receive, send)
        await self._app(scope, receive, send)


async def emulate(device: PbitDevice, sock: socket.socket, *, token: str, ready: Callable[[], None]) -> None:
    """Serve a device until SIGINT or SIGTERM; ``ready`` is called once it answers."""
    await asyncio.to_thread(compile_it)
    config = Config(
        create_emulator(device, token=token),
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=SHUTDOWN_S,
        lifespan="off",
        server_header=False,
    )
    server = Server(config)
    with ended_by_signals(server):
        task = asyncio.create_task(server.serve(sockets=[sock]))
        await started(server, task)
        ready()
        await task


def _answered(device: PbitDevice, problem: Problem, answer: Answer) -> Response:
    body = answer.model_dump_json().encode()
    if device.fails(problem, Fault.GARBAGE):
        return Response(body[::-1], media_type="application/json")
    if device.fails(problem, Fault.DIES):

        async def half() -> AsyncIterator[bytes]:
            yield body[: len(body) // 2]
            raise ConnectionAbortedError("the device dies")

        return StreamingResponse(half(), media_type="application/json", headers={"content-length": str(len(body))})
    return Response(body, media_type="application/json")


def _refusal(status: int, detail: str) -> Response:
    problem = {"title": "The device cannot do that", "status": status, "detail": detail}
    return JSONResponse(problem, status_code=status, media_type="application/problem+json")
