"""Request ids, which connect an answer with its log records."""

import logging

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.errors import Code
from papergraph.telemetry import request_record as requests
from server.operations.error_responses import HIDDEN, error_answer, new_request_id

HEADER = "X-Request-ID"
log = logging.getLogger(__name__)


class RequestIds:
    """Gives each request an id, that of its client where it has one, and each answer the header that says it.

    What goes wrong within, and nobody caught, is an answer of 500 with that id, and stands in the log under it.
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
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        with requests.began(request_id):
            try:
                await self._app(scope, receive, with_header)
            except Exception:
                if has_begun or scope["type"] != "http":
                    raise
                log.exception("request %s failed", request_id)
                answer = error_answer(scope, Code.INTERNAL, HIDDEN[Code.INTERNAL], status=500)
                await answer(scope, receive, with_header)
