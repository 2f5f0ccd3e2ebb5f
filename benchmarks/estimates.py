"""How near ``papergraph ingest --estimate`` comes to the time that the ingestion then takes.

Usage: python -m benchmarks.estimates FOLDER [FOLDER ...]

For each folder: into an empty store, with an empty cache, ``papergraph ingest --estimate`` and then
``papergraph ingest``, each a process of its own. The ingestion reuses what the estimate parsed, as it does for users.
Writes results/estimates.json.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.common import empty_store, home_of_store, write_result
from cli.common import EXIT_PARTIAL
from papergraph.store import Address


def main(folders: list[Path]) -> None:
    if not folders:
        sys.exit(__doc__)
    found = []
    for folder in folders:
        with empty_store("estimates") as address:
            found.append(measure(folder, address))
        print(json.dumps(found[-1]), file=sys.stderr)
    write_result("estimates", {"folders": found})


def measure(folder: Path, address: Address) -> dict[str, Any]:
    """Estimate, ingest, and return both times in seconds, with what was sampled."""
    planned, estimating_s = run("ingest", str(folder), "--estimate", "--json", address=address)
    report, _ = run("ingest", str(folder), "--json", address=address)
    real_s = report["elapsed_s"]
    return {
        "files": sum(path.is_file() for path in folder.rglob("*")),
        "sampled": planned["n_sampled"],
        "estimating, s": round(planned["elapsed_s"], 1),
        "estimating with the start of the command, s": round(estimating_s, 1),
        "estimated, s": round(planned["total_s"], 1),
        "real, s": round(real_s, 1),
        "estimated / real": round(planned["total_s"] / real_s, 2),
        "chunks, estimated": planned["chunks"]["value"],
        "chunks": sum(item["n_chunks"] or 0 for item in report["items"]),
    }


def run(*arguments: str, address: Address) -> tuple[dict[str, Any], float]:
    """Run a command that prints JSON; return that and the time."""
    environment = os.environ | {
        "PAPERGRAPH_NEO4J_URI": address.uri,
        "PAPERGRAPH_NEO4J_USER": address.user,
        "PAPERGRAPH_NEO4J_PASSWORD": address.password,
        "PAPERGRAPH_HOME": str(home_of_store("estimates") / "commands"),
        "PAPERGRAPH_CACHE": str(home_of_store("estimates") / "cache"),
    }
    start = time.perf_counter()
    command = [sys.executable, "-m", "cli.main", *arguments]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, EXIT_PARTIAL):
        sys.exit(f"{' '.join(arguments)} ended with {done.returncode}")
    return json.loads(done.stdout), time.perf_counter() - start


if __name__ == "__main__":
    main([Path(one) for one in sys.argv[1:]])
