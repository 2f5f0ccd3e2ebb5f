"""Problems of selection."""

import numpy as np

from papergraph.server.selection.problem import Problem


def clusters(seed: int, n: int = 40, **options) -> Problem:
    g = np.random.default_rng(seed)
    centres = g.normal(size=(5, 16))
    rows = centres[g.integers(5, size=n)] + 0.7 * g.normal(size=(n, 16))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Problem.from_vectors(rows, rows @ centres.mean(axis=0), **{"k": 6, **options})
