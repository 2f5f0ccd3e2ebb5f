"""Similar chunks, and the links of papers: exactly, and exactly again when chunks come and go."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from papergraph.embedding import Floats

# The nearest chunks of other papers, exactly, and exactly again when chunks come and go.
#
# Candidates are found by products of matrices in single precision; they are compared again in double precision, number
# by number, so that the result does not depend on how the matrices were cut.


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


# Relations between papers of a collection: citations, common entities, and similar chunks


Links: TypeAlias = tuple[Ints, Ints, Doubles]
"""Pairs of papers, the lower first, and the weight of each."""

MOST_PAPERS_OF_AN_ENTITY = 30
"""Largest number of papers of an entity that relates them; a frequent entity says little and makes too many pairs."""

STRONGEST_LINKS = 20
LEAST_LINK = 0.05


@dataclass(frozen=True)
class Network:
    """A weighted graph over numbered nodes.

    Attributes:
        n: Number of nodes.
        sources: Numbers, from 0, of the nodes that relationships start at, shape (m,).
        targets: Those that they end at, shape (m,).
        weights: Their weights, above 0, shape (m,).
        directed: Whether start and end matter.
    """

    n: int
    sources: Ints
    targets: Ints
    weights: Doubles
    directed: bool = False


@dataclass(frozen=True)
class Mentions:
    """Pairs of paper and entity indexes, each once, shape (m,)."""

    papers: Ints
    entities: Ints


def alike(pairs: Pairs, paper_of: Ints, n_chunks: Ints) -> Links:
    """Return pairs of papers, the lower first, with how alike their chunks are, in [0, 1].

    It is the sum of the cosines of their similar chunks over the number of chunks that both have, 1 at most.
    """
    first, second = paper_of[pairs.first], paper_of[pairs.second]
    a, b, total = _summed(np.minimum(first, second), np.maximum(first, second), pairs.scores, len(n_chunks))
    return a, b, np.minimum(1.0, total / (n_chunks[a] + n_chunks[b]))


def mentioning(mentions: Mentions, n_papers: int) -> Links:
    """Return pairs of papers, the lower first, with the cosine of what they mention, by rarity, in [0, 1].

    An entity weighs log(papers / papers that mention it); one that over 30 papers mention brings no two together.
    """
    n_of = np.bincount(mentions.entities, minlength=1)
    rarity = np.log(np.maximum(n_papers, 2) / np.maximum(n_of, 1))
    lengths = np.sqrt(np.bincount(mentions.papers, weights=rarity[mentions.entities] ** 2, minlength=n_papers))
    order = np.lexsort((mentions.papers, mentions.entities))
    starts = np.flatnonzero(np.diff(mentions.entities[order])) + 1
    firsts, seconds, products = [], [], []
    for papers, entity in zip(
        np.split(mentions.papers[order], starts), np.unique(mentions.entities), strict=bool(len(order))
    ):
        if 2 <= len(papers) <= MOST_PAPERS_OF_AN_ENTITY:
            one, other = np.triu_indices(len(papers), 1)
            firsts.append(papers[one])
            seconds.append(papers[other])
            products.append(np.full(len(one), rarity[entity] ** 2))
    if not firsts:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    a, b, total = _summed(np.concatenate(firsts), np.concatenate(seconds), np.concatenate(products), n_papers)
    length = lengths[a] * lengths[b]
    return a, b, np.divide(total, length, out=np.zeros_like(total), where=length > 0)


def paper_network(n: int, cites: tuple[Ints, Ints], mentions: Mentions, similar: Links) -> Network:
    """Return the graph in which communities of papers are looked for.

    A link weighs the sum of 1 for a citation, either way, of :func:`mentioning` and of :func:`alike`. Of links without
    a citation each paper keeps its 20 strongest, of weight .05 or more, and so many more as others keep to it.
    """
    soft = _strongest(*_added(mentioning(mentions, n), similar, n=n), n)
    cited = _summed(np.minimum(*cites), np.maximum(*cites), np.ones(len(cites[0])), n)
    a, b, weights = _added(soft, (cited[0], cited[1], np.minimum(cited[2], 1.0)), n=n)
    return Network(n, a, b, np.round(weights, 4))


def rank_network(network: Network, cites: tuple[Ints, Ints]) -> Network:
    """Return the graph in which papers are ranked: links both ways, citations the way they go."""
    n = network.n
    sources, targets = (
        np.concatenate([network.sources, network.targets]),
        np.concatenate([network.targets, network.sources]),
    )
    weights = np.concatenate([network.weights, network.weights])
    cited = np.isin(sources * n + targets, cites[1] * n + cites[0]) & ~np.isin(
        sources * n + targets, cites[0] * n + cites[1]
    )
    weights = np.where(cited, weights - 1.0, weights)  # from a paper to one that cites it
    kept = weights > 0
    return Network(n, sources[kept], targets[kept], weights[kept], directed=True)


def mention_network(n_papers: int, n_entities: int, mentions: Mentions) -> Network:
    """Return the graph in which entities are ranked: papers and, after them, entities, related by mentions."""
    return Network(n_papers + n_entities, mentions.papers, mentions.entities + n_papers, np.ones(len(mentions.papers)))


def _added(one: Links, other: Links, *, n: int) -> Links:
    first, second = (np.concatenate([one[side], other[side]]) for side in (0, 1))
    return _summed(first, second, np.concatenate([one[2], other[2]]), n)


def _summed(first: Ints, second: Ints, weights: Doubles, n: int) -> Links:
    """Return each pair once, in order, with the sum of its weights; pairs of one with itself are left out."""
    apart = first != second
    codes, of_code = np.unique(first[apart] * n + second[apart], return_inverse=True)
    return codes // max(n, 1), codes % max(n, 1), np.bincount(of_code, weights[apart], len(codes)).astype(np.float64)


def _strongest(first: Ints, second: Ints, weights: Doubles, n: int) -> Links:
    weights = np.round(weights, 6)  # sums in another order differ in the last digits
    strong = weights >= LEAST_LINK
    first, second, weights = first[strong], second[strong], weights[strong]
    at = np.concatenate([np.arange(len(first))] * 2)
    source, target = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.lexsort((target, -np.concatenate([weights] * 2), source))
    place = np.arange(len(order)) - np.searchsorted(source[order], source[order])
    kept = np.unique(at[order][place < STRONGEST_LINKS])
    return first[kept], second[kept], weights[kept]
