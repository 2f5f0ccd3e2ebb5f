"""Sync of a large Zotero library, served by the double of the tests: killed with SIGKILL on the way, then repeated.

2,600 items, of which 400 have a PDF of a page, 3,200 highlights and nested collections. The given number of runs is
killed, after half to one and a half times the given seconds; the next one resumes, and so on until one ends well, which
a busy machine may not let the first do. The last run finds nothing changed.
What the collection then has is counted. Neo4j and the home are those of the settings:

    PAPERGRAPH_HOME=/tmp/zotero PYTHONPATH=. python -m benchmarks.zotero_sync 25 10
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pypdfium2 as pdfium

from benchmarks.common import RESULTS
from papergraph.evaluation.machine import machine
from papergraph.settings import read_settings
from papergraph.statement import Statement
from papergraph.store import open_store
from tests.support.fake_zotero import FakeZotero
from tests.support.typeset import pdf

N_ITEMS, N_PDFS, N_MARKS, N_COLLECTIONS = 2600, 400, 3200, 60
COLLECTION, MOST_RUNS = "zotero", 5
COUNTS = Statement(
    "benchmark/counts",
    "MATCH (p:Paper {collection: $collection}) WITH count(p) AS papers, count(DISTINCT p.doi) AS dois, "
    "sum(CASE WHEN p.nChunks > 0 THEN 1 ELSE 0 END) AS withText "
    "OPTIONAL MATCH (a:PrivateAnnotation {collection: $collection}) WITH papers, dois, withText, a.kind AS kind, "
    "count(a) AS n, count(DISTINCT a.quote) AS quotes "
    "RETURN papers, dois, withText, collect([kind, n, quotes]) AS annotations",
)
EXPECTED = {
    "papers": N_ITEMS,
    "dois": N_ITEMS,
    "withText": N_PDFS,
    "annotations": [["highlight", N_MARKS, N_MARKS], ["tag", N_ITEMS, 0]],
}


def fill(server: FakeZotero, storage: Path) -> None:
    """Put the library into the double."""
    for number in range(N_COLLECTIONS):
        server.collect(f"C{number:03}", f"Topic {number}", f"C{number // 3:03}" if number > 2 else False)
    for number in range(N_ITEMS):
        collections = [f"C{number % N_COLLECTIONS:03}"]
        doi = f"10.1000/{number}"
        server.add(f"I{number:04}", f"Tides of the sea number {number}", DOI=doi, collections=collections)
    per_file = -(-N_MARKS // N_PDFS)
    for number in range(N_PDFS):
        sentences = [
            f"Station {number} reports {n} tides of {number * n + 1} metres in week {n}." for n in range(per_file)
        ]
        file = storage / f"F{number:04}" / f"tides-{number}.pdf"
        file.parent.mkdir(parents=True)
        file.write_bytes(pdf(f"= Tides of the sea number {number}\n" + "\n\n".join(sentences)))
        server.attach(f"F{number:04}", file, parent=f"I{number:04}")
        page = pdfium.PdfDocument(file)[0].get_textpage()
        for n, sentence in enumerate(sentences):
            at, length = page.search(sentence).get_next() or (0, 1)
            rects = [list(page.get_rect(one)) for one in range(page.count_rects(at, length))]
            position = json.dumps({"pageIndex": 0, "rects": rects})
            server.annotate(f"H{number:04}{n}", f"F{number:04}", sentence, annotationPosition=position)


async def counted() -> dict[str, object]:
    """Count papers, and annotations of each kind with their different quotes."""
    with open_store(read_settings()) as address:
        async with await address.connect() as database:
            (found,) = await database.read(COUNTS, collection=COLLECTION)
    return {**dict(found), "annotations": sorted(found["annotations"])}


def main() -> None:
    """Print what each run took, and what the last one wrote."""
    seconds, kills = float(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, FakeZotero() as server:
        fill(server, Path(folder))
        environment = {**os.environ, "PAPERGRAPH_ZOTERO_URL": server.url}
        command = [str(Path(sys.prefix) / "bin" / "papergraph"), "zotero", "sync", "-q", "--collection", COLLECTION]
        for number in range(kills):
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after_s = round(seconds * (0.5 + number / max(1, kills - 1)), 1)
            time.sleep(after_s)
            is_on_the_way = process.poll() is None
            process.kill()
            process.wait()
            print(f"run {number + 1} after {after_s:g} s: {'killed' if is_on_the_way else 'ended before'}", flush=True)
        told: list[dict[str, object]] = []
        while len(told) < MOST_RUNS and not (told and told[-1]["run"] == "unchanged"):
            name = "unchanged" if told and told[-1]["status"] == 0 else "resumed"
            before, began = len(server.requests), time.perf_counter()
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            took = {"run": name, "s": round(time.perf_counter() - began, 1), "requests": len(server.requests) - before}
            told.append(took | {"status": done.returncode})
            print(told[-1], " ".join((done.stdout + done.stderr).split())[-600:])
        counts = asyncio.run(counted())
        print("as expected" if counts == EXPECTED else f"expected {EXPECTED}, found", counts)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"peak memory of a run: {peak} MiB")
        result = {"items": N_ITEMS, "pdfs": N_PDFS, "marks": N_MARKS, "kills": kills, "runs": told, "peakMiB": peak}
        result["counts"] = counts
        if "--write" in sys.argv:
            text = json.dumps(result | {"machine": machine()}, indent=1)
            (RESULTS / "zotero_sync.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
