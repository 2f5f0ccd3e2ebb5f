"""Which chunks show the evidence soonest? Ways of cutting compared within budgets of words, by full text alone.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.chunkings

The papers of COVID-QA are cut in each way, and its questions are put to the full-text index' scores: BM25 with k1 1.2
and b .75 over text and, at half weight, context, Porter's stems, as docs/decisions/0012-words-of-a-question.md has
it, rebuilt here so that no vector has to be made. ``hit@5`` counts chunks, so longer ones have more of the text to hit
with; ``evidence@Nw`` gives each way the same number of words. Writes results/chunkings.json.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import snowballstemmer
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from benchmarks.common import data_folder, write_result
from evaluation.measures import evidence_figures, parse_measure
from evaluation.queries import Evidence, Query, Span
from evaluation.task import CorpusDocument, read_task
from ingest.chunkers import Chunker, ChunkOptions, ChunkSpan
from ingest.parsers import parse
from ingest.sources import Format, RawDocument
from papergraph.embedding import PackagedModel
from server.retrieval.lucene import CONTEXT_WEIGHT, STOP_WORDS, query_words

WAYS = (
    ChunkOptions(),
    ChunkOptions(max_tokens=96, overlap_tokens=16),
    ChunkOptions(max_tokens=128, overlap_tokens=32),
    ChunkOptions(max_tokens=256, overlap_tokens=48),
    ChunkOptions(max_tokens=384, overlap_tokens=64),
    ChunkOptions(chunker="tokens256", max_tokens=310, overlap_tokens=62),  # 200 words, 40 of them shared
    ChunkOptions(chunker="tokens256"),
    ChunkOptions(chunker="topic"),
    ChunkOptions(chunker="hierarchical"),
    ChunkOptions(chunker="sentence"),
    ChunkOptions(chunker="markdown"),
    ChunkOptions(chunker="quim"),
)
MEASURES = ("hit@5", "evidence@500w", "evidence@1000w", "evidence@2000w")
DEPTH = 80
K1, B = 1.2, 0.75
_stem = cache(snowballstemmer.stemmer("porter").stemWord)


class FullText:
    """BM25 over texts, as Lucene has it."""

    def __init__(self, texts: Sequence[str]) -> None:
        bags = [Counter(terms(text)) for text in texts]
        self._numbers = {term: number for number, term in enumerate(dict.fromkeys(t for bag in bags for t in bag))}
        lengths = np.array([bag.total() for bag in bags], dtype=float)
        rows = np.array([self._numbers[term] for bag in bags for term in bag], dtype=int)
        columns = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
        counts = np.array([n for bag in bags for n in bag.values()], dtype=float)
        n_with = np.bincount(rows, minlength=len(self._numbers))
        rarity = np.log(1 + (len(bags) - n_with + 0.5) / (n_with + 0.5))
        norms = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean())))
        weights = rarity[rows] * counts / (counts + norms[columns])
        self._weights = csr_matrix((weights, (rows, columns)), shape=(len(self._numbers), len(bags)))

    def scores(self, query: str) -> NDArray[np.float64]:
        """Return the score of each text, shape (n,)."""
        asked = np.zeros(len(self._numbers))
        for term in terms(query):
            if (number := self._numbers.get(term)) is not None:
                asked[number] += 1
        return np.asarray(self._weights.T @ asked)


def terms(text: str) -> list[str]:
    """Return a text's terms as the index has them."""
    words = re.findall(r"\w+", re.sub(r"['’]s\b", "", text.lower()))
    return [_stem(word) for word in words if word not in STOP_WORDS]


def main() -> None:
    """Compare the ways."""
    task = read_task(data_folder() / "covidqa")
    model = PackagedModel()  # its tokenizer and card alone; it is never loaded
    rows = []
    for options in WAYS:
        chunker = Chunker(model.tokenizer, options, longest_read=model.card.max_tokens)
        chunks = [(of, span) for of in task.documents for span in cut(of, chunker)]
        rows.append(
            {
                "chunker": options.chunker,
                "size": length(options.max_tokens, options.max_chars),
                "overlap": length(options.overlap_tokens, options.overlap_chars),
                **figures(task.queries, chunks),
            }
        )
    write_result("chunkings", {"dataset": task.name, "queries": len(task.queries), "ways": rows})


def length(n_tokens: int | None, n_chars: int | None) -> str:
    """Return a length in words."""
    return f"{n_chars} characters" if n_tokens is None else f"{n_tokens} tokens"


def cut(document: CorpusDocument, chunker: Chunker) -> list[ChunkSpan]:
    """Return the chunks of a document, parents aside."""
    parsed = parse(RawDocument(f"/{document.id}.txt", document.file_text.encode(), Format.TEXT, "0" * 64))
    return [span for span in chunker.chunks(parsed) if span.level == 0]


def figures(queries: Sequence[Query], chunks: Sequence[tuple[CorpusDocument, ChunkSpan]]) -> dict[str, Any]:
    """Return how many chunks there are, how long they are, and the measures of their ranking."""
    places = [Span(of.id, span.start + of.shift, span.end + of.shift) for of, span in chunks]
    n_words = [len(span.text.split()) for _, span in chunks]
    text, context = (FullText([getattr(span, name) for _, span in chunks]) for name in ("text", "context"))
    covered: dict[str, list[bool]] = {}
    words: dict[str, list[int]] = {}
    for query in queries:
        asked = " ".join(query_words(query.text))
        scores = text.scores(asked) + CONTEXT_WEIGHT * context.scores(asked)
        best = np.argsort(-scores, kind="stable")[:DEPTH].tolist()
        spans = query.gold.spans if isinstance(query.gold, Evidence) else ()
        covered[query.id] = [any(span.is_covered_by(places[number]) for span in spans) for number in best]
        words[query.id] = [n_words[number] for number in best]
    means = {}
    for name in MEASURES:
        measure = parse_measure(name)
        assert measure is not None
        of_queries = evidence_figures(measure, queries, covered, words).values()
        means[name] = round(float(np.mean(list(of_queries))), 4)
    return {"chunks": len(chunks), "words": round(float(np.mean(n_words)), 1), **means}


if __name__ == "__main__":
    main()
