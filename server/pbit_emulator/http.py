"""The emulated device behind HTTP: two routes, bounds on what they take, a process that stops when told to."""

import asyncio
import hmac
import os
import socket
from collections.abc import AsyncIterator, Callable

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import ValidationError
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config

from papergraph.errors import Code
from server.middleware.requests import BodyLimit, DisconnectWatcher, RequestDeadline
from server.operations.error_responses import error_answer
from server.pbit_emulator import gibbs
from server.pbit_emulator.device import Fault, PbitDevice, TooSlowError, UnacceptableError
from server.pbit_emulator.messages import LONGEST_MS, Answer, Description, Problem
from server.process.sockets import Server, ended_by_signals, started

THIS_MACHINE = ["127.0.0.1", "localhost", "[::1]"]
BYTES_PER_NUMBER, BESIDE_THE_NUMBERS = 26, 4096
MOST_WAITING = 8
SHUTDOWN_S = 1
LONGEST_STALL_S = 3600.0
LONGEST_REQUEST_S = LONGEST_MS / 1000.0 + 10.0


def create_emulator(device: PbitDevice, *, token: str = "") -> FastAPI:
    """Return the application of a device; with a ``token``, whoever asks shows it."""
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
    app.add_middleware(BodyLimit, max_bytes=BESIDE_THE_NUMBERS + BYTES_PER_NUMBER * (n + n * (n - 1) // 2))
    app.add_middleware(RequestDeadline, seconds_of=lambda method, path: LONGEST_REQUEST_S)
    if token:
        app.add_middleware(Bearers, token=token)
    else:  # a page elsewhere that makes its own name lead here is not answered
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=THIS_MACHINE, www_redirect=False)
    return app


class Bearers:
    """Answers 401 to whoever does not show the token."""

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
    await asyncio.to_thread(gibbs.compile_it)
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
