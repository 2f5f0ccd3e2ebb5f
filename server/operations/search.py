"""Search for a caller, on every interface: the request is planned here, once, and limited to what the caller may."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.auth.usage_budget import UsageBudget, budget_of
from papergraph.server.retrieval import search as retrieval
from papergraph.server.retrieval.pipelines import Pipeline
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import SearchResult


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
        PipelineError: The pipeline cannot run as the request says.
        AccessError: The pipeline asks a language model, and the grant does not allow that.
        PapergraphError: As of :func:`papergraph.server.retrieval.search.search`.
    """
    planned = request.resolved(pipelines, grant.default_collection).planned()
    asks_model = planned.pipeline.asks_model
    if asks_model:
        grant.require(KeyScope.ASK, f"pipeline {request.pipeline_name!r}, which asks a language model,")
    async with _paid(grant, resources, spending if asks_model else None) as paid:
        return await retrieval.run_search(paid, planned, collections=grant.collections)


@asynccontextmanager
async def _paid(grant: Principal, resources: Resources, spending: UsageBudget | None) -> AsyncIterator[Resources]:
    """Give resources whose language model is held to what the grant may still spend today."""
    model = resources.language_model
    async with budget_of(grant, spending) as budget:
        yield resources if budget is None or model is None else replace(resources, language_model=model.within(budget))
