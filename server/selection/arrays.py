"""The selection of arrays, without a store: ``papergraph.select``."""

from numpy.typing import ArrayLike

from papergraph.server.selection.problem import Problem
from papergraph.server.selection.result import SelectionReport
from papergraph.server.selection.solver import select as solve


def select(
    relevance: ArrayLike, similarity: ArrayLike, *, k: int, alpha: float = 0.7, deadline_ms: float | None = None
) -> SelectionReport:
    """Select the ``k`` candidates that are relevant and unlike each other, with a certificate.

    Args:
        relevance: Relevance of each candidate, shape (n,), finite; higher is better.
        similarity: Similarity between candidates, shape (n, n), symmetric.
        k: Number of candidates to select, 1 <= k <= n.
        alpha: Weight of relevance against redundancy, in [0, 1].
        deadline_ms: Longest time for the proof; without one the proof is finished for at most 2,000 candidates.

    Raises:
        SelectionError: An array has another shape or values that are not finite.
        TooFewCandidatesError: ``k`` exceeds the number of candidates.

    >>> papergraph.select([0.9, 0.8, 0.1], [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], k=2, alpha=0.9).positions
    (0, 1)
    """
    return solve(Problem.from_similarity(similarity, relevance, k=k, alpha=alpha), deadline_ms=deadline_ms)
