"""Description of the machine, published with figures."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

PACKAGES = (
    "ir-measures",
    "neo4j",
    "neo4j-rust-ext",
    "numpy",
    "onnxruntime",
    "pikepdf",
    "pypdfium2",
    "sentence-transformers",
    "strawberry-graphql",
    "torch",
)


def machine() -> dict[str, str | int | float | None]:
    """Return the date, the processor, the load that others put on it, and versions of what figures depend on."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memoryGiB": round(psutil.virtual_memory().total / 2**30),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        **{package: _version(package) for package in PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:  # of an extra that is not installed
        return None


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
