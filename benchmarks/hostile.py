"""Robustness: a database that goes away, odd full-text queries, and files that are bombs.

Usage: python -m benchmarks.hostile [database] [queries] [uploads] [attacks]      all by default

The server is a process, on a Neo4j of the benchmark's own with the sample papers. Writes results/hostile.json, and ends
with status 1 beyond a bar.

database  Neo4j is killed under eight clients: how long until /readyz says so, and how each request under way is
          answered. Then it is started again: how long until /readyz is well, from the start of the process.
queries   5,000 random texts with all characters that mean something to Lucene, searched for by the full-text retriever.
uploads   Bombs and broken files are brought and ingested by a worker, while /healthz is asked ten times a second: what
          they are refused for, how long that takes, and how much memory the worker's processes have at most.
attacks   A server that requires keys is attacked in five ways, and its Neo4j is killed; see benchmarks/attacks.py.
"""

import asyncio
import json
import os
import random
import signal
import string
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.attacks import attacks
from benchmarks.common import earlier_result, environment_number, home_of_store, percentiles, server, write_result
from papergraph import local_neo4j
from papergraph.embedding import load_model
from papergraph.ingest.ingestor import Ingestor
from papergraph.local_neo4j import Memory, RunningNeo4j
from papergraph.schema.migrate import prepare
from papergraph.settings import Settings
from papergraph.store import Address
from tests.support.damaged_pdfs import damaged_pdfs, many_pages
from tests.support.typeset import pdf, prose

SAMPLES = Path(__file__).parent.parent / "ingest" / "samples"
SEARCH = """
query ($query: String!, $pipeline: String!) {
  search(input: {query: $query, pipeline: $pipeline, k: 10}) { hits { rank chunk { id } } }
}
"""
N_CLIENTS = 8
N_QUERIES = environment_number("PAPERGRAPH_BENCH_QUERIES", 5000)
ODD = '+-=&|><!(){}[]^"~*?:\\/ \t\n' + string.ascii_letters + string.digits + "éß量́​￼"
WORDS = (
    "AND",
    "OR",
    "NOT",
    "TO",
    "NEAR",
    "surface",
    "code",
    "graph",
    "text:",
    "_exists_:",
    "^2",
    "~1",
    "/.*/",
    "[a TO z]",
)
BROUGHT = ("bomb", "bomb in a bomb", "forms that multiply by ten", "pages in a circle", "encrypted 6", "nested arrays")
HEALTH_EVERY_S = 0.1
LONGEST_S = 180.0
MEMORY = Memory(heap_mb=512, page_cache_mb=128)

GATES: Mapping[str, tuple[tuple[str, ...], Callable[[Any], bool]]] = {
    "not ready within 3 s": (("database", "s until not ready"), lambda s: s <= 3),
    "ready again within 15 s": (("database", "s until ready again"), lambda s: s <= 15),
    "under way: answered or UNAVAILABLE": (("database", "other answers"), lambda n: n == 0),
    "queries: no status of 500 or above": (("queries", "of 500 or above"), lambda n: n == 0),
    "queries: all answered": (("queries", "not answered"), lambda n: n == 0),
    "queries: p99 < 300 ms": (("queries", "ms", "p99"), lambda ms: ms < 300),
    "uploads: all refused with a reason": (("uploads", "without a reason"), lambda names: not names),
    "uploads: < 60 s": (("uploads", "s"), lambda s: s < 60),
    "uploads: a process that reads has < 1 GiB": (
        ("uploads", "MiB of a process that reads"),
        lambda mib: 0 < mib < 1024,
    ),
    "uploads: /healthz p95 < 50 ms": (("uploads", "/healthz ms", "p95"), lambda ms: ms < 50),
    "attacks: others notice nothing, and what dies is restarted": (("attacks", "missed"), lambda missed: not missed),
}
"""Gates by description: path of the figure in the results, and the condition that it meets."""


def main(parts: list[str]) -> int:
    settings = Settings().replace(home=home_of_store("hostile"), neo4j={"uri": None})
    earlier = earlier_result("hostile")
    figures: dict[str, Any] = {"what": "a server process on a store of ten papers"}
    figures |= {part: earlier[part] for part in PARTS if part in earlier}
    running = local_neo4j.start(settings, memory=MEMORY)
    try:
        asyncio.run(filled(address_of(running)))
        for part in parts:
            figures[part] = asyncio.run(PARTS[part](settings, running))
            print(json.dumps({part: figures[part]}, indent=2), flush=True)
            running = local_neo4j.start(settings, memory=MEMORY)  # the one that runs, or again
    finally:
        local_neo4j.stop(settings.home)
    missed = [name for name, (path, is_met) in GATES.items() if path[0] in parts and not is_met(at(figures, path))]
    write_result("hostile", figures | {"missed": missed})
    return 1 if missed else 0


