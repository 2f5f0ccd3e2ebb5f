"""Middleware around requests: ids, metrics and log records by route template, bodies, slots, deadline."""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.errors import Code, OverloadedError, RateLimitedError
from papergraph.server.auth.operations import AccessTable
from papergraph.server.auth.rate_limits import RateLimiter
from papergraph.server.middleware.authentication import refuse_for
from papergraph.server.operations.error_responses import HIDDEN, error_answer, new_request_id
from papergraph.telemetry import logs, metrics, tracing
from papergraph.telemetry.logs import Request, current
from papergraph.telemetry.metrics import OTHER
from papergraph.telemetry.tracing import SpanKind

HEADER = "X-Request-ID"
UNBUFFERED = "X-Accel-Buffering"
"""Header that keeps nginx from holding back a stream until it ends."""
log = logging.getLogger(__name__)


class RequestIds:
    """Middleware that assigns each request an id (the client's if given) and adds it to the answer's headers.

    The headers of a stream also ask proxies to pass each event on at once.

    Uncaught exceptions become status 500 with that id, and are logged with it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        request_id = new_request_id(Headers(scope=scope).get(HEADER, ""))
        scope.setdefault("state", {})["request_id"] = request_id
        has_begun = False

        async def with_header(message: Message) -> None:
            nonlocal has_begun
            if message["type"] in ("http.response.start", "websocket.accept"):
                has_begun = True
                headers = MutableHeaders(scope=message)
                headers[HEADER] = request_id
                if message["type"] == "http.response.start" and is_stream(message):
                    headers[UNBUFFERED] = "no"
            await send(message)

        with logs.began(request_id):
            try:
                await self._app(scope, receive, with_header)
            except Exception:
                if has_begun or scope["type"] != "http":
                    raise
                log.exception("request %s failed", request_id)
                answer = error_answer(scope, Code.INTERNAL, HIDDEN[Code.INTERNAL], status=500)
                await answer(scope, receive, with_header)


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SOCKET = "WEBSOCKET"
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Routes that are asked for every few seconds: the log tells of them at DEBUG, unless something is wrong."""

GONE, FAILED, SWITCHED, REFUSED = 499, 500, 101, 403


class RequestMetrics:
    """Counts and times each request, writes its line in the log, and is the first span of its trace."""

    def __init__(self, app: ASGIApp, *, table: AccessTable) -> None:
        self._app, self._table = app, table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        method, route = method_of(scope), self._table.template(scope["path"]) or OTHER
        request = current() or Request("")
        status: int | None = None
        lasts = method == SOCKET  # as long as its client likes
        is_sent = False

        async def listen() -> Message:
            nonlocal status, is_sent
            message = await receive()
            if message["type"] == "http.request":
                is_sent = not message.get("more_body", False)
            elif message["type"] == "http.disconnect" and not is_sent:
                status = status or GONE  # disconnected during the answer
            return message

        async def look(message: Message) -> None:
            nonlocal status, lasts
            if message["type"] == "http.response.start":
                status, lasts = status or int(message["status"]), is_stream(message)
            elif message["type"] == "websocket.accept":
                status = SWITCHED
            elif message["type"] == "websocket.close" and status is None:
                status = REFUSED
            await send(message)

        start = time.perf_counter()
        attributes = {tracing.METHOD: method, tracing.ROUTE: route, tracing.REQUEST: request.id}
        with (
            metrics.REQUESTS_IN_FLIGHT.track_inprogress(),
            tracing.span(f"{method} {route}", attributes, kind=SpanKind.SERVER, headers=Headers(scope=scope)) as span,
        ):
            try:
                await self._app(scope, listen, look)
            except Exception:
                status = status or FAILED
                raise
            finally:
                status = status or GONE
                seconds = time.perf_counter() - start
                span.set_attribute(tracing.STATUS, status)
                metrics.REQUESTS.labels(method, route, status).inc()
                metrics.REQUEST_QUERIES.labels(route).observe(request.n_queries)
                if not lasts:
                    metrics.REQUEST_SECONDS.labels(route, status).observe(seconds)
                _log(method, route, status, seconds, request)


def method_of(scope: Scope) -> str:
    """Return a request's method, out of a closed list."""
    if scope["type"] == "websocket":
        return SOCKET
    return scope["method"] if scope["method"] in METHODS else OTHER


def _log(method: str, route: str, status: int, seconds: float, request: Request) -> None:
    level = logging.DEBUG if route in PROBES and status < FAILED else logging.INFO
    if log.isEnabledFor(level):
        fields: Mapping[str, object] = {
            "method": method,
            "route": route,
            "status": status,
            "ms": round(1000.0 * seconds, 1),
            "queries": request.n_queries,
            "cost": request.cost,
            "key_id": request.key_id,
        }
        log.log(level, "answered", extra=fields)


BODY_S = 10.0
"""Longest time in which a body of JSON arrives, in seconds."""


async def with_slot(
    slot: AbstractContextManager[None], app: ASGIApp, scope: Scope, receive: Receive, send: Send
) -> None:
    """Pass a request on while it holds a slot, or refuse it."""
    with ExitStack() as held:
        try:
            held.enter_context(slot)
        except (RateLimitedError, OverloadedError) as error:
            return await refuse_for(error, scope, receive, send)
        await app(scope, receive, send)


