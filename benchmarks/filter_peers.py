"""Filtered search beside neo4j-graphrag's and LlamaIndex's retrievers, on the same graph, server, queries and vectors.

Usage: python -m benchmarks.filter_peers [abstracts] [generated] [plain]

``abstracts`` is the store of benchmarks/filters.py: an abstract is a chunk. Peers filter by a property of the nodes
that they search, so for them each chunk gets, while this runs, properties that say whether its paper is in a category
that half, a tenth, a hundredth and a thousandth have, and for lists of authors the ids of their papers, resolved
beforehand, are given. One way of neo4j-graphrag has an index as its create_vector_index makes it, with these properties
declared, and a label for it. ``generated`` is a store of 100,000 chunks of the papers that benchmarks/growth.py
generates; the filters are papers drawn (seed 0), and the chunks' vectors are, so nothing is near anything.

``plain`` is the store of abstracts without any filter, our vector search and neo4j-graphrag's VectorRetriever in
alternation.

Each system is asked each query in turns; the time is taken in its own process, around the call that gives ten chunks
with their texts; vectors of queries were made beforehand for all. Recall is against the comparison with every vector
that passes. Figures of a store replace its former ones in results/filter_peers.json.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery

from benchmarks.common import (
    data_folder,
    earlier_result,
    empty_store,
    environment_number,
    kept_store,
    percentiles,
    write_result,
)
from benchmarks.filters import AUTHORS, IDS, N_AUTHORS, N_WARM_UP, SHARES, TASKS, loaded
from benchmarks.growth import N_CHUNKS, WINDOW, drop_indexes, measure
from benchmarks.ingest_peers import PEERS, environment
from papergraph.database import Database
from papergraph.embedding import Floats, PackagedModel, load_model
from papergraph.evaluation.task import read_task
from papergraph.schema.migrate import make_vector_indexes, prepare
from papergraph.server.integrations.llama_index import GraphStore
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.filters import Filter, parse_filter, resolve
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import SEARCHED_KINDS
from papergraph.server.retrieval.search import search
from papergraph.statement import Statement
from papergraph.store import Address
from papergraph.vector_slots import VectorSlot

K = 10
N_QUERIES = environment_number("PAPERGRAPH_BENCH_QUERIES", 30)
OUR_INDEX, DECLARED, FULLTEXT = "chunk_embedding", "peer_chunks", "chunk_text"
RECALL_LOST, TIMES_WHERE_SCANNED = 0.01, 10.0
CHUNKS = Statement(
    "benchmark/chunks",
    "CYPHER 25 MATCH (chunk:Chunk) WHERE chunk.kind IN $kinds "
    "RETURN chunk.id AS id, chunk.paperId AS paper_id, chunk.embedding AS vector ORDER BY id",
)
MARK = Statement(
    "benchmark/mark",
    "CYPHER 25 MATCH (paper:Paper)-[:HAS_SECTION]->()-[:HAS_CHUNK]->(chunk:Chunk) SET chunk:PeerChunk "
    "FOREACH (share IN $shares | "
    "  SET chunk[share] = CASE WHEN share IN paper.categories THEN 'yes' ELSE 'no' END)",
)
UNMARK = Statement(
    "benchmark/unmark",
    "CYPHER 25 MATCH (chunk:PeerChunk) REMOVE chunk:PeerChunk FOREACH (share IN $shares | REMOVE chunk[share])",
)
MAKE_INDEX = Statement(
    "benchmark/index",
    "CREATE VECTOR INDEX peer_chunks IF NOT EXISTS FOR (n:PeerChunk) ON n.embedding "
    "WITH [n.`half`, n.`tenth`, n.`hundredth`, n.`thousandth`] "
    "OPTIONS { indexConfig: { `vector.dimensions`: 384, `vector.similarity_function`: 'cosine' } }",
)
"""As neo4j-graphrag's create_vector_index writes it for these properties."""

DROP_INDEX = Statement("benchmark/drop", "DROP INDEX peer_chunks IF EXISTS")
AWAIT_INDEX = Statement("benchmark/await", "CALL db.awaitIndexes(300)")
LONG_S = 300.0
OUR_VECTOR, OUR_HYBRID = "papergraph search, pipeline vector", "papergraph search, pipeline fused"
OUR_STORE = "papergraph's store for LlamaIndex"
VECTOR_RETRIEVER = "neo4j-graphrag VectorRetriever"
DECLARING = "neo4j-graphrag VectorRetriever, properties declared"
THEIR_HYBRID = "neo4j-graphrag HybridCypherRetriever"
COMPARING_VECTORS = (OUR_VECTOR, OUR_STORE, VECTOR_RETRIEVER, "LlamaIndex Neo4jVectorStore")


