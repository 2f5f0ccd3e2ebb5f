"""How long a search takes that chooses passages: pipeline `default` with a selection, over GraphQL, 10,786 chunks.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.search_latency

The store is that of ``python -m benchmarks.filters`` with the layer of links; queries are SciFact's and Cranfield's,
one after the other, each with its embedding, the certificate and the passages. The server is a process of its own.
Beside it stands the same without the selection, and what it takes to have the vectors of 100 candidates for it: read
out of the store, or out of a memory-mapped file after the store was asked whether they are still those. Writes
results/search_latency.json.
"""

import asyncio
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import numpy as np

import cypher
from benchmarks.common import data_folder, environment_number, home_of_store, write_result
from benchmarks.corpora import remembering_embedder
from benchmarks.filters import TASKS, loaded
from benchmarks.graphql_latency import server, timed
from evaluation.task import read_task
from ingest.layers.layer import Means
from ingest.layers.links import LinksLayer
from ingest.layers.run import enrich
from papergraph.database import Database, Statement
from papergraph.settings import Settings
from papergraph.store import Address, open_store
from schema.ids import DEFAULT_COLLECTION
from schema.stored_models import State
from server.terminal import TerminalProgress

N_WARM_UP = 50
N_QUERIES = environment_number("PAPERGRAPH_BENCH_QUERIES", 200)
K, ALPHA = 10, 0.7
GATES_MS = {"p50": 60.0, "p95": 150.0}
N_CANDIDATES, N_READS = 100, 100
IDS = Statement("benchmark/ids", "CYPHER 25 MATCH (chunk:Chunk) RETURN chunk.id AS id ORDER BY id")
HASHES = Statement(
    "benchmark/hashes",
    "CYPHER 25 MATCH (chunk:Chunk) WHERE chunk.id IN $chunk_ids AND chunk.embeddingModel = $model "
    "RETURN chunk.id AS id, chunk.embeddingHash AS hash",
)

OPERATION = """
query ($query: String!, $k: Int!, $selection: SelectionInput) {
  search(input: {query: $query, k: $k, pipeline: "default", selection: $selection}) {
    hits { rank score passage paper { id title } section { id title } chunk { id } legs { leg rank score } }
    selection { gap proven }
  }
}
"""


async def measure(address: Address) -> dict[str, Any]:
    """Return percentiles of both, in milliseconds, and how often the selection was proven."""
    tasks = [read_task(data_folder() / name) for name in TASKS]
    async with await address.connect() as database:
        await loaded(database, tasks)
        await enrich(database, [LinksLayer()], Means(remembering_embedder()), collection=DEFAULT_COLLECTION)
        n_chunks = len(await database.read(IDS))
        vectors_ms = await reading(database)
    queries = [query.text for task in tasks[:2] for query in task.queries]
    np.random.default_rng(0).shuffle(queries)
    times: dict[str, list[float]] = {"selected": [], "not selected": []}
    proven = 0
    with server(address) as url:
        async with httpx.AsyncClient(base_url=url, timeout=30.0) as client:
            for number, query in enumerate(queries[: N_WARM_UP + N_QUERIES]):
                for way, selection in (("selected", {"k": K, "alpha": ALPHA}), ("not selected", None)):
                    answers: list[Any] = []
                    seconds = await timed(partial(ask, client, query, selection, answers))
                    if number >= N_WARM_UP:
                        times[way].append(1000 * seconds)
                        proven += bool(selection and answers[0]["selection"]["proven"])
    return {
        "what": f"pipeline default, k = {K}, one client, {N_QUERIES} warm queries, milliseconds",
        "chunks": n_chunks,
        f"vectors of {N_CANDIDATES} candidates": vectors_ms,
        **{way: {f"p{q}": round(float(np.percentile(ms, q)), 1) for q in (50, 95)} for way, ms in times.items()},
        "proven": round(proven / N_QUERIES, 3),
        "gates": GATES_MS,
    }


async def reading(database: Database) -> dict[str, float]:
    """Return the median time for the vectors of 100 chunks by each way, in milliseconds."""
    ids = [record["id"] for record in await database.read(IDS)]
    card, vectors = remembering_embedder().card, cypher.load("retrieval/chunk_vectors")
    with tempfile.TemporaryDirectory() as folder:
        rows = {id: row for row, id in enumerate(ids)}
        mapped = np.memmap(Path(folder) / "vectors", np.float32, "w+", shape=(len(ids), card.dimension))
        mapped[:] = np.random.default_rng(0).standard_normal(mapped.shape, dtype=np.float32)
        drawn = np.random.default_rng(1)
        times: dict[str, list[float]] = {"read": [], "memory-mapped": []}
        for _ in range(N_READS):
            chunk_ids = [ids[place] for place in drawn.choice(len(ids), N_CANDIDATES, replace=False)]
            start = time.perf_counter()
            records = await database.read(vectors, chunk_ids=chunk_ids, model=card.sha256, state=State.ACTIVE)
            assert np.array([record["vector"] for record in records], dtype=np.float32).shape[0] == N_CANDIDATES
            times["read"].append(time.perf_counter() - start)
            start = time.perf_counter()
            hashes = await database.read(HASHES, chunk_ids=chunk_ids, model=card.sha256)
            assert np.array(mapped[[rows[record["id"]] for record in hashes]]).shape[0] == N_CANDIDATES
            times["memory-mapped"].append(time.perf_counter() - start)
    return {way: round(1000 * float(np.median(seconds)), 2) for way, seconds in times.items()}


async def ask(client: httpx.AsyncClient, query: str, selection: Any, answers: list[Any]) -> None:
    """Search, and keep the answer."""
    body = {"query": OPERATION, "variables": {"query": query, "k": K, "selection": selection}}
    answer = (await client.post("/graphql", json=body)).json()
    assert len(answer["data"]["search"]["hits"]) == K, answer
    answers.append(answer["data"]["search"])


def main() -> None:
    own = Settings().model_copy(update={"home": home_of_store("filters"), "neo4j_uri": None})
    with TerminalProgress() as progress, open_store(own, progress=progress) as address:
        progress.pause()
        write_result("search_latency", asyncio.run(measure(address)))


if __name__ == "__main__":
    main()
