"""Algorithms over whole graphs: communities, ranks and places.

Graphs are handed over as numbered nodes and relationships in the order of ids, so that the same papers give the same
results on every server, whatever order they arrived in and whatever plug-ins Neo4j has. All is done with a fixed seed
and on one thread.
"""

from typing import TYPE_CHECKING

import numpy as np

from ingest.enrichments.clusters.nearest_chunks import Doubles, Ints
from ingest.enrichments.clusters.paper_links import Network

if TYPE_CHECKING:
    import networkx as nx

SEED = 20_261_121
LARGEST_COMMUNITY = 50
"""Nodes of a community from which communities are looked for within it."""

DAMPING, MOST_ROUNDS, TOLERANCE = 0.85, 1000, 1e-8


def communities(network: Network) -> Ints:
    """Return the community of each node on each level, finest first, shape (n, at least 1).

    Leiden finds the communities of the coarsest level by modularity, and again those within each that has 50 nodes or
    more. A community that is not divided is the same on all finer levels; a node without relationships is one alone.

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
    found = hierarchical_leiden(edges, max_cluster_size=LARGEST_COMMUNITY, seed=SEED)
    levels = np.repeat(levels, 1 + max(of_node.level for of_node in found), axis=1)
    for of_node in sorted(found, key=lambda one: one.level):  # a deeper one holds from its level on
        levels[int(of_node.node), of_node.level :] = network.n + of_node.cluster
    return levels[:, ::-1]


def page_rank(network: Network) -> Doubles:
    """Return the PageRank of each node, shape (n,), 1 on average.

    Source: Page et al. 1999, The PageRank citation ranking.
    """
    import networkx as nx

    ranks = nx.pagerank(_networkx(network), alpha=DAMPING, max_iter=MOST_ROUNDS, tol=TOLERANCE, weight="weight")
    return np.array([ranks[node] for node in range(network.n)]) * network.n


def structure(network: Network, *, dimension: int) -> Doubles:
    """Return FastRP vectors of the nodes' places, shape (n, dimension), of the first and second neighbours.

    Source: Chen et al. 2019, Fast and accurate network embeddings via very sparse random projection, arXiv:1908.11512.
    """
    random = np.stack([np.random.default_rng([SEED, id]).integers(0, 6, dimension) for id in network.ids.tolist()])
    vectors = np.sqrt(3.0) * ((random == 0).astype(np.float64) - (random == 1))
    sources, targets = (
        np.concatenate([network.sources, network.targets]),
        np.concatenate([network.targets, network.sources]),
    )
    weights = np.concatenate([network.weights] * 2)
    degrees = np.maximum(np.bincount(sources, minlength=network.n), 1)
    total = np.zeros_like(vectors)
    for _ in range(2):
        moved = np.zeros_like(vectors)
        np.add.at(moved, sources, vectors[targets] * weights[:, None])
        vectors = moved / degrees[:, None]
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        total += np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return np.asarray(total, dtype=np.float64)


def _networkx(network: Network) -> "nx.Graph[int]":
    import networkx as nx

    graph: nx.Graph[int] = nx.DiGraph() if network.directed else nx.Graph()
    graph.add_nodes_from(range(network.n))
    graph.add_weighted_edges_from(
        zip(network.sources.tolist(), network.targets.tolist(), network.weights.tolist(), strict=True)
    )
    return graph
