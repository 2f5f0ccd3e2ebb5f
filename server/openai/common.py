"""Parts of chat completions and responses: text, sources, citations and metadata."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from papergraph.errors import ModelUnavailableError, PapergraphError
from papergraph.language_model import ModelUsage
from papergraph.server.answers.records import (
    Answer,
    AnswerCitation,
    DoneEvent,
    Event,
    Mode,
    Reason,
    Refusal,
    Source,
    SourcesEvent,
)
from papergraph.server.answers.request import AskRequest
from papergraph.server.answers.sources import file_of, url_of
from papergraph.server.operations.ask import answer_for, events_for
from papergraph.server.operations.context import RequestContext
from papergraph.server.operations.error_responses import openai_error, public_error
from papergraph.server.rest.problems import errors_of
from papergraph.server.retrieval.search import Hit

SNIPPET_CHARS = 400

Said = dict[str, Any]
"""A piece of JSON."""


def writer(asking: AskRequest, write: Callable[[Event], Iterator[str]]) -> Callable[[Event], Awaitable[str]]:
    """Return a writer of a stream; if only a model may write, it holds the sources back until one does.

    Raises:
        ModelUnavailableError: Only a model may write, and none can; while events are written.
    """
    held: list[Event] = []

    async def text_of(event: Event) -> str:
        if isinstance(event, DoneEvent):
            refuse_without_model(event.result)
        held.append(event)
        if isinstance(event, SourcesEvent) and asking.mode is Mode.GENERATIVE:
            return ""
        text = "".join(piece for one in held for piece in write(one))
        held.clear()
        return text

    return text_of


def refuse_without_model(result: Answer | Refusal) -> None:
    """Raise ``ModelUnavailableError`` for a refusal because no model can write."""
    if isinstance(result, Refusal) and result.reason is Reason.MODEL_UNAVAILABLE:
        raise ModelUnavailableError(result.message)


def events_of(context: RequestContext, asking: AskRequest) -> AsyncGenerator[Event, None]:
    """Return the events of an answer; see :func:`papergraph.server.operations.ask.events_for`."""
    service = context.service
    return events_for(context.principal, context.resources, context.limits.spending, asking, service.pipelines)


async def answered(context: RequestContext, asking: AskRequest) -> Answer | Refusal:
    """Return the answer at once.

    Raises:
        ModelUnavailableError: Only a model may write, and none can.
        PapergraphError: As of :func:`papergraph.server.operations.ask.answer_for`.
    """
    service = context.service
    result = await answer_for(context.principal, context.resources, context.limits.spending, asking, service.pipelines)
    refuse_without_model(result)
    return result


def search_results(sources: Sequence[Source]) -> list[Said]:
    """Return sources as search results; the first is ``[1]``."""
    return [
        {
            "number": source.number,
            "title": source.hit.paper.title,
            "url": url_of(source),
            "file": file_of(source),
            "page": source.hit.chunk.start_page,
            "date": _date_of(source.hit),
            "snippet": source.text[:SNIPPET_CHARS],
            "paper_id": source.hit.paper.id,
            "chunk_id": source.hit.chunk.id,
        }
        for source in sources
    ]


def marks_of(result: Answer | Refusal) -> Iterator[AnswerCitation]:
    """Yield a citation for each ``[n]`` of the text; several quotes may stand behind one."""
    seen = set()
    for citation in result.citations if isinstance(result, Answer) else ():
        if citation.answer_start not in seen:
            seen.add(citation.answer_start)
            yield citation


def has_address(citation: AnswerCitation) -> bool:
    """Return whether the reader of an answer can open a citation's paper."""
    return citation.url is not None and citation.url.startswith(("https://", "http://"))


def beside(context: RequestContext, asking: AskRequest, result: Answer | Refusal) -> Said:
    """Return what OpenAI's form has no place for, under the names of REST with underscores."""
    answer = result if isinstance(result, Answer) else None
    refusal = result if isinstance(result, Refusal) else None
    return {
        "id": result.id,
        "request_id": context.request_id,
        "pipeline": asking.pipeline_name,
        "mode": asking.mode.value,
        "question": result.question,
        "named_query": None if answer is None or answer.named_query is None else asdict(answer.named_query),
        "llm_generated": answer is not None and answer.llm_generated,
        "model": answer and answer.model,
        "grounded": answer is not None and answer.grounded,
        "citations": [asdict(citation) for citation in (answer.citations if answer else ())],
        "reason": refusal and refusal.reason.value,
        "message": refusal and refusal.message,
        "dropped": [{"text": one.text, "fault": one.fault.value, "detail": one.detail} for one in result.dropped],
        "warnings": list(result.warnings),
        "answerability": result.answerability,
        "cost": result.usage.cost,
    }


def failed(context: RequestContext, error: PapergraphError) -> Said:
    """Return the final error of a stream; internal details are only logged."""
    message = public_error(error, context.request_id)
    field = next((one["field"] for one in errors_of(error, message)), None)
    return openai_error(error.code, message, context.request_id, param=field)


def tokens_of(usage: ModelUsage) -> tuple[int, int]:
    """Return the numbers of input and output tokens; 0 without a call of the model."""
    return usage.input_tokens, usage.output_tokens


def _date_of(hit: Hit) -> str | None:
    paper = hit.paper
    if paper.published is not None:
        return paper.published.date().isoformat()
    return None if paper.year is None else str(paper.year)
