"""What Graph Data Science and papergraph's own algorithms take for the same graphs, and how far their results agree.

Usage: python -m benchmarks.graph_algorithms

Graphs are drawn with a fixed seed: 10,000 chunks of 2,000 papers on 300 topics with vectors of 128 components, their
similar pairs, and 20,000 mentions of entities, frequent and rare ones. Nearest chunks, communities, PageRank, places
and personalised PageRank are computed by both, on one thread, three times each; the median counts. Times of Graph Data
Science are given with and without the projection, which its caller needs once for each graph. Nothing is stored: graphs
are projected from parameters, into a Neo4j that only this benchmark uses.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import networkx as nx
import numpy as np
from graphdatascience import GraphDataScience

from benchmarks.common import empty_store, write_result
from ingest.enrichments.clusters.algorithms import communities, page_rank, structure
from ingest.enrichments.clusters.nearest_chunks import Ints, similar_pairs
from ingest.enrichments.clusters.paper_links import Network
from papergraph.embedding import Floats
from server.retrieval.retrievers.pagerank import DAMPING, personalised_pagerank

N_CHUNKS, N_PAPERS, N_TOPICS, DIMENSION = 10_000, 2_000, 300, 128
N_ENTITIES, N_MENTIONS, N_SEEDS = 4_000, 20_000, 20
K, LEAST, NOISE, TIMES, TOP, SEED = 8, 0.2, 1.6, 3, 10, 1
PLACE_DIMENSION = 64
GRAPH = """
CYPHER 25
UNWIND range(0, size($sources) - 1) AS at
WITH $sources[at] AS source, $targets[at] AS target, $weights[at] AS weight
RETURN gds.graph.project(
  $name, source, target, {relationshipProperties: {weight: weight}}, {undirectedRelationshipTypes: ['*']}
) AS graph
"""
POINTS = """
CYPHER 25
UNWIND range(0, size($vectors) - 1) AS node
RETURN gds.graph.project($name, node, null, {sourceNodeProperties: {embedding: $vectors[node]}}) AS graph
"""
T = TypeVar("T")


def main() -> None:
    vectors, papers = drawn_chunks()
    with empty_store("graph_algorithms") as address:
        client = GraphDataScience(address.uri, auth=(address.user, address.password), arrow=False, show_progress=False)
        try:
            figures: dict[str, Any] = {"nearestChunks": nearest(client, vectors)}
            network = similar(vectors, papers)
            figures |= {"nodes": network.n, "relationships": len(network.sources)}
            figures["communities"] = of_communities(client, network)
            figures["pageRank"] = of_page_rank(client, network)
            figures["places"] = of_places(client, network)
            figures["personalisedPageRank"] = personalised(client)
        finally:
            client.close()
    write_result("graph_algorithms", figures)


def drawn_chunks() -> tuple[Floats, Ints]:
    """Return vectors of length 1, shape (n, d), and the paper of each chunk."""
    generator = np.random.default_rng(SEED)
    topics = generator.standard_normal((N_TOPICS, DIMENSION))
    of_chunk = generator.integers(N_TOPICS, size=N_CHUNKS)
    vectors = topics[of_chunk] + NOISE * generator.standard_normal((N_CHUNKS, DIMENSION))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32), np.sort(generator.integers(N_PAPERS, size=N_CHUNKS))


def similar(vectors: Floats, papers: Ints) -> Network:
    pairs = similar_pairs(vectors, papers, k=K, least=LEAST)
    return Network(np.arange(len(vectors)), pairs.first, pairs.second, pairs.scores)


def nearest(client: GraphDataScience, vectors: Floats) -> dict[str, Any]:
    """Compare the nearest chunks, whatever papers they are of."""
    alone = np.arange(len(vectors))
    pairs, own_s = timed(lambda: similar_pairs(vectors, alone, k=K, least=0.0))
    begin = time.perf_counter()
    graph, _ = client.graph.project.cypher(POINTS, name="points", vectors=vectors.tolist())
    projected_s = time.perf_counter() - begin
    try:
        found, gds_s = timed(lambda: client.knn.stream(graph, ["embedding"], top_k=K, random_seed=SEED, concurrency=1))
    finally:
        graph.drop()
    exact = set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    near = {(min(one, other), max(one, other)) for one, other in zip(found["node1"], found["node2"], strict=True)}
    return seconds(own_s, gds_s, projected_s) | {"gdsRecall": round(len(exact & near) / len(exact), 3)}


def of_communities(client: GraphDataScience, network: Network) -> dict[str, Any]:
    """Compare Leiden of both, and Louvain of networkx, by modularity of the coarsest level."""
    graph = nx.Graph()
    graph.add_nodes_from(range(network.n))
    graph.add_weighted_edges_from(zip(*edges_of(network), strict=True))
    levels, own_s = timed(lambda: communities(network))
    _, louvain_s = timed(lambda: list(nx.community.louvain_partitions(graph, seed=SEED)))
    coarsest = list(nx.community.louvain_partitions(graph, seed=SEED))[-1]
    with projected(client, network) as (there, projected_s):
        found, gds_s = timed(
            lambda: client.leiden.stream(there, relationship_weight_property="weight", random_seed=SEED, concurrency=1)
        )
    of_gds = np.arange(network.n) + network.n
    of_gds[found["nodeId"].to_numpy()] = found["communityId"].to_numpy()
    return seconds(own_s, gds_s, projected_s) | {
        "levels": levels.shape[1],
        "communities": [len(np.unique(levels[:, level])) for level in range(levels.shape[1])],
        "modularity": modularity(graph, levels[:, -1]),
        "gdsModularity": modularity(graph, of_gds),
        "louvainS": round(louvain_s, 3),
        "louvainModularity": round(nx.community.modularity(graph, coarsest), 4),
    }


def modularity(graph: "nx.Graph[int]", labels: Ints) -> float:
    members = [set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]
    return round(float(nx.community.modularity(graph, members)), 4)


def of_page_rank(client: GraphDataScience, network: Network) -> dict[str, Any]:
    ranks, own_s = timed(lambda: page_rank(network))
    with projected(client, network) as (graph, projected_s):
        found, gds_s = timed(
            lambda: client.page_rank.stream(
                graph, relationship_weight_property="weight", max_iterations=100, tolerance=1e-8, concurrency=1
            )
        )
    there = found["nodeId"].to_numpy()
    scores = found["score"].to_numpy(dtype=np.float64)
    difference = np.abs(scores / scores.mean() - ranks[there] / ranks[there].mean()).max()
    return seconds(own_s, gds_s, projected_s) | {"largestDifference": float(f"{difference:.2g}")}


def of_places(client: GraphDataScience, network: Network) -> dict[str, Any]:
    _, own_s = timed(lambda: structure(network, dimension=PLACE_DIMENSION))
    with projected(client, network) as (graph, projected_s):
        _, gds_s = timed(
            lambda: client.fast_rp.stream(
                graph, PLACE_DIMENSION, relationship_weight_property="weight", random_seed=SEED, concurrency=1
            )
        )
    return seconds(own_s, gds_s, projected_s)


def personalised(client: GraphDataScience) -> dict[str, Any]:
    """Compare personalised PageRank over as many mentions as a search reads, from the chunks that it starts at."""
    generator = np.random.default_rng(SEED)
    rare = 1.0 / np.arange(1, N_ENTITIES + 1)
    entities = N_CHUNKS + generator.choice(N_ENTITIES, size=N_MENTIONS, p=rare / rare.sum())
    mentions = np.unique(np.stack([generator.integers(N_CHUNKS, size=N_MENTIONS), entities], axis=1), axis=0)
    edges = [(int(chunk), int(entity)) for chunk, entity in mentions]
    begin = np.zeros(N_CHUNKS + N_ENTITIES)
    seeds = np.unique(mentions[:: len(mentions) // N_SEEDS, 0])
    begin[seeds] = 1.0
    ranks, own_s = timed(lambda: personalised_pagerank(edges, begin))
    network = Network(np.arange(len(begin)), mentions[:, 0], mentions[:, 1], np.ones(len(mentions)))
    with projected(client, network) as (graph, projected_s):
        found, gds_s = timed(
            lambda: client.page_rank.stream(
                graph,
                source_nodes=seeds.tolist(),
                damping_factor=DAMPING,
                max_iterations=50,
                tolerance=1e-9,
                concurrency=1,
            )
        )
    scores = np.zeros(len(begin))
    scores[found["nodeId"].to_numpy()] = found["score"].to_numpy(dtype=np.float64)
    best, best_there = (set(np.argsort(-of, kind="stable")[: N_SEEDS + TOP].tolist()) for of in (ranks, scores))
    return seconds(own_s, gds_s, projected_s) | {"firstInCommon": round(len(best & best_there) / len(best), 3)}


def edges_of(network: Network) -> tuple[Sequence[int], Sequence[int], Sequence[float]]:
    return network.sources.tolist(), network.targets.tolist(), network.weights.tolist()


@contextmanager
def projected(client: GraphDataScience, network: Network) -> Iterator[tuple[Any, float]]:
    """Project a graph; give it with the seconds that this took."""
    sources, targets, weights = edges_of(network)
    begin = time.perf_counter()
    graph, _ = client.graph.project.cypher(GRAPH, name="graph", sources=sources, targets=targets, weights=weights)
    taken_s = time.perf_counter() - begin
    try:
        yield graph, taken_s
    finally:
        graph.drop()


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what ``work`` gives, and the median of the seconds that it takes."""
    taken = []
    for _ in range(TIMES):
        begin = time.perf_counter()
        result = work()
        taken.append(time.perf_counter() - begin)
    return result, statistics.median(taken)


def seconds(own_s: float, gds_s: float, projected_s: float) -> dict[str, float]:
    return {"ownS": round(own_s, 3), "gdsS": round(gds_s, 3), "projectionS": round(projected_s, 3)}


if __name__ == "__main__":
    main()
