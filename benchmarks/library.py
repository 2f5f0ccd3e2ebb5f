"""Ingestion of a large bibliography, killed and resumed, lists and searches of its papers, and the rate of vectors.

Usage: python -m benchmarks.library FOLDER, with public .bib files in it

Writes 60,000 entries (or PAPERGRAPH_BENCH_PAPERS) with the fields of the public ones, each with its own key, title and
DOI, and ingests the file into an empty store with ``papergraph ingest``. That is killed with SIGKILL when 30 % of the
papers are stored, and after vectors were made for 300 s (or PAPERGRAPH_BENCH_SECONDS); all papers are listed and found
by words as soon as they are stored. Last, the embedding model alone embeds texts of these papers.
Writes results/library.json.
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
from papergraph.embedding import DEFAULT_NAME, load_model
from papergraph.ingest.sources import bibtex
from papergraph.server.papers.find import PaperQuery, PaperSort, listed_papers
from papergraph.statement import Statement
from papergraph.store import Address

N_ENTRIES = environment_number("PAPERGRAPH_BENCH_PAPERS", 60_000)
KILLED_AT = 0.3
"""Fraction of the papers after which the first run is killed."""
VECTORS_S = environment_number("PAPERGRAPH_BENCH_SECONDS", 300)
COUNT = Statement(
    "count papers",
    """CYPHER 25 MATCH (paper:Paper)
    WITH count(*) AS n, count(DISTINCT paper.doi) AS dois, count(paper.embedding) AS n_embedded
    RETURN n, dois, n_embedded, EXISTS { MATCH (task:IngestTask {state: 'queued'}) } AS is_storing,
           COLLECT {
             MATCH (task:IngestTask) WITH task.state AS state, count(*) AS tasks
             RETURN state + ' ' + tasks ORDER BY state
           } AS tasks""",
)
TEXTS = Statement(
    "texts of papers",
    """CYPHER 25 MATCH (paper:Paper) WHERE paper.embedding IS NOT NULL
    WITH paper ORDER BY paper.id LIMIT 1000
    UNWIND [paper.title + '\\n' + paper.abstract]
           + COLLECT { MATCH (chunk:Chunk {paperId: paper.id}) RETURN chunk.context + '\\n' + chunk.text } AS text
    RETURN paper.id AS id, text""",
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, empty_store("library") as address:
        library = Path(folder, "library.bib")
        write_library(library, Path(sys.argv[1]), N_ENTRIES)
        runs = [run(library, address, int(KILLED_AT * N_ENTRIES)), run(library, address, None, VECTORS_S)]
        found = {
            "entries": N_ENTRIES,
            "mebibytes": round(library.stat().st_size / 2**20, 1),
            "runs": runs,
            "papers": asyncio.run(count(address)),
            "papersPerSecondOfModelAlone": asyncio.run(model_alone(address)),
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
                name: value
                for name, value in one["fields"].items()
                if name not in ("doi", "url", "file", "eprint") and "arxiv" not in value.lower()
            }
            fields |= {"title": f"{one['fields']['title']}, study {number}", "doi": f"10.5555/library.{number}"}
            key = re.sub(r"[^\w:-]", "", one["key"]) or "key"
            told = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
            file.write(f"@{one['type']}{{{key}{number},\n{told}\n}}\n")


def run(library: Path, address: Address, n_stored: int | None, vectors_s: float = 0.0) -> dict[str, Any]:
    """Run ``papergraph ingest`` until some or all papers are stored, and on for a time; return seconds and memory."""
    environment = os.environ | {
        "PAPERGRAPH_NEO4J_URI": address.uri,
        "PAPERGRAPH_NEO4J_USER": address.user,
        "PAPERGRAPH_NEO4J_PASSWORD": address.password,
    }
    command = [sys.executable, "-m", "papergraph.cli.main", "ingest", str(library), "--json", "--quiet"]
    peak, start = 0, time.perf_counter()
    told: dict[str, Any] = {}
    port = int(address.uri.rpartition(":")[2])
    (neo4j,) = {
        one.pid
        for one in psutil.net_connections("tcp")
        if one.status == "LISTEN" and getattr(one.laddr, "port", 0) == port
    }
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        processes = {"papergraph": psutil.Process(process.pid), "neo4j": psutil.Process(neo4j)}
        used = {name: sum(of.cpu_times()[:2]) for name, of in processes.items()}
        while process.poll() is None:
            with suppress(psutil.Error):
                peak = max(peak, processes["papergraph"].memory_info().rss)
            counted, seconds = asyncio.run(count(address)), time.perf_counter() - start
            is_stored = counted["n"] > 0 and not counted["is_storing"] if n_stored is None else counted["n"] >= n_stored
            if not told and is_stored:
                told = {"stored": counted["n"], "secondsUntilStored": round(seconds, 1)}
                told["processorSeconds"] = {
                    name: round(sum(of.cpu_times()[:2]) - used[name], 1) for name, of in processes.items()
                }
                told["seconds"] = asyncio.run(read_papers(address))
                before, start_s = counted["n_embedded"], time.perf_counter() - start
            if told and seconds >= start_s + vectors_s:
                process.send_signal(signal.SIGKILL)
                if vectors_s:
                    told["papersPerSecondOfVectors"] = round((counted["n_embedded"] - before) / (seconds - start_s), 1)
            time.sleep(2.0)
    return told | {"peakMiB": round(peak / 2**20), "status": process.returncode}


async def count(address: Address) -> dict[str, Any]:
    async with await address.connect() as database:
        return dict((await database.read(COUNT))[0])


async def read_papers(address: Address) -> dict[str, float]:
    """Return seconds of lists and searches by words."""
    seconds: dict[str, float] = {}
    async with await address.connect() as database:
        for name, text in {"list": "", "words": "study", "rare words": f"study {N_ENTRIES // 10}"}.items():
            start = time.perf_counter()
            found = await listed_papers(database, PaperQuery("main", None, text, PaperSort.TITLE), limit=50)
            seconds[f"{name}: {len(found)} papers"] = round(time.perf_counter() - start, 3)
    return seconds


async def model_alone(address: Address) -> float:
    """Return how many papers a second the embedding model embeds when nothing else runs."""
    async with await address.connect() as database:
        records = await database.read(TEXTS)
    embedder = load_model(DEFAULT_NAME)
    texts = sorted({record["text"] for record in records}, key=len, reverse=True)
    embedder.encode_documents(texts[-32:])
    start = time.perf_counter()
    for first in range(0, len(texts), 64):
        embedder.encode_documents(texts[first : first + 64])
    return round(len({record["id"] for record in records}) / (time.perf_counter() - start), 1)


if __name__ == "__main__":
    main()
