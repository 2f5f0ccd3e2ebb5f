"""What papergraph's own graph algorithms and Graph Data Science take for the same graphs, and how far they agree.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.graph_algorithms [covidqa]

The corpus of a data folder is loaded as for an evaluation, with its entities, into the Neo4j of that evaluation. Its
graphs are those that clusters and searches are made of: chunks and the chunks that are alike, papers and entities, and
for each of some questions the mentions that personalised PageRank walks along. Both compute each graph on one thread,
three times; the median counts. Graph Data Science is given a projection made of the same numbers, whose time stands
apart, because each graph is used once. Louvain is what a server without the plug-in once had in place of Leiden.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import networkx as nx
import numpy as np
from graphdatascience import GraphDataScience
from scipy.stats import spearmanr
from sklearn.metrics import adjusted_rand_score

from benchmarks.common import data_folder, write_result
from cli.output import TerminalProgress
from evaluation.corpus_store import chunking_of, open_home
from evaluation.retrieval.evaluate import CorpusPlan, loaded
from evaluation.task import Task, read_task
from ingest.enrichments.clusters.algorithms import DAMPING, MOST_ROUNDS, SEED, TOLERANCE, Gds, Plain, communities
from ingest.enrichments.clusters.enrichment import ClustersEnrichment
from ingest.enrichments.clusters.loaders import entities_of, paper_of, read_chunks, read_entities, read_papers
from ingest.enrichments.clusters.nearest_chunks import Doubles, Ints, similar_pairs
from ingest.enrichments.clusters.paper_links import Network, alike, mention_network, paper_network
from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.options import EnrichmentOptions
from ingest.enrichments.run import enrich
from papergraph.embedding import Floats
from papergraph.settings import Settings
from papergraph.store import Address
from papergraph.vector_slots import VectorSlot
from server.retrieval.resources import Resources
from server.retrieval.retrievers import pagerank
from server.retrieval.scope import Scope

K, DIMENSION = ClustersEnrichment.k, ClustersEnrichment.dimension
N_QUESTIONS, TOP, TIMES = 30, 10, 3
POINTS = """
CYPHER 25
UNWIND range(0, size($vectors) - 1) AS node
RETURN gds.graph.project($name, node, null, {
  sourceNodeProperties: {embedding: $vectors[node]}, targetNodeProperties: NULL
}) AS graph
"""
Walk = tuple[list[tuple[int, int]], Doubles]
"""Mentions around a question, and where the walk begins."""

T = TypeVar("T")


def main(names: Sequence[str]) -> None:
    """Measure the data folders that are named, COVID-QA by default."""
    settings = Settings()
    figures = {}
    for name in names or ["covidqa"]:
        task = read_task(data_folder() / name)
        with (
            TerminalProgress() as progress,
            open_home(settings, task, chunking_of(task), progress=progress) as (folder, address),
        ):
            figures[name] = asyncio.run(measure(settings, task, folder, address, progress))
    write_result("graph_algorithms", figures)


async def measure(
    settings: Settings, task: Task, folder: Path, address: Address, progress: TerminalProgress
) -> dict[str, Any]:
    """Load a corpus with its entities, read its graphs, and compare what is computed of each."""
    plan = CorpusPlan(task, chunking_of(task), [])
    async with loaded(settings, address, folder, plan, progress=progress) as (resources, corpus):
        embedder = resources.model.searched.embedder
        made = EnrichmentOptions.choose(("entities",)).enrichments(None)
        await enrich(
            resources.database, made, EnrichmentContext(embedder), collection=corpus.collection, progress=progress
        )
        progress.step("reading graphs")
        card, slot = embedder.card, resources.model.searched.slot
        graphs = await read_graphs(resources, corpus.collection, card.sha256, slot, card.dimension)
        every = max(1, len(task.queries) // N_QUESTIONS)
        questions = [query.text for query in task.queries[::every][:N_QUESTIONS]]
        walks = await walks_of(resources, corpus.collection, questions)
    progress.step("comparing")
    client = GraphDataScience(address.uri, auth=(address.user, address.password), arrow=False, show_progress=False)
    try:
        return {"papers": corpus.ingest.papers, "chunks": corpus.ingest.chunks, **compare(client, graphs, walks)}
    finally:
        client.close()


@dataclass(frozen=True)
class Graphs:
    """The graphs of a collection that clusters, ranks and places are made of, and its chunks' vectors."""

    vectors: Floats
    chunks: Network
    papers: Network
    mentions: Network


async def read_graphs(
    resources: Resources, collection: str, model_sha256: str, slot: VectorSlot, dimension: int
) -> Graphs:
    """Return the graphs as :class:`ClustersEnrichment` makes them, with numbers for ids."""
    database = resources.database
    chunks, papers, rows = (
        await read_chunks(database, collection, model_sha256, slot, dimension),
        await read_papers(database, collection),
        await read_entities(database, collection),
    )
    entities, of = entities_of(rows, chunks, papers), paper_of(chunks, papers)
    pairs = similar_pairs(chunks.vectors, of, k=K, least=ClustersEnrichment.least)
    similar = alike(pairs, of, np.bincount(of, minlength=len(papers.ids)))
    paper_ids, entity_ids = np.arange(len(papers.ids)), len(papers.ids) + np.arange(len(entities.ids))
    return Graphs(
        chunks.vectors,
        Network(np.arange(len(of)), pairs.first, pairs.second, pairs.scores),
        paper_network(paper_ids, papers.cites, entities.mentions, similar),
        mention_network(paper_ids, entity_ids, entities.mentions),
    )


