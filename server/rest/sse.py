"""Server-sent events, with keep-alives, and a problem as the last event of a failed stream."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from fastapi import Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from papergraph.errors import PapergraphError
from papergraph.records import Record, to_json
from papergraph.server.operations.context import RequestContext
from papergraph.server.rest.problems import ours, problem_of

HEARTBEAT_S = 15.0
EVENTS = "text/event-stream"

T = TypeVar("T")
Named = tuple[str, BaseModel | Record]
"""An event: its name and what it holds."""


async def as_named(event: Named) -> Named:
    """Return an event that has its name already."""
    return event


async def stream_of(
    context: RequestContext,
    request: Request,
    coming: AsyncGenerator[T, None],
    named: Callable[[T], Awaitable[Named]],
) -> StreamingResponse:
    """Return the stream of events; an error before the first is a problem, and no stream.

    Raises:
        PapergraphError: The first event failed.
    """

    def fail(error: PapergraphError) -> str:
        return f"event: problem\ndata: {json.dumps(problem_of(request.scope, error), ensure_ascii=False)}\n\n"

    async def write(event: T) -> str:
        name, data = await named(event)
        return f"event: {name}\ndata: {to_json(data)}\n\n"

    return await streamed(context, coming, write=write, fail=fail)


async def streamed(
    context: RequestContext,
    coming: AsyncGenerator[T, None],
    *,
    write: Callable[[T], Awaitable[str]],
    fail: Callable[[PapergraphError], str],
) -> StreamingResponse:
    """Return a stream of events in the form of an interface.

    Args:
        context: Its request; the stream ends when the key does.
        coming: The events.
        write: Returns the server-sent events of an event; empty to hold it back until the next one.
        fail: Returns the last server-sent event of a failed stream.

    Raises:
        PapergraphError: The first event failed.
    """

    async def following() -> str | None:
        while (event := await anext(coming, None)) is not None:
            if text := await write(event):
                return text
        return None

    try:
        first = await following()
    except BaseException as error:
        await coming.aclose()
        if isinstance(error, PapergraphError) or not isinstance(error, Exception):
            raise
        raise ours(error) from error
    return StreamingResponse(_events(context, first, coming, following, fail), media_type=EVENTS)


async def _events(
    context: RequestContext,
    first: str | None,
    coming: AsyncGenerator[T, None],
    following: Callable[[], Awaitable[str | None]],
    fail: Callable[[PapergraphError], str],
) -> AsyncIterator[str]:
    """Yield server-sent events, and a comment every few seconds, so that no proxy closes the connection."""
    text = first
    waiting: asyncio.Future[str | None] | None = None
    try:
        while text is not None:
            yield text
            waiting = asyncio.ensure_future(following())
            while not (await asyncio.wait({waiting}, timeout=HEARTBEAT_S))[0]:
                yield ": still there\n\n"
            text = waiting.result()
            if text is not None:
                await context.stay()
    except Exception as error:  # a stream that has begun ends with an error of its form
        yield fail(ours(error))
    finally:
        if waiting is not None:
            waiting.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await waiting
        await coming.aclose()