@dataclass(frozen=True)
class Asked:
    """The same filter in the form of each system; all are None for a search without a filter.

    Attributes:
        ours: The form of papergraph.
        theirs: The form of neo4j-graphrag: a property with a value, or with several.
        llama_index: The form of LlamaIndex.
    """

    ours: Filter | None = None
    theirs: Mapping[str, Any] | None = None
    llama_index: MetadataFilters | None = None


Answer = tuple[float, list[str]]
Ask = Callable[[str, list[float], Asked], Awaitable[Answer]]
"""Takes a query's words, its vector and the filter; gives milliseconds, and ids of chunks, best first."""


def main() -> None:
    pythons = {name: environment(f"{name}-search") for name in ("neo4j-graphrag", "llama-index")}
    stores = earlier_result("filter_peers").get("stores", {})
    for name in sys.argv[1:] or ["abstracts"]:
        store, figures_of = {
            "abstracts": (kept_store("filters"), of_abstracts),
            "generated": (empty_store("generated"), of_generated),
            "plain": (kept_store("filters"), of_plain),
        }[name]
        with store as address:
            figures = asyncio.run(figures_of(address, pythons))
        stores[name] = {"load": round(os.getloadavg()[0], 1), **figures, "gates": gates(figures["filters"])}
        write_result("filter_peers", {"what": f"k = {K}, warm; milliseconds", "stores": stores})


async def of_generated(address: Address, pythons: Mapping[str, Path]) -> dict[str, Any]:
    """Fill a store with 100,000 chunks, and return the figures."""
    async with await address.connect() as database:
        card = PackagedModel().card
        await prepare(database, card)
        await drop_indexes(database, ("VECTOR",))  # built at once afterwards, in less time
        await measure(database, psutil.Process(), n_chunks=N_CHUNKS, window=WINDOW)
        await make_vector_indexes(database, VectorSlot.FIRST, dimension=card.dimension)
        with ExitStack() as stack:
            systems = await opened(address, database, pythons, stack, only=COMPARING_VECTORS)
            figures = await asked(database, systems, queries(), await drawn_papers(database))
    return {"queries": N_QUERIES, "filters": figures}


async def of_plain(address: Address, pythons: Mapping[str, Path]) -> dict[str, Any]:
    """Return the figures of two searches by vectors alone, in alternation."""
    async with await address.connect() as database:
        await loaded(database, [read_task(data_folder() / name) for name in TASKS])
        with ExitStack() as stack:
            systems = await opened(address, database, pythons, stack, only=(OUR_VECTOR, VECTOR_RETRIEVER))
            figures = await asked(database, systems, queries(), {"none": Asked()})
    medians = {system: one["p50"] for system, one in figures["none"]["systems"].items()}
    ratio = round(medians[OUR_VECTOR] / medians[VECTOR_RETRIEVER], 2)
    return {"queries": N_QUERIES, "filters": figures, "ours over VectorRetriever": {"limit": 1.5, "ratio": ratio}}


async def of_abstracts(address: Address, pythons: Mapping[str, Path]) -> dict[str, Any]:
    """Return the figures of the store of abstracts."""
    async with await address.connect() as database:
        await loaded(database, [read_task(data_folder() / name) for name in TASKS])
        try:
            await database.run_alone(MARK, shares=list(SHARES), deadline_s=LONG_S)
            await database.run_alone(MAKE_INDEX)
            await database.read(AWAIT_INDEX, deadline_s=LONG_S)
            with ExitStack() as stack:
                systems = await opened(address, database, pythons, stack)
                figures = await asked(database, systems, queries(), await categories_and_authors(database))
        finally:
            await database.run_alone(DROP_INDEX)
            await database.run_alone(UNMARK, shares=list(SHARES), deadline_s=LONG_S)
    return {"queries": N_QUERIES, "filters": figures}


def queries() -> list[str]:
    """Return queries of SciFact and Cranfield in an order of their own."""
    found = [query.text for name in TASKS[:2] for query in read_task(data_folder() / name).queries]
    np.random.default_rng(0).shuffle(found)
    return found[: N_WARM_UP + N_QUERIES]


