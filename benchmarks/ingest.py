"""Speed of ingestion, beside embedding alone and writing alone.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.ingest

The first abstracts of SciFact (5,000, or PAPERGRAPH_BENCH_PAPERS) as text files, into stores that start empty:
e  every text of the run embedded at one go, texts/s
w  the same rows by bare UNWIND and CREATE into an empty graph with the same indexes, texts/s
then ``papergraph ingest`` as a process of its own, and again with nothing changed. Writes results/ingest.json.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import psutil

from benchmarks.common import data_folder, empty_store, environment_number, write_result
from papergraph.database import Database
from papergraph.embedding import Embedder, load_model
from papergraph.ingest.chunkers import Chunker, ChunkOptions
from papergraph.ingest.graph.rows import PaperKey, PaperRows, build, paper_text
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import LocalFile
from papergraph.schema.migrate import prepare
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address

N_PAPERS = environment_number("PAPERGRAPH_BENCH_PAPERS", 5000)
ROWS_PER_STATEMENT = 500
PARTS = 5
"""Into how many parts of equal time the memory of a run is cut."""

PAPERS = Statement(
    "bare papers",
    "CYPHER 25 UNWIND $rows AS row CREATE (node:Paper) SET node = row.properties WITH row, node "
    "CALL db.create.setNodeVectorProperty(node, 'embedding', row.embedding)",
)
SECTIONS = Statement(
    "bare sections",
    "CYPHER 25 UNWIND $rows AS row MATCH (paper:Paper {id: row.properties.paperId}) "
    "CREATE (paper)-[:HAS_SECTION]->(node:Section) SET node = row.properties",
)
CHUNKS = Statement(
    "bare chunks",
    "CYPHER 25 UNWIND $rows AS row MATCH (section:Section {id: row.properties.sectionId}) "
    "CREATE (section)-[:HAS_CHUNK]->(node:Chunk&__Node__) SET node = row.properties WITH row, node "
    "CALL db.create.setNodeVectorProperty(node, 'embedding', row.embedding)",
)
LINKS = Statement(
    "bare links",
    "CYPHER 25 UNWIND $rows AS row MATCH (chunk:Chunk {id: row[0]}) MATCH (next:Chunk {id: row[1]}) "
    "CREATE (chunk)-[:NEXT_CHUNK]->(next)",
)


def main() -> None:
    papers = write_papers(Settings().cache / "benchmarks" / f"ingest-papers-{N_PAPERS}", N_PAPERS)
    model = load_model("bge-small-en-v1.5")
    embedding, vectors = embed_all(model, papers)
    print(json.dumps(embedding), file=sys.stderr)
    with empty_store("ingest-bare") as address:
        writing = asyncio.run(write_bare(address, model, papers, vectors))
    print(json.dumps(writing), file=sys.stderr)
    n_texts = embedding["texts"]
    del model, vectors
    with empty_store("ingest") as address:
        first = run_command(papers, address)
        print(json.dumps(first), file=sys.stderr)
        again = min((run_command(papers, address) for _ in range(3)), key=lambda run: run["processSeconds"])
    serial = 1.0 / (1.0 / embedding["textsPerSecond"] + 1.0 / writing["textsPerSecond"])
    ours = n_texts / first["ingestSeconds"]
    write_result(
        "ingest",
        {
            "what": f"{N_PAPERS} SciFact abstracts as text files, {n_texts} texts",
            "e": embedding,
            "w": writing,
            "serial bound 1/(1/e + 1/w), texts/s": round(serial, 1),
            "papergraph ingest, texts/s": round(ours, 1),
            "share of the bound": round(ours / serial, 3),
            "first": first,
            "unchanged": again,
            "unchanged is faster by": round(first["processSeconds"] / again["processSeconds"], 1),
        },
    )


def write_papers(folder: Path, n_papers: int, *, first: int = 0) -> Path:
    """Write abstracts as text files, from the ``first`` on."""
    folder.mkdir(parents=True, exist_ok=True)
    with (data_folder() / "scifact" / "corpus.jsonl").open(encoding="utf-8") as lines:
        for line in islice(lines, first, first + n_papers):
            record = json.loads(line)
            text = f"{' '.join(record['title'].split())}\n\n{' '.join(record['sentences'])}\n"
            (folder / f"{record['_id']}.txt").write_text(text, encoding="utf-8")
    return folder


def prepared(model: Embedder, papers: Path) -> Iterator[tuple[Any, Any, list[Any]]]:
    chunker = Chunker(model.tokenizer, ChunkOptions())
    for path in sorted(papers.iterdir()):
        source = LocalFile(str(path)).read(max_bytes=20_000_000)
        document = parse(source)
        yield source, document, list(chunker.chunks(document))


def embed_all(model: Embedder, papers: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    texts = list(
        dict.fromkeys(
            text
            for _, document, spans in prepared(model, papers)
            for text in (paper_text(document.title, document.abstract), *(span.embedded_text for span in spans))
        )
    )
    model.encode_documents(texts[:64])
    start = time.perf_counter()
    vectors = dict(zip(texts, model.encode_documents(texts), strict=True))
    elapsed_s = time.perf_counter() - start
    return {
        "texts": len(texts),
        "precision": "float32",
        "seconds": round(elapsed_s, 1),
        "textsPerSecond": round(len(texts) / elapsed_s, 1),
    }, vectors


async def write_bare(address: Address, model: Embedder, papers: Path, vectors: dict[str, Any]) -> dict[str, Any]:
    rows = [
        build(
            source,
            document,
            spans,
            [vectors[paper_text(document.title, document.abstract)], *(vectors[span.embedded_text] for span in spans)],
            PaperKey("main", document.key),
            model.card,
            ChunkOptions(),
        )
        for source, document, spans in prepared(model, papers)
    ]
    async with await address.connect() as database:
        await prepare(database, model.card)
        start = time.perf_counter()
        for first in range(0, len(rows), ROWS_PER_STATEMENT):
            await write_some(database, rows[first : first + ROWS_PER_STATEMENT])
        elapsed_s = time.perf_counter() - start
    return {"seconds": round(elapsed_s, 1), "textsPerSecond": round(len(vectors) / elapsed_s, 1)}


async def write_some(database: Database, papers: list[PaperRows]) -> None:
    def split(row: dict[str, Any]) -> dict[str, Any]:
        properties = {name: value for name, value in row.items() if name not in ("embedding", "parent_id")}
        return {"properties": properties, "embedding": row.get("embedding")}  # sections have none

    links = [[a["id"], b["id"]] for paper in papers for a, b in zip(paper.chunks, paper.chunks[1:], strict=False)]
    await database.run_alone(PAPERS, rows=[split(paper.paper) for paper in papers], deadline_s=120.0)
    await database.run_alone(SECTIONS, rows=[split(r) for paper in papers for r in paper.sections], deadline_s=120.0)
    await database.run_alone(CHUNKS, rows=[split(r) for paper in papers for r in paper.chunks], deadline_s=120.0)
    await database.run_alone(LINKS, rows=links, deadline_s=120.0)


def run_command(papers: Path, address: Address, *options: str) -> dict[str, Any]:
    """Run ``papergraph ingest`` on a store and return its times and its memory over time."""
    command = [sys.executable, "-m", "papergraph.cli.main", "ingest", str(papers), "--json", *options]
    environment = os.environ | {
        "PAPERGRAPH_NEO4J_URI": address.uri,
        "PAPERGRAPH_NEO4J_USER": address.user,
        "PAPERGRAPH_NEO4J_PASSWORD": address.password,
    }
    memory: list[float] = []
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output, subprocess.Popen(command, env=environment, stdout=output) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            with suppress(psutil.Error):  # it ended meanwhile
                memory.append(watched.memory_info().rss / 2**20)
            time.sleep(0.02)
        elapsed_s = time.perf_counter() - start
        output.seek(0)
        report = json.load(output)
    assert process.returncode == 0, process.returncode
    counts: dict[str, int] = {}
    for item in report["items"]:
        counts[item["outcome"]] = counts.get(item["outcome"], 0) + 1
    size = max(1, len(memory) // PARTS)
    return {
        "outcomes": counts,
        "processSeconds": round(elapsed_s, 2),
        "ingestSeconds": round(report["elapsed_s"], 2),
        "peakMiB by fifth of the time": [round(max(memory[n * size : (n + 1) * size])) for n in range(PARTS)],
    }


if __name__ == "__main__":
    main()
