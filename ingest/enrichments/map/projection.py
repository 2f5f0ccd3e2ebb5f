"""Vectors in two dimensions: by PCA at once, by UMAP with a fixed seed, and beside vectors that have a place."""

import numpy as np
from numpy.typing import NDArray

from papergraph.embedding import Floats
from papergraph.errors import InputError
from papergraph.extras import install_command

FEWEST_FOR_UMAP = 100
"""Papers from which UMAP is taken: among fewer, neighbourhoods are no more than what PCA shows."""

MOST_FITTED = 50_000
N_NEAREST = 5
ROWS_AT_ONCE = 2000
N_DIGITS = 4

Places = NDArray[np.float64]
"""Shape (n, 2); each coordinate in [-1, 1], to four digits."""


def pca(vectors: Floats) -> Places:
    """Return the first two principal components of vectors, shape (n, d), as places.

    Signs are fixed: the loading of largest magnitude is positive. The same vectors give the same places.
    """
    n, dimension = vectors.shape
    if n == 0:
        return np.zeros((0, 2))
    centred = np.asarray(vectors, dtype=np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)  # ascending
    axes = axes[:, ::-1][:, : min(2, dimension)]
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0.0, -1.0, 1.0)
    found = np.zeros((n, 2))
    found[:, : axes.shape[1]] = centred @ axes
    return _scaled(found)


def umap(vectors: Floats, *, n_neighbours: int, min_dist: float, seed: int) -> Places:
    """Return places by UMAP (McInnes, Healy and Melville 2018, arXiv:1802.03426), begun from those by PCA.

    Args:
        vectors: Shape (n, d), n at least 3, compared by their cosine.
        n_neighbours: Neighbours of each that count, at least 2.
        min_dist: Least distance between places before they are scaled, in [0, 1).
        seed: Of its random choices; the same vectors and seed give the same places.

    Raises:
        InputError: The extra ``map`` is not installed.
    """
    try:
        from umap import UMAP
    except ImportError as error:
        raise InputError(
            f"a map of {FEWEST_FOR_UMAP} papers or more needs UMAP: {install_command('map')}", field="map"
        ) from error

    n = len(vectors)
    reducer = UMAP(
        n_neighbors=min(n_neighbours, n - 1),
        min_dist=min_dist,
        metric="cosine",
        init=10.0 * pca(vectors),
        random_state=seed,
        n_jobs=1,  # what a seed demands; said, so that there is no warning
    )
    return _scaled(np.asarray(reducer.fit_transform(vectors), dtype=np.float64))


def beside(vectors: Floats, placed: Floats, places: Places) -> Places:
    """Return for each of some vectors the mean of the places of the five nearest, weighted by their similarity.

    Args:
        vectors: Shape (m, d), each of length 1.
        placed: Shape (n, d), each of length 1; n at least 1.
        places: Shape (n, 2).
    """
    found = np.zeros((len(vectors), 2))
    k = min(N_NEAREST, len(placed))
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        similar = vectors[start : start + ROWS_AT_ONCE] @ placed.T
        nearest = np.argpartition(-similar, k - 1, axis=1)[:, :k]
        found[start : start + ROWS_AT_ONCE] = mean_place(places[nearest], np.take_along_axis(similar, nearest, axis=1))
    return np.round(found, N_DIGITS)


def mean_place(places: NDArray[np.float64], similarities: NDArray[np.floating]) -> Places:
    """Return mean places, shape (m, 2), of k each, shape (m, k, 2), weighted by similarities, shape (m, k)."""
    weights = np.maximum(np.asarray(similarities, dtype=np.float64), 1e-3)
    return np.asarray((places * weights[..., None]).sum(axis=1) / weights.sum(axis=1, keepdims=True))


def _scaled(found: NDArray[np.float64]) -> Places:
    """Return places around their middle, the farthest coordinate at 1."""
    low, high = found.min(axis=0), found.max(axis=0)
    extent = max(float((high - low).max()) / 2.0, 1e-12)
    return np.asarray(np.round((found - (low + high) / 2.0) / extent, N_DIGITS) + 0.0)  # no negative zero
