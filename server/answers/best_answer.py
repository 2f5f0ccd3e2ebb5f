"""One question answered in several ways, by pipelines and readers, of which the best answer counts.

What the verifier accepted decides, in this order: an answer goes before a refusal; what a language model wrote before
sentences of the papers in its place; more sentences with an accepted citation; a higher share of accepted ones; a
higher answerability; at last the order in which the ways were named.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from papergraph.concurrency import gather_or_cancel
from papergraph.language_model import Budget
from server.answers.answer import answer_events, completed_question
from server.answers.records import Answer, AnswerAttempt, DoneEvent, Event, Fault, Refusal
from server.answers.request import AskRequest, check
from server.retrieval.resources import Resources
from server.retrieval.scope import AllowedCollections

OF_SENTENCES = frozenset({Fault.NO_CITATION, Fault.NOT_SUPPORTED, Fault.ADDRESS, Fault.INSTRUCTION})
"""Faults for which a sentence is dropped; for others one of its citations is."""


async def best_events(
    resources: Resources, asking: AskRequest, *, collections: AllowedCollections = None, budget: Budget | None = None
) -> AsyncGenerator[Event, None]:
    """Answer a question in each of its ways, side by side, and yield the events of the best answer.

    The question is completed from its history once, for all. All ways spend one budget, and an error of one ends the
    others.

    Args:
        resources: What pipelines run with.
        asking: The question.
        collections: The collections that the asker reaches; None for all.
        budget: What the asker may still spend on a language model, in all ways together.

    Yields:
        As of :func:`server.answers.answer.answer_events`, when all have answered. The result has all attempts, and the
        usage of all.

    Raises:
        PapergraphError: As of :func:`server.answers.answer.answer_events`.
    """
    check(asking)
    spent = Budget()
    if (model := resources.language_model) is not None:
        resources = replace(resources, language_model=model.within(spent))
    answering = partial(answer_events, resources, collections=collections, budget=budget)
    completed = await completed_question(resources, asking, collections=collections, budget=budget)
    found = await gather_or_cancel(_events(answering(way, completed=completed)) for way in asking.ways)
    results = [next(event.result for event in events if isinstance(event, DoneEvent)) for events in found]
    attempts = [_attempt(way, result) for way, result in zip(asking.ways, results, strict=True)]
    order = sorted(range(len(attempts)), key=lambda at: _key(attempts[at]), reverse=True)
    best = order[0]
    for event in found[best][:-1]:
        yield event
    yield DoneEvent(replace(results[best], attempts=tuple(attempts[at] for at in order), usage=spent.spent))


async def _events(coming: AsyncGenerator[Event, None]) -> list[Event]:
    async with aclosing(coming):
        return [event async for event in coming]


def _attempt(way: AskRequest, result: Answer | Refusal) -> AnswerAttempt:
    answer = result if isinstance(result, Answer) else None
    refusal = result if isinstance(result, Refusal) else None
    pipeline = result.found.outcome.pipeline
    n_grounded = len({citation.claim_start for citation in answer.citations}) if answer else 0
    n_dropped = sum(one.fault in OF_SENTENCES for one in result.dropped)
    n_written = n_grounded + n_dropped
    return AnswerAttempt(
        pipeline=pipeline.name,
        reader=way.reader or pipeline.reader,
        text=answer.text if answer else None,
        reason=refusal.reason if refusal else None,
        message=refusal.message if refusal else None,
        citations=answer.citations if answer else (),
        grounded_sentences=n_grounded,
        dropped_sentences=n_dropped,
        accepted=n_grounded / n_written if n_written else 0.0,
        answerability=None if result.answerability is None else result.answerability.probability,
        llm_generated=answer is not None and answer.llm_generated,
        usage=result.usage,
    )


def _key(one: AnswerAttempt) -> tuple[float, ...]:
    """Return what an attempt is compared by; the higher, the better. Sorting keeps the order of equal ones."""
    return (one.text is not None, one.llm_generated, one.grounded_sentences, one.accepted, one.answerability or 0.0)
