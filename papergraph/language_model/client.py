"""Client of an OpenAI-compatible server, and its connection."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import httpx
from pydantic import SecretStr

from papergraph.errors import AnswerFault, LanguageModelError, ModelAnswerError, ModelUnavailableError
from papergraph.language_model.completion import (
    Budget,
    Completion,
    Endpoint,
    ModelUsage,
    Prices,
    as_json,
    cause_of,
    check_length,
    check_whole,
    estimated_tokens,
    finish_of,
    openai_client,
    shown,
    text_of,
    tokens_of,
    tokens_of_messages,
    wait_named_s,
)
from papergraph.language_model.prompts import Message
from papergraph.telemetry import metrics

if TYPE_CHECKING:
    import openai
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk


# HTTP to the model's server: our headers alone, bounded answers, no redirects, no proxies from the environment.
#
# The official client below LlamaIndex reads ``OPENAI_API_KEY``, ``OPENAI_ORG_ID``, ``OPENAI_CUSTOM_HEADERS`` and
# others from the environment. None of that is meant for the server that papergraph was told, so it ends here.


MAX_BODY_BYTES = 8 << 20
"""Largest body of an answer; a token in a stream takes some 250 bytes."""
CONNECT_S = 5.0
CALL = "x-papergraph-call"
"""Header that names a request to :meth:`Transport.end`; it is not sent."""
_OUR_HEADERS = ("host", "accept", "connection", "content-type", "content-length")


class TooLargeError(httpx.TransportError):
    """A body over ``MAX_BODY_BYTES``, or one that would have to be unpacked to know."""


class Transport(httpx.AsyncBaseTransport):
    """Connections of one event loop; sends the key to whatever address it is asked for."""

    def __init__(self, api_key: SecretStr, *, max_connections: int) -> None:
        """Open nothing yet.

        Args:
            api_key: Sent as a bearer token unless it is empty.
            max_connections: How many may be open at once.
        """
        limits = httpx.Limits(max_connections=max_connections)
        self._inner = httpx.AsyncHTTPTransport(limits=limits, trust_env=False)
        self._api_key = api_key
        self._calls: dict[str, _Bounded] = {}

    def client(self, *, attempt_s: float) -> httpx.AsyncClient:
        """Return a client over these connections; ``attempt_s`` is the longest silence of the server, seconds."""
        timeout = httpx.Timeout(attempt_s, connect=min(CONNECT_S, attempt_s))
        return httpx.AsyncClient(transport=self, timeout=timeout, follow_redirects=False, trust_env=False)

    async def end(self, call: str) -> None:
        """Close the connection of the request that named ``call`` in its header ``CALL``.

        Libraries that hand a stream on through generators leave its connection to the garbage collector when the
        outermost one is closed.
        """
        if (body := self._calls.pop(call, None)) is not None:
            await body.aclose()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request with our headers alone, and bound what comes back."""
        given = request.headers
        request.headers = httpx.Headers({name: given[name] for name in _OUR_HEADERS if name in given})
        request.headers["user-agent"] = "papergraph"
        request.headers["accept-encoding"] = "identity"
        if key := self._api_key.get_secret_value():
            request.headers["authorization"] = f"Bearer {key}"
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise TooLargeError("the answer is packed although we did not ask for that")
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 for mypy; ours is the asynchronous one
        response.stream = body = _Bounded(response.stream)
        if CALL in given:
            self._calls[given[CALL]] = body
        return response

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        n_bytes = 0
        async for block in self._inner:
            n_bytes += len(block)
            if n_bytes > MAX_BODY_BYTES:
                raise TooLargeError(f"the answer has over {MAX_BODY_BYTES} bytes")
            yield block

    async def aclose(self) -> None:
        await self._inner.aclose()


# Requests to an OpenAI-compatible server through the openai client: tried again, counted, paid for


PASSING_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
SPENT_QUOTA = "insufficient_quota"
"""OpenAI's code for a 429 that no waiting helps against."""


