"""Limits on requests: body size, deadline, and an end when the client disconnects."""

import asyncio
from collections.abc import Callable, Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from papergraph.errors import Code
from server.operations.error_responses import error_answer


class BodyLimit:
    """Answers 413 to a request whose body is larger than ``max_bytes``, whether it says so beforehand or not.

    Of the paths in ``streamed``, each with its own most bytes, bodies are passed on as they come: what reads them
    has limits of its own.
    """

    def __init__(self, app: ASGIApp, *, max_bytes: int, streamed: Mapping[str, int] | None = None) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._streamed = streamed or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, read whole, or refuse it."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            return await self._app(scope, receive, send)
        if (most := self._streamed.get(scope["path"])) is not None:
            announced = Headers(scope=scope).get("content-length", "0")
            if announced.isdecimal() and int(announced) > most:
                return await self._refuse(most, scope, receive, send)
            return await self._app(scope, _up_to(most, receive), send)
        messages: list[Message] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None  # there is nobody left to answer
            messages.append(message)
            size += len(message.get("body", b""))
            more = message.get("more_body", False)
            if size > self._max_bytes:
                return await self._refuse(self._max_bytes, scope, receive, send)

        async def replay() -> Message:
            return messages.pop(0) if messages else await receive()

        return await self._app(scope, replay, send)

    async def _refuse(self, most: int, scope: Scope, receive: Receive, send: Send) -> None:
        told = f"The request is larger than {most} bytes."
        await error_answer(scope, Code.BAD_USER_INPUT, told, status=413)(scope, receive, send)


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
    """Answers 504 to a request that is not answered in time, and ends what was being done for it.

    A stream has to have begun by then, and may go on. ``seconds_of`` says how long a method of a path may take.
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
            if message["type"] == "http.response.start" and is_stream(message):
                deadline.reschedule(None)
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

        if scope["method"] in ("GET", "HEAD"):  # which nobody reads
            listening = asyncio.create_task(listen())
        try:
            await self._app(scope, read, tell)
        except asyncio.CancelledError:
            if not is_gone or task.uncancel() > 0:
                raise
        finally:
            if listening is not None:
                listening.cancel()
