"""A search as far as a grant goes, for every face that offers one."""

from collections.abc import Mapping
from typing import Any

from papergraph.errors import InputError
from server.access.grants import Grant, KeyScope
from server.retrieval import search as retrieval
from server.retrieval.filters import Filter
from server.retrieval.resources import Resources
from server.retrieval.search import Found
from server.retrieval.steps import Select

MOST_OVERRIDES = 50


async def search_for(
    grant: Grant,
    resources: Resources,
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
    """Search where the grant reaches; the arguments are those of :func:`server.retrieval.search.search`.

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
    return await retrieval.search(
        resources,
        query,
        pipeline=chosen,
        collection=collection,
        collections=grant.collections,
        k=k,
        filter=filter,
        backfill=backfill,
    )
