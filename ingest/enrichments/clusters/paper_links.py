"""How papers of a collection hang together: by citations, by what both mention, and by chunks that are alike."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ingest.enrichments.clusters.nearest_chunks import Doubles, Ints, Pairs

Links: TypeAlias = tuple[Ints, Ints, Doubles]
"""Pairs of papers, the lower first, and the weight of each."""

MOST_PAPERS_OF_AN_ENTITY = 30
"""What more papers mention relates no two of them: it says little, and makes very many pairs."""

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
    """Which papers mention which entities, each pair once: numbers from 0, shape (m,)."""

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
