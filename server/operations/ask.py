"""A question as far as a grant goes, for every face that answers one."""

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from papergraph.concurrency import apart
from papergraph.errors import DatabaseError
from papergraph.telemetry.logs import summary
from server.answers.answer import answer_events, best_events
from server.answers.records import Answer, DoneEvent, Event, Refusal, Source
from server.answers.request import AskRequest
from server.answers.stored import store_answer
from server.auth.access import KeyScope, Principal
from server.auth.usage_budget import UsageBudget, budget_of
from server.retrieval.pipelines import Pipeline
from server.retrieval.request import check_overrides
from server.retrieval.resources import Resources

log = logging.getLogger(__name__)


async def events_for(
    grant: Principal,
    resources: Resources,
    spending: UsageBudget | None,
    asking: AskRequest,
    pipelines: Mapping[str, Pipeline],
) -> AsyncGenerator[Event, None]:
    """Answer a question where the grant reaches, piece by piece; see :func:`server.answers.answer.answer_events`.

    Args:
        grant: Whose question it is.
        resources: What pipelines run with.
        spending: What askers may spend; None where nobody is held to anything.
        asking: The question.
        pipelines: Those that the question can name.

    Raises:
        AccessError: The grant is not good for asking.
        PapergraphError: As of :func:`server.answers.answer.answer_events`.
    """
    grant.require(KeyScope.ASK, "an answer")
    check_overrides(asking.search.overrides)
    asking = asking.resolved(pipelines)
    async with aclosing(apart(_events(grant, resources, spending, asking), ahead=0)) as events:
        async for event in events:
            if asking.store and isinstance(event, DoneEvent):
                event = DoneEvent(await _stored(grant, resources, asking, event.result))
            yield event


async def _stored(
    grant: Principal, resources: Resources, asking: AskRequest, result: Answer | Refusal
) -> Answer | Refusal:
    """Store an answer; one that could not be stored says so."""
    (collection,) = asking.search.searched
    try:
        await store_answer(resources.database, result, asker=grant.id, collection=collection, question=asking.question)
    except DatabaseError as error:
        log.warning("an answer could not be stored: %s", summary(error))
        return replace(result, warnings=(*result.warnings, "The answer could not be stored."))
    return result


async def _events(
    grant: Principal, resources: Resources, spending: UsageBudget | None, asking: AskRequest
) -> AsyncGenerator[Event, None]:
    """Yield the events of an answer whose cost counts for the grant's day."""
    answering = best_events if asking.pipelines or asking.readers else answer_events
    async with (
        budget_of(grant, spending) as budget,
        aclosing(answering(resources, asking, collections=grant.collections, budget=budget)) as events,
    ):
        async for event in events:
            yield event


async def answer_for(
    grant: Principal,
    resources: Resources,
    spending: UsageBudget | None,
    asking: AskRequest,
    pipelines: Mapping[str, Pipeline],
) -> Answer | Refusal:
    """Return the answer at once; arguments and errors are those of :func:`events_for`."""
    async with aclosing(events_for(grant, resources, spending, asking, pipelines)) as events:
        async for event in events:
            if isinstance(event, DoneEvent):
                return event.result
    raise AssertionError("unreachable: the last event is Ended")


def asker_of(principal: Principal) -> str | None:
    """Return whose answers a caller may delete; None, which is anybody's, for an administrator."""
    return None if KeyScope.ADMIN in principal.scopes else principal.id


def text_of(result: Answer | Refusal) -> str:
    """Return an answer's text, for faces that answer with text alone; of a refusal, that the papers do not say."""
    return result.text if isinstance(result, Answer) else f"The papers do not answer this question. {result.message}"


def sources_of(result: Answer | Refusal) -> Sequence[Source]:
    """Return what an answer was written from; of a refusal, what came nearest."""
    return result.sources if isinstance(result, Answer) else result.nearest
