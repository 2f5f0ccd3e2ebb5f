"""Meta Knowledge Summaries for every interface, within the asker's budget for language models."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.summaries import Summary, summarize
from papergraph.language_model import Budget
from server.auth.principal import KeyScope, Principal
from server.auth.usage_budget import UsageBudget
from server.retrieval.resources import Resources

MOST_VALUES = 50
"""Pairs of a field and a value that describe the papers of a summary."""


async def summary_for(
    grant: Principal,
    resources: Resources,
    spending: UsageBudget | None,
    collection: str,
    *,
    cluster: str | None,
    metadata: Mapping[str, Sequence[str]],
) -> Summary:
    """Return the summary of the papers of a cluster, or of those with metadata; it is made unless it is stored.

    Args:
        grant: Whose request it is.
        resources: The store, the embedding model, and the language model if there is one.
        spending: What askers may spend; None where nobody is held to anything.
        collection: Collection of the papers; the grant reaches it.
        cluster: Id of a cluster, or the beginning of one; or else:
        metadata: For each field the values of which a paper must have one.

    Raises:
        ForbiddenError: The grant is not good for asking.
        InputError: Neither or both are given, or they are of over 2,000 papers.
        NotFoundError: There is no such cluster, or no such paper.
        LanguageModelError: The model failed, or the budget is spent.
        DatabaseError: Neo4j failed.
    """
    grant.require(KeyScope.ASK, "a summary")
    limited: AbstractAsyncContextManager[Budget | None] = spending.of(grant) if spending else nullcontext()
    async with limited as budget:
        means = EnrichmentContext(resources.model.searched.embedder, resources.language_model, budget)
        return await summarize(resources.database, means, collection=collection, cluster=cluster, where=metadata)


def by_field(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the values of each field."""
    found: dict[str, list[str]] = {}
    for field, value in pairs:
        found.setdefault(field, []).append(value)
    return found
