"""Certified selection against its gates, its own back ends, and other people's diversifiers, on the same candidates.

Usage: PAPERGRAPH_DATA=… uv run --with-requirements benchmarks/peers/requirements.txt python -m benchmarks.selection

Candidates are the top 2,000 by cosine among the abstracts of csfcube, doris_mae and scifact, for the titles of 50
csfcube papers (seed 0), each left out of its own candidates; passages of covidqa in 500 characters with 120 overlap;
and 100,000 generated vectors. One thread, warm. Writes results/selection.json and results/selection.png.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.common import RESULTS, data_folder, write_result
from papergraph.embedding import Floats, load_model
from papergraph.server.selection.backends import AnnealBackend, Backend, CpSatBackend, MmrBackend, TopKBackend
from papergraph.server.selection.ising_backend import DimodBackend
from papergraph.server.selection.problem import Form, Indices, Problem
from papergraph.server.selection.result import Stage
from papergraph.server.selection.solver import select, top_k
from papergraph.settings import Settings

N_QUERIES = int(os.environ.get("PAPERGRAPH_BENCH_QUERIES", "50"))
ALPHA = 0.7
SIZES = (10, 20, 50)
DEADLINES_MS = (3, 5, 10, 25, 50, 100, 250, 1000)
Number = float | np.floating[Any]
Figures = dict[str, Any]
Way = Callable[[Problem, np.ndarray], Indices]


@dataclass(frozen=True)
class Corpus:
    """Vectors of candidates, and queries with the position of the candidate that each was made of (-1: none)."""

    name: str
    vectors: np.ndarray
    queries: np.ndarray
    held_out: np.ndarray

    def problem(self, query: int, *, n: int, k: int, alpha: float = ALPHA, form: Form = Form.MEAN) -> Problem:
        relevance = self.vectors @ self.queries[query]
        if self.held_out[query] >= 0:
            relevance[self.held_out[query]] = -1.0
        order = np.argsort(-relevance)[:n]
        return Problem.from_vectors(self.vectors[order], relevance[order], k=k, alpha=alpha, form=form)


def main() -> None:
    abstracts, passages = load_abstracts(), load_passages()
    with threadpool_limits(1):
        measure(abstracts, passages)


def measure(abstracts: Corpus, passages: Corpus) -> None:
    warm_up(abstracts)
    figures: Figures = {
        "what": f"alpha {ALPHA}, mean form unless said, one thread, {N_QUERIES} queries; ms wall unless said",
        "gates": list(gates(abstracts)),
        "methods, abstracts N=2000": methods(abstracts, n=2000),
        "methods, passages N=2000": methods(passages, n=2000),
        "gap against time, % of |f|": curves(abstracts),
    }
    draw(figures["gap against time, % of |f|"])
    write_result("selection", figures)


def load_abstracts() -> Corpus:
    data = data_folder()
    titles: list[str] = []
    texts: list[str] = []
    for name in ("csfcube", "doris_mae", "scifact"):
        for record in records(data / name / "corpus.jsonl"):
            body = record.get("text") or " ".join(s if isinstance(s, str) else s["text"] for s in record["sentences"])
            texts.append(f"{record.get('title', '')} {body}".strip())
            if name == "csfcube":
                titles.append(record["title"])
    chosen = np.random.default_rng(0).choice(len(titles), 50, replace=False)
    vectors = embedded("abstracts", [*texts, *(titles[position] for position in chosen)])
    return Corpus("abstracts", vectors[: len(texts)], vectors[len(texts) :], chosen)


def load_passages() -> Corpus:
    data = data_folder() / "covidqa"
    texts = [
        text[start : start + 500]
        for record in records(data / "corpus.jsonl")
        for text in [record["text"]]
        for start in range(0, max(1, len(text) - 120), 380)
    ]
    queries = [record["text"] for record in records(data / "queries.jsonl")]
    chosen = np.random.default_rng(0).choice(len(queries), 50, replace=False)
    vectors = embedded("passages", [*texts, *(queries[position] for position in chosen)])
    return Corpus("passages", vectors[: len(texts)], vectors[len(texts) :], np.full(50, -1))


def generated(n: int, *, clusters: int = 2000, dimension: int = 384) -> Corpus:
    """Return clustered unit vectors around query directions, like those of texts; seed 0."""
    rng = np.random.default_rng(0)
    queries = unit(rng.normal(size=(10, dimension)))
    centres = (
        0.5 * queries[rng.integers(10, size=clusters)] + 0.85 * rng.normal(size=(clusters, dimension)) / dimension**0.5
    )
    rows = centres[rng.integers(clusters, size=n)] + 0.6 * rng.normal(size=(n, dimension)) / dimension**0.5
    return Corpus("generated", unit(rows).astype(np.float32), queries.astype(np.float32), np.full(10, -1))


def records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def embedded(name: str, texts: list[str]) -> Floats:
    """Return the texts' vectors, kept in the cache between runs."""
    path = Settings().cache / "benchmarks" / f"selection-{name}.npy"
    kept: Floats | None = np.load(path) if path.exists() else None
    if kept is not None and len(kept) == len(texts):
        return kept
    model = load_model("bge-small-en-v1.5")
    order = np.argsort([len(text) for text in texts])
    vectors = np.zeros((len(texts), model.card.dimension), dtype=np.float32)
    for start in range(0, len(order), 512):
        part = order[start : start + 512]
        vectors[part] = model.encode_documents([texts[position] for position in part])
        print(f"embedding {name}: {start + len(part)} of {len(texts)}", file=sys.stderr)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, vectors)
    return vectors