async def walks_of(resources: Resources, collection: str, questions: Iterable[str]) -> list[Walk]:
    """Return what the retriever hands to its PageRank for each question that leads to mentions."""
    with patch.object(pagerank, "personalised_pagerank", wraps=pagerank.personalised_pagerank) as asked:
        for question in questions:
            await pagerank.retrieve_by_pagerank(
                resources.database, resources.model, question, Scope((collection,)), k=TOP
            )
    return [call.args for call in asked.call_args_list if call.args[0]]


def compare(client: GraphDataScience, graphs: Graphs, walks: Sequence[Walk]) -> dict[str, Any]:
    """Return what both take for each graph, and how far they agree."""
    engine = Gds(client)
    return {
        "nearestChunks": nearest(client, graphs.vectors),
        "topics": of_communities(client, engine, graphs.chunks),
        "communities": of_communities(client, engine, graphs.papers),
        "pageRank": of_page_rank(client, engine, graphs.mentions),
        "places": of_places(client, engine, graphs.papers),
        "personalisedPageRank": personalised(client, engine, walks),
    }


def nearest(client: GraphDataScience, vectors: Floats) -> dict[str, Any]:
    """Compare the nearest chunks, whatever papers they are of: its KNN takes no account of these."""
    vectors = vectors[np.linalg.norm(vectors, axis=1) > 0]
    pairs, own_s = timed(lambda: similar_pairs(vectors, np.arange(len(vectors)), k=K, least=0.0))
    begin = time.perf_counter()
    graph, _ = client.graph.project.cypher(POINTS, name="points", vectors=vectors.tolist())
    projected_s = time.perf_counter() - begin
    try:
        found, gds_s = timed(lambda: client.knn.stream(graph, ["embedding"], top_k=K, random_seed=SEED, concurrency=1))
    finally:
        graph.drop()
    exact = set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    near = {(min(one, other), max(one, other)) for one, other in zip(found["node1"], found["node2"], strict=True)}
    recall = round(len(exact & near) / len(exact), 3)
    return {"nodes": len(vectors), "pairs": len(exact), **seconds(own_s, gds_s, projected_s), "gdsRecall": recall}


def of_communities(client: GraphDataScience, engine: Gds, network: Network) -> dict[str, Any]:
    """Compare Leiden of both, and Louvain, on the coarsest level."""
    graph = nx.Graph()
    graph.add_nodes_from(range(network.n))
    graph.add_weighted_edges_from(
        zip(network.sources.tolist(), network.targets.tolist(), network.weights.tolist(), strict=True)
    )
    levels, own_s = timed(lambda: communities(network))
    parts, louvain_s = timed(lambda: list(nx.community.louvain_partitions(graph, seed=SEED))[-1])
    louvain = np.empty(network.n, np.int64)
    for label, members in enumerate(parts):
        louvain[list(members)] = label
    with projected(engine, network) as (there, projected_s):
        of_gds, gds_s = timed(lambda: leiden(client, there, SEED))
        other_seed = leiden(client, there, SEED + 1)
    own = levels[:, -1]
    return {
        **size_of(network),
        **seconds(own_s, gds_s, projected_s),
        "louvainS": round(louvain_s, 3),
        "communitiesByLevel": [len(np.unique(levels[:, level])) for level in range(levels.shape[1])],
        "own": quality(graph, own),
        "gds": quality(graph, of_gds),
        "louvain": quality(graph, louvain),
        "adjustedRand": {
            "own, gds": rand(own, of_gds),
            "louvain, gds": rand(louvain, of_gds),
            "gds, gds with another seed": rand(of_gds, other_seed),
        },
    }


def leiden(client: GraphDataScience, graph: Any, seed: int) -> Ints:
    """Return the community of each node by Graph Data Science."""
    found = client.leiden.stream(graph, relationship_weight_property="weight", random_seed=seed, concurrency=1)
    return np.asarray(in_order(found["nodeId"], found["communityId"]), dtype=np.int64)


def quality(graph: "nx.Graph[int]", labels: Ints) -> dict[str, float | int]:
    """Return how many communities of two nodes or more there are, how many are in pieces, and their modularity."""
    members = [set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]
    large = [one for one in members if len(one) > 1]
    return {
        "communities": len(large),
        "inPieces": sum(not nx.is_connected(graph.subgraph(one)) for one in large),
        "modularity": round(float(nx.community.modularity(graph, members)), 4),
    }


def rand(one: Ints, other: Ints) -> float:
    """Return the adjusted Rand index of two divisions."""
    return round(float(adjusted_rand_score(one, other)), 3)


