"""Result of a selection: passages, their value, and a certificate."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import numpy as np
from pydantic import computed_field

from papergraph.records import Record, described, internal
from papergraph.server.selection.problem import Form, Indices, Problem

PROVEN = 1e-7
"""Absolute difference of objective and bound below which a selection counts as optimal."""


class Stage(StrEnum):
    """Last stage of the solver before the proof or the deadline."""

    GREEDY = "greedy"
    CERTIFICATE = "certificate"
    TABU = "tabu"
    BRANCH_AND_BOUND = "branch and bound"


@dataclass(frozen=True)
class DeviceReport(Record):
    """Report of an Ising device; see docs/selection.md#ising-device.

    Energies are in units of the objective.
    """

    name: Annotated[str, described("Name of the device.")]
    spins: Annotated[
        int, described("Number of candidates, after certified fixing and the cut to what the device can hold.")
    ]
    reads: Annotated[int, described("Number of returned states.")]
    feasible_reads: Annotated[int, described("Number of states of the right size.")]
    attempts: Annotated[int, described("Number of calls of the device, 1 or 2.")]
    device_ms: Annotated[float | None, described("Time reported by the device.")]
    wall_ms: Annotated[float, described("Duration of the calls in milliseconds.")]
    penalty: Annotated[float, described("Weight of the constraint on the size of the selection.")]
    coupling_bits: Annotated[int | None, described("Bits of a coupling on the device; null for floating point.")]
    quantisation_error: Annotated[float, described("Largest rounding error of an energy.")]
    quantisation_bound: Annotated[float, described("Upper bound of the energy error.")]
    objective_sampled: Annotated[float, described("Objective of the best state after repair.")]
    objective_polished: Annotated[float, described("Objective of the best state after local search.")]
    corrected: Annotated[str | None, described("Declared convention that the device violates.")]


@dataclass(frozen=True)
class SelectionReport(Record):
    """Certificate of a selection; see docs/selection.md.

    The objective is called f.

    >>> report = papergraph.select([0.9, 0.8, 0.1], [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], k=2, alpha=0.5)
    >>> report.positions, report.proven, report.gap
    ((0, 2), True, 0.0)
    """

    positions: Annotated[
        tuple[int, ...],
        internal("Selected candidates by position, most useful first: each adds most to those before it."),
    ]
    ids: Annotated[tuple[Hashable, ...], internal("Their names, in the same order.")]
    objective: Annotated[float, described("Objective of the selection; lower is better.")]
    lower_bound: Annotated[float, described("Lower bound of the objective of any selection.")]
    gap: Annotated[float, described("Objective minus lower bound, at least 0; 0 for the best selection.")]
    certified_gain: Annotated[float, described("Certified fraction of the possible gain over the top k, 0 to 1.")]
    proven: Annotated[bool, described("True if no selection is better.")]
    mean_relevance: Annotated[float, described("Mean relevance of the selected passages.")]
    mean_pair_similarity: Annotated[float, described("Mean similarity of two selected passages; 0 for k = 1.")]
    marginal: Annotated[
        tuple[float, ...],
        internal(
            "For each selected candidate, how much f rises without it, in the order of "
            "``positions``: f of the selection minus f of the rest with the same weights, "
            "negated."
        ),
    ]
    redundancy: Annotated[tuple[float, ...], internal("For each, its mean similarity to the others; 0 for k = 1.")]
    nearest: Annotated[
        tuple[int, ...], internal("For each, the position of the one most similar to it; its own for k = 1.")
    ]
    nearest_similarity: Annotated[tuple[float, ...], internal("The similarity of both; 0 for k = 1.")]
    form: Annotated[Form, described("Form of the objective.")]
    alpha: Annotated[float, described("Weight of relevance against redundancy, 0 to 1.")]
    alpha_pairs: Annotated[float, internal("The alpha that gives the same trade-off in the pairs form.")]
    stage: Annotated[Stage, described("Stage of the solver at the proof or at the deadline.")]
    backend: Annotated[str, described("Backend that found the selection; exact after a fallback.")]
    certified_by: Annotated[str, described("Back end with the better bound.")]
    diagonal_shift: Annotated[
        float, internal("Shift of the diagonal of a similarity matrix that was not positive semidefinite.")
    ]
    ms: Annotated[float, described("Duration of the selection in milliseconds.")]
    fallback: Annotated[str | None, described("Reason of the fallback to the own solver, if any.")] = None
    device: Annotated[DeviceReport | None, described("Device report, if a device answered.")] = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def k(self) -> int:
        """Number of selected passages; fewer than k if no more fit."""
        return len(self.positions)


@dataclass(frozen=True)
class Certificate:
    """Origin of a selection, and bound of the optimum.

    Attributes:
        lower_bound: Lower bound of f, up to rounding.
        top_k: f of the k most relevant candidates within the side constraints.
        stage: Last stage of the solver.
        backend: Back end that found the selection.
        certified_by: Source of the bound.
        elapsed_ms: Wall-clock time.
        fallback: Reason for another back end than requested.
        device: Report of the Ising device.
    """

    lower_bound: float
    top_k: float
    stage: Stage
    backend: str
    certified_by: str
    elapsed_ms: float
    fallback: str | None = None
    device: DeviceReport | None = None


def describe(problem: Problem, chosen: Sequence[int] | Indices, certificate: Certificate) -> SelectionReport:
    """Put a result together from a feasible selection, positions in any order, and its certificate."""
    order = _most_useful_first(problem, np.asarray(chosen, dtype=np.int64))
    objective = problem.objective(order)
    bound = min(certificate.lower_bound, objective)
    proven = objective - bound <= PROVEN * max(1.0, abs(objective))
    if proven:
        bound = objective
    gram = problem.gram(order)
    off_diagonal = gram.sum(axis=1) - np.diag(gram)
    k = problem.k
    closest = np.where(np.eye(k, dtype=bool), -np.inf, gram).argmax(axis=1)
    weights = problem.p + problem.q
    return SelectionReport(
        positions=tuple(int(position) for position in order),
        ids=tuple(problem.ids[position] for position in order),
        objective=objective,
        lower_bound=bound,
        gap=objective - bound,
        certified_gain=1.0 if proven else _certain_gain(objective, bound, certificate.top_k),
        proven=proven,
        mean_relevance=float(problem.relevance[order].mean()),
        mean_pair_similarity=float(off_diagonal.sum()) / (k * (k - 1)) if k > 1 else 0.0,
        marginal=tuple(float(value) for value in problem.p * problem.relevance[order] - problem.q * off_diagonal),
        redundancy=tuple(float(total) / max(k - 1, 1) for total in off_diagonal),
        nearest=tuple(int(position) for position in order[closest]),
        nearest_similarity=tuple(float(gram[i, closest[i]]) if k > 1 else 0.0 for i in range(k)),
        form=problem.form,
        alpha=problem.alpha,
        alpha_pairs=problem.p / weights if weights > 0.0 else problem.alpha,
        stage=certificate.stage,
        backend=certificate.backend,
        certified_by=certificate.certified_by,
        diagonal_shift=problem.shift,
        ms=certificate.elapsed_ms,
        fallback=certificate.fallback,
        device=certificate.device,
    )


def _certain_gain(objective: float, bound: float, top_k: float) -> float:
    """Return the share of what can be gained over top-k that is certainly gained, in [0, 1]."""
    attainable = top_k - bound
    return 1.0 if attainable <= PROVEN else float(np.clip((top_k - objective) / attainable, 0.0, 1.0))


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
