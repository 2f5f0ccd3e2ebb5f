"""Vectors and words drawn such that a store of any size resembles one of real papers.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.realistic

Vectors are a mixture fitted to the chunks of real texts. Topics are centres of k-means; around each, vectors lie in few
directions, those in which the real ones of the topic vary most. A paper has its topic, and its chunks lie around a
point of it. Three numbers are tuned: how many directions, how far out, and how unevenly over the directions, until the
distances to the first and tenth neighbour and the intrinsic dimension are those of real vectors, among as many. Words
are those of the real texts, as frequent as there.

Writes results/realistic.json with the figures of both, and keeps the fit for other benchmarks; it exits with 1 where a
figure is off by more than a tenth.
"""

import math
import pickle
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from benchmarks.common import data_folder, write_result
from benchmarks.corpora import remembering_embedder
from papergraph.embedding import Floats
from papergraph.evaluation.corpus_store import chunking_of
from papergraph.evaluation.task import CorpusDocument, Task, read_task
from papergraph.ingest.chunkers import Chunker
from papergraph.ingest.parsers import parse
from papergraph.ingest.sources import Format, RawDocument
from papergraph.schema.ids import sha256
from papergraph.settings import Settings

KEPT = Settings().cache / "benchmarks" / "realistic.pickle"
TASKS = ("covidqa", "scifact", "doris_mae", "csfcube")
"""Whole papers, and abstracts of medicine and of computer science."""

