"""Latency of a search with a selection: pipeline `default` over GraphQL, 10,786 chunks.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.search_latency [default] [wide] [reranked]      all by default

The store is that of ``python -m benchmarks.filters`` with the enrichment of links; queries are SciFact's and
Cranfield's, one after the other, each with its embedding, the certificate and the passages. The server is a process of
its own. Beside it stand the same without the selection; a search of two retrievers for 500 candidates each, with a
selection among 500 and without (their difference is taken for each query); what it takes to have the vectors of
candidates, read out of the store or, after the store was asked whether they are still those, out of this process's
memory; a full-text retriever whose hits come as records or as the rows of one; and ``default`` with a double of a
reranker that answers after 50 ms, and with one that is later than the time limit of .3 s. Writes
results/search_latency.json, and ends with status 1 beyond a gate.
"""

import asyncio
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.common import data_folder, environment_number, kept_store, percentiles, server, write_result
from benchmarks.corpora import remembering_embedder
from benchmarks.filters import TASKS, loaded
from benchmarks.graphql_latency import timed
from papergraph import cypher
from papergraph.database import Database
from papergraph.evaluation.task import Task, read_task
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.links.enrichment import LinksEnrichment
from papergraph.ingest.enrichments.run import enrich
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.server.retrieval.active_model import KeptVectors, Searched
from papergraph.server.retrieval.lucene import fulltext_query
from papergraph.server.retrieval.scope import SEARCHED_KINDS
from papergraph.statement import Statement
from papergraph.store import Address
from tests.support.fake_model_server import FakeModelServer, Fault

N_WARM_UP = 50
N_QUERIES = environment_number("PAPERGRAPH_BENCH_QUERIES", 200)
K, ALPHA = 10, 0.7
GATES_MS = {
    ("default", "p50"): 45.0,
    ("default, selected of 100", "p50"): 50.0,
    ("selection of 500 adds", "p95"): 25.0,
}
MOST_TIMES_P50 = 2.0
"""Gate of p95 of the pipeline ``default``, in milliseconds."""
POOL = 500
WAYS = ("default", "wide", "reranked")
RERANKERS_S = {"reranked in 50 ms": 0.05, "reranker late": 2.0}
RERANKER_LIMIT_S = 0.3
N_RERANKED = 40
N_CANDIDATES, N_READS = (100, POOL), 100
IDS = Statement("benchmark/ids", "CYPHER 25 MATCH (chunk:Chunk) RETURN chunk.id AS id ORDER BY id")

OPERATION = """
query ($input: SearchInput!) {
  search(input: $input) {
    hits { rank score passage paper { id title } section { id title } chunk { id } retrievers { retriever rank score } }
    selection { gap proven ms }
  }
}
"""


async def measure(address: Address, chosen: Sequence[str]) -> dict[str, Any]:
    """Return percentiles of each way, in milliseconds, and how often the selection was proven."""
    tasks = [read_task(data_folder() / name) for name in TASKS]
    async with await address.connect() as database:
        await loaded(database, tasks)
        if "default" in chosen:
            await enrich(
                database, [LinksEnrichment()], EnrichmentContext(remembering_embedder()), collection=DEFAULT_COLLECTION
            )
        n_chunks = len(await database.read(IDS))
        vectors_ms, retrievers_ms = await reading(database), await looking(database, tasks[0])
    queries = [query.text for task in tasks[:2] for query in task.queries]
    np.random.default_rng(0).shuffle(queries)
    selection = {"k": K, "alpha": ALPHA}
    wide = {
        "pipeline": "fused",
        "overrides": [{"option": "search.k", "value": POOL}, {"option": "fuse.k", "value": POOL}],
    }
    ways: dict[str, dict[str, Any]] = {
        "default": {"pipeline": "default", "selection": None},
        "default, selected of 100": {"pipeline": "default", "selection": selection | {"pool": 100}},
        "wide": wide,
        "wide, selected of 500": wide | {"selection": selection | {"pool": POOL}},
    }
    ways = {way: asked for way, asked in ways.items() if way.split(",")[0] in chosen}
    times: dict[str, list[float]] = {way: [] for way in ways}
    selections: dict[str, list[Any]] = {way: [] for way in ways}
    with server(address) as (url, _):
        async with httpx.AsyncClient(base_url=url, timeout=30.0) as client:
            for number, query in enumerate(queries[: N_WARM_UP + N_QUERIES]):
                for way, asked in ways.items():
                    answers: list[Any] = []
                    seconds = await timed(partial(ask, client, asked | {"query": query, "k": K}, answers))
                    if number >= N_WARM_UP:
                        times[way].append(1000 * seconds)
                        selections[way].append(answers[0]["selection"])
    figures: dict[str, Any] = {way: percentiles(ms) for way, ms in times.items()}
    if "reranked" in chosen:
        figures |= {f"default, {way}": await reranked(address, s, queries) for way, s in RERANKERS_S.items()}
    if "wide" in chosen:
        figures["selection of 500 adds"] = percentiles(list(np.array(times["wide, selected of 500"]) - times["wide"]))
    return {
        "what": f"k = {K}, one client, {N_QUERIES} warm queries, milliseconds",
        "chunks": n_chunks,
        "vectors of candidates": vectors_ms,
        "full-text retriever": retrievers_ms,
        **figures,
        **{
            f"{way}: solver": percentiles([one["ms"] for one in found])
            | {"proven": round(float(np.mean([one["proven"] for one in found])), 3)}
            for way, found in selections.items()
            if found[0] is not None
        },
        "gates": {f"{way}, {percentile}": most for (way, percentile), most in GATES_MS.items()},
    }