def at(figures: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        figures = figures[key]
    return figures


def address_of(running: RunningNeo4j) -> Address:
    return Address(running.uri, running.user, running.password, "neo4j", Settings().neo4j.timeout_s)


async def filled(address: Address) -> None:
    embedder = load_model("bge-small-en-v1.5")
    async with await address.connect() as database:
        await prepare(database, embedder.card)
        await Ingestor(database, embedder).ingest([SAMPLES])


async def database(settings: Settings, running: RunningNeo4j) -> dict[str, Any]:
    """Kill Neo4j under eight clients, and start it again."""
    with server(address_of(running)) as (url, _):
        async with httpx.AsyncClient(base_url=url, timeout=LONGEST_S) as client:
            answers: Counter[str] = Counter()
            longest = [0.0]

            async def ask() -> None:
                while True:
                    start = time.monotonic()
                    answers[said(await search(client, "surface codes and graphs", "fused"))] += 1
                    longest[0] = max(longest[0], time.monotonic() - start)

            asking = [asyncio.create_task(ask()) for _ in range(N_CLIENTS)]
            await asyncio.sleep(2.0)
            answers.clear()
            os.kill(running.pid, signal.SIGKILL)
            not_ready_s = await until(lambda: is_ready(client), False)
            await asyncio.sleep(3.0)
            start = time.monotonic()
            starting = asyncio.create_task(asyncio.to_thread(local_neo4j.start, settings, memory=MEMORY))
            await until(lambda: is_ready(client), True)
            ready_s = time.monotonic() - start
            await starting
            for task in asking:
                task.cancel()
            for task in asking:
                with suppress(asyncio.CancelledError):
                    await task
    return {
        "s until not ready": round(not_ready_s, 2),
        "s until ready again": round(ready_s, 2),
        "answers": dict(answers),
        "other answers": sum(n for said, n in answers.items() if said not in ("hits", "UNAVAILABLE")),
        "longest answer, s": round(longest[0], 2),
    }


async def queries(settings: Settings, running: RunningNeo4j) -> dict[str, Any]:
    """Search for odd texts by the full-text retriever, one after the other."""
    drawn = random.Random(24)  # noqa: S311 the same texts in every run
    times, statuses = [], Counter[int]()
    with server(address_of(running), PAPERGRAPH_LIMITS_COST_PER_MINUTE="0") as (url, _):
        async with httpx.AsyncClient(base_url=url, timeout=30.0) as client:
            for _ in range(N_QUERIES):
                start = time.perf_counter()
                answer = await search(client, odd_text(drawn), "fulltext")
                times.append(1000 * (time.perf_counter() - start))
                statuses[answer.status_code] += 1
    return {
        "n": N_QUERIES,
        "statuses": {str(status): n for status, n in statuses.items()},
        "of 500 or above": sum(n for status, n in statuses.items() if status >= 500),
        "not answered": sum(n for status, n in statuses.items() if status != 200),
        "ms": percentiles(times, (50, 95, 99)),
    }


async def uploads(settings: Settings, running: RunningNeo4j) -> dict[str, Any]:
    """Bring files that are meant to hurt, have a worker ingest them, and look at /healthz all the while."""
    with (
        tempfile.TemporaryDirectory() as home,
        server(address_of(running), PAPERGRAPH_HOME=home, PAPERGRAPH_WORKERS="0") as (url, _),
    ):
        async with httpx.AsyncClient(base_url=url, timeout=LONGEST_S) as client, watched(url) as healthy:
            start = time.monotonic()
            refused: dict[str, str] = {}
            taken: dict[str, str] = {}
            for name, file, data in files():
                answer = await client.post("/v1/uploads", files={"file": (file, data, "application/pdf")})
                if answer.status_code == 201:
                    taken[answer.json()["id"]] = name
                else:
                    refused[name] = f"{answer.status_code} {answer.json()['detail']}"
            job = (await client.post("/v1/jobs", json={"uploads": list(taken)})).raise_for_status().json()["id"]
            most_mib, found = await worked_off(client, job, address_of(running), home)
            seconds = time.monotonic() - start
    for task in found:
        name = next(
            name for id, name in taken.items() if id in task["source"] or name == task["source"].split(".pdf")[0]
        )
        refused[name] = task["reason"] or task["state"]
    names = [name for name, _, _ in files()]
    return {
        "files": refused,
        "without a reason": [name for name in names if refused.get(name) in (None, "done", "failed")],
        "s": round(seconds, 1),
        "MiB of a process that reads": round(most_mib),
        "/healthz ms": percentiles(healthy, (50, 95, 99)),
        "/healthz asked": len(healthy),
    }


def files() -> list[tuple[str, str, bytes]]:
    """Return name, file name and content of each file that is brought; all of them are refused."""
    whole = pdf(f"#text(16pt)[A whole paper]\n= One\n{prose(250)}")
    damaged = {one.name: one.data for one in damaged_pdfs(whole, 0)}
    brought = [(name, f"{name}.pdf", damaged[name]) for name in BROUGHT]
    return [
        *brought,
        ("10000 pages", "10000 pages.pdf", many_pages(10_000)),
        ("zero bytes", "zero.pdf", b""),
        ("a page of HTML", "page.pdf", b"<!DOCTYPE html><html><script>alert(1)</script></html>"),
        ("an archive as a PDF", "archive.pdf", b"PK\x03\x04" + bytes(1000)),
    ]


async def worked_off(
    client: httpx.AsyncClient, job: str, address: Address, home: str
) -> tuple[float, list[dict[str, Any]]]:
    """Run a worker until a job is done; return the most memory that one of its children had, in MiB, and the tasks."""
    environment = os.environ | {
        "PAPERGRAPH_HOME": home,
        "PAPERGRAPH_NEO4J_URI": address.uri,
        "PAPERGRAPH_NEO4J_PASSWORD": address.password,
    }
    command = [str(Path(sys.executable).parent / "papergraph"), "worker", "--once"]
    nothing = subprocess.DEVNULL
    worker = await asyncio.create_subprocess_exec(*command, env=environment, stdout=nothing, stderr=nothing)
    most = 0.0
    try:
        deadline = time.monotonic() + LONGEST_S
        while worker.returncode is None and time.monotonic() < deadline:
            with suppress(psutil.NoSuchProcess):
                for child in psutil.Process(worker.pid).children(recursive=True):
                    with suppress(psutil.NoSuchProcess):
                        most = max(most, child.memory_info().rss / 2**20)
            await asyncio.sleep(0.05)
    finally:
        with suppress(ProcessLookupError):
            worker.terminate()
        await worker.wait()
    tasks: list[dict[str, Any]] = (await client.get(f"/v1/jobs/{job}/tasks", params={"first": 100})).json()["data"]
    return most, tasks


@asynccontextmanager
async def watched(url: str) -> AsyncIterator[list[float]]:
    """Ask /healthz ten times a second, by a client of its own, and collect the milliseconds."""
    times: list[float] = []

    async def ask() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=LONGEST_S) as client:
            while True:
                start = time.perf_counter()
                (await client.get("/healthz")).raise_for_status()
                times.append(1000 * (time.perf_counter() - start))
                await asyncio.sleep(HEALTH_EVERY_S)

    asking = asyncio.create_task(ask())
    try:
        yield times
    finally:
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking


