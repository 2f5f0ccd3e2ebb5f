"""Clusters within clusters: communities on several levels as a forest of groups that are known by their members."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.enrichments.clusters.nearest_chunks import Ints
from schema.ids import cluster_id

TOPIC, COMMUNITY, METADATA = "topic", "community", "metadata"
"""Kinds of clusters: chunks alike, papers that hang together, and papers of one value."""


@dataclass(frozen=True)
class Group:
    """A cluster.

    Attributes:
        id: Made of its members alone.
        level: Its height: 0 without finer clusters, otherwise one more than the highest of these.
        members: Numbers of all its members, in order.
        children: Ids of the clusters next below it, in order.
        own: Numbers of the members that are in none of these, in order.
    """

    id: str
    level: int
    members: tuple[int, ...]
    children: tuple[str, ...]
    own: tuple[int, ...]


def forest(levels: Ints, ids: Sequence[str], *, collection: str, kind: str) -> list[Group]:
    """Return the clusters that communities on several levels are, lower ones first; one member alone is no cluster.

    A cluster with the same members on several levels is one. Its height does not depend on clusters elsewhere, so that
    it stays the same cluster when others are divided.

    Args:
        levels: Community of each thing on each level, finest first, shape (n, number of levels); each finer one lies
            within a coarser one.
        ids: Id of each thing, in order of id.
        collection: Part of the clusters' ids.
        kind: Part of the clusters' ids.
    """
    groups: dict[str, Group] = {}
    inside = [""] * len(ids)  # the coarsest cluster so far that each thing is in
    for level in range(levels.shape[1]):
        for members in _communities(levels[:, level]):
            if len(members) < 2:
                continue
            children = tuple(sorted({inside[member] for member in members} - {""}))
            own = tuple(member for member in members if not inside[member])
            if len(children) == 1 and not own:
                continue  # it is the finer one
            height = max((groups[child].level + 1 for child in children), default=0)
            id = cluster_id(collection, kind, height, (ids[member] for member in members))
            groups[id] = Group(id, height, members, children, own)
            for member in members:
                inside[member] = id
    return sorted(groups.values(), key=lambda group: group.level)


def _communities(labels: Ints) -> list[tuple[int, ...]]:
    order = np.argsort(labels, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return sorted(tuple(part.tolist()) for part in parts if len(part))
