"""What a change of embedding models costs those who search meanwhile: four clients before, during and after it.

Usage: python -m benchmarks.reembed

400 abstracts (or PAPERGRAPH_BENCH_PAPERS) of ``$PAPERGRAPH_DATA/scifact`` go into another local Neo4j, another server
is asked over GraphQL, and ``papergraph embeddings switch`` runs beside it, by its own settings. The second model is
the packaged one with a further layer, 384 to 256 dimensions. Writes results/reembed.json.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import httpx
import numpy as np

from benchmarks.common import data_folder, environment_number, server, write_result
from benchmarks.graphql_latency import OPERATION
from evaluation.task import Task, read_task
from ingest.ingestor import Ingestor
from papergraph.embedding import load_model
from papergraph.settings import Settings
from papergraph.store import Address, open_store
from schema.ids import DEFAULT_COLLECTION
from schema.migrate import prepare
from tests.support.embedders import save_projected_model

N_ABSTRACTS = environment_number("PAPERGRAPH_BENCH_PAPERS", 400)
N_CLIENTS = 4
WARM_UP_S, PHASE_S = 10.0, 30.0
K = 10
COMMAND = Path(sys.executable).parent / "papergraph"


class Clients:
    """Clients that search one after the other, with the time and the end of each search."""

    def __init__(self, queries: list[str]) -> None:
        self._queries = queries
        self.searches: list[tuple[float, float]] = []
        self.errors: list[str] = []

    async def run(self, url: str, first: int) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=60.0) as client:
            number = first
            while True:
                query = self._queries[number % len(self._queries)]
                number += N_CLIENTS
                start = time.perf_counter()
                await self._search(client, query)
                self.searches.append((start, 1000 * (time.perf_counter() - start)))

    async def _search(self, client: httpx.AsyncClient, query: str) -> None:
        body = {"query": OPERATION, "variables": {"query": query, "k": K, "collection": DEFAULT_COLLECTION}}
        try:
            answer = (await client.post("/graphql", json=body)).json()
        except (httpx.HTTPError, ValueError) as error:
            self.errors.append(repr(error))
            return
        if "errors" in answer or len(answer["data"]["search"]["hits"]) != K:
            self.errors.append(json.dumps(answer)[:500])

    def figures(self, start: float, end: float) -> dict[str, float]:
        """Return how long the searches took that began in a span of time."""
        ms = [took for began, took in self.searches if start <= began < end]
        return {"seconds": round(end - start, 1), "searches": len(ms)} | {
            f"p{q} ms": round(float(np.percentile(ms, q)), 1) for q in (50, 95, 99, 100)
        }


async def main(address: Address, task: Task, folder: Path) -> None:
    papers = folder / "papers"
    papers.mkdir()
    for number, document in enumerate(task.documents[:N_ABSTRACTS]):
        (papers / f"{number:05}.md").write_text(f"# {document.title}\n\n{document.text}\n", encoding="utf-8")
    async with await address.connect() as database:
        embedder = await asyncio.to_thread(load_model, "bge-small-en-v1.5")
        await prepare(database, embedder.card)
        report = await Ingestor(database, embedder).ingest([papers])
    n_chunks = sum(item.n_chunks for item in report.items)
    model = save_projected_model(folder / "projected", dimension=256)
    clients = Clients([query.text for query in task.queries])
    with server(address) as (url, _):
        asking = [asyncio.create_task(clients.run(url, first)) for first in range(N_CLIENTS)]
        await asyncio.sleep(WARM_UP_S)  # the first searches of a server are slow
        marks = [time.perf_counter()]
        await asyncio.sleep(PHASE_S)
        marks.append(time.perf_counter())
        changed = await reembed(address, folder, "switch", str(model))
        marks.append(time.perf_counter())
        await asyncio.sleep(PHASE_S)
        marks.append(time.perf_counter())
        dropped = await reembed(address, folder, "prune")
        marks.append(time.perf_counter())
        for task_ in asking:
            task_.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    phases = zip(("before", "during", "after", "while the old is deleted"), pairwise(marks), strict=True)
    figures = {name: clients.figures(*span) for name, span in phases}
    write_result(
        "reembed",
        {
            "what": f"{N_CLIENTS} clients over GraphQL, k = {K}; {len(report.items)} abstracts in {n_chunks} chunks",
            **figures,
            "errors": len(clients.errors),
            "first errors": clients.errors[:3],
            "p99 during / before": round(figures["during"]["p99 ms"] / figures["before"]["p99 ms"], 2),
            "p99 deleting / before": round(
                figures["while the old is deleted"]["p99 ms"] / figures["before"]["p99 ms"], 2
            ),
            "vectors made": changed["n_made"],
            "vectors deleted": dropped["n_deleted"],
        },
    )


async def reembed(address: Address, home: Path, *arguments: str) -> dict[str, int]:
    """Run ``papergraph embeddings switch`` to its end and return its report."""
    process = await asyncio.create_subprocess_exec(
        COMMAND,
        "embeddings",
        *arguments,
        "--json",
        env=os.environ
        | {
            "PAPERGRAPH_HOME": str(home / "home"),
            "PAPERGRAPH_NEO4J_URI": address.uri,
            "PAPERGRAPH_NEO4J_PASSWORD": address.password,
        },
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, f"papergraph embeddings switch ended with {process.returncode}"
    report: dict[str, int] = json.loads(said)
    return report


if __name__ == "__main__":
    scifact = read_task(data_folder() / "scifact")
    with tempfile.TemporaryDirectory() as name:
        own = Settings(home=Path(name) / "neo4j-home", neo4j={"uri": None})
        with open_store(own) as address:
            asyncio.run(main(address, scifact, Path(name)))
