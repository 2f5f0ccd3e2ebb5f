# Written by python -m scripts.sdk from _async/streams.py.
"""Streams of events: answers as they are written, and the progress of jobs."""

import json
from collections.abc import Generator, Iterator
from types import TracebackType
from typing import Any, Self

from papergraph_client import errors
from papergraph_client._events import AnswerEvent, answer_event
from papergraph_client._http import Call
from papergraph_client._sync.transport import Transport
from papergraph_client.models import AskAnswer, Job


class AnswerStream:
    """An answer while it is written: iterate over its events within ``with``.

    Attributes:
        result: The whole answer or refusal, after the last event.
    """

    def __init__(self, transport: Transport, call: Call) -> None:
        """Describe the stream; it is opened by ``with``."""
        self.result: AskAnswer | None = None
        self._events = transport.events(call)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[AnswerEvent]:
        for event in read_events(self._events):
            told = answer_event(*event)
            if told.answer is not None:
                self.result = told.answer
            yield told
            if told.answer is not None:
                return
        raise errors.BrokenStreamError("The stream ended before the answer was complete.")

    def text(self) -> str:
        """Read to the end, and return the text; empty for a refusal."""
        for _ in self:
            pass
        return (self.result.text if self.result else None) or ""

    def close(self) -> None:
        """End the stream; the server stops to write the answer."""
        self._events.close()


def read_events(events: Generator[tuple[str, str], None]) -> Generator[tuple[str, Any], None, None]:
    """Yield the events of a stream with their data.

    Raises:
        ApiError: The last event is a problem, such as a revoked key.
        BrokenStreamError: The data of an event is not JSON.
    """
    for name, text in events:
        try:
            data = json.loads(text)
        except ValueError as error:
            raise errors.BrokenStreamError(f"The data of event {name!r} is not JSON.") from error
        if name == "problem":
            raise errors.api_error(data, status=0)
        yield name, data


def follow(transport: Transport, call: Call) -> Generator[Job, None, None]:
    """Yield a job after each progress, until it is finished."""
    last = None
    events = transport.events(call)
    try:
        for name, data in read_events(events):
            if name == "job":
                last = Job.from_json(data)
                yield last
    finally:
        events.close()
    if last is None or last.state not in ("done", "cancelled", "paused"):
        raise errors.BrokenStreamError("The stream ended before the job was finished.")
