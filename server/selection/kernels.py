"""Compilation of the inner loops: ``python -m papergraph.server.selection.kernels``, once per machine."""

import numpy as np

from papergraph.server.selection.bound_kernels import grow_tree, quadratic_bound
from papergraph.server.selection.search_kernels import anneal, fields, greedy, swap, tabu

__all__ = ["anneal", "compile_all", "fields", "greedy", "grow_tree", "quadratic_bound", "swap", "tabu"]


def compile_all() -> None:
    """Compile every kernel for the types that the solver uses; kept on disk, so that it happens once."""
    n, k = 6, 2
    s, c = np.eye(n), np.linspace(-1.0, 0.0, n)
    zeros, room = np.zeros(n, dtype=np.int64), np.array([n], dtype=np.int64)
    chosen = greedy(s, c, 1.0, k, zeros, room)
    swap(s, c, 1.0, chosen, zeros, room, zeros, 0, 10)
    tabu(s, c, 1.0, chosen, zeros, room, zeros, 0, 10, 3, 0)
    anneal(s, c, 1.0, chosen, zeros, room, zeros, 0, 10, 1.0, 0.1, 0)
    x = np.full(n, k / n)
    quadratic_bound(s, 1.0, np.arange(n), c, k, 1.0, x, 10, 1e-9, np.inf)
    status, bounds, points = np.zeros((2 * n + 2, n), dtype=np.int8), np.zeros(2 * n + 2), np.zeros((2 * n + 2, n))
    bounds[0], points[0] = -np.inf, x
    grow_tree(s, c, 1.0, k, 1.0, zeros, room, zeros, 0, status, bounds, points, 1, 1e9, np.zeros(k, np.int64), 10, 1e-9)


if __name__ == "__main__":
    compile_all()
