# Written by python -m scripts.sdk from _async/transport.py.
"""Requests over HTTP, tried again where it does no harm; answers, event streams and pages within their timeouts."""

import json
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from time import sleep
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import httpx

from papergraph_client import errors
from papergraph_client._events import AnswerEvent, answer_event
from papergraph_client._http import (
    CONNECT_S,
    Call,
    EventReader,
    RawResponse,
    error_of,
    headers_of,
    pause_after,
    raise_for_error,
)
from papergraph_client._model import Page, decode
from papergraph_client.models import AskAnswer, Job


@dataclass(frozen=True)
class Transport:
    """A connection pool and how requests are sent over it.

    Attributes:
        http: Client of httpx.
        base: Address of the server.
        key: API key.
        timeout: Seconds for the whole answer to one try; for a stream, the longest silence.
        max_retries: Most tries after the first.
    """

    http: httpx.Client
    base: str
    key: str | None
    timeout: float
    max_retries: int

    def changed(self, *, timeout: float | None, max_retries: int | None) -> Self:
        """Return it with other options, over the same connections."""
        timeout = self.timeout if timeout is None else timeout
        return replace(self, timeout=timeout, max_retries=self.max_retries if max_retries is None else max_retries)

    def send(self, call: Call) -> RawResponse:
        """Return the answer to a request.

        Raises:
            ApiError: The server reports an error.
            ConnectionFailedError, NoAnswerInTimeError: There is no answer.
            UnexpectedAnswerError: It is not one of papergraph.
        """
        tries = 0
        while True:
            tries += 1
            failure: RawResponse | Exception
            try:
                failure = answer = self._once(call)
                if answer.status < 300:
                    return answer
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
            pause = None if tries > self.max_retries else pause_after(call, tries, failure)
            if pause is None:
                if isinstance(failure, RawResponse):
                    return raise_for_error(failure)
                raise error_of(failure, self.base) from failure
            sleep(pause)

    def events(self, call: Call) -> Generator[tuple[str, str], None, None]:
        """Yield the events of a stream by name and data; a refusal before its first event is tried again.

        Raises:
            ApiError: The server reports an error, also within the stream.
            BrokenStreamError: The connection broke, or was silent for too long.
        """
        tries = 0
        while True:
            tries += 1
            failure: RawResponse | Exception
            try:
                response = self._open(call)
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
            else:
                if response.status_code < 300:
                    break
                failure = self._read(response, time.monotonic() + self.timeout)
            pause = None if tries > self.max_retries else pause_after(call, tries, failure)
            if pause is None:
                if isinstance(failure, RawResponse):
                    raise_for_error(failure)
                else:
                    raise error_of(failure, self.base) from failure
            sleep(pause or 0.0)
        with closing(self._events(response)) as events:
            for event in events:
                yield event

    def _events(self, response: httpx.Response) -> Generator[tuple[str, str], None, None]:
        reader = EventReader()
        try:
            for content in response.iter_bytes():
                for event in reader.feed(content):
                    yield event
        except httpx.TransportError as error:
            raise errors.BrokenStreamError(f"The stream of {self.base} broke: {type(error).__name__}") from error
        finally:
            response.close()

    def _once(self, call: Call) -> RawResponse:
        deadline = time.monotonic() + self.timeout
        return self._read(self._open(call), deadline)

    def _open(self, call: Call) -> httpx.Response:
        timeout = httpx.Timeout(self.timeout, connect=min(self.timeout, CONNECT_S))
        request = self.http.build_request(url=call.url(self.base), timeout=timeout, **call.options())
        request.headers.update(headers_of(self.key))
        return self.http.send(request, stream=True)

    def _read(self, response: httpx.Response, deadline: float) -> RawResponse:
        """Return a whole answer; one that trickles ends at the deadline too."""
        parts = []
        try:
            for content in response.iter_bytes():
                parts.append(content)
                if time.monotonic() > deadline:
                    raise TimeoutError
        finally:
            response.close()
        return RawResponse(response.status_code, dict(response.headers), b"".join(parts))


T = TypeVar("T")


class Pages(Generic[T]):
    """A list: iterate over its entries, or read its pages; a page is read when it is needed."""

    def __init__(self, transport: Transport, call: Call, model: type[T], *, first: int = 100) -> None:
        """Describe the list; nothing is sent."""
        self._transport, self._call, self._model, self._first = transport, call, model, first

    def page(self, after: str | None = None, *, count: bool = False) -> Page[T]:
        """Return one page.

        Args:
            after: ``next`` of the previous page.
            count: Read the length of the whole list too.
        """
        query = {**self._call.query, "first": self._first, "after": after, "count": True if count else None}
        read = (self._transport.send(replace(self._call, query=query))).json()
        data: list[Any] = read["data"]
        return Page(tuple(decode(self._model, one) for one in data), read.get("next"), read.get("total"))

    def pages(self) -> Iterator[Page[T]]:
        """Yield the pages in order."""
        after = None
        while True:
            page = self.page(after)
            yield page
            after = page.next
            if after is None:
                return

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            for one in page.data:
                yield one

    def count(self) -> int:
        """Return the length of the whole list."""
        call = replace(self._call, query={**self._call.query, "first": 1, "count": True})
        return int((self._transport.send(call)).json()["total"])

    def all(self) -> list[T]:
        """Return all entries."""
        return [one for one in self]


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
