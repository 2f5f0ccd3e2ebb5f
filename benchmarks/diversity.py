"""Does a selection help readers? Passages on all topics of a query, against top-k, hybrids, MMR and turns.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.diversity

Queries of two of Cranfield's own (``c*``) choose alpha, pool and relevance; figures are those of three (``d*``), of
topics composed of CSFCube's, and of DORIS-MAE. Candidates come from one list, and from the questions within a query
asked apart. Writes results/diversity.json, and a page with plots for each below the cache's ``benchmarks/diversity``.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import data_folder, home_of_store, write_result
from benchmarks.corpora import remembering_embedder
from papergraph.cli.output import TerminalProgress
from papergraph.embedding import Embedder
from papergraph.evaluation.queries import Judged, Query, Subtopics
from papergraph.evaluation.report import write_page
from papergraph.evaluation.retrieval.rankings import Pool, Run
from papergraph.evaluation.selection_sweep import Grid, SelectionStudy, Sweep, sweep
from papergraph.evaluation.task import Task, read_task
from papergraph.server.retrieval.pipelines import read_pipelines, shipped
from papergraph.server.retrieval.steps.select import Relevance
from papergraph.settings import Settings

OURS = Path(__file__).parents[1] / "evaluation" / "selection.toml"
PAGES = "diversity"
ONE_LIST, VECTORS, BY_SCORE, IN_TURNS = "one-list", "vector", "parts-by-score", "parts-in-turns"
HYBRIDS = ("vector", "fulltext", "fused", "fast")
ALPHAS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
N, FEW, MOST = 100, 50, 200
K = 10
N_TOPICS, N_TOGETHER, N_NEAR, SEED = 200, 4, 7, 1


def main() -> None:
    home_of_store(PAGES).mkdir(parents=True, exist_ok=True)
    data = data_folder()
    figures: dict[str, Any] = {"what": "ways of selecting 10 passages; alpha, pool and relevance chosen on c* alone"}

    compound = Found.of(read_task(data / "diversity_cranfield"), [ONE_LIST, VECTORS, BY_SCORE, IN_TURNS])
    parts = Grid(ALPHAS, ks=(K,), pools=(FEW,), relevances=(Relevance.COVERAGE, Relevance.FEEDBACK))
    one = compound.swept(ONE_LIST, Grid(ALPHAS, ks=(K,), pools=(N,)), tune="c*")
    vectors = compound.swept(VECTORS, Grid(ALPHAS, ks=(K,), pools=(N,)), tune="c*")
    turns = compound.swept(IN_TURNS, parts, tune="c*")
    figures["d*, one list"] = told("one-list", one)
    figures["d*, one list, pool chosen too"] = told(
        "one-list-pools", compound.swept(ONE_LIST, Grid(ALPHAS, ks=(K,), pools=(FEW, N, MOST)), tune="c*")
    )
    figures["d*, one list of the vector retriever"] = told("vectors", vectors)
    figures["d*, parts by score"] = told(
        "parts-by-score", compound.swept(BY_SCORE, Grid(ALPHAS, ks=(K,), pools=(N,)), tune="c*")
    )
    figures["d*, parts in turns"] = told("parts-in-turns", turns)

    topics = Found.of(composed(read_task(data / "csfcube"), remembering_embedder()), [ONE_LIST, VECTORS, IN_TURNS])
    figures["csfcube composed, one list"] = told("csfcube", topics.swept(ONE_LIST, elsewhere(one)))
    figures["csfcube composed, vector retriever"] = told("csfcube-vectors", topics.swept(VECTORS, elsewhere(vectors)))
    figures["csfcube composed, parts in turns"] = told("csfcube-parts", topics.swept(IN_TURNS, elsewhere(turns)))

    paragraphs = Found.of(read_task(data / "doris_mae"), [ONE_LIST])
    figures["doris_mae, one list"] = told("doris_mae", paragraphs.swept(ONE_LIST, elsewhere(one)))
    write_result("diversity", figures)


@dataclass(frozen=True)
class Found:
    """A task, with the candidates of its queries and the rankings to stand beside."""

    task: Task
    pools: Mapping[str, Sequence[Pool]]
    runs: Mapping[str, Run]

    @classmethod
    def of(cls, task: Task, candidates: Sequence[str]) -> "Found":
        known = {**shipped(), **read_pipelines(OURS)}
        beside = [known[name] for name in (IN_TURNS, *HYBRIDS)]
        with TerminalProgress() as progress:
            study = SelectionStudy(Settings(), task, [known[name] for name in candidates], beside, progress=progress)
            found = study.find(k=K, n=MOST)
            progress.pause()
        return cls(task, *found)

    def swept(self, name: str, grid: Grid, *, tune: str | None = None) -> Sweep:
        found = sweep(self.task, {name: self.pools[name]}, self.runs, grid, tune=tune)
        print(found.report().as_text(), file=sys.stderr)
        return found


def elsewhere(found: Sweep) -> Grid:
    """Return the grid that reports the way which a sweep chose."""
    (row,) = found.settled
    assert row.way is not None
    return Grid(ALPHAS, ks=(K,), pools=(row.way.pool,), relevances=(row.way.by,), settled=row.way)


def told(name: str, found: Sweep) -> dict[str, Any]:
    """Write the page of a sweep, which has everything, and return the figures that the README tells of."""
    write_page(found, home_of_store(PAGES) / f"{name}.html")
    return short(found.as_json())


def short(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sweep's JSON with rows' means alone, and each comparison under the names of what is compared."""
    reported = {row["name"]: _means(row["measures"]) for row in found["rows"]}
    differences: dict[str, dict[str, Any]] = {}
    for one in found["comparisons"]:
        against = differences.setdefault(f"{one['first']} - {one['second']}", {})
        against[one["measure"]] = [one["difference"][end] for end in ("mean", "low", "high")]
    return {
        **{key: found[key] for key in ("dataset", "queries", "topics", "tune", "tunedOn")},
        "measures": list(found["rows"][0]["measures"]),
        "settled": [row["row"] for row in found["settled"]],
        "of the settled": [reported[row["row"]] for row in found["settled"]],
        "reported": reported,
        "tuning": {row["name"]: list(row["tuning"].values()) for row in found["rows"] if "tuning" in row},
        "ms": {row["name"]: list(row["ms"].values()) for row in found["rows"] if "ms" in row},
        "proven": {row["name"]: row["proven"] for row in found["rows"] if "proven" in row},
        "differences, mean, low, high": differences,
    }


