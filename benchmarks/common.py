"""Store of an evaluated corpus, description of the machine, and output file of figures, for all benchmarks."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from papergraph import local_neo4j
from papergraph.cli.output import TerminalProgress
from papergraph.database import Database
from papergraph.evaluation.corpus_store import chunking_of, home_of, open_home
from papergraph.evaluation.machine import machine
from papergraph.evaluation.task import Task
from papergraph.server.operations.tables import wilson
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address, open_store

PORT = 18234
READY_WITHIN_S = 120.0
RESULTS = Path(__file__).parent / "results"
KINDS = ("vector", "fulltext", "range", "token-lookup")
"""Beginnings of the names of folders of indexes."""
INDEXES = Statement("indexes", "CYPHER 25 SHOW INDEXES YIELD id, name, type RETURN id, name, type")


def data_folder() -> Path:
    """Return the folder of evaluation data, or end with the reason."""
    folder = os.environ.get("PAPERGRAPH_DATA")
    if not folder:
        sys.exit("set PAPERGRAPH_DATA to the folder of evaluation data")
    return Path(folder)


@contextmanager
def evaluated_store(task: Task) -> Iterator[Address]:
    """Open the local Neo4j that ``papergraph eval retrieval`` filled with a task's corpus, or end with the reason."""
    settings, options = Settings(), chunking_of(task)
    if not (home_of(settings, task, options) / "loaded.json").exists():
        sys.exit(f"first load the corpus: papergraph eval retrieval {task.sources[0].parent}")
    with TerminalProgress() as progress, open_home(settings, task, options, progress=progress) as (_, address):
        progress.pause()
        yield address


def home_of_store(name: str) -> Path:
    """Return the home of a local Neo4j that only the benchmark ``name`` uses."""
    return Settings().cache / "benchmarks" / name


@contextmanager
def empty_store(name: str) -> Iterator[Address]:
    """Open that Neo4j, without anything in it."""
    shutil.rmtree(home_of_store(name), ignore_errors=True)
    with kept_store(name) as address:
        yield address


@contextmanager
def kept_store(name: str) -> Iterator[Address]:
    """Open the local Neo4j of the benchmark ``name`` with its content."""
    own = Settings().replace(home=home_of_store(name), neo4j={"uri": None})
    with TerminalProgress() as progress, open_store(own, progress=progress) as address:
        progress.pause()
        yield address


@contextmanager
def server(address: Address, **settings: str) -> Iterator[tuple[str, psutil.Process]]:
    """Run ``papergraph serve`` on a store; give its address and its process."""
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {
            "PAPERGRAPH_HOME": home,
            "PAPERGRAPH_NEO4J_URI": address.uri,
            "PAPERGRAPH_NEO4J_PASSWORD": address.password,
            **settings,
        }
        command = [str(Path(sys.executable).parent / "papergraph"), "serve", "--port", str(PORT)]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        url = f"http://127.0.0.1:{PORT}"
        try:
            deadline = time.monotonic() + READY_WITHIN_S
            while not _is_ready(url):
                if process.poll() is not None or time.monotonic() > deadline:
                    sys.exit("the server is not ready")
                time.sleep(0.2)
            yield url, psutil.Process(process.pid)
        finally:
            process.terminate()
            process.wait(30)


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz").status_code == 200
    except httpx.TransportError:
        return False


async def index_files(database: Database, name: str) -> dict[str, dict[str, Any]]:
    """Return by name the type of each index of that Neo4j, its bytes on disk and, of Lucene's, its segments."""
    files = local_neo4j.index_files(home_of_store(name), KINDS)
    return {
        record["name"]: {
            "type": record["type"],
            "bytes": files[record["id"]].n_bytes,
            "segments": files[record["id"]].n_segments,
        }
        for record in await database.read(INDEXES)
        if record["id"] in files
    }


def largest_memory(pid: int) -> int:
    """Return the largest memory of a process in bytes since its program began, 0 if it has ended.

    What ``getrusage`` and ``wait4`` tell is at least the memory of the process that started it.
    """
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = next((line for line in text.splitlines() if line.startswith("VmHWM:")), None)
    return int(found.split()[1]) * 1024 if found else 0


def environment_number(name: str, default: int) -> int:
    """Return the whole number that an environment variable holds."""
    return int(os.environ.get(name, default))


def percentiles(values: Sequence[float], which: Sequence[int] = (50, 95), *, digits: int = 1) -> dict[str, float]:
    """Return percentiles by their names, such as ``p50``; empty if there are no values."""
    return {f"p{q}": round(float(np.percentile(values, q)), digits) for q in which} if len(values) else {}


def interval(n_of: int, n: int, *, digits: int = 3) -> dict[str, float]:
    """Return the 95 % interval of a share (Wilson) as ``low`` and ``high``; 0 and 0 without cases."""
    low, high = wilson(n_of, n)
    return {"low": round(low or 0.0, digits), "high": round(high or 0.0, digits)}


def earlier_result(name: str) -> dict[str, Any]:
    """Return the figures of ``results/<name>.json``, empty if there are none."""
    path = RESULTS / f"{name}.json"
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    figures.pop("measuredOn", None)
    return figures


def write_result(name: str, figures: dict[str, Any]) -> None:
    """Write figures with what they were measured on to ``results/<name>.json``, and show them."""
    result = {"measuredOn": machine(), **figures}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=2))