async def search(client: httpx.AsyncClient, query: str, pipeline: str) -> httpx.Response:
    body = {"query": SEARCH, "variables": {"query": query, "pipeline": pipeline}}
    return await client.post("/graphql", json=body)


def said(answer: httpx.Response) -> str:
    """Return ``hits``, or the code of an answer's first error."""
    body = answer.json()
    return body["errors"][0]["extensions"]["code"] if body.get("errors") else "hits"


async def is_ready(client: httpx.AsyncClient) -> bool:
    return (await client.get("/readyz")).status_code == 200


async def until(ask: Callable[[], Awaitable[bool]], wanted: bool) -> float:
    """Return the seconds until ``ask`` says what is wanted, or end after a while."""
    start = time.monotonic()
    while await ask() is not wanted:
        if time.monotonic() - start > LONGEST_S:
            sys.exit(f"it took more than {LONGEST_S} s")
        await asyncio.sleep(0.05)
    return time.monotonic() - start


def odd_text(drawn: random.Random) -> str:
    """Return 1 to 80 characters, and words that mean something to Lucene among them."""
    parts = [
        drawn.choice(WORDS) if drawn.random() < 0.3 else "".join(drawn.choices(ODD, k=drawn.randint(1, 8)))
        for _ in range(drawn.randint(1, 10))
    ]
    return drawn.choice(("", " ")).join(parts)


PARTS: Mapping[str, Callable[[Settings, RunningNeo4j], Coroutine[Any, Any, dict[str, Any]]]] = {
    "database": database,
    "queries": queries,
    "uploads": uploads,
    "attacks": lambda settings, running: attacks(settings, address_of(running)),
}

if __name__ == "__main__":
    sys.exit(main([part for part in PARTS if part in sys.argv[1:] or not sys.argv[1:]]))