def _means(measures: Mapping[str, Mapping[str, float]]) -> list[float]:
    return [figure["mean"] for figure in measures.values()]


def composed(task: Task, embedder: Embedder) -> Task:
    """Return topics made of CSFCube's query papers: the titles of four that are near each other, a subtopic each.

    The first is drawn among all, three others among its seven nearest by title, of other papers; what is relevant to a
    paper's facet (graded 2 or 3) is relevant to the subtopic. The query papers are taken out of the corpus. There are
    24 such subtopics, so the topics share them, which the intervals take into account.
    """
    asked = [(query, query.left_out) for query in task.queries if query.left_out and isinstance(query.gold, Judged)]
    papers = {paper for _, paper in asked}
    titles = {document.id: document.title for document in task.documents if document.id in papers}
    vectors = dict(zip(titles, embedder.encode_documents(list(titles.values())), strict=True))
    generator, topics = np.random.default_rng(SEED), dict[str, list[tuple[Query, str]]]()
    while len(topics) < N_TOPICS:
        first = asked[generator.integers(len(asked))]
        others = [one for one in asked if one[1] != first[1]]
        near = sorted(others, key=lambda one: -float(np.dot(vectors[one[1]], vectors[first[1]])))[:N_NEAR]
        drawn = [first, *(near[place] for place in generator.permutation(N_NEAR))]
        of_papers = {paper: (query, paper) for query, paper in reversed(drawn)}  # of a paper's facets the first drawn
        together = sorted(list(of_papers.values())[-N_TOGETHER:], key=lambda one: one[0].id)
        topics.setdefault("+".join(query.id for query, _ in together), together)
    queries = [
        Query(id, " ".join(f"{titles[paper].rstrip('.')}." for _, paper in together), subtopics(together, papers))
        for id, together in topics.items()
    ]
    documents = tuple(document for document in task.documents if document.id not in papers)
    return replace(task, name="csfcube composed", documents=documents, queries=tuple(queries))


def subtopics(together: Sequence[tuple[Query, str]], papers: set[str]) -> Subtopics:
    """Return what is relevant to each of several queries, but for the query papers."""
    sets = {query.id: query.gold.relevant - papers for query, _ in together if isinstance(query.gold, Judged)}
    return Subtopics({id: frozenset(docs) for id, docs in sets.items() if docs})


if __name__ == "__main__":
    main()
