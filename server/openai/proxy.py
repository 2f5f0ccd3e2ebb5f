"""Proxy of a language model: passages in the prompt, and the counted usage."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any

from starlette.responses import Response, StreamingResponse

from papergraph.concurrency import apart
from papergraph.errors import BudgetSpentError, InputError, PapergraphError, RateLimitedError, UpstreamError
from papergraph.language_model import ModelUsage
from papergraph.language_model.completion import LETTERS_PER_TOKEN, Prices, estimated_tokens
from papergraph.server.answers.answer import DEFAULT_K
from papergraph.server.answers.reader_prompts import values_of
from papergraph.server.answers.records import Source
from papergraph.server.answers.sources import sources_of
from papergraph.server.openai.chat import event
from papergraph.server.openai.common import failed
from papergraph.server.openai.requests import last_question, read_search
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.llm_proxy import LlmProxy, ProxyResponse
from papergraph.server.operations.search import search_for
from papergraph.server.retrieval.pipelines import Reader
from papergraph.server.retrieval.request import MAX_QUERY_CHARS, SearchOptions, SearchRequest

# Usage of requests to another service, within the daily budget of the principal


BOUNDS = ("max_completion_tokens", "max_tokens")
MOST = {**dict.fromkeys(BOUNDS, 10_000_000), "n": 128}
"""Highest values of the parameters that bound an answer, for callers with a budget."""

MOST_TOKENS = 10**9
"""More tokens than these are none that anybody has counted."""

TEXTS = ("content", "refusal", "reasoning", "reasoning_content", "text", "name", "arguments")
"""Fields of a message, or of a call within it, that a model wrote."""
EVENT, END = b"data:", b"data: [DONE]"


class Count:
    """Usage of one request, reported by the service or else estimated from the bytes of its answer."""

    def __init__(self, body: Mapping[str, Any], prices: Prices, *, most_answer_tokens: int) -> None:
        """Estimate the request.

        Args:
            body: All of it.
            prices: Of the service.
            most_answer_tokens: Length of an answer where the request does not bound it, in tokens.
        """
        self._prices = prices
        self._input_tokens = estimated_tokens(json.dumps(body, ensure_ascii=False))
        bounds = [bound for name in BOUNDS if (bound := _number(body, name))]
        of_each = max(bounds, default=most_answer_tokens)
        self.most = prices.usage(self._input_tokens, of_each * (_number(body, "n") or 1))
        self.is_free = False
        """True if the service refused the request, which then costs nothing."""
        self._begun: ProxyResponse | None = None
        self._blocks: list[bytes] = []
        self._rest = b""
        self._n_letters = 0
        self._told: tuple[int, int] | None = None

    def begin(self, begun: ProxyResponse) -> None:
        """Say that an answer has begun."""
        self._begun = begun

    def take(self, block: bytes) -> None:
        """Read the next bytes of the answer."""
        if self._begun is None or not self._begun.is_stream:
            self._blocks.append(block)
            return
        *lines, self._rest = (self._rest + block).split(b"\n")
        for line in lines:
            if line.startswith(EVENT) and line.strip() != END:
                self._read(line.removeprefix(EVENT))

    @property
    def spent(self) -> ModelUsage:
        """Usage until now: 0 for a refused request, the input tokens for one without an answer."""
        if self.is_free:
            return ModelUsage()
        if self._begun is not None and self._begun.status >= HTTPStatus.BAD_REQUEST:
            return ModelUsage(requests=1)
        if self._blocks:
            self._read(b"".join(self._blocks))
            self._blocks.clear()
        if self._told is not None:
            return self._prices.usage(*self._told)
        output = -(-self._n_letters // LETTERS_PER_TOKEN)
        return self._prices.usage(self._input_tokens, output, estimated_tokens=self._input_tokens + output)

    def _read(self, text: bytes) -> None:
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):  # an answer that was cut
            self._n_letters += len(text)
            return
        if not isinstance(said, dict):
            return
        self._n_letters += _letters(said.get("choices"))
        if isinstance(usage := said.get("usage"), dict):
            tokens = _number(usage, "prompt_tokens"), _number(usage, "completion_tokens")
            if tokens[0] is not None and tokens[1] is not None:
                self._told = tokens[0], tokens[1]


@asynccontextmanager
async def counted(context: RequestContext, upstream: LlmProxy, body: Mapping[str, Any]) -> AsyncIterator[Count | None]:
    """Reserve the largest possible usage of a request in its principal's budget, and record the real one at the end.

    Yields None for a principal without limits.

    Raises:
        InputError: A parameter that bounds the answer is invalid.
        RateLimitedError: The request could exceed the rest of the day's budget.
        DatabaseError: What was spent today could not be read.
    """
    if context.limits.spending is None:
        yield None
        return
    async with context.limits.spending.of(context.principal) as budget:
        if budget is None:
            yield None
            return
        _refuse_unbounded(body)
        count = Count(body, upstream.prices, most_answer_tokens=upstream.most_answer_tokens)
        try:
            budget.set_aside(count.most)
        except BudgetSpentError as error:
            raise RateLimitedError(f"daily budget of {error.limit}", retry_after_s=_until_midnight_s()) from error
        try:
            yield count
        except UpstreamError as error:
            count.is_free = not error.was_taken
            raise
        finally:
            budget.settle(count.most, count.spent)


def _until_midnight_s() -> int:
    now = datetime.now(UTC)
    tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return int((tomorrow - now).total_seconds()) + 1


def _refuse_unbounded(body: Mapping[str, Any]) -> None:
    """Refuse numbers that services read in ways of their own: 0, fractions and negative ones as no bound at all."""
    for name, most in MOST.items():
        value = body.get(name)
        if value is not None and not (type(value) is int and 1 <= value <= most):
            raise InputError(f"{name} must be a whole number from 1 to {most}.", field=name)


def _number(of: Mapping[str, Any], name: str) -> int | None:
    value = of.get(name)
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def _letters(choices: Any) -> int:
    """Return how many letters a model wrote in the choices of an answer, or of a piece of one."""
    n, left = 0, list(choices) if isinstance(choices, list) else []
    while left:
        one = left.pop()
        if isinstance(one, list):
            left += one
        elif isinstance(one, dict):
            n += sum(len(text) for name in TEXTS if isinstance(text := one.get(name), str))
            left += [one.get(name) for name in ("message", "delta", "tool_calls", "function", "content")]
    return n


# Proxy to another service: passages are added before the question of a request for one of its models


async def passed_on(context: RequestContext, upstream: LlmProxy, body: Mapping[str, Any]) -> Response:
    """Return the unchanged answer of the upstream service.

    Args:
        context: Context of the request.
        upstream: Upstream service.
        body: The request; its part ``papergraph`` configures the search and is not forwarded.

    Raises:
        InputError: The options of the search are invalid.
        UpstreamError: The upstream service failed.
        RateLimitedError: The request could exceed the rest of the day's budget.
        PapergraphError: As of :func:`papergraph.server.operations.search.search_for`.
    """
    _refuse_unwritable(body)
    asked = await _with_passages(context, upstream, body)
    async with AsyncExitStack() as stack:
        count = await stack.enter_async_context(counted(context, upstream, asked))
        begun = await upstream.chat(asked)
        coming = _counting(begun, count)
        headers = {"content-type": begun.content_type}
        if begun.is_stream:
            passing = _passing(context, coming, stack.pop_all())
            return StreamingResponse(passing, status_code=begun.status, headers=headers)
        async with aclosing(coming) as blocks:
            content = b"".join([block async for block in blocks])
        return Response(content, status_code=begun.status, headers=headers)


async def _counting(begun: ProxyResponse, count: Count | None) -> AsyncGenerator[bytes, None]:
    """Yield an answer's bytes as they come, counted where that is asked for."""
    if count is not None:
        count.begin(begun)
    async with aclosing(begun.body) as blocks:
        async for block in blocks:
            if count is not None:
                count.take(block)
            yield block


