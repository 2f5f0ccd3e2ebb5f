"""Responses: an answer as one output message, or as a stream of events."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from papergraph.language_model import ModelUsage
from papergraph.server.answers.records import Answer, DeltaEvent, DoneEvent, Event, Refusal, SourcesEvent
from papergraph.server.answers.request import AskRequest
from papergraph.server.openai import common as answers
from papergraph.server.openai.common import Said
from papergraph.server.operations.ask import sources_of, text_of
from papergraph.server.operations.context import RequestContext


async def response(context: RequestContext, asking: AskRequest, *, model: str) -> Said:
    """Return an answer as a response.

    Raises:
        PapergraphError: As of :func:`papergraph.server.openai.common.answered`.
    """
    return _completed(context, asking, _begun(context, asking, model=model), await answers.answered(context, asking))


def event_writer(context: RequestContext, asking: AskRequest, *, model: str) -> Callable[[Event], Iterator[str]]:
    """Return a function that yields an event of an answer as events of a response, numbered from 0."""
    number = -1
    begun = _begun(context, asking, model=model)
    item = _message(context, "in_progress", [])
    place: Said = {"item_id": item["id"], "output_index": 0, "content_index": 0}

    def event(kind: str, **data: Any) -> str:
        nonlocal number
        number += 1
        return written({"type": f"response.{kind}", "sequence_number": number} | data)

    def write(one: Event) -> Iterator[str]:
        match one:
            case SourcesEvent(sources):
                found = {"search_results": answers.search_results(sources)}
                yield event("created", response=begun | found)
                yield event("output_item.added", output_index=0, item=item)
                yield event("content_part.added", **place, part=_part("", []))
            case DeltaEvent(text):
                yield event("output_text.delta", **place, delta=text, logprobs=[])
            case DoneEvent(result):
                if isinstance(result, Refusal):
                    yield event("output_text.delta", **place, delta=text_of(result), logprobs=[])
                cited = annotations(result)
                for index, annotation in enumerate(cited):
                    yield event("output_text.annotation.added", **place, annotation_index=index, annotation=annotation)
                whole = _completed(context, asking, begun, result)
                (output,) = whole["output"]
                yield event("output_text.done", **place, text=text_of(result), logprobs=[])
                yield event("content_part.done", **place, part=output["content"][0])
                yield event("output_item.done", output_index=0, item=output)
                yield event("completed", response=whole)

    return write


def annotations(result: Answer | Refusal) -> Sequence[Said]:
    """Return a citation for each ``[n]``: of an address, or of the paper as a file where it has none.

    The ``index`` of a file is its place among ``search_results``.
    """
    return [
        {
            "type": "url_citation",
            "start_index": mark.answer_start,
            "end_index": mark.answer_end,
            "title": mark.paper_title,
            "url": mark.url,
        }
        if answers.has_address(mark)
        else {
            "type": "file_citation",
            "file_id": mark.paper_id,
            "filename": mark.file or mark.paper_title,
            "index": mark.number - 1,
        }
        for mark in answers.marks_of(result)
    ]


def written(data: Said) -> str:
    """Return a server-sent event."""
    return f"event: {data['type']}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def _begun(context: RequestContext, asking: AskRequest, *, model: str) -> Said:
    return {
        "id": f"resp_{context.request_id}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "in_progress",
        "model": model,
        "output": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": False,
        "previous_response_id": None,
        "store": False,
        "temperature": asking.temperature,
        "tool_choice": "none",
        "tools": [],
        "top_p": 1.0,
        "usage": None,
    }


def _completed(context: RequestContext, asking: AskRequest, begun: Said, result: Answer | Refusal) -> Said:
    return begun | {
        "status": "completed",
        "output": [_message(context, "completed", [_part(text_of(result), annotations(result))])],
        "usage": _usage(result.usage),
        "search_results": answers.search_results(sources_of(result)),
        "papergraph": answers.beside(context, asking, result),
    }


def _message(context: RequestContext, status: str, content: Sequence[Said]) -> Said:
    return {
        "id": f"msg_{context.request_id}",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": list(content),
    }


def _part(text: str, cited: Sequence[Said]) -> Said:
    return {"type": "output_text", "text": text, "annotations": list(cited), "logprobs": []}


def _usage(spent: ModelUsage) -> Said:
    read, written = answers.tokens_of(spent)
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written,
    }
