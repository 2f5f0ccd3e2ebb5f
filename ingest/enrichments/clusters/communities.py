"""Communities and ranks of whole graphs by Graph Data Science, and clusters within clusters."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError
from numpy.typing import NDArray

from papergraph import cypher
from papergraph.database import Database, Login
from papergraph.errors import GraphDataScienceMissingError
from papergraph.ingest.enrichments.clusters.similarity import Doubles, Ints, Network
from papergraph.neo4j_errors import typed_error
from papergraph.schema.ids import cluster_id

if TYPE_CHECKING:
    import pandas as pd
    from graphdatascience import GraphDataScience
    from graphdatascience.graph.graph_api import Graph


# Clusters within clusters: communities on several levels as a forest of groups that are known by their members


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


# Communities and ranks of whole graphs, by Graph Data Science on the server.
#
# Graphs are sent as numbered nodes and relationships in the order of ids, so that the same papers give the same
# results, whatever order they arrived in. All runs with a fixed seed and on one thread.


SEED = 20_261_121
LEAST_DIVIDED, MOST_UNDIVIDED, UNDIVIDED_PART = 10, 50, 12
"""Size from which a community is divided further: a 12th of the network's nodes, at least 10 and at most 50."""

MOST_DEPTH = 20
"""Divisions of communities, one within the other."""

DAMPING, MOST_ROUNDS, TOLERANCE = 0.85, 100, 1e-8
LEIDEN_TOLERANCE = 1e-7
PROJECTED = "papergraph-"
CONNECT_S = 5.0


class Gds:
    """Leiden and PageRank of Graph Data Science, by its Python client; :func:`gds` opens it. Calls block."""

    def __init__(self, client: "GraphDataScience") -> None:
        self._client = client

    def page_rank(self, network: Network) -> Doubles:
        """Return the PageRank of each node (Page et al. 1999), shape (n,), 1 on average."""
        options = {"damping_factor": DAMPING, "max_iterations": MOST_ROUNDS, "tolerance": TOLERANCE}
        found = self._stream(self._client.page_rank, network, **options)
        scores = _by_node(found, "score").astype(np.float64)
        return np.asarray(scores / scores.mean(), dtype=np.float64)

    def communities(self, network: Network) -> Ints:
        """Return the community of each node on each level, finest first, shape (n, at least 1).

        Leiden finds the communities of the coarsest level by modularity, and again those within each large one: of 50
        nodes or more, in a network of fewer than 600 nodes of a 12th of them, at least 10. A community that is not
        divided is the same on all finer levels; a node without relationships is one alone.

        Source: Traag, Waltman and van Eck 2019, From Louvain to Leiden, arXiv:1810.08473.
        """
        labels = np.arange(network.n)
        if not len(network.sources):
            return labels[:, None]
        largest = min(MOST_UNDIVIDED, max(LEAST_DIVIDED, network.n // UNDIVIDED_PART))
        levels = [_numbered(self._leiden(network, gamma=1.0))]
        asked = np.bincount(levels[0])[levels[0]] > largest
        while asked.any() and len(levels) < MOST_DEPTH:
            parts, n_parts = _within(network, levels[-1], asked)
            if not n_parts:
                break
            found = np.where(asked, self._leiden(parts, gamma=float(n_parts)), 0)
            finer = _numbered(levels[-1] * (1 + int(found.max())) + found)
            if finer.max() == levels[-1].max():
                break
            is_divided = np.bincount(finer)[finer] < np.bincount(levels[-1])[levels[-1]]
            asked &= is_divided & (np.bincount(finer)[finer] > largest)
            levels.append(finer)
        return np.stack(levels[::-1], axis=1)

    def _leiden(self, network: Network, *, gamma: float) -> Ints:
        options = {"gamma": gamma, "tolerance": LEIDEN_TOLERANCE, "max_levels": MOST_ROUNDS, "random_seed": SEED}
        return _numbered(_by_node(self._stream(self._client.leiden, network, **options), "communityId"))

    def _stream(self, algorithm: Any, network: Network, **options: Any) -> Any:
        with self._projected(network) as graph:
            return algorithm.stream(
                graph, relationship_weight_property="weight", concurrency=1, log_progress=False, **options
            )

    @contextmanager
    def _projected(self, network: Network) -> "Iterator[Graph]":
        """Yield the catalog's entry of a graph, which is dropped afterwards."""
        name = f"{PROJECTED}{uuid.uuid4().hex}"
        try:
            graph, _ = self._client.graph.project.cypher(
                cypher.load("enrichments/project").text,
                name=name,
                ids=list(range(network.n)),
                sources=network.sources.tolist(),
                targets=network.targets.tolist(),
                weights=network.weights.tolist(),
                undirected=[] if network.directed else ["*"],
            )
            yield graph
        finally:
            self._client.graph.drop(name, fail_if_missing=False)


@contextmanager
def gds(login: Login) -> Iterator[Gds]:
    """Open the client of Graph Data Science.

    Raises:
        DatabaseError: Neo4j cannot be reached, or an algorithm failed, for example for want of memory.
    """
    from graphdatascience import GraphDataScience  # takes a second

    try:
        with GraphDatabase.driver(
            login.uri,
            auth=(login.user, login.password),
            connection_timeout=CONNECT_S,
            notifications_min_severity="OFF",
            user_agent="papergraph",
        ) as driver:
            yield Gds(GraphDataScience(driver, database=login.database, arrow=False, show_progress=False))
    except (Neo4jError, DriverError) as error:
        raise typed_error("Graph Data Science", error, CONNECT_S) from error


async def require_gds(database: Database) -> Login:
    """Return the login to a server that has Graph Data Science.

    Raises:
        GraphDataScienceMissingError: The server lacks it.
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("enrichments/missing_gds"))
    if records:
        raise GraphDataScienceMissingError(tuple(record["name"] for record in records))
    if database.login is None:
        raise ValueError("clusters need a database that was opened with a login")
    return database.login


def _by_node(found: "pd.DataFrame", column: str) -> NDArray[Any]:
    """Return a column of a result in the order of the nodes' numbers."""
    return np.asarray(found.sort_values("nodeId")[column].to_numpy())


def _within(network: Network, labels: Ints, asked: NDArray[np.bool_]) -> tuple[Network, int]:
    """Return the relationships within the communities to divide, and the number of these that have any.

    Weights are scaled so that all communities have the same total. Modularity with the number of communities as
    resolution then divides each one as if it were alone.
    """
    inside = asked[network.sources] & (labels[network.sources] == labels[network.targets])
    sources, targets, weights = network.sources[inside], network.targets[inside], network.weights[inside]
    totals = np.bincount(labels[sources], weights, minlength=1)
    scaled = weights * (totals.max() / totals[labels[sources]]) if len(weights) else weights
    return Network(network.n, sources, targets, scaled), int(np.count_nonzero(totals))


def _numbered(labels: Ints) -> Ints:
    """Return labels as numbers from 0 in the order of their first node."""
    _, first, of = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[of].astype(np.int64)
