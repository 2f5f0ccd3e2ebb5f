"""Streams of events: answers as they are written, and the progress of jobs."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from types import TracebackType
from typing import Any, Self

from papergraph_client import errors
from papergraph_client._async.transport import AsyncTransport
from papergraph_client._events import AnswerEvent, answer_event
from papergraph_client._http import Call
from papergraph_client.models import AskAnswer, Job


class AsyncAnswerStream:
    """An answer while it is written: iterate over its events within ``with``.

    Attributes:
        result: The whole answer or refusal, after the last event.
    """

    def __init__(self, transport: AsyncTransport, call: Call) -> None:
        """Describe the stream; it is opened by ``with``."""
        self.result: AskAnswer | None = None
        self._events = transport.events(call)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def __aiter__(self) -> AsyncIterator[AnswerEvent]:
        async for event in read_events(self._events):
            told = answer_event(*event)
            if told.answer is not None:
                self.result = told.answer
            yield told
            if told.answer is not None:
                return
        raise errors.BrokenStreamError("The stream ended before the answer was complete.")

    async def text(self) -> str:
        """Read to the end, and return the text; empty for a refusal."""
        async for _ in self:
            pass
        return (self.result.text if self.result else None) or ""

    async def close(self) -> None:
        """End the stream; the server stops to write the answer."""
        await self._events.aclose()


async def read_events(events: AsyncGenerator[tuple[str, str], None]) -> AsyncGenerator[tuple[str, Any], None]:
    """Yield the events of a stream with their data.

    Raises:
        ApiError: The last event is a problem, such as a revoked key.
        BrokenStreamError: The data of an event is not JSON.
    """
    async for name, text in events:
        try:
            data = json.loads(text)
        except ValueError as error:
            raise errors.BrokenStreamError(f"The data of event {name!r} is not JSON.") from error
        if name == "problem":
            raise errors.api_error(data, status=0)
        yield name, data


async def follow(transport: AsyncTransport, call: Call) -> AsyncGenerator[Job, None]:
    """Yield a job after each progress, until it is finished."""
    last = None
    events = transport.events(call)
    try:
        async for name, data in read_events(events):
            if name == "job":
                last = Job.from_json(data)
                yield last
    finally:
        await events.aclose()
    if last is None or last.state not in ("done", "cancelled", "paused"):
        raise errors.BrokenStreamError("The stream ended before the job was finished.")