def unit(rows: np.ndarray) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def warm_up(corpus: Corpus) -> None:
    for k in SIZES:
        select(corpus.problem(0, n=2000, k=k), deadline_ms=300)
    select(corpus.problem(0, n=200, k=5, form=Form.PAIRS, alpha=0.5), deadline_ms=1000)


def gates(corpus: Corpus) -> Iterator[Figures]:
    def problems(
        k: int,
    ) -> Iterator[Problem]:  # new each time: a call keeps things for the next
        return (corpus.problem(query, n=2000, k=k) for query in range(N_QUERIES))

    answers = [select(problem, upto=Stage.GREEDY).ms for k in SIZES for problem in problems(k)]
    yield gate("answer alone, p95 ms", 5.0, np.percentile(answers, 95), median=np.median(answers))
    certified = [select(problem, upto=Stage.CERTIFICATE).ms for k in SIZES for problem in problems(k)]
    yield gate("answer with certificate, p95 ms", 25.0, np.percentile(certified, 95), median=np.median(certified))
    for k, limit in ((50, 0.05), (20, 0.25), (10, 1.0)):
        found = [select(problem, deadline_ms=25) for problem in problems(k)]
        yield gate(f"gap at 25 ms, k={k}, median %", limit, np.median([percent(s) for s in found]))
    for k, limit in ((50, 95.0), (20, 95.0), (10, 90.0)):
        found = [select(problem, deadline_ms=1000) for problem in problems(k)]
        share = 100.0 * np.mean([s.proven for s in found])
        yield gate(f"proven within 1 s, k={k}, %", limit, share, at_least=True, median=np.median([s.ms for s in found]))
    pairs = [corpus.problem(query, n=2000, k=20, alpha=0.6, form=Form.PAIRS) for query in range(N_QUERIES)]
    rho = [select(problem, deadline_ms=100).certified_gain for problem in pairs]
    yield gate(
        "pairs form, alpha .6, k=20, rho in 100 ms, lowest", 0.95, min(rho), at_least=True, median=np.median(rho)
    )
    small = [
        corpus.problem(query, n=200, k=k, alpha=alpha, form=form)
        for query in range(3)
        for k in (5, 10, 20)
        for alpha in (0.3, 0.5, 0.7, 0.9)
        for form in Form
    ]
    proven = [select(problem, deadline_ms=5000).proven for problem in small]
    yield gate(
        "N=200, k 5 to 20, both forms, alpha .3 to .9, proven in 5 s, %", 95.0, 100.0 * np.mean(proven), at_least=True
    )
    large = generated(100_000)
    whole = [
        Problem.from_vectors(large.vectors, large.vectors @ large.queries[query], k=20, alpha=ALPHA)
        for query in range(10)
    ]
    times = [select(problem, upto=Stage.GREEDY).ms for problem in whole]
    yield gate("N=100,000, k=20, answer, p95 ms", 200.0, np.percentile(times, 95), median=np.median(times))


def gate(name: str, limit: float, value: Number, *, at_least: bool = False, **more: Number) -> Figures:
    met = value >= limit if at_least else value <= limit
    row = {"gate": name, "limit": limit, "measured": round(float(value), 4), "met": bool(met)}
    row |= {key: round(float(other), 4) for key, other in more.items()}
    print(json.dumps(row), file=sys.stderr)
    return row


def percent(selection: Any) -> float:
    return float(100.0 * selection.gap / abs(selection.objective))


