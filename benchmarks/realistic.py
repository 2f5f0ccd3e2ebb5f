"""Vectors and words drawn such that a store of any size resembles one of real papers.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.realistic

Vectors are a mixture fitted to the chunks of real texts: centres of k-means, with what lies around them in the directions
and with the variances that real vectors have around theirs. A paper has its topic, and its chunks lie around a point of
that topic. Three numbers are tuned: how wide, how unevenly over the directions, and how much wider some papers are than
others, until the distances to the first and tenth neighbour and the intrinsic dimension are those of real vectors, in a
sample of the same size. Words are those of the real texts, as frequent as there.

Writes results/realistic.json with the figures of both; it exits with 1 where one is off by more than a tenth.
"""

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import minimize

from benchmarks.common import data_folder, write_result
from benchmarks.corpora import remembering_embedder
from evaluation.corpus_store import chunking_of
from evaluation.task import CorpusDocument, Task, read_task
from ingest.chunkers import Chunker
from ingest.parsers import parse
from ingest.sources import Format, RawDocument
from papergraph.embedding import Floats
from schema.ids import sha256

TASKS = ("covidqa", "scifact", "doris_mae", "csfcube")
"""Whole papers, and abstracts of medicine and of computer science."""

N_TOPICS, N_ROUNDS, N_SAMPLED, NEIGHBOURS, LARGEST_ERROR = 200, 12, 1500, 20, 0.1
FEW = 4
"""An abstract has as many chunks; what has more is a whole paper."""

TWIN = 1e-3
"""Two vectors nearer than this are of the same text, and no neighbours."""


@dataclass(frozen=True)
class RealTexts:
    """Chunks of real texts.

    Attributes:
        vectors: Of each chunk, length 1, shape (n, d).
        papers: Number of the paper of each chunk, from 0, shape (n,).
        words: Every word of the texts, the most frequent first.
        counts: How often each occurs, shape (n words,).
        lengths: Words of each chunk of a whole paper.
    """

    vectors: Floats
    papers: Any
    words: list[str]
    counts: Any
    lengths: Any


def real_texts(names: Sequence[str] = TASKS) -> RealTexts:
    """Cut and embed the documents of the evaluation data, with the vectors that evaluations have made already."""
    embedder = remembering_embedder()
    texts: list[str] = []
    papers: list[int] = []
    lengths: list[int] = []
    words: Counter[str] = Counter()
    n_papers = 0
    for task in (read_task(data_folder() / name) for name in names):
        chunker = Chunker(embedder.tokenizer, chunking_of(task))
        for document in task.documents:
            if document.file_text.strip():
                spans = [span for span in chunker.chunks(parse(_source(task, document))) if span.has_vector]
                texts += [span.embedded_text for span in spans]
                papers += [n_papers] * len(spans)
                lengths += [len(span.text.split()) for span in spans] if len(spans) > FEW else []
                words.update(document.text.split())
                n_papers += 1
    ordered = words.most_common()
    return RealTexts(
        embedder.encode_documents(texts),
        np.array(papers),
        [word for word, _ in ordered],
        np.array([count for _, count in ordered]),
        np.array(lengths),
    )


def _source(task: Task, document: CorpusDocument) -> RawDocument:
    data = document.file_text.encode()
    return RawDocument(f"/real/{task.name}/{document.id}.txt", data, Format.TEXT, sha256(document.file_text))


@dataclass(frozen=True)
class Shape:
    """How vectors of length 1 stand to each other.

    Attributes:
        first: Median distance to the nearest other one.
        tenth: Median distance to the tenth nearest.
        dimension: Intrinsic dimension by maximum likelihood over 20 neighbours.
        two_nn: Intrinsic dimension by the ratio of the second distance to the first.
    """

    first: float
    tenth: float
    dimension: float
    two_nn: float