class RequestBodies:
    """Receives bodies before requests take slots: within :data:`BODY_S`, and of at most ``max_bytes``.

    On the paths in ``streamed``, each with its own most bytes, files are passed on as they arrive; they hold slots of
    uploads instead. Without ``limits``, no slots are counted.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        max_bytes: int,
        limits: RateLimiter | None = None,
        streamed: Mapping[str, int] | None = None,
    ) -> None:
        self._app, self._limits = app, limits
        self._max_bytes = max_bytes
        self._streamed = streamed or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, read whole, or refuse it."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            return await self._app(scope, receive, send)
        if (most := self._streamed.get(scope["path"])) is not None:
            announced = Headers(scope=scope).get("content-length", "0")
            if announced.isdecimal() and int(announced) > most:
                return await self._refuse(413, _too_large(most), scope, receive, send)
            slot = nullcontext() if self._limits is None else self._limits.upload(scope["state"]["principal"])
            return await with_slot(slot, self._app, scope, _up_to(most, receive), send)
        messages: list[Message] | None = []

        async def read(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal messages
            try:
                messages = await self._read(receive)
            except TimeoutError:
                told = f"The body of the request did not arrive within {BODY_S:g} s."
                return await self._refuse(408, told, scope, receive, send)
            if messages is None:
                await self._refuse(413, _too_large(self._max_bytes), scope, receive, send)

        async def replay() -> Message:
            return messages.pop(0) if messages else await receive()

        slot = nullcontext() if self._limits is None else self._limits.body(scope["state"]["principal"])
        await with_slot(slot, read, scope, receive, send)
        if messages:  # otherwise it was refused, or the client has disconnected
            await self._app(scope, replay, send)

    async def _read(self, receive: Receive) -> list[Message] | None:
        """Return the messages of a body; none if the client has disconnected, None if the body is too large.

        Raises:
            TimeoutError: The body did not arrive in time.
        """
        messages: list[Message] = []
        size, more = 0, True
        async with asyncio.timeout(BODY_S):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return []
                messages.append(message)
                size += len(message.get("body", b""))
                more = message.get("more_body", False)
                if size > self._max_bytes:
                    return None
        return messages

    async def _refuse(self, status: int, told: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an incomplete request, and close its connection."""
        answer = error_answer(scope, Code.TIMEOUT if status == 408 else Code.BAD_USER_INPUT, told, status=status)
        answer.headers["Connection"] = "close"
        await answer(scope, receive, send)


def _too_large(most: int) -> str:
    return f"The request is larger than {most} bytes."


class RequestSlots:
    """Holds a slot for each request whose body is complete, until it is answered; uploads hold slots of their own."""

    def __init__(self, app: ASGIApp, *, limits: RateLimiter, streamed: Collection[str] = ()) -> None:
        self._app, self._limits, self._streamed = app, limits, streamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http" or not scope["state"]["principal"].scopes or self._is_upload(scope):
            return await self._app(scope, receive, send)
        await with_slot(self._limits.place(scope["state"]["principal"]), self._app, scope, receive, send)

    def _is_upload(self, scope: Scope) -> bool:
        return scope["path"] in self._streamed and scope["method"] not in ("GET", "HEAD")


def _up_to(most: int, receive: Receive) -> Receive:
    """Return ``receive`` that says that the client is gone once it has sent more than ``most`` bytes."""
    size = 0

    async def read() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        return message if size <= most else {"type": "http.disconnect"}

    return read


STREAMS = ("text/event-stream", "multipart/mixed")


class RequestDeadline:
    """Middleware that answers 504 after a timeout and cancels the work for the request.

    The timeout applies to the beginning of an answer, and once more to the rest of one that is no stream.
    ``seconds_of`` returns the timeout of a method and path.
    """

    def __init__(self, app: ASGIApp, *, seconds_of: Callable[[str, str], float]) -> None:
        self._app, self._seconds_of = app, seconds_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and wait for the answer as long as it may take."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        has_begun = False
        seconds = self._seconds_of(scope["method"], scope["path"])
        deadline = asyncio.timeout(seconds)

        async def remember(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            if message["type"] == "http.response.start":  # before it is sent, so that nothing breaks it off
                deadline.reschedule(None if is_stream(message) else asyncio.get_running_loop().time() + seconds)
            await send(message)

        try:
            async with deadline:
                await self._app(scope, receive, remember)
        except TimeoutError:
            if has_begun or not deadline.expired():
                raise
            told = f"There was no answer within {seconds:g} s. Retry."
            await error_answer(scope, Code.TIMEOUT, told, status=504)(scope, receive, send)


def is_stream(start: Message) -> bool:
    """Say whether an answer that begins so comes piece by piece, as things happen."""
    return Headers(raw=start["headers"]).get("content-type", "").startswith(STREAMS)


class DisconnectWatcher:
    """Ends what is being done for a client that has gone away before it was answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and listen for the client from when it has said all."""
        task = asyncio.current_task()
        if scope["type"] != "http" or task is None:
            return await self._app(scope, receive, send)
        listening: asyncio.Task[None] | None = None
        is_answered = is_gone = False

        async def listen() -> None:
            nonlocal is_gone
            while (await receive())["type"] != "http.disconnect":
                pass
            if not is_answered:
                is_gone = True
                task.cancel()

        async def read() -> Message:
            nonlocal listening
            if listening is not None:
                await asyncio.shield(listening)
                return {"type": "http.disconnect"}
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body", False):
                listening = asyncio.create_task(listen())
            return message

        async def tell(message: Message) -> None:
            nonlocal is_answered
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                is_answered = True  # from here on the server itself says that the client is gone
            await send(message)

        if scope["method"] in ("GET", "HEAD"):  # the body is discarded
            listening = asyncio.create_task(listen())
        try:
            await self._app(scope, read, tell)
        except asyncio.CancelledError:
            if not is_gone or task.uncancel() > 0:
                raise
        finally:
            if listening is not None:
                listening.cancel()
