"""Latency of the web interface's requests, and time until an uploaded paper is found, at 10,786 chunks.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.pages

The store is that of ``python -m benchmarks.search_latency``. The operations are the files that the pages send
(``web/src/lib/queries``), each one request: the paper page, the search page, the graph page, and the palette, which
suggests names while a user types. Papers, queries and beginnings of words are drawn (seed 0) and come once each, so no
answer is remembered. Paints are those of Chromium that loads a page for the first time. The last figure is the time
from the start of an upload to the first search that finds its passage; only the server works on the job. Writes
results/pages.json, and ends with status 1 beyond a gate.
"""

import asyncio
import os
import re
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.common import data_folder, environment_number, kept_store, percentiles, server, write_result
from benchmarks.corpora import remembering_embedder
from benchmarks.filters import IDS, TASKS, loaded
from benchmarks.graphql_latency import timed
from benchmarks.search_latency import IDS as CHUNK_IDS
from papergraph.evaluation.task import Task, read_task
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.links.enrichment import LinksEnrichment
from papergraph.ingest.enrichments.run import enrich
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.store import Address
from tests.support.browser import chromium, watched

QUERIES = Path("web/src/lib/queries")
N_WARM_UP = 20
N_REQUESTS = environment_number("PAPERGRAPH_BENCH_QUERIES", 100)
N_UPLOADS = 10
K, PER_TYPE, MOST_NODES = 10, 10, 150
"""Queries of the search page and the graph page."""

PAINTED = {
    "first page": "/",
    "papers": "/papers",
    "search": "/search?q=effect+of+boundary+layers+on+heat+transfer",
    "paper": "/p/{paper}",
}
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
N_LOADS, PAINT_MS = 10, 1000.0
UPLOADED = "uploaded-by-a-benchmark"
PAUSE_S, LONGEST_S = 0.05, 60.0
PAGE_MS, SUGGESTION_MS, UPLOAD_S = 60.0, 30.0, 5.0
GATES_MS = {"paper": PAGE_MS, "search": PAGE_MS, "neighbourhood": PAGE_MS, "palette": SUGGESTION_MS}
"""Most milliseconds at the median."""


async def measure(address: Address) -> dict[str, Any]:
    """Return percentiles of each operation in milliseconds, and seconds until uploads are found."""
    tasks = [read_task(data_folder() / name) for name in TASKS]
    async with await address.connect() as database:
        await loaded(database, tasks)
        await enrich(
            database, [LinksEnrichment()], EnrichmentContext(remembering_embedder()), collection=DEFAULT_COLLECTION
        )
        papers, n_chunks = [record["id"] for record in await database.read(IDS)], len(await database.read(CHUNK_IDS))
    with server(address) as (url, _):
        async with httpx.AsyncClient(base_url=url, timeout=30.0) as client:
            ms = await operations(client, asked(papers, tasks))
            paints = await painted(url, papers[:N_LOADS])
            uploads = [await found_after(client, number) for number in range(N_UPLOADS)]
            (await client.delete(f"/v1/collections/{UPLOADED}")).raise_for_status()
    return {
        "what": f"one client, {N_REQUESTS} warm requests of each operation in turns, milliseconds",
        "chunks": n_chunks,
        "loadBefore": round(LOAD, 2),
        **{name: percentiles(times) for name, times in ms.items()},
        "firstContentfulPaintMs": {name: percentiles(times) for name, times in paints.items()},
        "uploadFoundAfterS": {
            "median": round(float(np.median(uploads)), 2),
            "longest": round(max(uploads), 2),
            "uploads": N_UPLOADS,
        },
        "gates": {f"{name}, p50": most for name, most in GATES_MS.items()}
        | {"uploadFoundAfterS": UPLOAD_S, "first contentful paint, p95": PAINT_MS},
    }


