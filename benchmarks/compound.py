"""Several questions in one query: taken apart, asked apart and given in turns, with and without punctuation.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.compound

120 queries of two or three of Cranfield's own, joined by full stops, in the store that ``papergraph eval retrieval
$PAPERGRAPH_DATA/cranfield`` keeps. ``bare`` are the same with all punctuation but hyphens removed. Writes
results/compound.json.
"""

import asyncio
import re
import time
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.common import data_folder, evaluated_store, write_result
from benchmarks.corpora import remembering_embedder
from evaluation.corpus_store import chunking_of, home_of, load_corpus
from evaluation.measures import figures
from evaluation.retrieval.runs import run_pipelines
from evaluation.task import Task, read_task
from papergraph.settings import Settings
from papergraph.store import Address
from server.retrieval.pipelines import shipped
from server.retrieval.resources import Resources

PIPELINES = ("fulltext", "fused", "fast", "diverse", "default")


def bare(text: str) -> str:
    """Return a text without punctuation but hyphens."""
    return " ".join(re.sub(r"[^\w\s-]", " ", text).split())


async def measure(address: Address, task: Task) -> dict[str, Any]:
    """Return the measures of each pipeline for both forms of the queries."""
    options, embedder = chunking_of(task), remembering_embedder()
    async with await address.connect() as database:
        folder = home_of(Settings(), task, options)
        corpus = await load_corpus(database, embedder, task, options=options, folder=folder)
        resources = Resources.of(database, embedder)
        found: dict[str, Any] = {"queries": len(task.queries)}
        for form, change in (("as they are", str), ("bare", bare)):
            asked = replace(task, queries=tuple(replace(query, text=change(query.text)) for query in task.queries))
            start = time.perf_counter()
            runs = await run_pipelines(resources, asked, corpus, [shipped()[name] for name in PIPELINES])
            found[form] = {"s": round(time.perf_counter() - start, 1)}
            for name, run in runs.items():
                ids = {id: ranking.ids for id, ranking in run.items()}
                of = {one.name: list(figures(one, asked.queries, ids).values()) for one in task.measures}
                found[form][name] = {measure: round(float(np.mean(values)), 4) for measure, values in of.items()}
    return found


if __name__ == "__main__":
    compound = read_task(data_folder() / "diversity_cranfield")
    with evaluated_store(compound) as address:
        write_result("compound", asyncio.run(measure(address, compound)))
