"""Metrics, log records and traces of requests, by route template and never by content."""

import logging
import time
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.metrics import OTHER
from papergraph.telemetry.request_record import Request, current
from papergraph.telemetry.tracing import SpanKind
from server.auth.access import AccessTable
from server.middleware.request_limits import is_stream

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SOCKET = "WEBSOCKET"
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Routes that are asked for every few seconds: the log tells of them at DEBUG, unless something is wrong."""

GONE, FAILED, SWITCHED, REFUSED = 499, 500, 101, 403

log = logging.getLogger(__name__)


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
                status = status or GONE  # while it was sending: what is answered now reaches nobody
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