def of_page_rank(client: GraphDataScience, engine: Gds, network: Network) -> dict[str, Any]:
    """Compare the ranks of papers and entities."""
    ranks, own_s = timed(lambda: Plain().page_rank(network))
    with projected(engine, network) as (graph, projected_s):
        scores, gds_s = timed(
            lambda: ranked(
                client,
                graph,
                relationship_weight_property="weight",
                damping_factor=DAMPING,
                max_iterations=MOST_ROUNDS,
                tolerance=TOLERANCE,
            )
        )
    return {**size_of(network), **seconds(own_s, gds_s, projected_s), **agreement([(ranks, scores)])}


def of_places(client: GraphDataScience, engine: Gds, network: Network) -> dict[str, Any]:
    """Compare what the places of papers take; they begin at other random vectors, so they do not agree."""
    _, own_s = timed(lambda: Plain().structure(network, dimension=DIMENSION))
    with projected(engine, network) as (graph, projected_s):
        _, gds_s = timed(
            lambda: client.fast_rp.stream(
                graph, DIMENSION, relationship_weight_property="weight", random_seed=SEED, concurrency=1
            )
        )
    return {**size_of(network), **seconds(own_s, gds_s, projected_s)}


def personalised(client: GraphDataScience, engine: Gds, walks: Sequence[Walk]) -> dict[str, Any]:
    """Compare personalised PageRank over the mentions around each question; seconds are medians over questions."""
    scores, taken = zip(*(walked(client, engine, *walk) for walk in walks), strict=True)
    return {
        "questions": len(walks),
        "nodesMedian": int(statistics.median(len(begin) for _, begin in walks)),
        "relationshipsMedian": int(statistics.median(len(edges) for edges, _ in walks)),
        **seconds(*(statistics.median(column) for column in zip(*taken, strict=True))),
        **agreement(scores),
    }


def walked(
    client: GraphDataScience, engine: Gds, edges: list[tuple[int, int]], begin: Doubles
) -> tuple[tuple[Doubles, Doubles], tuple[float, float, float]]:
    """Return the scores by both for one question, and what our own, theirs, and the projection take in seconds."""
    ranks, own_s = timed(lambda: pagerank.personalised_pagerank(edges, begin))
    ends = np.array(edges, dtype=np.int64)
    network = Network(np.arange(len(begin)), ends[:, 0], ends[:, 1], np.ones(len(ends)))
    options = {
        "source_nodes": [(int(at), float(begin[at])) for at in np.flatnonzero(begin)],
        "damping_factor": pagerank.DAMPING,
        "max_iterations": pagerank.MOST_ROUNDS,
        "tolerance": pagerank.CONVERGED,
    }
    with projected(engine, network) as (graph, projected_s):
        scores, gds_s = timed(lambda: ranked(client, graph, **options))
    return (ranks, scores), (own_s, gds_s, projected_s)


def ranked(client: GraphDataScience, graph: Any, **options: Any) -> Doubles:
    """Return the score of each node by Graph Data Science."""
    found = client.page_rank.stream(graph, concurrency=1, **options)
    return np.asarray(in_order(found["nodeId"], found["score"]), dtype=np.float64)


def agreement(pairs: Sequence[tuple[Doubles, Doubles]]) -> dict[str, float]:
    """Return the mean rank correlation of nodes that either ranks, to six digits, and the mean overlap of the best."""
    correlations, overlaps = [], []
    for own, other in pairs:
        reached = (own > 0) | (other > 0)
        one, two = (np.round(scores[reached] / scores.sum(), 9) for scores in (own, other))
        correlations.append(float(spearmanr(one, two).statistic))
        best, best_there = (set(np.argsort(-scores, kind="stable")[:TOP].tolist()) for scores in (one, two))
        overlaps.append(len(best & best_there) / len(best))
    return {
        "spearman": round(statistics.mean(correlations), 6),
        f"overlap@{TOP}": round(statistics.mean(overlaps), 3),
    }


def in_order(nodes: Any, values: Any) -> Any:
    """Return the values of a result in the order of its nodes."""
    return values.to_numpy()[np.argsort(nodes.to_numpy())]


def size_of(network: Network) -> dict[str, int]:
    return {"nodes": network.n, "relationships": len(network.sources)}


@contextmanager
def projected(engine: Gds, network: Network) -> Iterator[tuple[Any, float]]:
    """Project a graph; give it with the seconds that this took."""
    begin = time.perf_counter()
    with engine.projected(network) as graph:
        yield graph, time.perf_counter() - begin


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what ``work`` gives, and the median of the seconds that it takes."""
    taken = []
    for _ in range(TIMES):
        begin = time.perf_counter()
        result = work()
        taken.append(time.perf_counter() - begin)
    return result, statistics.median(taken)


def seconds(own_s: float, gds_s: float, projected_s: float) -> dict[str, float]:
    return {"ownS": round(own_s, 4), "gdsS": round(gds_s, 4), "projectionS": round(projected_s, 4)}


if __name__ == "__main__":
    main(sys.argv[1:])
