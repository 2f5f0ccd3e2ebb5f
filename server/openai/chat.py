"""Chat completions: an answer as one message, or as chunks of one."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from starlette.responses import JSONResponse, Response

from papergraph.language_model import ModelUsage
from papergraph.server.answers.records import Answer, DeltaEvent, DoneEvent, Event, Refusal, SourcesEvent
from papergraph.server.answers.request import AskRequest
from papergraph.server.answers.sources import reference_of
from papergraph.server.openai import common as answers
from papergraph.server.openai.common import Said
from papergraph.server.operations.ask import sources_of, text_of
from papergraph.server.operations.context import RequestContext

DONE = "data: [DONE]\n\n"


async def completion(context: RequestContext, asking: AskRequest, *, model: str) -> Said:
    """Return an answer as a chat completion.

    Raises:
        PapergraphError: As of :func:`papergraph.server.openai.common.answered`.
    """
    result = await answers.answered(context, asking)
    message = {
        "role": "assistant",
        "content": text_of(result),
        "refusal": None,
        "annotations": annotations(result),
    }
    return {
        "id": _id_of(context),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": usage(result.usage),
        "search_results": answers.search_results(sources_of(result)),
        "papergraph": answers.beside(context, asking, result),
    }


def plain(context: RequestContext, text: str, *, model: str, stream: bool) -> Response:
    """Return a text as a chat completion, whole or as a stream; no passage was searched for it."""
    told = {"id": _id_of(context), "created": int(time.time()), "model": model}
    choice = {"index": 0, "finish_reason": "stop", "logprobs": None}
    message = {"role": "assistant", "content": text}
    if not stream:
        whole = {"object": "chat.completion", "choices": [choice | {"message": message}], "usage": usage(ModelUsage())}
        return JSONResponse(told | whole)
    chunk = told | {"object": "chat.completion.chunk", "choices": [choice | {"delta": message}]}
    return Response(event(chunk) + DONE, media_type="text/event-stream")


def chunk_writer(
    context: RequestContext, *, asking: AskRequest, model: str, with_usage: bool
) -> Callable[[Event], Iterator[str]]:
    """Return a function that yields the chunks of an event: role, sources, text, citations, end, usage."""
    shared = {
        "id": _id_of(context),
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": model,
    } | ({"usage": None} if with_usage else {})

    def chunk(delta: Said, *, finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return event(shared | {"choices": [choice]} | more)

    def write(one: Event) -> Iterator[str]:
        match one:
            case SourcesEvent(sources):
                yield chunk({"role": "assistant", "content": ""})
                yield chunk({}, search_results=answers.search_results(sources))
            case DeltaEvent(text):
                yield chunk({"content": text})
            case DoneEvent(result):
                if isinstance(result, Refusal):
                    yield chunk({"content": text_of(result)})
                told = answers.beside(context, asking, result)
                yield chunk({"annotations": annotations(result)}, papergraph=told)
                yield chunk({}, finish="stop")
                if with_usage:
                    yield event(shared | {"choices": [], "usage": usage(result.usage)})
                yield DONE

    return write


def annotations(result: Answer | Refusal) -> Sequence[Said]:
    """Return a citation for each ``[n]``, at its place: of the paper's address, or of its file and page without one."""
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": mark.answer_start,
                "end_index": mark.answer_end,
                "title": mark.paper_title,
                "url": reference,
            },
        }
        for mark in answers.marks_of(result)
        if (reference := reference_of(mark.url, mark.file, mark.page)) is not None
    ]


def usage(spent: ModelUsage) -> Said:
    """Return what language models took."""
    prompt, completed = answers.tokens_of(spent)
    return {"prompt_tokens": prompt, "completion_tokens": completed, "total_tokens": prompt + completed}


def event(data: Said) -> str:
    """Return a server-sent event."""
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


def _id_of(context: RequestContext) -> str:
    return f"chatcmpl-{context.request_id}"
