"""Answers to questions of a principal, for all interfaces."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from papergraph.concurrency import emitted
from papergraph.errors import DatabaseError
from papergraph.server.answers.answer import answer
from papergraph.server.answers.draft import DraftReport, DraftRequest, check_draft, read_draft
from papergraph.server.answers.records import Answer, DoneEvent, Event, Refusal, Source
from papergraph.server.answers.request import AskRequest
from papergraph.server.answers.stored import store_answer
from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.auth.usage_budget import UsageBudget, budget_of
from papergraph.server.retrieval.pipelines import Pipeline
from papergraph.server.retrieval.resources import Resources
from papergraph.telemetry.logs import summary

log = logging.getLogger(__name__)


def events_for(
    principal: Principal,
    resources: Resources,
    spending: UsageBudget | None,
    asking: AskRequest,
    pipelines: Mapping[str, Pipeline],
) -> AsyncGenerator[Event, None]:
    """Answer a question of a principal; return the events of the answer, the last one has the result.

    Args:
        principal: The principal.
        resources: Resources of the pipelines.
        spending: Budgets of all principals; None for no limit.
        asking: The question.
        pipelines: Pipelines that the question can name.

    Raises:
        AccessError: The principal may not ask.
        PapergraphError: As of :func:`papergraph.server.answers.answer.answer`, while events are read.
    """
    principal.require(KeyScope.ASK, "an answer")
    resolved = asking.resolved(pipelines, principal.default_collection, viewer=principal.viewer)

    async def work(emit: Callable[[Event], None]) -> None:
        async with budget_of(principal, spending) as budget:
            result = await answer(resources, resolved, collections=principal.collections, budget=budget, emit=emit)
        emit(DoneEvent(await _stored(principal, resources, resolved, result) if resolved.store else result))

    return emitted(work)


async def _stored(
    principal: Principal, resources: Resources, asking: AskRequest, result: Answer | Refusal
) -> Answer | Refusal:
    """Store an answer; one that could not be stored says so."""
    (collection,) = asking.searched
    try:
        await store_answer(
            resources.database,
            result,
            principal=principal.id,
            account=principal.account,
            collection=collection,
            question=asking.question,
        )
    except DatabaseError as error:
        log.warning("an answer could not be stored: %s", summary(error))
        return replace(result, warnings=(*result.warnings, "The answer could not be stored."))
    return result


async def answer_for(
    principal: Principal,
    resources: Resources,
    spending: UsageBudget | None,
    asking: AskRequest,
    pipelines: Mapping[str, Pipeline],
) -> Answer | Refusal:
    """Return the answer at once; arguments and errors are those of :func:`events_for`."""
    async with aclosing(events_for(principal, resources, spending, asking, pipelines)) as events:
        async for event in events:
            if isinstance(event, DoneEvent):
                return event.result
    raise AssertionError("unreachable: the last event is Ended")


async def draft_for(
    principal: Principal, resources: Resources, spending: UsageBudget | None, wanted: DraftRequest
) -> DraftReport:
    """Check the citations of a draft for a principal, whose budget pays for a second check by a language model.

    Raises:
        AccessError: The principal may not ask.
        InputError: The draft cannot be read.
        NotFoundError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    principal.require(KeyScope.ASK, "a check of a draft")
    async with resources.turn():
        sentences = await asyncio.to_thread(read_draft, wanted.name, wanted.content, wanted.bibliography)
    async with budget_of(principal, spending) as budget:
        if budget is not None and resources.language_model is not None:
            resources = replace(resources, language_model=resources.language_model.within(budget))
        return await check_draft(
            resources,
            wanted.name,
            sentences,
            wanted.collection or principal.default_collection,
            suggest=wanted.suggest,
            collections=principal.collections,
        )


def required_owner(principal: Principal) -> str | None:
    """Return whose answers a caller may delete; None, which is anybody's, for an administrator."""
    return None if KeyScope.ADMIN in principal.scopes else principal.id


def text_of(result: Answer | Refusal) -> str:
    """Return an answer's text, for faces that answer with text alone; of a refusal, that the papers do not say."""
    return result.text if isinstance(result, Answer) else f"The papers do not answer this question. {result.message}"


def sources_of(result: Answer | Refusal) -> Sequence[Source]:
    """Return what an answer was written from; of a refusal, what came nearest."""
    return result.sources if isinstance(result, Answer) else result.nearest