@dataclass(frozen=True)
class Retries:
    """Retries of a request; the pause before attempt n + 1 is drawn from [0, first_pause_s · 2ⁿ⁻¹].

    This is exponential back-off with full jitter (M. Brooker, Exponential Backoff And Jitter, AWS Architecture Blog,
    2015). It is added to a wait that the server requests, which also delays other requests of the process.
    """

    attempts: int = 5
    attempt_s: float = 60.0
    first_pause_s: float = 0.5
    longest_pause_s: float = 30.0

    def pause_s(self, attempt: int, draw: float) -> float:
        """Return the pause after ``attempt``, counted from 1, for a ``draw`` in [0, 1)."""
        return draw * min(self.longest_pause_s, self.first_pause_s * 2.0 ** (attempt - 1))


class _PassingError(Exception):
    """A failure that may be none the next time; ``error`` is what the caller hears if no attempt is left."""

    def __init__(self, error: LanguageModelError, *, retry_after_s: float | None = None) -> None:
        super().__init__(str(error))
        self.error, self.retry_after_s = error, retry_after_s


@dataclass
class _Attempt:
    """Measurements of a request, read after it succeeded or failed."""

    input_tokens: int
    """Our estimate."""
    output: str = ""
    counted: tuple[int, int] | None = None
    """Token counts reported by the server."""
    was_sent: bool = False
    was_turned_away: bool = False


