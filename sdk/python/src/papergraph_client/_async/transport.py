"""Send requests, again where it does no harm, and read answers and streams within their timeouts."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Self

import httpx
from anyio import sleep

from papergraph_client import errors
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


@dataclass(frozen=True)
class AsyncTransport:
    """A connection pool and how requests are sent over it.

    Attributes:
        http: Client of httpx.
        base: Address of the server.
        key: API key.
        timeout: Seconds for the whole answer to one try; for a stream, the longest silence.
        max_retries: Most tries after the first.
    """

    http: httpx.AsyncClient
    base: str
    key: str | None
    timeout: float
    max_retries: int

    def changed(self, *, timeout: float | None, max_retries: int | None) -> Self:
        """Return it with other options, over the same connections."""
        timeout = self.timeout if timeout is None else timeout
        return replace(self, timeout=timeout, max_retries=self.max_retries if max_retries is None else max_retries)

    async def send(self, call: Call) -> RawResponse:
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
                failure = answer = await self._once(call)
                if answer.status < 300:
                    return answer
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
            pause = None if tries > self.max_retries else pause_after(call, tries, failure)
            if pause is None:
                if isinstance(failure, RawResponse):
                    return raise_for_error(failure)
                raise error_of(failure, self.base) from failure
            await sleep(pause)

    async def events(self, call: Call) -> AsyncGenerator[tuple[str, str], None]:
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
                response = await self._open(call)
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
            else:
                if response.status_code < 300:
                    break
                failure = await self._read(response, time.monotonic() + self.timeout)
            pause = None if tries > self.max_retries else pause_after(call, tries, failure)
            if pause is None:
                if isinstance(failure, RawResponse):
                    raise_for_error(failure)
                else:
                    raise error_of(failure, self.base) from failure
            await sleep(pause or 0.0)
        async with aclosing(self._events(response)) as events:
            async for event in events:
                yield event

    async def _events(self, response: httpx.Response) -> AsyncGenerator[tuple[str, str], None]:
        reader = EventReader()
        try:
            async for content in response.aiter_bytes():
                for event in reader.feed(content):
                    yield event
        except httpx.TransportError as error:
            raise errors.BrokenStreamError(f"The stream of {self.base} broke: {type(error).__name__}") from error
        finally:
            await response.aclose()

    async def _once(self, call: Call) -> RawResponse:
        deadline = time.monotonic() + self.timeout
        return await self._read(await self._open(call), deadline)

    async def _open(self, call: Call) -> httpx.Response:
        timeout = httpx.Timeout(self.timeout, connect=min(self.timeout, CONNECT_S))
        request = self.http.build_request(url=call.url(self.base), timeout=timeout, **call.options())
        request.headers.update(headers_of(self.key))
        return await self.http.send(request, stream=True)

    async def _read(self, response: httpx.Response, deadline: float) -> RawResponse:
        """Return a whole answer; one that trickles ends at the deadline too."""
        parts = []
        try:
            async for content in response.aiter_bytes():
                parts.append(content)
                if time.monotonic() > deadline:
                    raise TimeoutError
        finally:
            await response.aclose()
        return RawResponse(response.status_code, dict(response.headers), b"".join(parts))
