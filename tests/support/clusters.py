"""Graphs with known clusters."""

import numpy as np

from papergraph.ingest.enrichments.clusters.similarity import (
    Network,
)

CLIQUES = Network(6, np.array([0, 0, 1, 3, 3, 4, 2]), np.array([1, 2, 2, 4, 5, 5, 3]), np.array([1.0] * 6 + [0.1]))


def _random(n: int) -> Network:
    random = np.random.default_rng(7)
    first, second = np.triu_indices(n, k=1)
    chosen = random.random(len(first)) < np.where(first // 80 == second // 80, 0.08, 0.002)
    return Network(n, first[chosen], second[chosen], random.random(int(chosen.sum())).round(2) + 0.01)


RANDOM = _random(400)
"""A graph with communities of some 80 nodes, which have none within them, and with many links of equal weight."""


def cliques_within_blocks(n_blocks: int, n_cliques: int, size: int) -> Network:
    """Blocks that nothing relates, each of cliques that are related weakly."""
    of_block = n_cliques * size
    one, other = np.triu_indices(of_block, 1)
    sources, targets = (np.concatenate([of_block * block + side for block in range(n_blocks)]) for side in (one, other))
    return Network(n_blocks * of_block, sources, targets, np.where(sources // size == targets // size, 1.0, 0.12))
