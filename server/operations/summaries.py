"""Meta Knowledge Summaries for every interface, within the principal's budget for language models."""

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
    principal: Principal,
    resources: Resources,
    spending: UsageBudget | None,
    collection: str,
    *,
    cluster: str | None,
    metadata: Sequence[tuple[str, str]],
) -> Summary:
    """Return the stored summary of the papers of a cluster or with metadata; create a missing one.

    Args:
        principal: The principal.
        resources: The store, the embedding model, and the language model if there is one.
        spending: Budgets of all principals; None for no limit.
        collection: Allowed collection of the papers.
        cluster: Id of a cluster or a prefix of it. Give this or ``metadata``.
        metadata: At most 50 pairs of field and value; a paper must have one of the values of each field.

    Raises:
        AccessError: The principal lacks the scope.
        InputError: Both or neither argument is given, or there are too many values or over 2,000 papers.
        NotFoundError: The cluster is missing, or no paper matches.
        LanguageModelError: The model failed, or the budget is spent.
        DatabaseError: Neo4j failed.
    """
    principal.require(KeyScope.ASK, "a summary")
    if len(metadata) > MOST_VALUES:
        raise InputError(f"There are {len(metadata)} values; at most {MOST_VALUES} are allowed.", field="metadata")
    async with budget_of(principal, spending) as budget:
        of_enrichments = EnrichmentContext(resources.model.searched.embedder, resources.language_model, budget)
        where = by_field(metadata)
        return await summarize(resources.database, of_enrichments, collection=collection, cluster=cluster, where=where)
