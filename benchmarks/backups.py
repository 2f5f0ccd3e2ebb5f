"""Backups and the checksum of a store at two sizes: seconds, memory of the process, and size of the archive.

Usage: python -m benchmarks.backups

A fifth of 100,000 chunks (or PAPERGRAPH_BENCH_CHUNKS) of generated papers is written, then the rest, as
``benchmarks.growth`` does, without full-text and vector indexes. At both sizes the checksum of the graph is computed in
a process of its own, whose largest memory is told; then a first backup is taken, one of the unchanged store, and one
that reads it again.
"""

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import empty_store, environment_number, home_of_store, write_result
from benchmarks.growth import INDEXES, Papers, transactions
from ingest.graph.writer import write_papers
from papergraph.database import Database
from papergraph.embedding import PackagedModel
from papergraph.local_neo4j.server import status
from papergraph.statement import Statement
from papergraph.store import Address
from schema.archive.backup import back_up
from schema.digest import graph_digest
from schema.migrate import prepare

N_CHUNKS = environment_number("PAPERGRAPH_BENCH_CHUNKS", 100_000)
GATE_CHUNKS, GATE_UNCHANGED_S, GATE_BYTES = 3_000_000, 5.0, 2_000_000_000


def main() -> None:
    if sys.argv[1:2] == ["checksum"]:
        print(json.dumps(asyncio.run(checksum(*sys.argv[2:6]))))
        return
    with empty_store("backups") as address:
        sizes = asyncio.run(measure(address))
    small, large = sizes
    per_chunk = (large["checksum"]["largest memory"] - small["checksum"]["largest memory"]) / (
        large["chunks"] - small["chunks"]
    )
    expected = large["checksum"]["largest memory"] + max(per_chunk, 0.0) * (GATE_CHUNKS - large["chunks"])
    figures = {
        "sizes": sizes,
        "bytes of checksum per chunk more": round(per_chunk, 2),
        f"bytes expected for {GATE_CHUNKS:,} chunks by a line through both": round(expected),
        "within 2 GB by that line": expected <= GATE_BYTES,
        f"unchanged within {GATE_UNCHANGED_S:g} s": large["unchanged backup s"] <= GATE_UNCHANGED_S,
    }
    write_result("backups", figures)


async def measure(address: Address) -> list[dict[str, Any]]:
    sizes = []
    async with await address.connect() as database:
        await prepare(database, PackagedModel().card)
        for record in await database.read(INDEXES):
            if record["type"] in ("VECTOR", "FULLTEXT"):
                await database.run_alone(Statement("drop an index", f"CYPHER 25 DROP INDEX {record['name']}"))
        groups, n_chunks = transactions(Papers("main", seed=0)), 0
        for wanted in (N_CHUNKS // 5, N_CHUNKS):
            while n_chunks < wanted:
                group = next(groups)
                await write_papers(database, group)
                n_chunks += sum(arrival.n_chunks for arrival, _ in group)
            sizes.append({"chunks": n_chunks, **await figures_of(database, address)})
            print(json.dumps(sizes[-1]), file=sys.stderr)
    return sizes


async def figures_of(database: Database, address: Address) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.backups", "checksum"]
    told = await asyncio.to_thread(
        subprocess.run,
        [*command, address.uri, address.user, address.password, address.database],
        capture_output=True,
        text=True,
        check=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        seconds = {}
        for name, full in (("first backup s", False), ("unchanged backup s", False), ("full backup s", True)):
            start = time.perf_counter()
            done = await back_up(database, Path(folder), full=full)
            seconds[name] = round(time.perf_counter() - start, 2)
        n_bytes = size_of(folder)
    return {
        "checksum": json.loads(told.stdout),
        **seconds,
        "readings of the last": done.n_passes,
        "archiveMiB": round(n_bytes / 2**20),
        "storeMiB": round(status(home_of_store("backups")).store_bytes / 2**20),
    }


def size_of(folder: str) -> int:
    """Return the bytes of all files below a folder."""
    return sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())


async def checksum(uri: str, user: str, password: str, name: str) -> dict[str, Any]:
    """Compute the checksum; return its seconds, and the largest memory of this process before and after, in bytes."""
    async with await Database.connect(uri, user=user, password=password, name=name, deadline_s=60.0) as database:
        before, start = _largest_memory(), time.perf_counter()
        found = await graph_digest(database, keep_vectors=False)
        seconds = round(time.perf_counter() - start, 2)
    return {
        "seconds": seconds,
        "vectors": found.n_vectors,
        "memory before": before,
        "largest memory": _largest_memory(),
        "sha256": found.sha256,
    }


def _largest_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
