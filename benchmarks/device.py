"""An emulated p-bit device over HTTP against our own solver, on the same candidates.

Usage: PAPERGRAPH_DATA=… uv run python -m benchmarks.device

Candidates are the top N by cosine among the abstracts of benchmarks.selection, for the titles of 50 csfcube papers
(seed 0). The device is ``papergraph dev pbit-emulator``, a process with 512 spins and couplings of 8 bits; each
selection goes through select_with, as in a search. Writes results/device.json.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.common import write_result
from benchmarks.selection import Corpus, load_abstracts
from papergraph.server.selection.backends import select_with
from papergraph.server.selection.exact import fill, polish_all
from papergraph.server.selection.ising import Penalty, sufficient_penalty
from papergraph.server.selection.ising_backend import READS, HttpDevice, IsingBackend, choose_penalty
from papergraph.server.selection.problem import Floats
from papergraph.server.selection.result import SelectionReport
from papergraph.server.selection.solver import first_answer, select

N_QUERIES = int(os.environ.get("PAPERGRAPH_BENCH_QUERIES", "50"))
CASES = ((200, 10, 0.7), (500, 10, 0.7), (500, 20, 0.7), (500, 10, 0.5))
OWN_MS, DEADLINE_MS = 1000.0, 2000.0
SHORT_MS = (50.0, 100.0, 250.0)
GATE_PERCENT = 1.0
Figures = dict[str, Any]


def main() -> None:
    corpus = load_abstracts()
    with threadpool_limits(1), emulator() as url:
        device = HttpDevice(url)
        device.capabilities(timeout_s=30.0)
        select_with(IsingBackend(device), corpus.problem(0, n=200, k=10))
        figures: Figures = {
            "what": f"{N_QUERIES} queries; % above the objective of our solver with {OWN_MS:.0f} ms; ms wall",
            "device": f"{READS} reads, deadline {DEADLINE_MS:.0f} ms",
            "cases": [case(corpus, device, n, k, alpha) for n, k, alpha in CASES],
            "penalties, N=500, k=10": [
                {"penalty": name, **sampled(corpus, IsingBackend(device, penalty=choose), n=500, k=10)}
                for name, choose in (("small, tilted", None), ("sufficient", forcing), ("small, not tilted", level))
            ],
            "short deadlines, N=500, k=10": [in_a_hurry(corpus, device, limit_ms) for limit_ms in SHORT_MS],
        }
    write_result("device", figures)


@contextmanager
def emulator() -> Iterator[str]:
    """Run the emulated device; give its address."""
    command = [str(Path(sys.executable).parent / "papergraph"), "dev", "pbit-emulator", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def case(corpus: Corpus, device: HttpDevice, n: int, k: int, alpha: float) -> Figures:
    """Compare the device with our solver, its first answer, and as many states that are nothing but random."""
    backend, rng = IsingBackend(device), np.random.default_rng(0)
    rows, wall, own_ms = [], [], []
    for query in range(N_QUERIES):
        problem = corpus.problem(query, n=n, k=k, alpha=alpha)
        own = select(problem, deadline_ms=OWN_MS)
        own_ms.append(own.ms)
        start = time.perf_counter()
        found = select_with(backend, corpus.problem(query, n=n, k=k, alpha=alpha), deadline_ms=DEADLINE_MS)
        wall.append(1000.0 * (time.perf_counter() - start))
        picks = [fill(problem, rng.choice(n, k, replace=False)) for _ in range(READS)]
        rows.append(
            {
                "first": loss(problem.objective(first_answer(problem)), own),
                "random": loss(min(problem.objective(chosen) for chosen in polish_all(problem, picks)), own),
                "returned": loss(found.objective, own),
                "proven": own.proven,
                **of_device(found, own),
            }
        )
    asked = [row for row in rows if "sampled" in row]
    figures = {
        "N": n,
        "k": k,
        "alpha": alpha,
        "asked of the device": len(asked),
        "spins left, median": median(asked, "spins"),
        "reads with k ones, median %": round(100.0 * median(asked, "feasible"), 1),
        "before polish, median %": median(asked, "sampled"),
        "before polish, worst %": worst(asked, "sampled"),
        "after polish, median %": median(asked, "polished"),
        "after polish, worst %": worst(asked, "polished"),
        "returned, median %": median(rows, "returned"),
        "returned, worst %": worst(rows, "returned"),
        "own first answer, median %": median(rows, "first"),
        "own first answer, worst %": worst(rows, "first"),
        "random states polished, median %": median(rows, "random"),
        "random states polished, worst %": worst(rows, "random"),
        "quantisation error, median % of |f|": median(asked, "quantised"),
        "fallbacks": sum(row["backend"] != "pbit" for row in rows),
        "own solver proven": sum(row["proven"] for row in rows),
        "wall p50": percentile(wall, 50),
        "wall p95": percentile(wall, 95),
        "on the device, p50": percentile([row["device_ms"] for row in asked], 50),
        "own solver, wall p50": percentile(own_ms, 50),
        "own solver, wall p95": percentile(own_ms, 95),
    }
    figures["gate"] = {
        "limit %": GATE_PERCENT,
        "measured %": figures["after polish, median %"],
        "met": figures["after polish, median %"] <= GATE_PERCENT,
    }
    print(json.dumps(figures), file=sys.stderr)
    return figures


def sampled(corpus: Corpus, backend: IsingBackend, *, n: int, k: int) -> Figures:
    """Return how near the device's states come under a penalty."""
    rows = []
    for query in range(N_QUERIES):
        problem = corpus.problem(query, n=n, k=k)
        own = select(problem, deadline_ms=OWN_MS)
        rows.append(of_device(select_with(backend, problem, deadline_ms=DEADLINE_MS), own))
    asked = [row for row in rows if "sampled" in row]
    return {
        "before polish, median %": median(asked, "sampled"),
        "before polish, worst %": worst(asked, "sampled"),
        "after polish, median %": median(asked, "polished"),
        "after polish, worst %": worst(asked, "polished"),
        "reads with k ones, median %": round(100.0 * median(asked, "feasible"), 1),
        "quantisation error, median % of |f|": median(asked, "quantised"),
    }