async def reranked(address: Address, delay_s: float, queries: Sequence[str]) -> dict[str, float]:
    """Return percentiles of pipeline ``default`` with a reranker that takes ``delay_s`` for every request."""
    times = []
    with FakeModelServer() as double, tempfile.TemporaryDirectory() as folder:
        double.always = lambda request: Fault(delay_s=delay_s)
        config = Path(folder) / "papergraph.toml"
        asked_of = f'url = "{double.url}"\nmodel = "double"\ntimeout_s = {RERANKER_LIMIT_S}'
        config.write_text(f"[reranker]\n{asked_of}\n", encoding="utf-8")
        with server(address, PAPERGRAPH_CONFIG=str(config)) as (url, _):
            async with httpx.AsyncClient(base_url=url, timeout=30.0) as client:
                for query in queries[: 2 * N_RERANKED]:
                    asked = {"pipeline": "default", "selection": None, "query": query, "k": K}
                    times.append(1000 * await timed(partial(ask, client, asked, [])))
        assert double.requests
    return percentiles(times[N_RERANKED:])


async def looking(database: Database, task: Task) -> dict[str, float]:
    """Return the median time of the full-text retriever by number of hits, as records and as the rows of one."""
    name, figures = "retrieval/fulltext_top_k", {}
    texts = [fulltext_query(one.text, collections=[DEFAULT_COLLECTION], kinds=SEARCHED_KINDS) for one in task.queries]
    for k in (200, POOL):
        for way, statement in (("records", cypher.load(name)), ("rows of one", cypher.gathered(name))):
            times = []
            for text in texts[:N_READS]:
                start = time.perf_counter()
                await database.read(statement, fulltext_query=text, k=k)
                times.append(1000 * (time.perf_counter() - start))
            figures[f"{k} {way}"] = round(float(np.median(times)), 2)
    return figures


async def reading(database: Database) -> dict[str, float]:
    """Return the median time for the vectors of chunks by each way, in milliseconds."""
    ids = [record["id"] for record in await database.read(IDS)]
    searched, kept = Searched(remembering_embedder()), KeptVectors()
    drawn = np.random.default_rng(1)
    times: dict[str, list[float]] = defaultdict(list)
    for n in N_CANDIDATES:
        for _ in range(N_READS):
            chunk_ids = [ids[place] for place in drawn.choice(len(ids), n, replace=False)]
            for way, memory in ((f"{n} read", KeptVectors()), (f"{n} taken in", kept), (f"{n} kept", kept)):
                start = time.perf_counter()
                assert len(await memory.of(database, searched, chunk_ids)) == n
                times[way].append(time.perf_counter() - start)
    return {way: round(1000 * float(np.median(ms)), 2) for way, ms in times.items() if "taken" not in way}


async def ask(client: httpx.AsyncClient, asked: dict[str, Any], answers: list[Any]) -> None:
    """Search, and keep the answer."""
    body = {"query": OPERATION, "variables": {"input": asked}}
    answer = (await client.post("/graphql", json=body)).json()
    assert len(answer["data"]["search"]["hits"]) == K, answer
    answers.append(answer["data"]["search"])


def main() -> int:
    with kept_store("filters") as address:
        figures = asyncio.run(measure(address, [way for way in WAYS if way in sys.argv[1:] or not sys.argv[1:]]))
    write_result("search_latency", figures)
    missed = [f"{way}, {p}" for (way, p), most in GATES_MS.items() if way in figures and figures[way][p] > most]
    if (default := figures.get("default")) and default["p95"] > MOST_TIMES_P50 * default["p50"]:
        missed.append("default, p95 over p50")
    print("beyond the gate:", ", ".join(missed) or "none")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
