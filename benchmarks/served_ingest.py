"""Speed of ingestion with an embedding server that answers at once.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.served_ingest

The first abstracts of SciFact (2,000, or PAPERGRAPH_BENCH_PAPERS) as text files: by bare UNWIND and CREATE with vectors
at hand, as benchmarks.ingest does, and by ``papergraph ingest`` with that server, which has prepared answers and runs
in a process of its own. A Neo4j that has just started plans and compiles each statement, which takes longer than 2,000
papers do. So each way first writes 1,000 other abstracts into its store, whose rate is reported as cold. Two such
commands side by side, with half of the abstracts each, show what a second worker adds.
Writes results/served_ingest.json.
"""

import asyncio
import json
import multiprocessing
import os
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import empty_store, environment_number, write_result
from benchmarks.ingest import prepared, run_command, write_bare, write_papers
from papergraph.embedding import Embedder, open_model
from papergraph.ingest.graph.rows import paper_text
from papergraph.settings import Settings

N_PAPERS = environment_number("PAPERGRAPH_BENCH_PAPERS", 2000)
N_BEFORE = 1000
DIMENSION = 384
N_VECTORS = 4096
GATE = 0.7


def main() -> None:
    folder = Settings().cache / "benchmarks"
    papers = write_papers(folder / f"ingest-papers-{N_PAPERS}", N_PAPERS)
    before = write_papers(folder / f"ingest-papers-{N_PAPERS}-{N_BEFORE}", N_BEFORE, first=N_PAPERS)
    with free_model() as model:
        parts = {"cold": before, "warm": papers}
        texts = {name: texts_of(model, part) for name, part in parts.items()}
        vectors = {name: dict(zip(own, model.encode_documents(own), strict=True)) for name, own in texts.items()}
        with empty_store("served-bare") as address:
            bare = {
                name: asyncio.run(write_bare(address, model, part, vectors[name]))["textsPerSecond"]
                for name, part in parts.items()
            }
        print(json.dumps(bare), file=sys.stderr)
        with empty_store("served") as address:
            runs = {name: run_command(part, address) for name, part in parts.items()}
        halves = [
            write_papers(folder / f"ingest-papers-{N_PAPERS}-half-{n}", N_PAPERS // 2, first=n * (N_PAPERS // 2))
            for n in range(2)
        ]
        with empty_store("served-by-two") as address, ThreadPoolExecutor(2) as pool:
            run_command(before, address)
            by_two = list(pool.map(lambda half: run_command(half, address), halves))
    ours = {name: round(len(texts[name]) / run["ingestSeconds"], 1) for name, run in runs.items()}
    write_result(
        "served_ingest",
        {
            "what": f"{N_PAPERS} SciFact abstracts as text files, {len(texts['warm'])} texts, after {N_BEFORE} others",
            "bare writer, texts/s": bare,
            "papergraph ingest, texts/s": ours,
            "papergraph ingest twice at once, texts/s": round(
                len(texts["warm"]) / max(run["ingestSeconds"] for run in by_two), 1
            ),
            "share of the bare writer": {name: round(ours[name] / bare[name], 3) for name in ours},
            "gate": GATE,
            "runs": runs,
        },
    )


def texts_of(model: Embedder, papers: Path) -> list[str]:
    """Return all that is embedded of papers, once each."""
    return list(
        dict.fromkeys(
            text
            for _, document, spans in prepared(model, papers)
            for text in (paper_text(document.title, document.abstract), *(span.embedded_text for span in spans))
        )
    )


@contextmanager
def free_model() -> Iterator[Embedder]:
    """Give the model of a server that has its vectors prepared, and name it in the environment of commands."""
    with free_server() as url:
        os.environ |= {"PAPERGRAPH_EMBEDDING_URL": url, "PAPERGRAPH_EMBEDDING_MODEL": "free/model"}
        yield open_model(Settings().embedding, "free/model")


@contextmanager
def free_server() -> Iterator[str]:
    """Give the address of a server in another process whose vectors are prepared."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def serve(told: Connection) -> None:
    """Answer OpenAI's protocol with one of some vectors for each text, chosen by its checksum."""
    vectors = np.random.default_rng(0).standard_normal((N_VECTORS, DIMENSION)).round(4)
    written = [json.dumps(vector.tolist()).encode() for vector in vectors]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            places = (zlib.crc32(text.encode()) % N_VECTORS for text in texts)
            data = b",".join(b'{"index":%d,"embedding":%b}' % (n, written[place]) for n, place in enumerate(places))
            body = b'{"data":[' + data + b"]}"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.send(server.server_port)
    server.serve_forever()


if __name__ == "__main__":
    main()
