"""The drop-in: what is asked of another service's model goes there, with passages of our papers before the question."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from starlette.responses import Response, StreamingResponse

from papergraph.errors import PapergraphError
from server.access.searching import search_for
from server.answering.ask import DEFAULT_K
from server.answering.reading import values_of
from server.answering.records import Source
from server.answering.sources import sources_of
from server.openai.answers import failed
from server.openai.asking import last_question, read_search
from server.openai.chat import event
from server.rest.asking import Asked
from server.retrieval.pipelines import Reader
from server.retrieval.search import MAX_QUERY_CHARS
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
        PapergraphError: As of :func:`server.access.searching.search_for`.
    """
    begun = await upstream.chat(await _with_passages(ask, upstream, body))
    if begun.is_stream:
        headers = {"content-type": begun.content_type}
        return StreamingResponse(_passing(ask, begun), status_code=begun.status, headers=headers)
    async with aclosing(begun.body) as blocks:
        content = b"".join([block async for block in blocks])
    return Response(content, status_code=begun.status, headers={"content-type": begun.content_type})


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


async def _passing(ask: Asked, begun: Begun) -> AsyncGenerator[bytes, None]:
    async with aclosing(begun.body) as blocks:
        try:
            async for block in blocks:
                yield block
        except PapergraphError as error:
            yield f"\n\n{event(failed(ask, error))}".encode()
