"""BM25 over words as written and over Porter's stems, at two settings, beside Neo4j's full-text index.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.bm25

nDCG@10 over title and text of each document, with the question and stop words that the product leaves out; the figures
of the product are those of ``evaluation/results``, pipeline ``fulltext``. Writes results/bm25.json.
"""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]

from benchmarks.common import data_folder, write_result
from papergraph.evaluation.queries import Judged
from papergraph.evaluation.task import Task, read_task
from papergraph.server.retrieval.lucene import STOP_WORDS, WORD, query_words

TASKS = ("scifact", "cranfield", "doris_mae")
SETTINGS = ((1.2, 0.75), (0.9, 0.4))
RESULTS = Path("evaluation/results")
K = 10

stem = cache(PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM).stem)


def main() -> None:
    figures = {}
    for name in TASKS:
        task = read_task(data_folder() / name)
        product = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["pipelines"]["fulltext"]
        figures[name] = {"Neo4j": round(product["nDCG@10"]["mean"], 4)}
        for k1, b in SETTINGS:
            for way, stemmed in (("stems", True), ("words", False)):
                figures[name][f"{way}, k1 {k1}, b {b}"] = round(ndcg(task, k1, b, stemmed=stemmed), 4)
    write_result("bm25", {"what": "nDCG@10 by words alone", "sets": figures})


def ndcg(task: Task, k1: float, b: float, *, stemmed: bool) -> float:
    """Return the mean nDCG@10 over the queries of a task."""
    places = {document.id: place for place, document in enumerate(task.documents)}
    ids = list(places)
    texts = [_words(f"{document.title} {document.text}", stemmed=stemmed) for document in task.documents]
    weights, columns = _weights(texts, k1, b)
    found = []
    for query in task.queries:
        wanted = {_form(word, stemmed=stemmed) for word in query_words(query.text) if word not in STOP_WORDS}
        known = [columns[word] for word in wanted if word in columns]
        scores = np.asarray(weights[:, known].sum(axis=1)).ravel()
        ranked = range(len(ids)) if query.within is None else [places[id] for id in query.within if id in places]
        order = sorted((p for p in ranked if scores[p] > 0 and ids[p] != query.left_out), key=lambda p: -scores[p])
        assert isinstance(query.gold, Judged)
        gains = {id: max(0.0, float(gain)) for id, gain in query.gold.gains.items()}
        best = sorted(gains.values(), reverse=True)[:K]
        found.append(_dcg([gains.get(ids[place], 0.0) for place in order[:K]]) / (_dcg(best) or 1.0))
    return float(np.mean(found))


def _weights(texts: list[list[str]], k1: float, b: float) -> tuple[sparse.csc_matrix, dict[str, int]]:
    """Return the BM25 weight of each word in each text, shape (texts, words), and the column of each word."""
    counts = [Counter(text) for text in texts]
    columns = {word: column for column, word in enumerate(dict.fromkeys(word for one in counts for word in one))}
    rows = np.repeat(np.arange(len(counts)), [len(one) for one in counts])
    places = [columns[word] for one in counts for word in one]
    n = np.array([number for one in counts for number in one.values()], dtype=np.float64)
    lengths = np.array([len(text) for text in texts], dtype=np.float64)
    frequency = np.bincount(places, minlength=len(columns))
    rarity = np.log(1 + (len(texts) - frequency + 0.5) / (frequency + 0.5))
    weights = rarity[places] * n * (k1 + 1) / (n + k1 * (1 - b + b * lengths[rows] / lengths.mean()))
    return sparse.csc_matrix((weights, (rows, places)), shape=(len(texts), len(columns))), columns


def _words(text: str, *, stemmed: bool) -> list[str]:
    return [_form(word, stemmed=stemmed) for word in WORD.findall(text.lower()) if word not in STOP_WORDS]


def _form(word: str, *, stemmed: bool) -> str:
    return str(stem(word)) if stemmed else word


def _dcg(gains: list[float]) -> float:
    return float(sum(gain / np.log2(place + 2) for place, gain in enumerate(gains)))


if __name__ == "__main__":
    main()