def methods(corpus: Corpus, *, n: int) -> list[Figures]:
    """Time every way and value what it selects by the mean-form objective, k = 20."""
    n_queries = min(N_QUERIES, 12)
    problems = [corpus.problem(query, n=n, k=20) for query in range(n_queries)]
    best = [problem.objective(select(problem, deadline_ms=2000).positions) for problem in problems]
    rows = []
    for name, how, few in ways():
        wall, cpu, missing = [], [], []
        for problem, lowest, query in list(zip(problems, best, corpus.queries, strict=False))[
            : 3 if few else n_queries
        ]:
            start, start_cpu = time.perf_counter(), time.process_time()
            chosen = how(problem, query)
            wall.append(1000.0 * (time.perf_counter() - start))
            cpu.append(1000.0 * (time.process_time() - start_cpu))
            plain = problem.objective(top_k(problem))
            missing.append(100.0 * (problem.objective(chosen) - lowest) / (plain - lowest))
        rows.append(
            {
                "method": name,
                "wall p50": round(float(np.median(wall)), 2),
                "wall p95": round(float(np.percentile(wall, 95)), 2),
                "cpu p50": round(float(np.median(cpu)), 2),
                "missing of what can be gained over top-k, median %": round(float(np.median(missing)), 2),
                "queries": len(wall),
            }
        )
        print(json.dumps(rows[-1]), file=sys.stderr)
    return rows


def ways() -> Iterator[tuple[str, Way, bool]]:
    """Yield each method: its name, how it selects, and whether it is so slow that few queries must do."""

    def own(upto: Stage) -> Way:
        return lambda problem, _: np.array(select(problem, upto=upto, deadline_ms=1000).positions)

    def of(backend: Backend, deadline_ms: float | None = None) -> Way:
        return lambda problem, _: backend.propose(problem, deadline_ms=deadline_ms, seed=0).chosen

    yield "own, answer alone", own(Stage.GREEDY), False
    yield "own, with certificate", own(Stage.CERTIFICATE), False
    yield "own, up to 1 s", own(Stage.BRANCH_AND_BOUND), False
    yield "top_k", of(TopKBackend()), False
    yield "mmr", of(MmrBackend()), False
    yield "anneal", of(AnnealBackend()), False
    yield "cpsat, 5 s", of(CpSatBackend(), 5000), True
    from dwave.samplers import SimulatedAnnealingSampler, TabuSampler

    annealer = DimodBackend(SimulatedAnnealingSampler(), size=200, num_reads=10, num_sweeps=1000, seed=0)
    yield "dwave SA, penalty form, top 200, repaired", of(annealer), True
    yield "dwave tabu, penalty form, top 200, repaired", of(DimodBackend(TabuSampler(), size=200, timeout=1000)), True
    try:
        from langchain_core.vectorstores.utils import maximal_marginal_relevance
        from pyversity import Strategy, diversify
    except ImportError:
        print("peers are not installed: see benchmarks/peers/requirements.txt", file=sys.stderr)
        return

    def langchain(problem: Problem, query: np.ndarray) -> Indices:
        assert problem.vectors is not None
        return np.array(maximal_marginal_relevance(query, list(problem.vectors), lambda_mult=ALPHA, k=problem.k))

    yield "langchain-core MMR", langchain, True

    def peer(strategy: Any) -> Way:
        return lambda problem, _: (
            diversify(problem.vectors, problem.relevance, k=problem.k, strategy=strategy, diversity=1.0 - ALPHA).indices
        )

    for strategy in (Strategy.MMR, Strategy.MSD, Strategy.DPP, Strategy.COVER, Strategy.SSD):
        yield f"pyversity {strategy.name}", peer(strategy), strategy is Strategy.COVER


def curves(corpus: Corpus) -> Figures:
    """Return the median gap in percent of |f| after each deadline, by k."""
    queries = range(min(N_QUERIES, 20))
    return {
        f"k={k}": {
            str(deadline): round(
                float(
                    np.median([percent(select(corpus.problem(q, n=2000, k=k), deadline_ms=deadline)) for q in queries])
                ),
                4,
            )
            for deadline in DEADLINES_MS
        }
        for k in SIZES
    }


def draw(figures: Figures) -> None:
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.0), dpi=110)
    for name, points in figures.items():
        axes.plot([int(ms) for ms in points], [max(gap, 1e-3) for gap in points.values()], marker="o", label=name)
    axes.set(xscale="log", yscale="log", xlabel="deadline, ms", ylabel="certified gap, % of |f| (median)")
    axes.set_title("Certified gap against time, N = 2000, alpha .7")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    RESULTS.mkdir(exist_ok=True)
    figure.savefig(RESULTS / "selection.png")


if __name__ == "__main__":
    main()