N_TOPICS, N_AXES = 200, (16, 20, 24, 28)
N_ROUNDS, N_TRIES, N_SAMPLED, NEIGHBOURS, LARGEST_ERROR = 12, 25, 1500, 20, 0.1
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
    """Cosines between vectors of length 1.

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

    Source: Levina and Bickel 2004, Maximum Likelihood Estimation of Intrinsic Dimension, the mean of the inverses as
    by MacKay and Ghahramani; Facco et al. 2017, doi:10.1038/s41598-017-11873-y.
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
    """Distribution of vectors.

    Attributes:
        centres: Of the topics, shape (n topics, d).
        shares: How many of the papers each has, cumulated, shape (n topics,).
        axes: Directions in which the vectors of each topic lie around its centre, as long as the standard deviation
            along each, shape (n topics, n axes, d).
        of_paper: Share of the variance which all chunks of a paper have in common.
    """

    centres: Floats
    shares: Any
    axes: Floats
    of_paper: float

    def draw(self, sizes: Any, random: np.random.Generator) -> Floats:
        """Return vectors of length 1 for papers with so many chunks each, in order, shape (sum of ``sizes``, d)."""
        counts, n_axes = np.asarray(sizes), self.axes.shape[1]
        n_papers, n_chunks = len(counts), int(counts.sum())
        topics = np.minimum(np.searchsorted(self.shares, random.random(n_papers), side="right"), len(self.shares) - 1)
        of_chunk = np.repeat(np.arange(n_papers), counts)
        steps = math.sqrt(self.of_paper) * random.standard_normal((n_papers, n_axes), dtype=np.float32)[of_chunk]
        steps += math.sqrt(1 - self.of_paper) * random.standard_normal((n_chunks, n_axes), dtype=np.float32)
        drawn = self.centres[topics[of_chunk]].astype(np.float32)
        order = np.argsort(topics[of_chunk], kind="stable")
        ends = np.searchsorted(topics[of_chunk][order], np.arange(len(self.centres) + 1))
        for topic in np.unique(topics):
            chunks = order[ends[topic] : ends[topic + 1]]
            drawn[chunks] += steps[chunks] @ self.axes[topic]
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


@dataclass(frozen=True)
class Fit:
    """A mixture and how well it resembles what it was fitted to.

    Attributes:
        mixture: The mixture.
        real: How the real vectors stand to each other.
        drawn: The same of as many drawn ones, of papers with as many chunks.
        tuned: What was tuned, and the share of the variance that chunks of a paper have in common.
    """

    mixture: Mixture
    real: Shape
    drawn: Shape
    tuned: dict[str, float]

    @property
    def largest_error(self) -> float:
        """By which share the measure that fits worst is off."""
        return float(max(abs(errors_of(self.drawn, self.real))))

    def figures(self) -> dict[str, Any]:
        """Return the figures of both, and what was tuned."""
        both = {
            name: {"real": round(real, 3), "drawn": round(getattr(self.drawn, name), 3)}
            for name, real in vars(self.real).items()
        }
        return {**both, "largest error": round(self.largest_error, 3), "tuned": self.tuned}


def errors_of(drawn: Shape, real: Shape) -> Any:
    """Return by which share each measure of the drawn vectors is off, shape (4,)."""
    return np.array([getattr(drawn, name) / value - 1 for name, value in vars(real).items()])


def fit(vectors: Floats, papers: Any, *, n_topics: int = N_TOPICS, n_axes: Sequence[int] = N_AXES) -> Fit:
    """Fit a mixture to real vectors.

    Args:
        vectors: Each of length 1, shape (n, d).
        papers: Number of the paper of each, from 0 without a gap, shape (n,).
        n_topics: Number of centres.
        n_axes: Numbers of directions to try.
    """
    random = np.random.default_rng(0)
    centres, topics = k_means(vectors, n_topics, random)
    sizes = np.bincount(papers)
    around = vectors - centres[topics]
    axes = np.zeros((n_topics, max(n_axes), vectors.shape[1]), np.float32)
    widths, variances = np.zeros(axes.shape[:2]), np.zeros(n_topics)
    for topic in range(n_topics):
        own = around[topics == topic]
        _, lengths, directions = np.linalg.svd(own, full_matrices=False)
        n = min(len(lengths), max(n_axes))
        axes[topic, :n], widths[topic, :n] = directions[:n], lengths[:n] / math.sqrt(max(len(own), 1))
        variances[topic] = (own**2).sum() / max(len(own), 1)
    counts = np.bincount(topics[np.cumsum(sizes) - sizes], minlength=n_topics)
    shares, of_paper, real = (
        np.cumsum(counts / counts.sum()),
        _share_of_papers(around, papers, sizes),
        shape_of(vectors),
    )

    def mixture(n: int, tuned: Any) -> Mixture:
        scale, power = np.exp(tuned)
        bent = widths[:, :n] ** power
        lengths = np.sqrt(scale * variances[:, None]) * bent / np.maximum(np.linalg.norm(bent, axis=1)[:, None], TWIN)
        return Mixture(centres, shares, (axes[:, :n] * lengths[:, :, None]).astype(np.float32), of_paper)

    def drawn(n: int, tuned: Any) -> Shape:
        return shape_of(mixture(n, tuned).draw(sizes, np.random.default_rng(1)))

    def loss(tuned: Any, n: int) -> float:
        return float((errors_of(drawn(n, tuned), real) ** 2).sum())

    tried = {}
    for n in n_axes:
        simplex = [[0.3, 0.0], [0.0, 0.0], [0.3, -0.7]]
        options = {"maxfev": N_TRIES, "initial_simplex": simplex}
        tried[n] = minimize(loss, simplex[0], args=(n,), method="Nelder-Mead", options=options)
    best = min(tried, key=lambda n: float(tried[n].fun))
    scale, power = np.exp(tried[best].x).round(3).tolist()
    tuned = {"axes": best, "scale": scale, "power": power, "of a paper": round(of_paper, 3)}
    return Fit(mixture(best, tried[best].x), real, drawn(best, tried[best].x), tuned)


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


def fitted() -> tuple[RealTexts, Fit]:
    """Return the real texts and the fit of ``python -m benchmarks.realistic``, made now if they are missing."""
    return pickle.loads(KEPT.read_bytes()) if KEPT.exists() else keep()  # noqa: S301 - a file of our own cache


def keep() -> tuple[RealTexts, Fit]:
    """Fit again, and keep the fit."""
    texts = real_texts()
    found = fit(texts.vectors, texts.papers)
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_bytes(pickle.dumps((texts, found)))
    return texts, found


def main() -> None:
    texts, found = keep()
    write_result(
        "realistic",
        {"chunks": len(texts.vectors), "papers": int(texts.papers.max()) + 1, "of": list(TASKS), **found.figures()},
    )
    if found.largest_error > LARGEST_ERROR:
        sys.exit(f"a measure of the drawn vectors is off by {found.largest_error:.0%}")


if __name__ == "__main__":
    from benchmarks import realistic  # what is kept belongs to the module that others import

    realistic.main()