def in_a_hurry(corpus: Corpus, device: HttpDevice, limit_ms: float) -> Figures:
    """Return what becomes of a selection with a short deadline; 50 ms is what a search has by default."""
    backend, losses, wall, by, reads = IsingBackend(device), [], [], [], []
    for query in range(N_QUERIES):
        own = select(corpus.problem(query, n=500, k=10), deadline_ms=OWN_MS)
        start = time.perf_counter()
        found = select_with(backend, corpus.problem(query, n=500, k=10), deadline_ms=limit_ms)
        wall.append(1000.0 * (time.perf_counter() - start))
        losses.append(loss(found.objective, own))
        by.append(found.backend)
        reads.append(found.device.reads if found.device else 0)
    return {
        "deadline ms": limit_ms,
        "by the device": by.count("pbit"),
        "reads, median": float(np.median(reads)),
        "returned, median %": round(float(np.median(losses)), 4),
        "returned, worst %": round(max(losses), 4),
        "wall p50": percentile(wall, 50),
        "wall p95": percentile(wall, 95),
    }


def of_device(found: SelectionReport, own: SelectionReport) -> Figures:
    row: Figures = {"backend": found.backend}
    if (told := found.device) is not None:
        row |= {
            "spins": told.spins,
            "feasible": told.feasible_reads / told.reads,
            "sampled": loss(told.objective_sampled, own),
            "polished": loss(told.objective_polished, own),
            "quantised": 100.0 * told.quantisation_error / abs(own.objective),
            "device_ms": told.device_ms,
        }
    return row


def forcing(similarity: Floats, linear: Floats, q: float, k: int) -> tuple[Penalty, float]:
    """Return the penalty that forces k ones, for the same cooling."""
    return sufficient_penalty(similarity, linear, q, k), choose_penalty(similarity, linear, q, k)[1]


def level(similarity: Floats, linear: Floats, q: float, k: int) -> tuple[Penalty, float]:
    """Return the small penalty without its tilt."""
    penalty, spread = choose_penalty(similarity, linear, q, k)
    return Penalty(penalty.weight), spread


def loss(objective: float, own: SelectionReport) -> float:
    return float(100.0 * (objective - own.objective) / abs(own.objective))


def median(rows: list[Figures], name: str) -> float:
    return round(float(np.median([row[name] for row in rows])), 4)


def worst(rows: list[Figures], name: str) -> float:
    return round(float(max(row[name] for row in rows)), 4)


def percentile(values: list[float], share: float) -> float:
    return round(float(np.percentile(values, share)), 1)


if __name__ == "__main__":
    main()