def _refuse_unwritable(body: Mapping[str, Any]) -> None:
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise InputError("The request has text or numbers that JSON in UTF-8 cannot hold.", field="body") from error


async def _with_passages(context: RequestContext, upstream: LlmProxy, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a request with passages as a message of their own before the user's last one."""
    rest = {name: value for name, value in body.items() if name != "papergraph"}
    messages = given if isinstance(given := rest.get("messages"), list) else []
    place = last_question(messages)
    question = "" if place is None else _words(messages[place].get("content"))
    if not question:
        return rest
    wanted = read_search(body.get("papergraph", {}), question, upstream.pipeline)
    async with context.limits.rate.turn(context.principal):
        service = context.service
        options = {one.name: getattr(wanted, one.name) for one in fields(SearchOptions)}
        request = SearchRequest(question, **options | {"k": wanted.k or DEFAULT_K})
        found = await search_for(
            context.principal, service.resources, context.limits.spending, request, service.pipelines
        )
    sources = sources_of(found.hits, token_budget=wanted.token_budget)
    if not sources:
        return rest
    passages = _context(upstream, question, sources)
    return rest | {"messages": [*messages[:place], *passages, *messages[place:]]}


def _context(upstream: LlmProxy, question: str, sources: tuple[Source, ...]) -> list[dict[str, str]]:
    values = values_of(Reader.PASSAGES, question, sources, None)
    filled = upstream.prompt.fill({name: values[name] for name in upstream.prompt.placeholders})
    return [{"role": message.role, "content": message.text} for message in filled]


def _words(content: Any) -> str:
    """Return the text of a message, cut to the length of a query; other parts are ignored."""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str)).strip()[:MAX_QUERY_CHARS].strip()


async def _passing(
    context: RequestContext, coming: AsyncGenerator[bytes, None], stack: AsyncExitStack
) -> AsyncGenerator[bytes, None]:
    async with stack, aclosing(apart(coming, ahead=0)) as blocks:
        try:
            async for block in blocks:
                yield block
        except PapergraphError as error:
            yield f"\n\n{event(failed(context, error))}".encode()
