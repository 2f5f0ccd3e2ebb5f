"""What commands cost before they do any work: processor time of a whole process, and how soon a server is ready.

Usage: python -m benchmarks.commands

A local Neo4j of its own holds the sample papers. Each command runs RUNS times beside it, once before that to fill
caches. The figures are processor time (user and system) of the command's process; the server's is the time from its
start until /readyz answers 200. Writes results/commands.json.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.common import empty_store, server, write_result
from papergraph.store import Address

RUNS = 5
COMMAND = Path(sys.executable).parent / "papergraph"
QUESTION = "Is tabu search better than simulated annealing on dense problems?"
SAMPLES = Path(__file__).parent.parent / "ingest" / "samples"

HELP = (["--help"], ["search", "--help"])
OVER_STORE = (
    ["search", QUESTION],
    ["jobs", "list"],
    ["doctor"],
    ["db", "checksum"],
    ["keys", "list"],
    ["cypher", "RETURN 1"],
)
OVER_SERVER = (["search", QUESTION], ["ask", QUESTION])
ENDED = (0, 3)  # 3: the papers do not say


def main(address: Address) -> None:
    environment = os.environ | {
        "PAPERGRAPH_NEO4J_URI": address.uri,
        "PAPERGRAPH_NEO4J_PASSWORD": address.password,
        "PYTHONDONTWRITEBYTECODE": "",
    }
    cpu_s(["ingest", str(SAMPLES)], environment)
    figures = {
        "help": {" ".join(words): median_s(words, environment) for words in HELP},
        "over the store": {" ".join(words): median_s(words, environment) for words in OVER_STORE},
    }
    ready_s = []
    for _ in range(RUNS):
        start = time.perf_counter()
        with server(address) as (_, process):
            ready_s.append(round(time.perf_counter() - start, 2))
            if len(ready_s) == RUNS:
                beside = environment | {"PAPERGRAPH_HOME": process.environ()["PAPERGRAPH_HOME"]}  # where it is found
                figures["over a server"] = {" ".join(words): median_s(words, beside) for words in OVER_SERVER}
    write_result(
        "commands",
        {
            "what": f"processor seconds of a command, median of {RUNS} runs; seconds until a server is ready",
            **figures,
            "server ready": {"median": statistics.median(ready_s), "all": ready_s},
        },
    )


def median_s(words: list[str], environment: dict[str, str]) -> float:
    cpu_s(words, environment)
    return round(statistics.median(cpu_s(words, environment) for _ in range(RUNS)), 2)


def cpu_s(words: list[str], environment: dict[str, str]) -> float:
    """Run a command and return the processor time that it took."""
    process = subprocess.Popen(
        [str(COMMAND), *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in ENDED:
        assert process.stderr is not None
        sys.exit(
            f"papergraph {' '.join(words)} ended with {process.returncode}: {process.stderr.read().decode()[-500:]}"
        )
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    with empty_store("commands") as address:
        main(address)
