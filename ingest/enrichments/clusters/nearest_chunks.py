"""The nearest chunks of other papers, exactly, and exactly again when chunks come and go.

Candidates are found by products of matrices in single precision; they are compared again in double precision, number
by number, so that the result does not depend on how the matrices were cut.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from papergraph.embedding import Floats

Ints = NDArray[np.int64]
Doubles = NDArray[np.float64]

ROWS_AT_ONCE, PAIRS_AT_ONCE = 1024, 1000
TOLERANCE = 1e-5
"""More than single precision errs in a cosine."""

DIGITS = 9
"""More would tell equal vectors apart by the order in which numbers were added."""

ANEW_SHARE = 0.2
"""With a larger share of new chunks all are compared with all."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of chunks with the cosine of their vectors.

    Attributes:
        first: Numbers of the lower chunks, shape (m,), in order.
        second: Numbers of the higher chunks, shape (m,), in order among those of the same first.
        scores: Cosines, shape (m,), to three digits.
    """

    first: Ints
    second: Ints
    scores: Doubles

    def __len__(self) -> int:
        return len(self.first)


def similar_pairs(vectors: Floats, papers: Ints, *, k: int, least: float) -> Pairs:
    """Return the pairs of which one is among the ``k`` nearest of the other, chunks of its own paper left out.

    Args:
        vectors: A vector of length 1 for each chunk, shape (n, d); a zero vector is similar to nothing.
        papers: Number of each chunk's paper, shape (n,).
        k: How many nearest ones of each count, at least 1; the lower chunk goes first among equals.
        least: Cosine below which none counts.
    """
    rows = np.arange(len(vectors))
    return _pairs(len(vectors), *_top_k(vectors, *_nearest(vectors, papers, rows, k=k, least=least), k=k, least=least))


def updated_pairs(
    vectors: Floats, papers: Ints, known: tuple[Ints, Ints], changed: Ints, *, k: int, least: float
) -> Pairs:
    """Return what :func:`similar_pairs` does, of what was found before some chunks came or went.

    Args:
        vectors: As there.
        papers: As there.
        known: Pairs that were found before, the two chunks of each in any order, where both are still there.
        changed: Numbers of chunks that are new, or lost one that they were similar to.
        k: As there, and as before.
        least: As there, and as before.
    """
    if len(changed) > ANEW_SHARE * len(vectors):
        return similar_pairs(vectors, papers, k=k, least=least)
    of_changed = _nearest(vectors, papers, changed, k=k, least=least)
    of_others = _near(vectors, papers, changed, least=least)
    parts = (of_changed, of_others, known, known[::-1])
    sources, targets = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    return _pairs(len(vectors), *_top_k(vectors, sources, targets, k=k, least=least))


def _nearest(vectors: Floats, papers: Ints, rows: Ints, *, k: int, least: float) -> tuple[Ints, Ints]:
    """Return pairs of each of some chunks with what may be among its ``k`` nearest."""
    found = []
    k = min(k, len(vectors))
    for block, scores in _scored(vectors, papers, rows):
        kth = np.partition(scores, len(vectors) - k, axis=1)[:, len(vectors) - k]
        near, columns = np.nonzero(scores >= np.maximum(kth, least)[:, None] - TOLERANCE)
        found.append((block[near], columns))
    return _joined(found)


def _near(vectors: Floats, papers: Ints, rows: Ints, *, least: float) -> tuple[Ints, Ints]:
    """Return pairs of any chunk with those of some others that may be near it."""
    found = []
    for block, scores in _scored(vectors, papers, rows):
        near, columns = np.nonzero(scores >= least - TOLERANCE)
        found.append((columns, block[near]))
    return _joined(found)


def _scored(vectors: Floats, papers: Ints, rows: Ints) -> Iterator[tuple[Ints, Floats]]:
    is_zero = np.count_nonzero(vectors, axis=1) == 0
    for start in range(0, len(rows), ROWS_AT_ONCE):
        block = rows[start : start + ROWS_AT_ONCE]
        scores = vectors[block] @ vectors.T
        scores[(papers[block][:, None] == papers[None, :]) | is_zero[block][:, None] | is_zero[None, :]] = -2.0
        yield block, scores


def _joined(found: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate([one for one, _ in found]), np.concatenate([other for _, other in found])


def _top_k(vectors: Floats, sources: Ints, targets: Ints, *, k: int, least: float) -> tuple[Ints, Ints, Doubles]:
    """Return of pairs, each from a chunk to another one, the ``k`` nearest of each source, with their cosines."""
    n = len(vectors)
    directed = np.unique(sources * n + targets)
    sources, targets = directed // n, directed % n
    codes = np.minimum(sources, targets) * n + np.maximum(sources, targets)
    pairs, of_pair = np.unique(codes, return_inverse=True)
    scores = _cosines(vectors, pairs // n, pairs % n)[of_pair]
    near = scores >= least
    sources, targets, scores = sources[near], targets[near], scores[near]
    order = np.lexsort((targets, -scores, sources))
    sources, targets, scores = sources[order], targets[order], scores[order]
    kept = np.arange(len(sources)) - np.searchsorted(sources, sources) < k
    return sources[kept], targets[kept], scores[kept]


def _cosines(vectors: Floats, first: Ints, second: Ints) -> Doubles:
    cosines = np.empty(len(first), np.float64)
    for start in range(0, len(first), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        cosines[part] = (vectors[first[part]] * vectors[second[part]]).sum(axis=1, dtype=np.float64)
    return np.round(cosines, DIGITS)


def _pairs(n: int, sources: Ints, targets: Ints, scores: Doubles) -> Pairs:
    codes, at = np.unique(np.minimum(sources, targets) * n + np.maximum(sources, targets), return_index=True)
    return Pairs(codes // max(n, 1), codes % max(n, 1), np.round(scores[at], 3))
