"""Order of the inbox on labelled reviews, beside TF-IDF with logistic regression of scikit-learn.

Usage: python -m benchmarks.inbox_order FOLDER

FOLDER holds two checkouts: ``Datasets for automatic screening of papers`` of hannousse/Semantic-Scholar-Evaluation at
4ed6bfb (seven reviews), and ``modeling/curious_snake/data`` of bwallace/citation-screening at ed2f9f0 (copd,
proton_beam, micro_nutrients). Each of ten seeds draws two included and two excluded records of a review. Then both
models are trained on the decisions so far and the best records are decided, ten or a tenth of the decisions at a time,
until none is left. Measures: recall after 10, 20 and 50 % of the records, and work saved over sampling at 95 % recall
(WSS@95). Writes results/inbox_order.json. PAPERGRAPH_BENCH_SEEDS changes the number of seeds.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from benchmarks.common import environment_number, write_result
from papergraph.embedding import open_model
from papergraph.evaluation.statistics import intervals
from papergraph.ingest.graph.rows import paper_text
from papergraph.ingest.sources.bibtex import read_entries
from papergraph.server.papers.relevance import Relevance, Texts
from papergraph.settings import Settings

REVIEWS = Path("Datasets for automatic screening of papers")
CITATIONS = Path("modeling/curious_snake/data")
LABELS = {
    "copd": "copd_labeled_terms_only",
    "proton_beam": "old/proton_titles",
    "micro_nutrients": "micro_labeled_features_only",
}
FIRST, BATCH, SHARE = 2, 10, 0.1
SHARES = (0.1, 0.2, 0.5)
OURS, THEIRS = "papergraph", "scikit-learn"

Order = Callable[[Sequence[int], Sequence[bool]], NDArray[np.float64]]
"""Scores of all records from the decided ones, the latest first, and whether each was included."""


def main() -> None:
    """Measure and write."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("usage: python -m benchmarks.inbox_order FOLDER, with both checkouts")
    folder, n_seeds = Path(sys.argv[1]), environment_number("PAPERGRAPH_BENCH_SEEDS", 10)
    sets: dict[str, dict[str, tuple[list[str], list[bool]]]] = {
        "hannousse/Semantic-Scholar-Evaluation@4ed6bfb": dict(reviews(folder / REVIEWS)),
        "bwallace/citation-screening@ed2f9f0": dict(citations(folder / CITATIONS)),
    }
    write_result("inbox_order", {name: measured(several, n_seeds) for name, several in sets.items()})


def reviews(folder: Path) -> Iterable[tuple[str, tuple[list[str], list[bool]]]]:
    """Yield the reviews of a folder: texts of records, and whether each was included."""
    for path in sorted(one for one in folder.iterdir() if one.is_dir()):
        texts: dict[str, bool] = {}
        for file in sorted(path.glob("*.bib")):
            for _, record in read_entries(file.read_text(encoding="utf-8", errors="replace")):
                if isinstance(record, dict) and record.get("title"):
                    text = paper_text(str(record["title"]), str(record.get("abstract") or ""))
                    texts[text] = texts.get(text, False) or "Included" in file.name
        yield path.name, (list(texts), list(texts.values()))


def citations(folder: Path) -> Iterable[tuple[str, tuple[list[str], list[bool]]]]:
    """Yield the three reviews whose titles, abstracts and labels are in files of their own."""
    for name, labels in LABELS.items():
        texts, included = [], []
        for line in (folder / name / labels).read_text().splitlines():
            id, label = line.split()[:2]
            parts = [folder / name / kind / id for kind in ("Titles", "Abstracts")]
            title, abstract = (one.read_text(errors="replace").strip() if one.is_file() else "" for one in parts)
            if title or abstract:
                texts.append(paper_text(title, abstract))
                included.append(label == "1")
        yield name, (texts, included)


def measured(several: dict[str, tuple[list[str], list[bool]]], n_seeds: int) -> dict[str, Any]:
    """Return the measures of each review of a set, and of all its reviews and seeds together."""
    embedder = open_model(Settings().embedding, Settings().embedding.model, [])
    together: dict[str, dict[str, list[float]]] = {}
    found: dict[str, Any] = {}
    for review, (texts, included) in several.items():
        vectors = [list(map(float, one)) for one in embedder.encode_documents(texts)]
        ways = {THEIRS: of_sklearn(texts), OURS: of_papergraph(texts, vectors)}
        runs = {name: [screened(order, included, seed) for seed in range(n_seeds)] for name, order in ways.items()}
        found[review] = {"records": len(texts), "included": sum(included), **compared(runs)}
        for name, several_runs in runs.items():
            for run in several_runs:
                for measure, value in run.items():
                    together.setdefault(measure, {}).setdefault(name, []).append(value)
        print(review, len(texts), sum(included), compared(runs), flush=True)
    return {"reviews": found, "all": {measure: figures(by_name) for measure, by_name in together.items()}}


def compared(runs: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    """Return means and the paired difference, with intervals over seeds, of each measure."""
    return {
        measure: figures({name: [run[measure] for run in several] for name, several in runs.items()})
        for measure in runs[OURS][0]
    }


def figures(by_name: dict[str, list[float]]) -> dict[str, Any]:
    """Return the means of both ways and their difference, with 95 % intervals."""
    means, differences = intervals(by_name)
    told = {name: [one.mean, one.low, one.high] for name, one in means.items()}
    one = differences[OURS]
    return {name: [round(value, 4) for value in three] for name, three in told.items()} | {
        "difference": [round(value, 4) for value in (one.mean, one.low, one.high)]
    }


def of_papergraph(texts: Sequence[str], vectors: Sequence[Sequence[float]]) -> Order:
    """Return the order of the inbox."""
    rows = Texts.of(texts, vectors)
    return lambda decided, kept: Relevance.trained(rows, decided, kept).scores()


def of_sklearn(texts: Sequence[str]) -> Order:
    """Return the order of scikit-learn's logistic regression over its TF-IDF, both kinds of the same weight."""
    rows = TfidfVectorizer().fit_transform(texts)

    def order(decided: Sequence[int], kept: Sequence[bool]) -> NDArray[np.float64]:
        model = LogisticRegression(class_weight="balanced", max_iter=1000).fit(rows[list(decided)], list(kept))
        return np.asarray(model.decision_function(rows))

    return order


def screened(order: Order, included: Sequence[bool], seed: int) -> dict[str, float]:
    """Return recall after shares of the records, and WSS@95, when the best records are decided first."""
    generator = np.random.default_rng(seed)
    by_kind = [np.flatnonzero(np.array(included) == kind) for kind in (True, False)]
    decided = [int(one) for places in by_kind for one in generator.choice(places, FIRST, replace=False)]
    order_of_screening = list(decided)
    while len(decided) < len(included):
        scores = order(decided[::-1], [included[at] for at in decided[::-1]])
        left = np.setdiff1d(np.arange(len(included)), decided)
        best = left[np.argsort(-scores[left], kind="stable")][: max(BATCH, int(SHARE * len(decided)))]
        decided += [int(one) for one in best]
        order_of_screening = decided
    found = np.cumsum([included[at] for at in order_of_screening])
    told = {f"recall@{share:.0%}": float(found[ceil(share * len(included)) - 1] / found[-1]) for share in SHARES}
    needed = int(np.searchsorted(found, 0.95 * found[-1]) + 1)
    return told | {"WSS@95": 1 - needed / len(included) - 0.05}


if __name__ == "__main__":
    main()
