"""Meta Knowledge Summaries for every interface, within the asker's budget for language models."""

from collections.abc import Sequence

from papergraph.errors import InputError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.summaries import Summary, by_field, summarize
from papergraph.server.auth.access import KeyScope, Principal
from papergraph.server.auth.usage_budget import UsageBudget, budget_of
from papergraph.server.retrieval.resources import Resources

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
        AccessError: The grant is not good for asking.
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
