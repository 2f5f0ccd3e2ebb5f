"""Recall of the vector index: its first 20 of SciFact's abstracts beside those of an exact comparison.

The same with each quantisation, for real vectors of several corpora in a store of its own: those that evaluations have
made, at most 20,000. Queries are SciFact's claims; the exact ranking is a product of matrices.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.index_recall, after papergraph eval retrieval $PAPERGRAPH_DATA/scifact

Writes results/index_recall.json.
"""

import asyncio
import sqlite3
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.common import data_folder, empty_store, evaluated_store, home_of_store, percentiles, write_result
from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats, load_model
from papergraph.evaluation.corpus_store import VECTORS
from papergraph.evaluation.task import Task, read_task
from papergraph.local_neo4j import index_files
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.schema.indexes import vector_indexes, wait_until_built
from papergraph.schema.migrate import prepare
from papergraph.schema.model import QUANTIZATIONS
from papergraph.server.retrieval.active_model import ActiveModel
from papergraph.server.retrieval.retrievers.vector import LEAST_ASKED, retrieve_by_vector
from papergraph.server.retrieval.scope import Scope
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address
from papergraph.vector_slots import VectorSlot

K = 20
SHOWN = 10
MOST_VECTORS = 20_000
PER_TRANSACTION = 200
"""Chunks of a transaction of an ingestion."""
ROUNDS = 3
WRITE = Statement(
    "benchmark/write",
    "UNWIND $rows AS row CREATE (chunk:Chunk {id: row.id, paperId: row.id, collection: 'main', kind: 'body'}) "
    "WITH chunk, row CALL db.create.setNodeVectorProperty(chunk, 'embedding', row.vector)",
)


async def missed(address: Address, task: Task) -> dict[str, Any]:
    """Return how much of the exact first 20 the index of an evaluated store finds."""
    embedder = load_model("bge-small-en-v1.5")
    model = ActiveModel(embedder)
    recalls = []
    async with await address.connect() as database:
        await prepare(database, embedder.card)
        records = await database.read(cypher.load("evaluation/papers"), collection=DEFAULT_COLLECTION)
        every = tuple(record["id"] for record in records)
        for query in task.queries:
            found, exact = [
                {
                    candidate.chunk_id
                    for candidate in await retrieve_by_vector(
                        database, model, query.text, Scope((DEFAULT_COLLECTION,), paper_ids=paper_ids), k=K
                    )
                }
                for paper_ids in (None, every)
            ]
            assert len(exact) == K, f"{len(exact)} chunks are near {query.text!r}, not {K}"
            recalls.append(len(found & exact) / K)
    return {
        "what": f"SciFact test, {len(task.queries)} claims, {len(every)} abstracts, one chunk each",
        f"recall@{K} of the index against exact": round(float(np.mean(recalls)), 4),
    }


def real_vectors(dimension: int) -> Floats:
    """Return vectors that evaluations have made, each once, shape (n, dimension), or end with the reason."""
    file = Settings().cache / "evaluation" / VECTORS
    if not file.exists():
        sys.exit("first make vectors: papergraph eval retrieval $PAPERGRAPH_DATA/scifact")
    with sqlite3.connect(file) as connection:
        found = connection.execute(
            "SELECT DISTINCT components FROM vector WHERE length(components) = ? ORDER BY key LIMIT ?",
            (4 * dimension, MOST_VECTORS),
        ).fetchall()
    return np.stack([np.frombuffer(components, dtype="<f4") for (components,) in found])


async def quantized(address: Address, vectors: Floats, queries: Sequence[str], embedder: Embedder) -> dict[str, Any]:
    """Return for each quantisation recall@10, latency, segments, and the size of the index of some vectors."""
    files = partial(index_files, home_of_store("index_recall"))
    figures = {}
    async with await address.connect() as database:
        await prepare(database, embedder.card)
        for rows in batches(list(enumerate(vectors.tolist())), PER_TRANSACTION):
            named = [{"id": f"{number:064x}", "vector": vector} for number, vector in rows]
            await database.run_alone(WRITE, rows=named)
        figures["as written"] = await measured(database, vectors, queries, embedder) | _size(
            await _chunks(database), files()
        )
        for quantization in QUANTIZATIONS:
            start = time.perf_counter()
            await rebuilt(database, quantization, dimension=embedder.card.dimension)
            elapsed_s = time.perf_counter() - start
            figures[quantization] = await measured(database, vectors, queries, embedder) | _size(
                await _chunks(database), files()
            )
            figures[quantization]["seconds to build"] = round(elapsed_s, 1)
    return {"vectors": len(vectors), **figures}


async def rebuilt(database: Database, quantization: str, *, dimension: int) -> None:
    """Build the vector index of chunks again with a quantization."""
    await database.run_alone(cypher.load("schema/drop_index"), name="chunk_embedding")
    for index in vector_indexes(VectorSlot.FIRST, dimension=dimension, quantization=quantization):
        if index.name == "chunk_embedding":
            await index.create(database, deadline_s=60.0)
    await wait_until_built(database)


async def measured(database: Database, vectors: Floats, queries: Sequence[str], embedder: Embedder) -> dict[str, Any]:
    """Return recall@10 as the retriever searches, and what a search takes in milliseconds."""
    model = ActiveModel(embedder)
    recalls, latencies = [], []
    for round_ in range(ROUNDS):
        for query in queries:
            vector = await model.vector(query)  # kept from the first round on: only the search is timed
            start = time.perf_counter()
            found = await retrieve_by_vector(
                database, model, query, Scope((DEFAULT_COLLECTION,)), k=LEAST_ASKED, first=SHOWN
            )
            latencies.append(1000 * (time.perf_counter() - start))
            if round_ == 0:
                exact = np.argsort(-(vectors @ np.asarray(vector, dtype=np.float32)))[:SHOWN]
                wanted = {f"{number:064x}" for number in exact}
                recalls.append(len(wanted & {one.chunk_id for one in found}) / SHOWN)
    later = latencies[len(queries) :]
    return {
        f"recall@{SHOWN}": round(float(np.mean(recalls)), 4),
        **{f"{name} ms": value for name, value in percentiles(later, digits=2).items()},
    }


async def _chunks(database: Database) -> int:
    records = await database.read(cypher.load("schema/indexes"))
    return int(next(record["id"] for record in records if record["name"] == "chunk_embedding"))


def _size(number: int, files: Mapping[int, Any]) -> dict[str, Any]:
    return {"MB": round(files[number].n_bytes / 1e6, 1), "segments": files[number].n_segments}


def main() -> None:
    scifact = read_task(data_folder() / "scifact")
    with evaluated_store(scifact) as address:
        figures = asyncio.run(missed(address, scifact))
    embedder = load_model("bge-small-en-v1.5")
    vectors, queries = real_vectors(embedder.card.dimension), [query.text for query in scifact.queries]
    with empty_store("index_recall") as address:
        by_quantization = asyncio.run(quantized(address, vectors, queries, embedder))
    write_result("index_recall", figures | {"quantization": by_quantization})


if __name__ == "__main__":
    main()
