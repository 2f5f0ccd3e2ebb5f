"""HTTP server of a process."""

import asyncio
import gc
import re
import socket
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import h11
import uvicorn
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from papergraph.server.app import MAX_BODY_BYTES, create_app
from papergraph.server.auth.server_limits import ANYTHING, ServerLimits
from papergraph.server.graphql.options import Rules
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import Server, ended_by_signals, started
from papergraph.shared_counters import Shared

# Have the driver wait for Neo4j's bytes without a task for each wait, as it does by itself from Python 3.12 on.
#
# On Python 3.11 the driver brings a ``wait_for`` of its own, which makes a task for every read that has a time limit:
# 45 for a search of three statements, a third of what the driver takes of the processor.


T = TypeVar("T")


async def wait_for(awaited: Awaitable[T], timeout: float | None) -> T:  # noqa: ASYNC109 the driver gives it
    """Return what is awaited, or raise ``TimeoutError`` after so many seconds, as Python 3.12's function does."""
    if timeout is None:
        return await awaited
    async with asyncio.timeout(timeout):
        return await awaited


def wait_without_tasks() -> None:
    """Have this process's drivers wait so; harmless where the driver has no such function."""
    if sys.version_info < (3, 12):
        from neo4j._async_compat.network import _bolt_socket

        if hasattr(_bolt_socket, "wait_for"):
            _bolt_socket.wait_for = wait_for


# Server on a socket; it closes connections without a complete head in time, whose size h11 limits


HEAD_S = 10.0
"""Timeout of the head of a request in seconds, from its first byte or the start of the connection."""

TOO_LATE = b"The request headers took too long."
REFUSAL = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%b" % (len(TOO_LATE), TOO_LATE)
)


class PromptHeadProtocol(H11Protocol):
    """Closes a connection whose request line and headers take longer than :data:`HEAD_S`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEAD_S, self._refuse)

    def data_received(self, data: bytes) -> None:
        """Read received data; after an answer the timeout starts with the first byte of the next request."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE or self.transport.get_protocol() is not self:
            self._stop_waiting()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(HEAD_S, self._refuse)

    def on_response_complete(self) -> None:
        """Begin to wait for the rest of a request that has begun behind the one that was answered."""
        super().on_response_complete()
        begun = self.conn.trailing_data[0].strip(b"\r\n")
        is_open = self.conn.their_state is h11.IDLE and not self.transport.is_closing()
        if begun and is_open and self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_S, self._refuse)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the wait."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.write(REFUSAL)
            self.transport.close()


class ForwardedHeaders(ProxyHeadersMiddleware):
    """Client, scheme and path prefix as trusted proxies state them."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # type: ignore[override]
        if scope["type"] != "lifespan" and (scope.get("client") or ("",))[0] in self.trusted_hosts:
            prefix = Headers(scope=scope).get("x-forwarded-prefix", "").rstrip("/")
            scope["papergraph.prefix"] = prefix if PREFIX.fullmatch(prefix) else ""
        await super().__call__(scope, receive, send)  # type: ignore[arg-type]


PREFIX = re.compile(r"(?:/[\w.~-]+)*")
SHUTDOWN_S = 10
IDLE_S = 75
"""Seconds that an idle connection stays open: longer than proxies (nginx: 60) and clients (httpx: 5) keep one."""
SWITCH_S = 0.0005
"""Longest time between switches of threads; Python's 5 ms let answers of one account delay the searches of others."""

BACKLOG = 2048
"""Connections that wait to be taken."""


@asynccontextmanager
async def serving(
    service: Service,
    sock: socket.socket,
    policy: ServerLimits = ANYTHING,
    rules: Rules | None = None,
    shared: Shared | None = None,
) -> AsyncIterator[asyncio.Task[None]]:
    """Serve in the background while the context is open; the yielded task ends when the server stops.

    ``shared`` are the common counters of several processes, or None. Several processes accept one connection at a time,
    which distributes a burst of connections.
    """
    wait_without_tasks()
    sys.setswitchinterval(SWITCH_S)
    app: Any = create_app(service, policy, rules, shared)
    config = uvicorn.Config(
        ForwardedHeaders(app, list(policy.proxies)) if policy.proxies else app,
        backlog=BACKLOG if shared is None else 1,
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=MAX_BODY_BYTES,
        http=PromptHeadProtocol,
        proxy_headers=False,
        server_header=False,
    )
    server = Server(config)
    with ended_by_signals(server):
        task = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            await started(server, task)
            sock.listen(BACKLOG)  # the loop has made it as short as what it takes at a time
            gc.collect()
            gc.set_threshold(10_000)  # a search makes thousands of objects, few of them in cycles
            gc.freeze()  # what the start has made stays; to walk through it again and again stops all answers for 0.3 s
            yield task
        finally:
            server.should_exit = True
            await task
