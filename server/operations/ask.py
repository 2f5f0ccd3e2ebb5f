"""Questions, searches and summaries, as all interfaces take them."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.summaries import Summary, by_field, summarize
from papergraph.concurrency import apart
from papergraph.errors import DatabaseError, InputError
from papergraph.telemetry.logs import summary
from server.answers.answer import answer_events, best_events
from server.answers.records import Answer, DoneEvent, Event, Refusal, Source
from server.answers.request import AskRequest
from server.answers.stored import store_answer
from server.auth.access import KeyScope, Principal
from server.auth.usage_budget import UsageBudget, budget_of
from server.retrieval import search as retrieval
from server.retrieval.pipelines import Pipeline
from server.retrieval.request import SearchRequest, check_overrides
from server.retrieval.resources import Resources
from server.retrieval.search import SearchResult

# A question as far as a grant goes, for every face that answers one


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
        ForbiddenError: The grant is not good for asking.
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


# Search for a caller, on every interface: the request is validated here, once, and limited to what the caller may


async def search_for(
    grant: Principal,
    resources: Resources,
    spending: UsageBudget | None,
    request: SearchRequest,
    pipelines: Mapping[str, Pipeline],
) -> SearchResult:
    """Search the collections of a grant; what a pipeline asks a language model counts for the grant's day.

    Args:
        grant: The caller's.
        resources: What pipelines run with.
        spending: What callers may spend; None without a limit.
        request: The search.
        pipelines: Those that the request can name.

    Raises:
        InputError: An argument of the request is not acceptable.
        ForbiddenError: The pipeline asks a language model, and the grant does not allow that.
        PapergraphError: As of :func:`server.retrieval.search.search`.
    """
    checked = request.checked(pipelines)
    asks_model = checked.planned().asks_model
    if asks_model:
        grant.require(KeyScope.ASK, f"pipeline {request.pipeline!r}, which asks a language model,")
    async with _paid(grant, resources, spending if asks_model else None) as within:
        return await retrieval.search(within, checked, collections=grant.collections)


@asynccontextmanager
async def _paid(grant: Principal, resources: Resources, spending: UsageBudget | None) -> AsyncIterator[Resources]:
    """Give resources whose language model is held to what the grant may still spend today."""
    model = resources.language_model
    async with budget_of(grant, spending) as budget:
        yield resources if budget is None or model is None else replace(resources, language_model=model.within(budget))


# Meta Knowledge Summaries for every interface, within the asker's budget for language models


MOST_VALUES = 50
"""Pairs of a field and a value that describe the papers of a summary."""


async def summary_for(
    grant: Principal,
    resources: Resources,
    spending: UsageBudget | None,
    collection: str,
    *,
    cluster: str | None,
    metadata: Sequence[tuple[str, str]],
) -> Summary:
    """Return the summary of the papers of a cluster, or of those with metadata; it is made unless it is stored.

    Args:
        grant: Whose request it is.
        resources: The store, the embedding model, and the language model if there is one.
        spending: What askers may spend; None where nobody is held to anything.
        collection: Collection of the papers; the grant reaches it.
        cluster: Id of a cluster, or the beginning of one; or else:
        metadata: Fields and values, at most 50 pairs: of each field a paper must have one of the values.

    Raises:
        ForbiddenError: The grant is not good for asking.
        InputError: Neither or both are given, there are too many values, or they are of over 2,000 papers.
        NotFoundError: There is no such cluster, or no such paper.
        LanguageModelError: The model failed, or the budget is spent.
        DatabaseError: Neo4j failed.
    """
    grant.require(KeyScope.ASK, "a summary")
    if len(metadata) > MOST_VALUES:
        raise InputError(f"There are {len(metadata)} values; at most {MOST_VALUES} are allowed.", field="metadata")
    async with budget_of(grant, spending) as budget:
        means = EnrichmentContext(resources.model.searched.embedder, resources.language_model, budget)
        where = by_field(metadata)
        return await summarize(resources.database, means, collection=collection, cluster=cluster, where=where)
