"""What a selection answers: the passages, what they are worth, and the proof that comes with them."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from server.selection.problem import Form, Indices, Problem

PROVEN = 1e-7
"""Absolute difference of objective and bound below which a selection counts as optimal."""


class Stage(StrEnum):
    """How far the solver came before the proof or the deadline."""

    GREEDY = "greedy"
    CERTIFICATE = "certificate"
    TABU = "tabu"
    BRANCH_AND_BOUND = "branch and bound"


@dataclass(frozen=True)
class Selection:
    """A selection of k candidates with its certificate.

    Attributes:
        positions: Selected candidates by position, most useful first: each adds most to those before it.
        ids: Their names, in the same order.
        objective: f of the selection; lower is better.
        lower_bound: No selection has a smaller f.
        gap: objective - lower_bound, at least 0.
        rho: Share of what can be gained over plain top-k that is certainly gained, in [0, 1]; 1 when proven.
        proven: Whether the selection is optimal.
        mean_relevance: Mean relevance of the selection.
        mean_pair_similarity: Mean similarity of its pairs; 0 for k = 1.
        marginal: For each selected candidate, how much f rises without it, in the order of ``positions``: f of the
            selection minus f of the rest with the same weights, negated.
        form: MEAN or PAIRS.
        alpha: As asked.
        alpha_pairs: The alpha that gives the same trade-off in the pairs form.
        stage: How far the solver came.
        backend: Which back end found the selection.
        certified_by: Which back end's bound is the better one.
        diagonal_shift: What was added to a similarity matrix that was not positive semidefinite.
        elapsed_ms: Wall-clock time.
    """

    positions: tuple[int, ...]
    ids: tuple[Hashable, ...]
    objective: float
    lower_bound: float
    gap: float
    rho: float
    proven: bool
    mean_relevance: float
    mean_pair_similarity: float
    marginal: tuple[float, ...]
    form: Form
    alpha: float
    alpha_pairs: float
    stage: Stage
    backend: str
    certified_by: str
    diagonal_shift: float
    elapsed_ms: float


def describe(
    problem: Problem,
    chosen: Sequence[int] | Indices,
    *,
    lower_bound: float,
    top_k: float,
    stage: Stage,
    backend: str,
    certified_by: str,
    elapsed_ms: float,
) -> Selection:
    """Put a result together from a feasible selection and a valid bound.

    Args:
        problem: What was asked.
        chosen: Positions, in any order.
        lower_bound: A value that no selection is below, up to rounding.
        top_k: f of the k most relevant candidates that keep the side constraints.
        stage: How far the solver came.
        backend: Who found the selection.
        certified_by: Whose bound it is.
        elapsed_ms: Wall-clock time.
    """
    order = _most_useful_first(problem, np.asarray(chosen, dtype=np.int64))
    objective = problem.objective(order)
    bound = min(lower_bound, objective)
    proven = objective - bound <= PROVEN * max(1.0, abs(objective))
    if proven:
        bound = objective
    gram = problem.gram(order)
    off_diagonal = gram.sum(axis=1) - np.diag(gram)
    k = problem.k
    attainable = top_k - bound
    a, b = problem.p, problem.q
    return Selection(
        positions=tuple(int(position) for position in order),
        ids=tuple(problem.ids[position] for position in order),
        objective=objective,
        lower_bound=bound,
        gap=objective - bound,
        rho=1.0 if proven or attainable <= PROVEN else float(np.clip((top_k - objective) / attainable, 0.0, 1.0)),
        proven=proven,
        mean_relevance=float(problem.relevance[order].mean()),
        mean_pair_similarity=float(off_diagonal.sum()) / (k * (k - 1)) if k > 1 else 0.0,
        marginal=tuple(float(value) for value in problem.p * problem.relevance[order] - problem.q * off_diagonal),
        form=problem.form,
        alpha=problem.alpha,
        alpha_pairs=a / (a + b) if a + b > 0.0 else problem.alpha,
        stage=stage,
        backend=backend,
        certified_by=certified_by,
        diagonal_shift=problem.shift,
        elapsed_ms=elapsed_ms,
    )


def _most_useful_first(problem: Problem, chosen: Indices) -> Indices:
    """Order a selection greedily: each candidate lowers f most, given those before it; ties by position."""
    chosen = np.sort(chosen)
    gram = problem.gram(chosen)
    value = -problem.p * problem.relevance[chosen]
    order: list[int] = []
    waiting = np.ones(len(chosen), dtype=bool)
    for _ in range(len(chosen)):
        best = int(np.argmin(np.where(waiting, value, np.inf)))
        order.append(best)
        waiting[best] = False
        value = value + problem.q * gram[:, best]
    return chosen[order]
