"""A search as far as a grant goes, for every face that offers one."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from papergraph.errors import InputError
from server.access.grants import Grant, KeyScope
from server.access.spending import Spending
from server.retrieval import search as retrieval
from server.retrieval.filters import Filter
from server.retrieval.resources import Resources
from server.retrieval.search import Found
from server.retrieval.steps import Select

MOST_OVERRIDES = 50


async def search_for(
    grant: Grant,
    resources: Resources,
    spending: Spending | None,
    query: str,
    *,
    pipeline: str,
    collection: str,
    k: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    select: Select | None = None,
    filter: Filter | None = None,
    backfill: bool = False,
) -> Found:
    """Search where the grant reaches; what a pipeline asks a language model counts for the grant's day.

    Other arguments are those of :func:`server.retrieval.search.search`.

    Raises:
        InputError: Something of it is not acceptable.
        ForbiddenError: The pipeline asks a language model, and the grant is not good for that.
        PapergraphError: As of :func:`server.retrieval.search.search`.
    """
    if overrides and len(overrides) > MOST_OVERRIDES:
        raise InputError(f"at most {MOST_OVERRIDES} overrides are allowed", field="overrides")
    chosen = retrieval.prepared(resources, pipeline, k=k, overrides=overrides, select=select)
    if chosen.asks_model:
        grant.require(KeyScope.ASK, f"pipeline {pipeline!r}, which asks a language model,")
    async with _paid(grant, resources, spending if chosen.asks_model else None) as within:
        return await retrieval.search(
            within,
            query,
            pipeline=chosen,
            collection=collection,
            collections=grant.collections,
            k=k,
            filter=filter,
            backfill=backfill,
        )


@asynccontextmanager
async def _paid(grant: Grant, resources: Resources, spending: Spending | None) -> AsyncIterator[Resources]:
    """Give resources whose language model is held to what the grant may still spend today."""
    model = resources.language_model
    if spending is None or model is None:
        yield resources
        return
    async with spending.of(grant) as budget:
        yield resources if budget is None else replace(resources, language_model=model.within(budget))
