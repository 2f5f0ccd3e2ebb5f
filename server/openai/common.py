"""What both forms of an answer have: its text, its sources, its citations, and what is told beside."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import Any

from papergraph.errors import ModelUnavailableError, PapergraphError
from papergraph.language_model import Usage
from server.access.answering import events_for
from server.answering.ask import Asking
from server.answering.records import Answer, Citation, Ended, Event, Mode, Read, Reason, Refusal, Source
from server.answering.sources import url_of
from server.error_bodies import openai_error, told_of
from server.rest.asking import Asked
from server.rest.problems import errors_of
from server.retrieval.search import Hit

SNIPPET_CHARS = 400

Said = dict[str, Any]
"""A piece of JSON."""


async def events_of(ask: Asked, asking: Asking) -> AsyncGenerator[Event, None]:
    """Yield the events of an answer; where only a model may write, none before it is known that one can.

    Raises:
        ModelUnavailableError: Only a model may write, and none can.
        PapergraphError: As of :func:`server.access.answering.events_for`; whatever else fails is one too.
    """
    held: list[Event] = []
    events = events_for(ask.grant, ask.service.resources, ask.terms.spending, asking)
    try:
        async with aclosing(events):
            async for event in events:
                held.append(event)
                if isinstance(event, Read) and asking.mode is Mode.MODEL:
                    continue
                refusal = event.result if isinstance(event, Ended) and isinstance(event.result, Refusal) else None
                if refusal is not None and refusal.reason is Reason.MODEL_UNAVAILABLE:
                    raise ModelUnavailableError(refusal.message)
                for one in held:
                    yield one
                held.clear()
    except PapergraphError:
        raise
    except Exception as error:  # a stream that has begun ends with an error of its form, whatever went wrong
        raise PapergraphError("an answer failed") from error


async def answered(ask: Asked, asking: Asking) -> Answer | Refusal:
    """Return the answer at once; errors are those of :func:`events_of`."""
    async with aclosing(events_of(ask, asking)) as events:
        async for event in events:
            if isinstance(event, Ended):
                return event.result
    raise AssertionError("unreachable: the last event is Ended")


def search_results(sources: Sequence[Source]) -> list[Said]:
    """Return sources as search results; the first is ``[1]``."""
    return [
        {
            "index": source.number,
            "title": source.hit.paper.title,
            "url": url_of(source),
            "date": _date_of(source.hit),
            "snippet": source.text[:SNIPPET_CHARS],
            "paper_id": source.hit.paper.id,
            "chunk_id": source.hit.chunk.id,
        }
        for source in sources
    ]


def marks_of(result: Answer | Refusal) -> Iterator[Citation]:
    """Yield a citation for each ``[n]`` of the text; several quotes may stand behind one."""
    seen = set()
    for citation in result.citations if isinstance(result, Answer) else ():
        if citation.answer_start not in seen:
            seen.add(citation.answer_start)
            yield citation


def has_address(citation: Citation) -> bool:
    """Say whether a citation's paper can be opened by whoever reads the answer."""
    return citation.url is not None and citation.url.startswith(("https://", "http://"))


def beside(ask: Asked, asking: Asking, result: Answer | Refusal) -> Said:
    """Return what OpenAI's form has no place for."""
    answer = result if isinstance(result, Answer) else None
    refusal = result if isinstance(result, Refusal) else None
    return {
        "answer_id": result.id,
        "request_id": ask.request_id,
        "pipeline": asking.pipeline if isinstance(asking.pipeline, str) else asking.pipeline.name,
        "mode": asking.mode.value,
        "llm_generated": answer is not None and answer.llm_generated,
        "model": answer and answer.model,
        "grounded": answer is not None and answer.grounded,
        "citations": [_citation(citation) for citation in (answer.citations if answer else ())],
        "refusal": refusal and {"reason": refusal.reason.value, "message": refusal.message},
        "dropped": [{"text": one.text, "fault": one.fault.value, "detail": one.detail} for one in result.dropped],
        "degraded": list(result.degraded),
        "support": None if result.support is None else result.support.probability,
        "cost": result.usage.cost,
    }


def failed(ask: Asked, error: PapergraphError) -> Said:
    """Return the error that a stream ends with; what may tell of the inside goes to the log."""
    message = told_of(error, ask.request_id)
    field = next((one["field"] for one in errors_of(error, message)), None)
    return openai_error(error.code, message, ask.request_id, param=field)


def tokens_of(usage: Usage) -> tuple[int, int]:
    """Return tokens of input and output; none where no model was asked."""
    return usage.input_tokens, usage.output_tokens


def _date_of(hit: Hit) -> str | None:
    paper = hit.paper
    if paper.published is not None:
        return paper.published.date().isoformat()
    return None if paper.year is None else str(paper.year)


def _citation(citation: Citation) -> Said:
    return {
        "index": citation.number,
        "chunk_id": citation.chunk_id,
        "paper_id": citation.paper_id,
        "title": citation.paper_title,
        "section_path": list(citation.section_path),
        "page": citation.page,
        "url": citation.url,
        "quote": citation.quote,
        "chunk_start": citation.start,
        "chunk_end": citation.end,
        "claim_start": citation.claim_start,
        "claim_end": citation.claim_end,
        "marker_start": citation.answer_start,
        "marker_end": citation.answer_end,
        "verified": True,  # what was not found in its chunk is no citation
    }
