"""Metadata of interest: the group of papers whose Meta Knowledge Summary conditions a plan, and which is searched.

Source: Mombaerts et al. 2024, Meta Knowledge for Retrieval Augmented Large Language Models, arXiv:2408.09017.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import cypher
from ingest.enrichments.enrichment import EnrichmentContext
from papergraph.errors import InputError
from server.retrieval.active_model import Searched
from server.retrieval.filters import FieldValue, Filter, resolve
from server.retrieval.resources import Resources
from server.retrieval.scope import Scope

if TYPE_CHECKING:
    from ingest.enrichments.summaries import Summary

Metadata = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class PaperGroup:
    """Papers that a plan is made for.

    Attributes:
        name: What the group is called, such as ``area: Robotics or Vision; task: planning``.
        metadata: For each field the values of which a paper has one; or else:
        cluster: Id of a cluster.
        is_of_interest: Whether the user named it; otherwise it is the nearest one to the query.
    """

    name: str
    metadata: Metadata = field(default_factory=dict)
    cluster: str | None = None
    is_of_interest: bool = True

    async def summary(self, resources: Resources, scope: Scope) -> "Summary":
        """Return the Meta Knowledge Summary of the group, made if it is not kept.

        Raises:
            NotFoundError: No paper has the metadata.
            LanguageModelError: The model failed.
            DatabaseError: Neo4j failed.
        """
        from ingest.enrichments.summaries import summarize

        means = EnrichmentContext(resources.model.searched.embedder, resources.language_model)
        asked = {"where": self.metadata} if self.metadata else {"cluster": self.cluster}
        return await summarize(resources.database, means, collection=scope.collections[0], **asked)


def metadata_of(filter: Filter | None) -> Metadata:
    """Return the metadata that every paper of a filter has: for each field values of which it has one.

    Conditions under ``any`` or ``not`` do not count, nor does a list of values of several fields. Of several lists for
    one field the first counts.
    """
    found: dict[str, Sequence[str]] = {}
    for named in _clusters_of(filter):
        fields = {one.field for one in named if isinstance(one, FieldValue)}
        if len(fields) == 1 and all(isinstance(one, FieldValue) for one in named):
            found.setdefault(fields.pop(), tuple(one.value for one in named if isinstance(one, FieldValue)))
    return found


def cluster_of(filter: Filter | None) -> str | None:
    """Return the id of the first cluster that every paper of a filter is in, None without one."""
    return next((one[0] for one in _clusters_of(filter) if len(one) == 1 and isinstance(one[0], str)), None)


def _clusters_of(filter: Filter | None) -> Iterator[tuple[str | FieldValue, ...]]:
    if filter is not None:
        if filter.clusters:
            yield filter.clusters
        for part in filter.all or ():
            yield from _clusters_of(part)


def of_metadata(metadata: Metadata) -> Filter:
    """Return the filter of papers that have one of the values of every field."""
    conditions = [
        Filter(clusters=tuple(FieldValue(field=field, value=value) for value in values))
        for field, values in sorted(metadata.items())
    ]
    return conditions[0] if len(conditions) == 1 else Filter(all=tuple(conditions))


async def choose_group(resources: Resources, query: str, scope: Scope, metadata: Metadata) -> tuple[PaperGroup, Scope]:
    """Return the papers that a plan is made for, and the scope that is searched for it.

    Metadata of interest, of the option or of the filter, name the group, and restrict the search to it. Without any it
    is the cluster of metadata that is nearest to the query, and the search stays within it: unless nothing of it is in
    the scope, or the run only fills up what another one found.

    Args:
        resources: What the pipeline runs with.
        query: What was asked.
        scope: Where it looks: in one collection.
        metadata: Fields and values of interest, beside those of the scope's filter.

    Raises:
        InputError: There are no metadata to choose from.
        EmbeddingError: The query cannot be embedded.
        DatabaseError: Neo4j failed.
    """
    if metadata and not scope.fills_up:
        scope = await scope_within(resources, scope, of_metadata(metadata))
    if wanted := {**metadata_of(scope.filter), **metadata}:
        name = "; ".join(f"{field}: {' or '.join(sorted(set(values)))}" for field, values in sorted(wanted.items()))
        return PaperGroup(name, wanted), scope
    if (cluster := cluster_of(scope.filter)) is not None:
        return PaperGroup(f"cluster {cluster}", cluster=cluster), scope
    group = await _nearest(resources, query, scope)
    if scope.fills_up or group.cluster is None:
        return group, scope
    narrow = await scope_within(resources, scope, Filter(clusters=(group.cluster,)))
    return group, scope if narrow.is_empty else narrow


async def scope_within(resources: Resources, scope: Scope, filter: Filter) -> Scope:
    """Return the part of a scope that a further filter lets through."""
    both = filter if scope.filter is None else Filter(all=(scope.filter, filter))
    applied = await resolve(resources.database, both, scope.collections)
    return replace(scope, passing=applied.passing, filter=both)


async def _nearest(resources: Resources, query: str, scope: Scope) -> PaperGroup:
    async def near(searched: Searched, vector: list[float]) -> Sequence[PaperGroup]:
        records = await resources.database.read(
            cypher.load("retrieval/paper_clusters_near", searched.slot),
            query_vector=vector,
            model=searched.embedder.card.sha256,
            collection=scope.collections[0],
        )
        return [PaperGroup(one["cluster"], cluster=one["cluster_id"], is_of_interest=False) for one in records]

    groups = await resources.model.search(resources.database, query, near)
    if not groups:
        raise InputError(
            f"a plan is made from a summary of papers of a kind, and collection {scope.asked[0]!r} has no metadata: "
            f"run papergraph enrich --enrichments metadata --collection {scope.asked[0]}",
            field="pipeline",
        )
    return groups[0]