async def opened(
    address: Address,
    database: Database,
    pythons: Mapping[str, Path],
    stack: ExitStack,
    *,
    only: Collection[str] | None = None,
) -> dict[str, Ask]:
    """Return how each system, or those named, is asked, with the peers' processes running."""
    model = ActiveModel(load_model("bge-small-en-v1.5"))
    resources = Resources.of(database, model)
    store = stack.enter_context(await asyncio.to_thread(GraphStore.of, address))

    def pipeline(name: str) -> Ask:
        async def ask(text: str, vector: list[float], asked: Asked) -> Answer:
            await model.vector(text)  # kept for the search, as the others are given it
            start = time.perf_counter()
            found = await search(resources, SearchRequest(text, pipeline=name, k=K, filter=asked.ours))
            ids = [hit.chunk.id for hit in found.hits]
            return 1000 * (time.perf_counter() - start), ids

        return ask

    async def of_store(text: str, vector: list[float], asked: Asked) -> Answer:
        start = time.perf_counter()
        nodes, _ = await store.avector_query(VectorStoreQuery(vector, similarity_top_k=K, filters=asked.llama_index))
        ids = [node.id for node in nodes]
        return 1000 * (time.perf_counter() - start), ids

    def peer(name: str, program: str, way: str, index: str) -> Ask:
        task = {"way": way, "index": index, "fulltext": FULLTEXT}
        place = {"uri": address.uri, "user": address.user, "password": address.password}
        ask = stack.enter_context(running(pythons[name], program, {**task, **place}))

        async def of_peer(text: str, vector: list[float], asked: Asked) -> Answer:
            return await asyncio.to_thread(ask, {"text": text, "vector": vector, "filter": asked.theirs})

        return of_peer

    graphrag, llama = "neo4j_graphrag_search.py", "llama_index_search.py"
    make: dict[str, Callable[[], Ask]] = {
        OUR_VECTOR: lambda: pipeline("vector"),
        OUR_STORE: lambda: of_store,
        DECLARING: lambda: peer("neo4j-graphrag", graphrag, "vector", DECLARED),
        VECTOR_RETRIEVER: lambda: peer("neo4j-graphrag", graphrag, "vector", OUR_INDEX),
        "LlamaIndex Neo4jVectorStore": lambda: peer("llama-index", llama, "vector", OUR_INDEX),
        OUR_HYBRID: lambda: pipeline("fused"),
        THEIR_HYBRID: lambda: peer("neo4j-graphrag", graphrag, "hybrid", OUR_INDEX),
    }
    return {name: made() for name, made in make.items() if only is None or name in only}


