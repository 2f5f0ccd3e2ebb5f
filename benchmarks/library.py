"""Ingestion of a large bibliography, killed once and resumed, and lists and searches of its papers.

Usage: python -m benchmarks.library FOLDER, with public .bib files in it

Writes 60,000 entries (or PAPERGRAPH_BENCH_PAPERS) with the fields of the public ones, each with its own key, title and
DOI, ingests the file into an empty store with ``papergraph ingest``, kills that with SIGKILL, and runs it again. Then
papers are listed and found by words. Writes results/library.json.
"""

import asyncio
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from benchmarks.common import empty_store, environment_number, write_result
from papergraph.ingest.sources import bibtex
from papergraph.server.papers.find import PaperQuery, PaperSort, listed_papers
from papergraph.statement import Statement
from papergraph.store import Address

N_ENTRIES = environment_number("PAPERGRAPH_BENCH_PAPERS", 60_000)
KILLED_AT = 0.3
"""Fraction of the papers after which the first run is killed."""
COUNT = Statement(
    "count papers", "CYPHER 25 MATCH (paper:Paper) RETURN count(*) AS n, count(DISTINCT paper.doi) AS dois"
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, empty_store("library") as address:
        library = Path(folder, "library.bib")
        write_library(library, Path(sys.argv[1]), N_ENTRIES)
        start = time.perf_counter()
        runs = [run(library, address, killed_at=int(KILLED_AT * N_ENTRIES)), run(library, address)]
        counted, reads = asyncio.run(read_papers(address))
        found = {
            "entries": N_ENTRIES,
            "mebibytes": round(library.stat().st_size / 2**20, 1),
            "seconds": round(time.perf_counter() - start, 1),
            "runs": runs,
            "papers": counted,
            "reads": reads,
            "load": os.getloadavg(),
        }
    write_result("library", found)
    print(json.dumps(found, indent=1))


def write_library(path: Path, folder: Path, n: int) -> None:
    """Write entries with the fields of public ones, each with its own key, title and DOI."""
    stated = [
        json.loads(entry["record"])["bibtex"]
        for file in sorted(folder.glob("*.bib"))
        for _, entry in bibtex.read_entries(file.read_text("utf-8", "replace"))
        if isinstance(entry, dict) and entry.get("title")
    ]
    whole = [one for one in stated if all(value.count("{") == value.count("}") for value in one["fields"].values())]
    with path.open("w", encoding="utf-8") as file:
        for number, one in enumerate(itertools.islice(itertools.cycle(whole), n)):
            fields = {
                name: value for name, value in one["fields"].items() if name not in ("doi", "url", "file", "eprint")
            }
            fields |= {"title": f"{fields['title']}, study {number}", "doi": f"10.5555/library.{number}"}
            key = re.sub(r"[^\w:-]", "", one["key"]) or "key"
            told = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
            file.write(f"@{one['type']}{{{key}{number},\n{told}\n}}\n")


def run(library: Path, address: Address, *, killed_at: int | None = None) -> dict[str, Any]:
    """Run ``papergraph ingest``, to its end or until so many papers are stored; return seconds and memory."""
    environment = os.environ | {
        "PAPERGRAPH_NEO4J_URI": address.uri,
        "PAPERGRAPH_NEO4J_USER": address.user,
        "PAPERGRAPH_NEO4J_PASSWORD": address.password,
    }
    command = [sys.executable, "-m", "papergraph.cli.main", "ingest", str(library), "--json", "--quiet"]
    peak, start = 0, time.perf_counter()
    with tempfile.TemporaryFile() as output, subprocess.Popen(command, env=environment, stdout=output) as process:
        while process.poll() is None:
            with suppress(psutil.Error):
                peak = max(peak, psutil.Process(process.pid).memory_info().rss)
            if killed_at is not None and asyncio.run(count(address))["n"] >= killed_at:
                process.send_signal(signal.SIGKILL)
            time.sleep(1.0)
        seconds = time.perf_counter() - start
        told: dict[str, Any] = {"seconds": round(seconds, 1), "peakMiB": round(peak / 2**20)}
        if killed_at is None:
            output.seek(0)
            items = json.load(output)["items"]
            told |= {"documents": len(items), "refused": sum(item["outcome"] is None for item in items)}
            told["refusals"] = sorted({str(item["detail"]) for item in items if item["outcome"] is None})[:5]
        return told | {"status": process.returncode}


async def count(address: Address) -> dict[str, Any]:
    async with await address.connect() as database:
        return dict((await database.read(COUNT))[0])


async def read_papers(address: Address) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the number of papers, and seconds of lists and searches by words."""
    seconds: dict[str, float] = {}
    async with await address.connect() as database:
        for name, text in {"list": "", "words": "study", "rare words": f"study {N_ENTRIES - 1}"}.items():
            start = time.perf_counter()
            found = await listed_papers(database, PaperQuery("main", None, text, PaperSort.TITLE), limit=50)
            seconds[f"{name}: {len(found)} papers"] = round(time.perf_counter() - start, 3)
        return dict((await database.read(COUNT))[0]), seconds


if __name__ == "__main__":
    main()
