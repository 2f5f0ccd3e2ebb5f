"""Backups and the checksum of a store at two sizes: seconds, memory, size of the archive, and who waits meanwhile.

Usage: python -m benchmarks.backups

A fifth of 100,000 chunks (or PAPERGRAPH_BENCH_CHUNKS) of generated papers is written, then the rest, as
``benchmarks.growth`` does. At both sizes the checksum of the graph is computed in a process of its own, whose largest
memory is told; then a first backup is taken, one of the unchanged store, one after a paper came in, and one that reads
all papers again.

At the end ``papergraph backup`` runs beside others. One search after the other goes to a server, before and meanwhile.
Then eight writers add papers and one deletes them: the longest of their transactions is how long a writer waits at
most. Seconds of both are told beside those without a backup. It exits with 1 beyond a gate.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import httpx
import numpy as np

from benchmarks.common import empty_store, environment_number, home_of_store, largest_memory, server, write_result
from benchmarks.growth import Papers, transactions
from ingest.graph.writer import MakeRows, PaperUpsert, delete_source, write_papers
from papergraph.database import Database
from papergraph.embedding import PackagedModel
from papergraph.local_neo4j.server import status
from papergraph.store import Address
from schema.archive.backup import back_up
from schema.digest import graph_digest
from schema.migrate import prepare

N_CHUNKS = environment_number("PAPERGRAPH_BENCH_CHUNKS", 100_000)
GATE_CHUNKS, GATE_UNCHANGED_S, GATE_BYTES = 3_000_000, 5.0, 2_000_000_000
GATE_BLOCKED_S, GATE_P99, GATE_ARCHIVE = 2.0, 2.0, 0.35
T = TypeVar("T")
N_SEARCHES, N_WRITERS, SECONDS_OF_WRITERS = 200, 8, 15.0


def main() -> None:
    if sys.argv[1:2] == ["checksum"]:
        print(json.dumps(asyncio.run(checksum(*sys.argv[2:6]))))
        return
    with empty_store("backups") as address:
        sizes, beside = asyncio.run(measure(address))
    small, large = sizes
    per_chunk = (large["checksum"]["largest memory"] - small["checksum"]["largest memory"]) / (
        large["chunks"] - small["chunks"]
    )
    expected = large["checksum"]["largest memory"] + max(per_chunk, 0.0) * (GATE_CHUNKS - large["chunks"])
    gates = {
        f"checksum of {GATE_CHUNKS:,} chunks within 2 GB by that line": expected <= GATE_BYTES,
        f"unchanged within {GATE_UNCHANGED_S:g} s": large["unchanged backup s"] <= GATE_UNCHANGED_S,
        f"archive at most {GATE_ARCHIVE:g} of the store": large["archive of store"] <= GATE_ARCHIVE,
        f"p99 of searches at most {GATE_P99:g} times": beside["searches"]["p99 times"] <= GATE_P99,
        f"writers wait at most {GATE_BLOCKED_S:g} s": beside["writers"]["longest write s"] <= GATE_BLOCKED_S,
    }
    figures = {
        "sizes": sizes,
        "bytes of checksum per chunk more": round(per_chunk, 2),
        f"bytes expected for {GATE_CHUNKS:,} chunks by a line through both": round(expected),
        "beside a backup": beside,
        "gates": gates,
    }
    write_result("backups", figures)
    if not all(gates.values()):
        sys.exit("; ".join(name for name, holds in gates.items() if not holds))


async def measure(address: Address) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the figures of both sizes, and those of searches and writers beside a backup."""
    sizes = []
    async with await address.connect() as database:
        await prepare(database, PackagedModel().card)
        papers, others = Papers("main", seed=0), iter(Papers("other", seed=99))
        groups, n_chunks = transactions(papers), 0
        for wanted in (N_CHUNKS // 5, N_CHUNKS):
            while n_chunks < wanted:
                group = next(groups)
                await write_papers(database, group)
                n_chunks += sum(arrival.n_chunks for arrival, _ in group)
            sizes.append({"chunks": n_chunks, **await figures_of(database, address, next(others))})
            print(json.dumps(sizes[-1]), file=sys.stderr)
        beside = {"searches": await searches(address, papers.words), "writers": await writers(database, address)}
    return sizes, beside


async def searches(address: Address, words: Sequence[str]) -> dict[str, Any]:
    """Return seconds of searches without a backup and during one."""
    with server(address) as (url, _), tempfile.TemporaryDirectory() as folder:
        async with httpx.AsyncClient(base_url=url, timeout=60.0) as client:
            queries = (" ".join(words[number * 7 % 3000 : number * 7 % 3000 + 4]) for number in count())

            async def search() -> float:
                start = time.perf_counter()
                answer = await client.post("/v1/search", json={"query": next(queries), "k": 10})
                answer.raise_for_status()
                return time.perf_counter() - start

            for _ in range(N_SEARCHES // 4):
                await search()
            without = [await search() for _ in range(N_SEARCHES)]
            backup, during = asyncio.create_task(backed_up(address, folder)), []
            while not backup.done():
                during.append(await search())
            told = await backup
    normal, meanwhile = (np.quantile(seconds, [0.5, 0.99]).tolist() for seconds in (without, during))
    return {
        "backup s": told["seconds"],
        "n": {"without": len(without), "during": len(during)},
        "p50 ms": {"without": round(normal[0] * 1000, 1), "during": round(meanwhile[0] * 1000, 1)},
        "p99 ms": {"without": round(normal[1] * 1000, 1), "during": round(meanwhile[1] * 1000, 1)},
        "p99 times": round(meanwhile[1] / normal[1], 2),
    }


async def writers(database: Database, address: Address) -> dict[str, Any]:
    """Return seconds of transactions that write papers, of several at once, without a backup and during one."""
    sources = [iter(Papers(f"writer{number}", seed=number + 1)) for number in range(N_WRITERS)]
    written: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    async def write(number: int, ends: asyncio.Event, spent: list[float]) -> None:
        while not ends.is_set():
            paper = next(sources[number])
            start = time.perf_counter()
            await write_papers(database, [paper])
            spent.append(time.perf_counter() - start)
            await written.put((f"writer{number}", paper[0].source.name))

    async def delete() -> None:
        while True:
            collection, name = await written.get()
            await delete_source(database, collection=collection, name=name)

    async def during(work: Awaitable[T]) -> tuple[T, list[float]]:
        ends, spent = asyncio.Event(), list[float]()
        async with asyncio.TaskGroup() as tasks:
            for number in range(N_WRITERS):
                tasks.create_task(write(number, ends, spent))
            deleting = tasks.create_task(delete())
            done = await work
            ends.set()
            deleting.cancel()
        return done, spent

    _, normal = await during(asyncio.sleep(SECONDS_OF_WRITERS))
    with tempfile.TemporaryDirectory() as folder:
        told, meanwhile = await during(backed_up(address, folder))
    return {
        "backup s": told["seconds"],
        "writers waited": told["writers_waited"],
        "readings": told["readings"],
        "papers read": told["papers_read"],
        "papers written": {"without": len(normal), "during": len(meanwhile)},
        "longest write s without": round(max(normal), 2),
        "longest write s": round(max(meanwhile), 2),
    }


async def backed_up(address: Address, folder: str) -> dict[str, Any]:
    """Run ``papergraph backup``, and return what it tells, and its seconds."""
    environment = os.environ | {
        "PAPERGRAPH_NEO4J_URI": address.uri,
        "PAPERGRAPH_NEO4J_USER": address.user,
        "PAPERGRAPH_NEO4J_PASSWORD": address.password,
        "PAPERGRAPH_NEO4J_DATABASE": address.database,
    }
    start = time.perf_counter()
    command = [str(Path(sys.executable).parent / "papergraph"), "backup", folder, "--json"]
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    if process.returncode:
        sys.exit(f"papergraph backup ended with {process.returncode}")
    found: dict[str, Any] = json.loads(said)
    return found | {"seconds": round(time.perf_counter() - start, 2)}


async def figures_of(database: Database, address: Address, another: tuple[PaperUpsert, MakeRows]) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.backups", "checksum"]
    told = await asyncio.to_thread(
        subprocess.run,
        [*command, address.uri, address.user, address.password, address.database],
        capture_output=True,
        text=True,
        check=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        seconds, n_read = {}, {}
        for name in ("first", "unchanged", "one paper", "full"):
            if name == "one paper":
                await write_papers(database, [another])
            start = time.perf_counter()
            done = await back_up(database, Path(folder), full=name == "full")
            seconds[f"{name} backup s"] = round(time.perf_counter() - start, 2)
            n_read[name] = done.n_read
        n_bytes = size_of(folder)
    store_bytes = status(home_of_store("backups")).store_bytes
    return {
        "checksum": json.loads(told.stdout),
        **seconds,
        "papers read": n_read,
        "readings of the last": done.n_passes,
        "archiveMiB": round(n_bytes / 2**20),
        "storeMiB": round(store_bytes / 2**20),
        "archive of store": round(n_bytes / store_bytes, 3),
    }


def size_of(folder: str) -> int:
    """Return the bytes of all files below a folder."""
    return sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())


async def checksum(uri: str, user: str, password: str, name: str) -> dict[str, Any]:
    """Compute the checksum; return its seconds, and the largest memory of this process before and after, in bytes."""
    async with await Database.connect(uri, user=user, password=password, name=name, deadline_s=60.0) as database:
        before, start = largest_memory(os.getpid()), time.perf_counter()
        found = await graph_digest(database, keep_vectors=False)
        seconds = round(time.perf_counter() - start, 2)
    return {
        "seconds": seconds,
        "vectors": found.n_vectors,
        "memory before": before,
        "largest memory": largest_memory(os.getpid()),
        "sha256": found.sha256,
    }


if __name__ == "__main__":
    main()
