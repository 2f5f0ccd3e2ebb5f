"""The drop-in: what is asked of another service's model goes there, with passages of our papers before the question."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, aclosing
from typing import Any

from starlette.responses import Response, StreamingResponse

from papergraph.errors import InputError, PapergraphError
from server.access.searching import search_for
from server.answering.ask import DEFAULT_K
from server.answering.reading import values_of
from server.answering.records import Source
from server.answering.sources import sources_of
from server.openai.answers import failed
from server.openai.asking import last_question, read_search
from server.openai.chat import event
from server.openai.counting import Count, counted
from server.rest.asking import Asked
from server.retrieval.pipelines import Reader
from server.retrieval.search import MAX_QUERY_CHARS
from server.streams import apart
from server.upstream import Begun, Upstream


async def passed_on(ask: Asked, upstream: Upstream, body: Mapping[str, Any]) -> Response:
    """Answer with what the other service answers, as it is.

    Args:
        ask: Whose request it is.
        upstream: The other service.
        body: The request; what it has under ``papergraph`` is for the search and goes no further.

    Raises:
        InputError: The search cannot be made so.
        UpstreamError: The other service cannot be asked.
        RateLimitedError: It could take more than the asker has left of the day.
        PapergraphError: As of :func:`server.access.searching.search_for`.
    """
    _refuse_unwritable(body)
    asked = await _with_passages(ask, upstream, body)
    async with AsyncExitStack() as stack:
        count = await stack.enter_async_context(counted(ask, upstream, asked))
        begun = await upstream.chat(asked)
        coming = _counting(begun, count)
        headers = {"content-type": begun.content_type}
        if begun.is_stream:
            passing = _passing(ask, coming, stack.pop_all())
            return StreamingResponse(passing, status_code=begun.status, headers=headers)
        async with aclosing(coming) as blocks:
            content = b"".join([block async for block in blocks])
        return Response(content, status_code=begun.status, headers=headers)


async def _counting(begun: Begun, count: Count | None) -> AsyncGenerator[bytes, None]:
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
        raise InputError("the request has text or numbers that JSON in UTF-8 does not have", field="body") from error


async def _with_passages(ask: Asked, upstream: Upstream, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a request with passages as a message of their own before the user's last one."""
    rest = {name: value for name, value in body.items() if name != "papergraph"}
    messages = given if isinstance(given := rest.get("messages"), list) else []
    place = last_question(messages)
    question = "" if place is None else _words(messages[place].get("content"))
    if not question:
        return rest
    wanted = read_search(body.get("papergraph", {}), question, upstream.pipeline)
    async with ask.terms.limits.turn():
        found = await search_for(
            ask.grant,
            ask.service.resources,
            ask.terms.spending,
            question,
            pipeline=wanted.pipeline,
            collection=wanted.collection,
            k=wanted.k or DEFAULT_K,
            overrides=wanted.overrides,
            select=wanted.selection.step() if wanted.selection else None,
            filter=wanted.filter,
            backfill=wanted.backfill,
        )
    sources = sources_of(found.hits, token_budget=wanted.token_budget)
    if not sources:
        return rest
    context = _context(upstream, question, sources)
    return rest | {"messages": [*messages[:place], *context, *messages[place:]]}


def _context(upstream: Upstream, question: str, sources: tuple[Source, ...]) -> list[dict[str, str]]:
    values = values_of(Reader.PASSAGES, question, sources, None)
    filled = upstream.prompt.fill({name: values[name] for name in upstream.prompt.placeholders})
    return [{"role": message.role, "content": message.text} for message in filled]


def _words(content: Any) -> str:
    """Return what a message asks, as much of it as a search takes; what is no text goes on unread."""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str)).strip()[:MAX_QUERY_CHARS].strip()


async def _passing(
    ask: Asked, coming: AsyncGenerator[bytes, None], stack: AsyncExitStack
) -> AsyncGenerator[bytes, None]:
    async with stack, aclosing(apart(coming, ahead=0)) as blocks:
        try:
            async for block in blocks:
                yield block
        except PapergraphError as error:
            yield f"\n\n{event(failed(ask, error))}".encode()
