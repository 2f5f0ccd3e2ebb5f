"""Search for a caller, on every interface: the request is planned here, once, and limited to what the caller may."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from papergraph.server.answers.quotes import Highlighter
from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.auth.usage_budget import UsageBudget, budget_of
from papergraph.server.retrieval import search as retrieval
from papergraph.server.retrieval.pipelines import Pipeline
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import reached
from papergraph.server.retrieval.search import SearchResult


async def search_for(
    principal: Principal,
    resources: Resources,
    spending: UsageBudget | None,
    request: SearchRequest,
    pipelines: Mapping[str, Pipeline],
    highlighter: Highlighter | None = None,
) -> SearchResult:
    """Search a principal's collections; its daily budget pays for language models.

    Args:
        principal: The principal.
        resources: Resources of pipelines.
        spending: Budgets of all principals; None for no limit.
        request: The search.
        pipelines: Available pipelines by name.
        highlighter: Highlighter of the query, which begins while the passages are searched, or None.

    Raises:
        PipelineError: The pipeline cannot run as the request says.
        AccessError: The pipeline needs a language model, and the principal lacks the scope.
        PapergraphError: As of :func:`papergraph.server.retrieval.search.search`.
    """
    planned = request.resolved(pipelines, principal.default_collection, viewer=principal.viewer).planned()
    asks_model = planned.pipeline.asks_model
    if asks_model:
        principal.require(KeyScope.ASK, f"pipeline {request.pipeline_name!r}, which asks a language model,")
    if highlighter is not None:
        highlighter.begin(reached(planned.collections, principal.collections))
    async with _paid(principal, resources, spending if asks_model else None) as paid:
        return await retrieval.run_search(paid, planned, collections=principal.collections)


@asynccontextmanager
async def _paid(principal: Principal, resources: Resources, spending: UsageBudget | None) -> AsyncIterator[Resources]:
    """Yield resources whose language model is limited to the principal's remaining budget."""
    model = resources.language_model
    async with budget_of(principal, spending) as budget:
        yield resources if budget is None or model is None else replace(resources, language_model=model.within(budget))
