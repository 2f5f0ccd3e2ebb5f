"""A question as far as a grant goes, for every face that answers one."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from papergraph.errors import InputError
from server.access.grants import Grant, KeyScope
from server.access.searching import MOST_OVERRIDES
from server.access.spending import Spending
from server.answering.ask import Asking, answer_events
from server.answering.records import Answer, Ended, Event, Refusal, Source
from server.retrieval.resources import Resources
from server.streams import apart


async def events_for(
    grant: Grant, resources: Resources, spending: Spending | None, asking: Asking
) -> AsyncGenerator[Event, None]:
    """Answer a question where the grant reaches, piece by piece; see :func:`server.answering.ask.answer_events`.

    Args:
        grant: Whose question it is.
        resources: What pipelines run with.
        spending: What askers may spend; None where nobody is held to anything.
        asking: The question.

    Raises:
        ForbiddenError: The grant is not good for asking.
        PapergraphError: As of :func:`server.answering.ask.answer_events`.
    """
    grant.require(KeyScope.ASK, "an answer")
    if asking.overrides and len(asking.overrides) > MOST_OVERRIDES:
        raise InputError(f"at most {MOST_OVERRIDES} overrides are allowed", field="overrides")
    async with aclosing(apart(_events(grant, resources, spending, asking), ahead=0)) as events:
        async for event in events:
            yield event


async def _events(
    grant: Grant, resources: Resources, spending: Spending | None, asking: Asking
) -> AsyncGenerator[Event, None]:
    if spending is None:
        async with aclosing(answer_events(resources, asking, collections=grant.collections)) as events:
            async for event in events:
                yield event
        return
    async with (
        spending.of(grant) as budget,
        aclosing(answer_events(resources, asking, collections=grant.collections, budget=budget)) as events,
    ):
        async for event in events:
            yield event


async def answer_for(grant: Grant, resources: Resources, spending: Spending | None, asking: Asking) -> Answer | Refusal:
    """Return the answer at once; arguments and errors are those of :func:`events_for`."""
    async with aclosing(events_for(grant, resources, spending, asking)) as events:
        async for event in events:
            if isinstance(event, Ended):
                return event.result
    raise AssertionError("unreachable: the last event is Ended")


def text_of(result: Answer | Refusal) -> str:
    """Return an answer's text, for faces that answer with text alone; of a refusal, that the papers do not say."""
    return result.text if isinstance(result, Answer) else f"The papers do not say; {result.message}."


def sources_of(result: Answer | Refusal) -> Sequence[Source]:
    """Return what an answer was written from; of a refusal, what came nearest."""
    return result.sources if isinstance(result, Answer) else result.nearest