def asked(papers: list[str], tasks: list[Task]) -> dict[str, list[dict[str, Any]]]:
    """Return the variables of each operation, one entry per request."""
    drawn, n = np.random.default_rng(0), N_WARM_UP + N_REQUESTS
    queries = [query.text for task in tasks[:2] for query in task.queries]
    drawn.shuffle(queries)
    words = sorted({word for text in queries for word in re.findall(r"[a-z]{5,}", text.lower())})
    beginnings = [str(word)[: 3 + number % 4] for number, word in enumerate(drawn.permutation(words)[:n])]
    ids = [[str(id) for id in drawn.choice(papers, n, replace=False)] for _ in range(4)]
    near = {"types": None, "perType": PER_TYPE, "first": MOST_NODES}
    return {
        "paper": [{"id": id} for id in ids[0]],
        "chunks": [{"id": id, "after": None} for id in ids[1]],
        "links": [{"id": id} for id in ids[2]],
        "search": [{"input": {"query": query, "k": K}} for query in queries[:n]],
        "neighbourhood": [{"ids": [id], **near} for id in ids[3]],
        "palette": [{"collection": DEFAULT_COLLECTION, "text": text} for text in beginnings],
    }


async def operations(client: httpx.AsyncClient, wanted: dict[str, list[dict[str, Any]]]) -> dict[str, list[float]]:
    """Return the times of the warm requests, which take turns, in milliseconds."""
    texts = {name: (QUERIES / f"{name}.graphql").read_text(encoding="utf-8") for name in wanted}
    times: dict[str, list[float]] = {name: [] for name in wanted}
    for number in range(N_WARM_UP + N_REQUESTS):
        for name, variables in wanted.items():
            body = {"query": texts[name], "variables": variables[number]}
            seconds = await timed(partial(answered, client, body))
            if number >= N_WARM_UP:
                times[name].append(1000 * seconds)
    return times


async def painted(url: str, papers: list[str]) -> dict[str, list[float]]:
    """Return the times of the first contentful paint of pages, in milliseconds."""
    times: dict[str, list[float]] = {}
    async with chromium() as browser:
        for paper in papers:
            for name, address in PAINTED.items():
                async with watched(browser, url) as seen:
                    await seen.page.goto(address.format(paper=paper))
                    await seen.page.wait_for_load_state("networkidle")
                    times.setdefault(name, []).append(float(await seen.page.evaluate(FIRST_PAINT)))
    return times


async def answered(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    """Send an operation, which must have no error and something at each root field."""
    answer = (await client.post("/graphql", json=body)).json()
    assert "errors" not in answer and None not in answer["data"].values(), answer


async def found_after(client: httpx.AsyncClient, number: int) -> float:
    """Return the seconds from the start of an upload to the first search that finds it."""
    name = f"quokka{number}"
    paragraph = f"The {name} amplifier of this paper has a gain of {number + 20} dB. "
    text = f"# Amplifiers named {name}\n\n" + "".join(f"## Part {part}\n\n{paragraph * 40}\n\n" for part in range(8))
    start = time.perf_counter()
    sent = await client.post("/v1/uploads", files={"file": (f"{name}.md", text.encode())})
    upload = sent.raise_for_status().json()["id"]
    job = await client.post("/v1/jobs", json={"uploads": [upload], "collection": UPLOADED})
    job.raise_for_status()
    query = {"query": f"gain of the {name} amplifier", "k": 1, "collection": UPLOADED, "pipeline": "fast"}
    while time.perf_counter() - start < LONGEST_S:
        found = await client.post("/v1/search", json=query)
        if found.status_code == 200 and any(name in hit["passage"] for hit in found.json()["hits"]):
            return time.perf_counter() - start
        await asyncio.sleep(PAUSE_S)
    sys.exit(f"the upload was not found within {LONGEST_S:.0f} s")


LOAD = os.getloadavg()[0]


def main() -> int:
    with kept_store("filters") as address:
        figures = asyncio.run(measure(address))
    write_result("pages", figures)
    missed = [name for name, most in GATES_MS.items() if figures[name]["p50"] > most]
    missed += [name for name, one in figures["firstContentfulPaintMs"].items() if one["p95"] > PAINT_MS]
    missed += ["upload"] if figures["uploadFoundAfterS"]["longest"] > UPLOAD_S else []
    print("beyond the gate:", ", ".join(missed) or "none")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
