"""Limits on a request as a whole: its size and its time."""

import asyncio

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.errors import Code


class BodyLimit:
    """Answers 413 to a request whose body is larger than ``max_bytes``, whether it says so beforehand or not."""

    def __init__(self, app: ASGIApp, *, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, read whole, or refuse it."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            return await self._app(scope, receive, send)
        messages: list[Message] = []
        size, more = 0, True
        while more:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            more = message["type"] == "http.request" and message.get("more_body", False)
            if size > self._max_bytes:
                error = {"message": f"the request is larger than {self._max_bytes} bytes"}
                answer = {"errors": [error | {"extensions": {"code": Code.BAD_USER_INPUT}}]}
                return await JSONResponse(answer, status_code=413)(scope, receive, send)

        async def replay() -> Message:
            return messages.pop(0) if messages else await receive()

        return await self._app(scope, replay, send)


class Deadline:
    """Answers 504 to a request that is not answered within ``seconds``, and ends what was being done for it."""

    def __init__(self, app: ASGIApp, *, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and wait for the answer as long as it may take."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        has_begun = False

        async def remember(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        deadline = asyncio.timeout(self._seconds)
        try:
            async with deadline:
                await self._app(scope, receive, remember)
        except TimeoutError:
            if has_begun or not deadline.expired():
                raise
            error = {"message": f"there was no answer within {self._seconds:g} s; try again"}
            answer = {"errors": [error | {"extensions": {"code": Code.TIMEOUT}}]}
            await JSONResponse(answer, status_code=504)(scope, receive, send)
