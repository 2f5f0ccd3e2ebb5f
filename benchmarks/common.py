"""What benchmarks share: a store of their own, the machine in words, and a file for the figures."""

import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from papergraph.settings import Settings
from papergraph.store import Address, open_store
from server.terminal import TerminalProgress

RESULTS = Path(__file__).parent / "results"
PACKAGES = (
    "neo4j",
    "neo4j-rust-ext",
    "numpy",
    "pikepdf",
    "pypdfium2",
    "sentence-transformers",
    "strawberry-graphql",
    "torch",
)


def data_folder() -> Path:
    """Return the folder of evaluation data, or end with the reason."""
    folder = os.environ.get("PAPERGRAPH_DATA")
    if not folder:
        sys.exit("set PAPERGRAPH_DATA to the folder of evaluation data")
    return Path(folder)


@contextmanager
def benchmark_store(name: str) -> Iterator[Address]:
    """Open a local Neo4j that only this benchmark uses; it keeps its data between runs."""
    settings = Settings()
    own = settings.model_copy(update={"home": settings.cache / "benchmarks" / name, "neo4j_uri": None})
    with TerminalProgress() as progress, open_store(own, progress=progress) as address:
        progress.pause()
        yield address


def write_result(name: str, figures: dict[str, Any]) -> None:
    """Write figures with what they were measured on to ``results/<name>.json``, and show them."""
    machine = {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memoryGiB": round(psutil.virtual_memory().total / 2**30),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }
    result = {"date": datetime.now(UTC).date().isoformat(), "machine": machine, **figures}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=2))


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