class ChatClient:
    """Sends conversations to one model; belongs to the event loop that first uses it."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        retries: Retries,
        prices: Prices,
        max_connections: int,
        draw: Callable[[], float] = random.random,
    ) -> None:
        """Keep what is needed; nothing is loaded or opened before :meth:`load`.

        Args:
            endpoint: Where the model is.
            retries: How often, and with what pauses.
            prices: What its tokens cost.
            max_connections: How many may be open at once.
            draw: The jitter, in [0, 1).
        """
        self.usage = ModelUsage()
        self._endpoint, self._retries, self.prices, self._draw = endpoint, retries, prices, draw
        self._transport = Transport(endpoint.api_key, max_connections=max_connections)
        self._http = self._transport.client(attempt_s=retries.attempt_s)
        self._openai: AsyncOpenAI | None = None
        self._loading = asyncio.Lock()
        self._not_before_s = 0.0
        """On the monotonic clock: a server asked not to be asked earlier."""

    async def load(self) -> "AsyncOpenAI":
        """Import the client, which takes a second of the processor, without stopping the event loop."""
        async with self._loading:
            if self._openai is None:
                self._openai = await asyncio.to_thread(openai_client, self._endpoint, self._http)
            return self._openai

    def _request(self, messages: Sequence[Message], max_tokens: int, options: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "model": self._endpoint.model,
            "messages": as_json(messages),
            "temperature": 0.0,
            "max_tokens": max_tokens,
            **options,
        }

    async def aclose(self) -> None:
        """Close all connections; safe to call twice."""
        await self._http.aclose()

    async def complete(
        self,
        what: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        until_s: float,
        budgets: Sequence[Budget],
        **options: Any,
    ) -> Completion:
        """Return the model's answer to ``messages``.

        Args:
            what: What errors call it.
            messages: The conversation.
            max_tokens: Longest answer asked for.
            until_s: When the caller stops waiting, on the monotonic clock: no pause goes beyond it.
            budgets: Each must allow each attempt.
            options: More fields of the request.

        Raises:
            ModelUnavailableError: The server cannot be reached, turns us away, or failed at every attempt.
            ModelAnswerError: The answer is empty, cut at ``max_tokens``, refused, too large, or no completion.
            BudgetSpentError: Another attempt could go over a budget.
        """
        client = await self.load()
        request = self._request(messages, max_tokens, options)
        spent = ModelUsage()
        for number in range(1, self._retries.attempts + 1):
            await self._wait_as_told()
            attempt = _Attempt(tokens_of_messages(messages))
            try:
                with self._paid(attempt, max_tokens, budgets), self._typed(what, attempt):
                    async with asyncio.timeout(self._retries.attempt_s):
                        attempt.was_sent = True
                        response = await client.chat.completions.create(stream=False, **request)
                    choice = response.choices[0]
                    attempt.output, attempt.counted = text_of(choice.message), tokens_of(response)
                    check_whole(what, attempt.output, choice, max_tokens)
                return Completion(attempt.output, spent + self._usage_of(attempt))
            except _PassingError as failure:
                spent += self._usage_of(attempt)
                await self._pause(number, failure, until_s=until_s)
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def stream(
        self,
        what: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        until_s: float,
        budgets: Sequence[Budget],
        **options: Any,
    ) -> AsyncGenerator[str, None]:
        """Yield the answer piece by piece; tried again only while nothing was yielded. Raises like :meth:`complete`."""
        client = await self.load()
        request = self._request(messages, max_tokens, {**options, "stream_options": {"include_usage": True}})
        for number in range(1, self._retries.attempts + 1):
            await self._wait_as_told()
            attempt = _Attempt(tokens_of_messages(messages))
            try:
                with self._paid(attempt, max_tokens, budgets), self._typed(what, attempt):
                    finish: Any = None
                    async with self._open_stream(client, attempt, request) as chunks:
                        async for chunk in chunks:
                            attempt.counted = tokens_of(chunk) or attempt.counted
                            finish = finish_of(chunk) or finish
                            if chunk.choices and (piece := text_of(chunk.choices[0].delta)):
                                attempt.output += piece
                                check_length(what, attempt.output, max_tokens)
                                yield piece
                    if finish is None:
                        raise httpx.RemoteProtocolError("the stream ended before the answer did")
                    check_whole(what, attempt.output, finish, max_tokens)
                return
            except _PassingError as failure:
                if attempt.output:
                    raise failure.error from None
                await self._pause(number, failure, until_s=until_s)

    @asynccontextmanager
    async def _open_stream(
        self, client: "AsyncOpenAI", attempt: _Attempt, request: dict[str, Any]
    ) -> AsyncGenerator["AsyncStream[ChatCompletionChunk]", None]:
        call = uuid4().hex
        try:
            attempt.was_sent = True
            creating = client.chat.completions.create(stream=True, extra_headers={CALL: call}, **request)
            async with await creating as chunks:
                yield chunks
        finally:
            await self._transport.end(call)

    async def _wait_as_told(self) -> None:
        if (wait_s := self._not_before_s - time.monotonic()) > 0:
            await asyncio.sleep(wait_s)

    async def _pause(self, number: int, failure: _PassingError, *, until_s: float) -> None:
        """Wait before the next attempt; raise after the last one, or if it would miss the deadline."""
        if number == self._retries.attempts:
            raise failure.error from None
        if failure.retry_after_s is not None:
            asked_for_s = time.monotonic() + failure.retry_after_s
            if asked_for_s > until_s:
                raise failure.error from None
            self._not_before_s = max(self._not_before_s, asked_for_s)
        await self._wait_as_told()
        await asyncio.sleep(self._retries.pause_s(number, self._draw()))

    @contextmanager
    def _paid(self, attempt: _Attempt, max_tokens: int, budgets: Sequence[Budget]) -> Iterator[None]:
        """Set aside what the attempt could take, and count what it took, whatever happens."""
        most = self.prices.usage(attempt.input_tokens, max_tokens)
        with ExitStack() as stack:
            for budget in budgets:
                budget.set_aside(most)
                stack.callback(self._settle, budget, most, attempt)
            try:
                yield
            finally:
                spent = self._usage_of(attempt)
                self.usage += spent
                _tell(spent)

    def _settle(self, budget: Budget, most: ModelUsage, attempt: _Attempt) -> None:
        budget.settle(most, self._usage_of(attempt))

    def _usage_of(self, attempt: _Attempt) -> ModelUsage:
        if not attempt.was_sent:
            return ModelUsage()
        if attempt.was_turned_away:
            return ModelUsage(requests=1)
        if attempt.counted is not None:
            return self.prices.usage(*attempt.counted)
        output = estimated_tokens(attempt.output)
        return self.prices.usage(attempt.input_tokens, output, estimated_tokens=attempt.input_tokens + output)

    @contextmanager
    def _typed(self, what: str, attempt: _Attempt) -> Iterator[None]:
        """Raise our errors for those of the libraries, whose own texts may hold what a server said of our key."""
        try:
            yield
        except LanguageModelError:
            raise
        except Exception as error:
            raise self._failure(what, attempt, error) from None

    def _failure(self, what: str, attempt: _Attempt, error: Exception) -> LanguageModelError | _PassingError:
        import openai

        url = self._endpoint.url
        if (too_large := cause_of(error, TooLargeError)) is not None:
            return ModelAnswerError(what, AnswerFault.TOO_LARGE, str(too_large))
        if isinstance(error, openai.APIStatusError):
            attempt.was_turned_away = True
            return self._turned_away(what, error)
        if cause_of(error, httpx.ConnectError) or cause_of(error, httpx.ConnectTimeout):
            attempt.was_sent = False
            return _PassingError(
                ModelUnavailableError(f"{what}: nothing answers at {url}; start the model, or set PAPERGRAPH_LLM_URL")
            )
        if isinstance(error, TimeoutError | openai.APITimeoutError | httpx.TimeoutException):
            return _PassingError(
                ModelUnavailableError(
                    f"{what}: no answer from {url} within {self._retries.attempt_s:g} s; "
                    "[llm] attempt_timeout_s in papergraph.toml allows more"
                )
            )
        if isinstance(error, openai.APIConnectionError | httpx.TransportError):
            return _PassingError(ModelUnavailableError(f"{what}: the connection to {url} broke off"))
        if isinstance(error, openai.APIError):  # an error in the middle of a stream
            return _PassingError(ModelUnavailableError(f"{what}: the model failed: {self._shown(error.message)}"))
        if isinstance(error, AttributeError | TypeError | LookupError | ValueError):  # the client trusts the server
            return _PassingError(
                ModelAnswerError(
                    what,
                    AnswerFault.NOT_A_COMPLETION,
                    f"what {url} answers is no chat completion; PAPERGRAPH_LLM_URL must be the base address of an "
                    "OpenAI-compatible server, which mostly ends in /v1",
                )
            )
        raise error

    def _turned_away(self, what: str, error: "openai.APIStatusError") -> LanguageModelError | _PassingError:
        status, said = error.status_code, self._shown(error.message)
        retry_after_s = wait_named_s(error.response.headers.get("retry-after"))
        if status in (401, 403):
            help_with_it = "; set PAPERGRAPH_LLM_API_KEY"
        elif status == 404:
            help_with_it = f" for model {self._endpoint.model!r}; look at PAPERGRAPH_LLM_MODEL and PAPERGRAPH_LLM_URL"
        elif status in (400, 422):
            help_with_it = (
                "; if it cannot hold a model to a schema, set [llm] json_mode in papergraph.toml to json_object or "
                "prompt"
            )
        else:
            help_with_it = ""
        unavailable = ModelUnavailableError(
            f"{what}: {self._endpoint.url} answers {status}{help_with_it}: {said}",
            status=status,
            retry_after_s=retry_after_s,
        )
        if status in PASSING_STATUS and error.code != SPENT_QUOTA:
            return _PassingError(unavailable, retry_after_s=retry_after_s)
        return unavailable

    def _shown(self, said: str) -> str:
        key = self._endpoint.api_key.get_secret_value()
        return shown(said.replace(key, "***") if key else said)


def _tell(spent: ModelUsage) -> None:
    metrics.MODEL_REQUESTS.inc(spent.requests)
    metrics.MODEL_TOKENS.labels("input").inc(spent.input_tokens)
    metrics.MODEL_TOKENS.labels("output").inc(spent.output_tokens)
    metrics.MODEL_TOKENS.labels("estimated").inc(spent.estimated_tokens)
    metrics.MODEL_COST.inc(spent.cost)
