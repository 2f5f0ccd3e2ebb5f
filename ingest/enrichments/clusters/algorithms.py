"""Algorithms over whole graphs: communities here, ranks by Graph Data Science where the server has it.

Graphs are handed over as numbered nodes and relationships in the order of ids, so that the same papers give the same
results, whatever order they arrived in. All is done with a fixed seed and on one thread.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import numpy as np
from neo4j import GraphDatabase

import cypher
from ingest.enrichments.clusters.nearest_chunks import Doubles, Ints
from ingest.enrichments.clusters.paper_links import Network
from papergraph.database import Login

if TYPE_CHECKING:
    import networkx as nx
    from graphdatascience import GraphDataScience
    from graphdatascience.graph.graph_api import Graph

SEED = 20_261_121
LEAST_DIVIDED, MOST_UNDIVIDED, UNDIVIDED_PART = 10, 50, 12
"""From how many nodes on a community is divided further: a 12th of the network's, at least 10 and at most 50."""

DAMPING, MOST_ROUNDS, TOLERANCE = 0.85, 100, 1e-8
PROJECTED = "papergraph-"
CONNECT_S = 5.0


def communities(network: Network) -> Ints:
    """Return the community of each node on each level, finest first, shape (n, at least 1).

    Leiden finds the communities of the coarsest level by modularity, and again those within each large one: of 50
    nodes or more, in a network of fewer than 600 nodes of a 12th of them, at least 10. A community that is not divided
    is the same on all finer levels; a node without relationships is one alone.

    Source: Traag, Waltman and van Eck 2019, From Louvain to Leiden, arXiv:1810.08473.
    """
    levels = np.arange(network.n)[:, None]
    if not len(network.sources):
        return levels
    from graspologic_native import hierarchical_leiden

    edges = [
        (str(source), str(target), weight)
        for source, target, weight in zip(
            network.sources.tolist(), network.targets.tolist(), network.weights.tolist(), strict=True
        )
    ]
    largest = min(MOST_UNDIVIDED, max(LEAST_DIVIDED, network.n // UNDIVIDED_PART))
    found = hierarchical_leiden(edges, max_cluster_size=largest, seed=SEED)
    levels = np.repeat(levels, 1 + max(of_node.level for of_node in found), axis=1)
    for of_node in sorted(found, key=lambda one: one.level):  # a deeper one holds from its level on
        levels[int(of_node.node), of_node.level :] = network.n + of_node.cluster
    return levels[:, ::-1]


class Engine(Protocol):
    """What finds ranks in graphs; its calls take long and block."""

    def page_rank(self, network: Network) -> Doubles:
        """Return the PageRank of each node, shape (n,), 1 on average."""


class Plain:
    """PageRank by networkx."""

    def page_rank(self, network: Network) -> Doubles:
        """PageRank (Page et al. 1999)."""
        import networkx as nx

        ranks = nx.pagerank(
            _networkx(network), alpha=DAMPING, max_iter=10 * MOST_ROUNDS, tol=TOLERANCE, weight="weight"
        )
        return np.array([ranks[node] for node in range(network.n)]) * network.n


class Gds:
    """PageRank of Graph Data Science, by its own client; :func:`gds` opens it."""

    def __init__(self, client: "GraphDataScience") -> None:
        self._client = client

    def page_rank(self, network: Network) -> Doubles:
        """PageRank, scaled to 1 on average: what nodes without a way out lose comes back to all."""
        with self.projected(network) as graph:
            found = self._client.page_rank.stream(
                graph,
                relationship_weight_property="weight",
                damping_factor=DAMPING,
                max_iterations=MOST_ROUNDS,
                tolerance=TOLERANCE,
                concurrency=1,
                log_progress=False,
            )
        scores = found["score"].to_numpy(dtype=np.float64)[_order(network, found["nodeId"].to_numpy())]
        return np.asarray(scores / scores.mean(), dtype=np.float64)

    @contextmanager
    def projected(self, network: Network) -> "Iterator[Graph]":
        """Give the catalog's entry of a graph, which is dropped afterwards."""
        name = f"{PROJECTED}{uuid.uuid4().hex}"
        try:
            graph, _ = self._client.graph.project.cypher(
                cypher.load("enrichments/project").text,
                name=name,
                ids=network.ids.tolist(),
                sources=network.ids[network.sources].tolist(),
                targets=network.ids[network.targets].tolist(),
                weights=network.weights.tolist(),
                undirected=[] if network.directed else ["*"],
            )
            yield graph
        finally:
            self._client.graph.drop(name, fail_if_missing=False)


@contextmanager
def gds(login: Login) -> Iterator[Gds]:
    """Open the client of Graph Data Science."""
    from graphdatascience import GraphDataScience  # takes a second

    with GraphDatabase.driver(
        login.uri,
        auth=(login.user, login.password),
        connection_timeout=CONNECT_S,
        notifications_min_severity="OFF",
        user_agent="papergraph",
    ) as driver:
        yield Gds(GraphDataScience(driver, database=login.database, arrow=False, show_progress=False))


def _networkx(network: Network) -> "nx.Graph[int]":
    import networkx as nx

    graph: nx.Graph[int] = nx.DiGraph() if network.directed else nx.Graph()
    graph.add_nodes_from(range(network.n))
    graph.add_weighted_edges_from(
        zip(network.sources.tolist(), network.targets.tolist(), network.weights.tolist(), strict=True)
    )
    return graph


def _order(network: Network, ids: Ints) -> Ints:
    """Return where the nodes stand among ``ids``, in the network's order."""
    order = np.argsort(ids)
    return order[np.searchsorted(ids, network.ids, sorter=order)]