def shape_of(vectors: Floats, *, n_sampled: int = N_SAMPLED, seed: int = 0) -> Shape:
    """Measure how vectors stand to each other, by neighbours of a sample among all of them.

    Args:
        vectors: Each of length 1, shape (n, d), n over 40.
        n_sampled: Number of those whose neighbours are looked for.
        seed: Of the sample.

    Source: Levina and Bickel 2004, Maximum Likelihood Estimation of Intrinsic Dimension; MacKay and Ghahramani's mean of
    the inverse. Facco et al. 2017, Estimating the intrinsic dimension of datasets by a minimal neighborhood information.
    """
    chosen = np.random.default_rng(seed).permutation(len(vectors))[:n_sampled]
    squares = np.maximum(2 - 2 * vectors[chosen] @ vectors.T, 0)
    squares[squares < TWIN**2] = np.inf  # itself, and the same text again
    n_near = NEIGHBOURS + 1
    near = np.sqrt(np.sort(np.partition(squares, n_near, axis=1)[:, :n_near], axis=1))
    inverses = np.log(near[:, NEIGHBOURS - 1 : NEIGHBOURS] / near[:, : NEIGHBOURS - 1]).mean(axis=1)
    ratios = np.sort(np.log(near[:, 1] / near[:, 0]))
    kept = ratios[: int(0.9 * len(ratios))]  # the largest ones are of outliers
    passed = -np.log1p(-np.arange(1, len(kept) + 1) / len(ratios))
    return Shape(
        first=float(np.median(near[:, 0])),
        tenth=float(np.median(near[:, 9])),
        dimension=float(1 / inverses.mean()),
        two_nn=float(kept @ passed / (kept @ kept)),
    )


@dataclass(frozen=True)
class Mixture:
    """What vectors are drawn from.

    Attributes:
        centres: Of the topics, shape (n topics, d).
        shares: How many of the papers each has, cumulated, shape (n topics,).
        axes: Directions in which vectors lie around a centre, as rows, shape (d, d).
        widths: Standard deviation along each, shape (d,).
        of_paper: Share of that variance which all chunks of a paper have in common.
        unevenness: Standard deviation of the logarithm of how wide a paper lies.
    """

    centres: Floats
    shares: Any
    axes: Floats
    widths: Floats
    of_paper: float
    unevenness: float

    @cached_property
    def _steps(self) -> tuple[Floats, Floats]:
        scaled = (self.axes * self.widths[:, None]).astype(np.float32)
        return scaled * np.float32(math.sqrt(self.of_paper)), scaled * np.float32(math.sqrt(1 - self.of_paper))

    def draw(self, sizes: Sequence[int], random: np.random.Generator) -> Floats:
        """Return vectors of length 1 for papers with so many chunks each, in order, shape (sum of sizes, d)."""
        counts = np.asarray(sizes)
        topics = np.searchsorted(self.shares, random.random(len(counts)), side="right")
        common, own = self._steps
        n_axes = len(self.widths)
        wide = np.exp(self.unevenness * random.standard_normal((len(counts), 1), dtype=np.float32))
        points = wide * (random.standard_normal((len(counts), n_axes), dtype=np.float32) @ common)
        around = random.standard_normal((int(counts.sum()), n_axes), dtype=np.float32) @ own
        of_chunk = np.repeat(np.arange(len(counts)), counts)
        drawn = self.centres[topics][of_chunk] + points[of_chunk] + wide[of_chunk] * around
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


@dataclass(frozen=True)
class Fit:
    """A mixture and how well it resembles what it was fitted to.

    Attributes:
        mixture: The mixture.
        real: How the real vectors stand to each other.
        drawn: The same of as many drawn ones, of papers with as many chunks.
        tuned: The three numbers that were tuned.
    """

    mixture: Mixture
    real: Shape
    drawn: Shape
    tuned: dict[str, float]

    @property
    def largest_error(self) -> float:
        """By which share the measure that fits worst is off."""
        return max(abs(errors_of(self.drawn, self.real)))

    def figures(self) -> dict[str, Any]:
        """Return the figures of both, and what was tuned."""
        both = {
            name: {"real": round(real, 3), "drawn": round(getattr(self.drawn, name), 3)}
            for name, real in vars(self.real).items()
        }
        return {**both, "largest error": round(float(self.largest_error), 3), "tuned": self.tuned}


