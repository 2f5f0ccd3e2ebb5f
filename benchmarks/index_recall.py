"""What the vector index misses: its first 20 of SciFact's abstracts against those of a comparison with each.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.index_recall, after papergraph eval retrieval $PAPERGRAPH_DATA/scifact

Writes results/index_recall.json.
"""

import asyncio

import numpy as np

import cypher
from benchmarks.common import data_folder, evaluated_store, write_result
from evaluation.task import Task, read_task
from papergraph.embedding import load_model
from papergraph.store import Address
from schema.ids import DEFAULT_COLLECTION
from schema.migrate import prepare
from server.retrieval.active_model import ActiveModel
from server.retrieval.retrievers.vector import retrieve_by_vector
from server.retrieval.scope import Scope

K = 20


async def main(address: Address, task: Task) -> None:
    embedder = load_model("all-MiniLM-L6-v2")
    model = ActiveModel(embedder)
    recalls = []
    async with await address.connect() as database:
        await prepare(database, embedder.card)  # the corpus may have been loaded by an earlier version
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
    write_result(
        "index_recall",
        {
            "what": f"SciFact test, {len(task.queries)} claims, {len(every)} abstracts, one chunk each",
            f"recall@{K} of the index against exact": round(float(np.mean(recalls)), 4),
        },
    )


if __name__ == "__main__":
    scifact = read_task(data_folder() / "scifact")
    with evaluated_store(scifact) as address:
        asyncio.run(main(address, scifact))