@contextmanager
def running(python: Path, program: str, task: dict[str, Any]) -> Iterator[Callable[[dict[str, Any]], Answer]]:
    """Run a peer's program, and give what asks it."""
    process = subprocess.Popen(
        [python, PEERS / program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert process.stdin and process.stdout
    lines, answers = process.stdin, process.stdout

    def told(message: dict[str, Any]) -> dict[str, Any]:
        lines.write(json.dumps(message) + "\n")
        lines.flush()
        answer = answers.readline()
        assert answer, f"{program} has ended"
        return dict(json.loads(answer))

    def ask(message: dict[str, Any]) -> Answer:
        answer = told(message)
        return answer["ms"], answer["ids"]

    try:
        assert told(task)["ready"]
        yield ask
    finally:
        lines.close()
        process.wait(timeout=30)


async def asked(
    database: Database, systems: Mapping[str, Ask], queries: Sequence[str], filters: Mapping[str, Asked]
) -> dict[str, Any]:
    """Return the figures of each filter and system."""
    model = load_model("bge-small-en-v1.5")
    vectors = [model.encode_query(text) for text in queries]
    records = await database.read(CHUNKS, kinds=list(SEARCHED_KINDS), deadline_s=LONG_S)
    ids = [record["id"] for record in records]
    papers = [record["paper_id"] for record in records]
    matrix = np.array([record["vector"] for record in records], dtype=np.float32)
    figures: dict[str, Any] = {}
    for name, one in filters.items():
        let_in = None if one.ours is None else (await resolve(database, one.ours, ("main",))).passing.papers
        passes = np.array([let_in is None or paper in let_in for paper in papers])
        truth = [Exact.of(matrix, passes, vector, ids) for vector in vectors]
        times: dict[str, list[float]] = {system: [] for system in systems}
        recalls: dict[str, list[float]] = {system: [] for system in systems}
        hits: dict[str, list[int]] = {system: [] for system in systems}
        for number, (text, vector, exact) in enumerate(zip(queries, vectors, truth, strict=True)):
            order = list(systems.items())
            for system, ask in order[number % len(order) :] + order[: number % len(order)]:
                ms, found = await ask(text, vector.tolist(), one)
                if number >= N_WARM_UP:
                    times[system].append(ms)
                    recalls[system].append(exact.recall(found))
                    hits[system].append(len(found))
        figures[name] = {
            "chunks": int(passes.sum()),
            "systems": {
                system: {
                    **percentiles(times[system]),
                    "recall": round(float(np.mean(recalls[system])), 3),
                    "hits": round(float(np.mean(hits[system])), 1),
                }
                for system in systems
            },
        }
        print(json.dumps({name: figures[name]}), flush=True)
    return figures


@dataclass(frozen=True)
class Exact:
    """The chunks that are nearest to a query among those that pass, and others as near as the last of them."""

    n: int
    nearest: frozenset[str]

    @classmethod
    def of(cls, matrix: Floats, passes: Any, vector: Floats, ids: Sequence[str]) -> "Exact":
        cosines = np.where(passes, matrix @ vector, -2.0)
        n = min(K, int(passes.sum()))
        least = np.sort(cosines)[-n] - 1e-6
        return cls(n, frozenset(ids[int(place)] for place in np.flatnonzero(cosines >= least)))

    def recall(self, found: Sequence[str]) -> float:
        return min(len(self.nearest & set(found)), self.n) / self.n


async def drawn_papers(database: Database) -> dict[str, Asked]:
    """Return filters by papers that are drawn, none first."""
    ids = [record["id"] for record in await database.read(IDS, deadline_s=LONG_S)]
    drawn = np.random.default_rng(0).permutation(sorted(ids)).tolist()
    made = {"none": Asked()}
    for name, n in {"tenth": len(ids) // 10, "hundredth": len(ids) // 100, "thousandth": len(ids) // 1000}.items():
        one = MetadataFilter(key="papers", value=drawn[:n], operator=FilterOperator.IN)
        made[f"{name}, {n} papers"] = Asked(
            parse_filter({"papers": drawn[:n]}),
            {"property": "paperId", "values": drawn[:n]},
            MetadataFilters(filters=[one]),
        )
    return made


async def categories_and_authors(database: Database) -> dict[str, Asked]:
    """Return filters by categories and authors, none first."""
    made = {"none": Asked()}
    for share in SHARES:
        made[share] = Asked(
            parse_filter({"categories": [share]}),
            {"property": share, "value": "yes"},
            MetadataFilters(filters=[MetadataFilter(key="category", value=share)]),
        )
    names = [record["name"] for record in await database.read(AUTHORS, n=N_AUTHORS)]
    for n in (N_AUTHORS, 1):
        ours = parse_filter({"authors": names[:n]})
        papers = (await resolve(database, ours, ("main",))).passing.papers
        assert papers is not None
        one = MetadataFilter(key="authors", value=names[:n], operator=FilterOperator.IN)
        theirs = {"property": "paperId", "values": sorted(papers.ids)}
        made[f"{n} author{'s' if n > 1 else ''}"] = Asked(ours, theirs, MetadataFilters(filters=[one]))
    return made


def gates(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the gates ask: a peer's recall over ours, and its median over ours, of the same kind of search."""
    lost: list[tuple[float, str]] = []
    times: list[tuple[float, str]] = []
    for filter, one in figures.items():
        for name, theirs in one["systems"].items():
            if name.startswith("papergraph"):
                continue
            ours = one["systems"][OUR_HYBRID if name == THEIR_HYBRID else OUR_VECTOR]
            times.append((round(theirs["p50"] / ours["p50"], 2), f"{name}, {filter}"))
            if name != THEIR_HYBRID:
                lost.append((round(theirs["recall"] - ours["recall"], 3), f"{name}, {filter}"))
    return {
        "recall lost to a peer": {"limit": RECALL_LOST, "most": max(lost)},
        "times faster than a peer": {"limit": 1.0, "least": min(times)},
        "times faster where it scans": {"limit": TIMES_WHERE_SCANNED, "most": max(times)},
    }


if __name__ == "__main__":
    main()