def errors_of(drawn: Shape, real: Shape) -> Any:
    """Return by which share each measure of the drawn vectors is off, shape (4,)."""
    return np.array([getattr(drawn, name) / value - 1 for name, value in vars(real).items()])


def fit(vectors: Floats, papers: Any, *, n_topics: int = N_TOPICS, rounds: int = 60) -> Fit:
    """Fit a mixture to real vectors.

    Args:
        vectors: Each of length 1, shape (n, d).
        papers: Number of the paper of each, from 0 without a gap, shape (n,).
        n_topics: Number of centres.
        rounds: How often to draw and compare while tuning.
    """
    random = np.random.default_rng(0)
    centres, topics = k_means(vectors, n_topics, random)
    sizes = np.bincount(papers)
    around = vectors - centres[topics]
    variances, axes = np.linalg.eigh(around.T @ around / len(around))
    variances, axes = np.maximum(variances[::-1], 1e-12), axes.T[::-1].astype(np.float32)
    shares = np.bincount(topics[np.cumsum(sizes) - sizes], minlength=n_topics) / len(sizes)
    of_paper, real = _share_of_papers(around, papers, sizes), shape_of(vectors)

    def mixture(tuned: Any) -> Mixture:
        scale, power, unevenness = np.exp(tuned[0]), tuned[1], abs(tuned[2])
        bent = variances**power
        widths = np.sqrt(bent * (scale * variances.sum() / bent.sum())).astype(np.float32)
        return Mixture(centres, np.cumsum(shares / shares.sum()), axes, widths, of_paper, float(unevenness))

    def drawn(tuned: Any) -> Shape:
        return shape_of(mixture(tuned).draw(sizes, np.random.default_rng(1)))

    def loss(tuned: Any) -> float:
        return float((errors_of(drawn(tuned), real) ** 2).sum())

    found = minimize(
        loss,
        [0.0, 1.0, 0.1],
        method="Nelder-Mead",
        options={"maxfev": rounds, "initial_simplex": [[0, 1, 0.1], [0.3, 1, 0.1], [0, 1.4, 0.1], [0, 1, 0.4]]},
    ).x
    names = ("scale", "power", "unevenness")
    numbers = (float(np.exp(found[0])), float(found[1]), abs(float(found[2])))
    tuned = {name: round(number, 3) for name, number in zip(names, numbers, strict=True)}
    return Fit(mixture(found), real, drawn(found), tuned | {"of_paper": round(of_paper, 3)})


def _share_of_papers(around: Floats, papers: Any, sizes: Any) -> float:
    """Return which share of the variance around the topics the chunks of papers with several have in common."""
    several = sizes[papers] > FEW
    if not several.any():
        return 0.5
    of_several, numbers = around[several], papers[several]
    sums = np.zeros((len(sizes), around.shape[1]), np.float32)
    np.add.at(sums, numbers, of_several)
    within = of_several - (sums / np.maximum(sizes, 1)[:, None])[numbers]
    return float(np.clip(1 - (within**2).sum() / (of_several**2).sum(), 0.05, 0.95))


def k_means(vectors: Floats, n: int, random: np.random.Generator) -> tuple[Floats, Any]:
    """Return ``n`` centres, shape (n, d), and the number of each vector's nearest one."""
    centres = vectors[random.choice(len(vectors), n, replace=False)]
    for _ in range(N_ROUNDS):
        nearest = np.argmax(vectors @ centres.T - (centres**2).sum(axis=1) / 2, axis=1)
        counts = np.bincount(nearest, minlength=n)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, vectors)
        centres = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
    return centres, np.argmax(vectors @ centres.T - (centres**2).sum(axis=1) / 2, axis=1)


def main() -> None:
    texts = real_texts()
    found = fit(texts.vectors, texts.papers)
    write_result(
        "realistic",
        {"chunks": len(texts.vectors), "papers": int(texts.papers.max()) + 1, "of": list(TASKS), **found.figures()},
    )
    if found.largest_error > LARGEST_ERROR:
        sys.exit(f"a measure of the drawn vectors is off by {found.largest_error:.0%}")


if __name__ == "__main__":
    main()
