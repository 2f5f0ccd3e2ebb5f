"""Proxy to another service: passages are added before the question of a request for one of its models."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from typing import Any

from starlette.responses import Response, StreamingResponse

from papergraph.concurrency import apart
from papergraph.errors import InputError, PapergraphError
from server.answers.answer import DEFAULT_K
from server.answers.reader_prompts import values_of
from server.answers.records import Source
from server.answers.sources import sources_of
from server.context import RequestContext
from server.openai.chat import event
from server.openai.common import failed
from server.openai.requests import last_question, read_search
from server.openai.usage import Count, counted
from server.operations.llm_proxy import LlmProxy, ProxyResponse
from server.operations.search import search_for
from server.retrieval.pipelines import Reader
from server.retrieval.request import MAX_QUERY_CHARS


async def passed_on(context: RequestContext, upstream: LlmProxy, body: Mapping[str, Any]) -> Response:
    """Answer with what the other service answers, as it is.

    Args:
        context: Whose request it is.
        upstream: The other service.
        body: The request; what it has under ``papergraph`` is for the search and goes no further.

    Raises:
        InputError: The search cannot be made so.
        UpstreamError: The other service cannot be asked.
        RateLimitedError: It could take more than the asker has left of the day.
        PapergraphError: As of :func:`server.operations.search.search_for`.
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
    async with context.limits.rate.turn():
        service = context.service
        search = wanted.asking(context.searched(wanted.collection, wanted.collections)).search
        request = replace(search, query=question, k=wanted.k or DEFAULT_K)
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
    """Return what a message asks, as much of it as a search takes; what is no text goes on unread."""
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
