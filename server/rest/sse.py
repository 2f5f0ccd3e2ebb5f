"""Server-sent events, with keep-alives, and a problem as the last event of a failed stream."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from typing import TypeVar

from fastapi import Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from papergraph.errors import PapergraphError
from papergraph.records import Record, to_json
from server.operations.context import RequestContext
from server.operations.error_responses import problem, public_error
from server.rest.problems import errors_of, status_of

HEARTBEAT_S = 15.0
EVENTS = "text/event-stream"

T = TypeVar("T")
Named = tuple[str, BaseModel | Record]
"""An event: its name and what it holds."""


async def stream_of(
    context: RequestContext, request: Request, coming: AsyncGenerator[Named, None]
) -> StreamingResponse:
    """Return the stream of events; what fails before the first is a problem, and no stream.

    Raises:
        PapergraphError: The first event could not be had.
    """

    def problem_of(error: PapergraphError) -> str:
        message = public_error(error, context.request_id)
        refusal = problem(request.scope, error.code, message, status=status_of(error), errors=errors_of(error, message))
        return f"event: problem\ndata: {json.dumps(refusal, ensure_ascii=False)}\n\n"

    return await streamed(context, coming, write=_event, fail=problem_of)


async def streamed(
    context: RequestContext,
    coming: AsyncGenerator[T, None],
    *,
    write: Callable[[T], str],
    fail: Callable[[PapergraphError], str],
) -> StreamingResponse:
    """Return a stream of what is coming, in the form of whichever face.

    Args:
        context: Whose it is; it ends when their key does.
        coming: What comes.
        write: Makes a server-sent event of it.
        fail: Makes one, the last, of what ended it early.

    Raises:
        PapergraphError: The first could not be had.
    """
    first = await anext(coming, None)
    return StreamingResponse(_events(context, first, coming, write, fail), media_type=EVENTS)


async def _events(
    context: RequestContext,
    first: T | None,
    coming: AsyncGenerator[T, None],
    write: Callable[[T], str],
    fail: Callable[[PapergraphError], str],
) -> AsyncIterator[str]:
    """Yield server-sent events, and something every few seconds, so that nobody between takes the stream for dead."""
    if first is None:
        return
    following: asyncio.Future[T | None] | None = None
    try:
        yield write(first)
        following = asyncio.ensure_future(anext(coming, None))
        while True:
            done, _ = await asyncio.wait({following}, timeout=HEARTBEAT_S)
            if not done:
                yield ": still there\n\n"
                continue
            if (event := following.result()) is None:
                return
            await context.stay()
            yield write(event)
            following = asyncio.ensure_future(anext(coming, None))
    except PapergraphError as error:
        yield fail(error)
    finally:
        if following is not None:
            following.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, PapergraphError):
                await following
        await coming.aclose()


def _event(event: Named) -> str:
    name, data = event
    return f"event: {name}\ndata: {to_json(data)}\n\n"
