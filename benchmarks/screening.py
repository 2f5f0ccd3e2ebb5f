"""Screening: import of search results of several databases, and the stopping rule on labelled reviews.

Usage: python -m benchmarks.screening VIGNETTES [REVIEWS]

VIGNETTES is the folder ``vignettes`` of ESHackathon/CiteSource, whose files of search results have their number of
records in their names: topic_data (five databases), new_stage_data (six, with what was screened and included) and
valid_data (three). REVIEWS is the folder of labelled reviews of :mod:`benchmarks.inbox_order`: each is screened best
first, by words alone, until at least 95 % are claimed to be found. Writes results/screening.json.
"""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import environment_number, write_result
from benchmarks.inbox_order import BATCH, FIRST, SHARE, reviews
from papergraph.server.papers.relevance import Relevance, Texts
from papergraph.server.screening.duplicates import Works
from papergraph.server.screening.search_results import read_results
from papergraph.server.screening.statistics import TARGET, recall

SETS = {"topic_data": r"_(\d+)\.ris$", "new_stage_data": r"_(\d+)\.ris$", "valid_data": r"_(\d+)\.ris$"}
ENDS = re.compile(r"^ER  ?-", re.MULTILINE)


def main() -> None:
    """Measure and write."""
    if len(sys.argv) not in (2, 3) or not all(Path(one).is_dir() for one in sys.argv[1:]):
        sys.exit("usage: python -m benchmarks.screening VIGNETTES [REVIEWS]")
    figures: dict[str, Any] = {
        "imports": {name: imported(Path(sys.argv[1]) / name, form) for name, form in SETS.items()}
    }
    if len(sys.argv) == 3:
        n_seeds = environment_number("PAPERGRAPH_BENCH_SEEDS", 10)
        figures["stopping"] = {name: stopped(*one, n_seeds) for name, one in reviews(Path(sys.argv[2]))}
    write_result("screening", figures)


def imported(folder: Path, form: str) -> dict[str, Any]:
    """Return what the files of a folder give, beside their numbers of records by their names and last lines."""
    works, kinds = Works(), Counter[str]()
    files: dict[str, Any] = {}
    for path in sorted(one for one in folder.glob("*.ris") if re.search(form, one.name)):
        data = path.read_bytes()
        results = read_results("benchmark", path.stem, path.name, data)
        joined = [works.add(one.identity) for one in results.records]
        kinds += Counter(one[1] for one in joined if one)
        (named,) = re.findall(form, path.name)
        files[path.name] = {
            "by name": int(named),
            "by last lines": len(ENDS.findall(data.decode("utf-8-sig", "replace"))),
            "records": len(results.records),
            "refused": list(results.refused),
            "without title": sum(not one.identity.title for one in results.records),
            "duplicates": sum(one is not None for one in joined),
        }
    n_records, n_duplicates = (sum(one[name] for one in files.values()) for name in ("records", "duplicates"))
    return {
        "files": files,
        "records": n_records,
        "kept": n_records - n_duplicates,
        "duplicates by": dict(kinds),
        "possible duplicates": sum(1 for _ in works.possible()),
    }


def stopped(texts: Sequence[str], included: Sequence[bool], n_seeds: int) -> dict[str, Any]:
    """Return the true recall and the share that was read when at least 95 % were claimed, over seeds."""
    rows = Texts.of(texts, [None] * len(texts))
    runs = [_stopped(rows, included, seed) for seed in range(n_seeds)]
    return {
        "records": len(texts),
        "included": sum(included),
        "recall": [round(one[0], 3) for one in runs],
        "read": [round(one[1], 3) for one in runs],
        "below 95 %": sum(one[0] < TARGET for one in runs),
    }


def _stopped(rows: Texts, included: Sequence[bool], seed: int) -> tuple[float, float]:
    generator = np.random.default_rng(seed)
    by_kind = [np.flatnonzero(np.array(included) == kind) for kind in (True, False)]
    decided = [int(one) for places in by_kind for one in generator.choice(places, FIRST, replace=False)]
    while len(decided) < len(included):
        labels = [included[at] for at in decided]
        if recall(labels, len(included)).low >= TARGET:
            break
        scores = Relevance.trained(rows, decided[::-1], labels[::-1]).scores()
        left = np.setdiff1d(np.arange(len(included)), decided)
        best = left[np.argsort(-scores[left], kind="stable")][: max(BATCH, int(SHARE * len(decided)))]
        decided += [int(one) for one in best]
    found = sum(included[at] for at in decided)
    return found / sum(included), len(decided) / len(included)


if __name__ == "__main__":
    main()
