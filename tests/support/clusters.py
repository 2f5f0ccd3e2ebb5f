"""Graphs with known clusters."""

import numpy as np

from ingest.enrichments.clusters.paper_links import (
    Network,
)

CLIQUES = Network(
    np.arange(6), np.array([0, 0, 1, 3, 3, 4, 2]), np.array([1, 2, 2, 4, 5, 5, 3]), np.array([1.0] * 6 + [0.1])
)
