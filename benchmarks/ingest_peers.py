"""Ingestion beside neo4j-graphrag and LlamaIndex: speed, and the effect of a second run on each graph.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.ingest_peers [SYSTEM]…

The first abstracts of SciFact (200, or PAPERGRAPH_BENCH_PAPERS) as text files go twice into a Neo4j that starts empty,
by a process of its own each time. All have the same Neo4j, the packaged embedding model on ONNX Runtime, and
chunks of about 192 tokens with 32 of overlap. Where a peer asks a language model, the scripted one of
tests/support/fake_llm.py answers at once that there are no entities, so that the same is built everywhere: documents,
chunks and vectors. The peers' environments are made from benchmarks/peers/*.txt, outside the clock. All systems are
measured, or those whose name holds one of the words given; their figures replace the former ones in
results/ingest_peers.json.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import earlier_result, empty_store, environment_number, write_result
from benchmarks.ingest import run_command, write_papers
from papergraph.embedding.packaged_files import DEFAULT_NAME, packaged_folder
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address
from tests.support.fake_llm import FakeLLM, Request

N_PAPERS = environment_number("PAPERGRAPH_BENCH_PAPERS", 200)
PEERS = Path(__file__).parent / "peers"
PYTHON = "3.11"
COUNTS = Statement(
    "count a graph",
    """CYPHER 25
    CALL () { MATCH (node) RETURN count(node) AS nodes, count(node.embedding) AS vectors }
    CALL () { MATCH ()-[relationship]->() RETURN count(relationship) AS relationships }
    CALL () {
      MATCH (node)
      UNWIND labels(node) AS label
      WITH label, count(*) AS n ORDER BY label
      RETURN collect([label, n]) AS labels
    }
    RETURN nodes, relationships, vectors, labels
    """,
)

Run = Callable[[Path, Address], dict[str, Any]]
"""Brings the papers of a folder into a store, and returns ``processSeconds`` and ``ingestSeconds``."""


@dataclass(frozen=True)
class Peer:
    """A way of a peer, in the environment of a requirements file."""

    requirements: str
    program: str
    way: str
    python: Path
    task: dict[str, Any]

    def __call__(self, papers: Path, address: Address) -> dict[str, Any]:
        """Run it once."""
        place = {"papers": str(papers), "uri": address.uri, "user": address.user, "password": address.password}
        start = time.perf_counter()
        done = subprocess.run(
            [self.python, PEERS / self.program],
            input=json.dumps({**self.task, **place, "way": self.way}),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env=os.environ | {"TOKENIZERS_PARALLELISM": "false"},
        )
        elapsed_s = time.perf_counter() - start
        return {"processSeconds": round(elapsed_s, 2), **json.loads(done.stdout.splitlines()[-1])}


def main() -> None:
    papers = write_papers(Settings().cache / "benchmarks" / f"ingest-papers-{N_PAPERS}", N_PAPERS)
    rows = earlier_result("ingest_peers").get("systems", {})
    with FakeLLM() as llm, tempfile.TemporaryDirectory() as state:
        llm.otherwise(answer)
        task = {"model": str(packaged_folder()), "llm": llm.url}
        for name, run in systems(task, Path(state)):
            if all(word not in name for word in sys.argv[1:] or [name]):
                continue
            rows[name] = {"papers": N_PAPERS, "load": round(os.getloadavg()[0], 1), **twice(run, papers)}
            print(name, json.dumps(rows[name]), file=sys.stderr, flush=True)
            write_result("ingest_peers", {"what": "SciFact abstracts", "model": DEFAULT_NAME, "systems": rows})


def systems(task: dict[str, Any], state: Path) -> list[tuple[str, Run]]:
    """Return each way by its name, with the environments of the peers made."""
    pythons = {name: environment(name) for name in ("neo4j-graphrag", "llama-index")}

    def peer(requirements: str, program: str, way: str) -> Peer:
        folder = state / way
        folder.mkdir()
        return Peer(requirements, program, way, pythons[requirements], {**task, "state": str(folder)})

    def ours(papers: Path, address: Address) -> dict[str, Any]:
        told = run_command(papers, address)
        return {name: told[name] for name in ("processSeconds", "ingestSeconds", "outcomes")}

    graphrag, llama = "neo4j_graphrag_ingest.py", "llama_index_ingest.py"
    return [
        ("papergraph ingest", ours),
        ("neo4j-graphrag, its parts without a model", peer("neo4j-graphrag", graphrag, "lexical")),
        ("neo4j-graphrag SimpleKGPipeline", peer("neo4j-graphrag", graphrag, "kg-builder")),
        ("LlamaIndex IngestionPipeline", peer("llama-index", llama, "pipeline")),
        ("LlamaIndex IngestionPipeline, docstore kept", peer("llama-index", llama, "docstore")),
        ("LlamaIndex PropertyGraphIndex", peer("llama-index", llama, "graph")),
    ]


def environment(name: str) -> Path:
    """Make the environment of a requirements file, and return its interpreter.

    Files are links into uv's cache. LlamaIndex' own are copies, since nltk, which comes with
    it, refuses to read its data from links.
    """
    uv = os.environ.get("UV") or shutil.which("uv") or ".tools/uv"
    folder = Settings().cache / "benchmarks" / "peers" / name
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([uv, "venv", "--quiet", "--python", PYTHON, folder], check=True)
    sync: list[str | Path] = [uv, "pip", "sync", "--quiet", "--python", python, PEERS / f"{name}.txt"]
    subprocess.run([*sync, "--link-mode", "hardlink"], check=True)
    subprocess.run([*sync, "--link-mode", "copy", "--reinstall-package", "llama-index-core"], check=True)
    return python


def twice(run: Run, papers: Path) -> dict[str, Any]:
    """Return times and the graph's size after each of two runs into a store that starts empty."""
    with empty_store("ingest-peers") as address:
        runs = []
        for _ in range(2):
            told = run(papers, address)
            runs.append({**told, **asyncio.run(counts(address))})
    return {"first": runs[0], "second": runs[1]}


async def counts(address: Address) -> dict[str, Any]:
    async with await address.connect() as database:
        (record,) = await database.read(COUNTS)
    return {**record.data(), "labels": dict(record["labels"])}


def answer(request: Request) -> str:
    """Return that there is nothing, in the form that is asked for."""
    return '{"nodes": [], "relationships": []}' if "nodes" in request.prompt else ""


if __name__ == "__main__":
    main()
