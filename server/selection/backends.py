"""Back ends of selection behind one protocol. Every proposal is made feasible and certified in the same way.

``exact``      the solver of ``solver.py``; the default
``cpsat``    OR-Tools CP-SAT on the linearised problem, warm-started by the own first answer
``anneal``   simulated annealing by exchanges
``mmr``      maximal marginal relevance, a baseline
``top_k``    relevance alone, a baseline
``pbit``     the Ising device that is set, if one is (:mod:`papergraph.server.selection.ising_backend`)
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from papergraph.server.selection import compilation as kernels
from papergraph.server.selection import solver
from papergraph.server.selection.bounds import Reduced, convex_bound, ruled
from papergraph.server.selection.errors import BackendError, NoDeviceError, SelectionError
from papergraph.server.selection.exact import leads_somewhere
from papergraph.server.selection.problem import Floats, Indices, Problem
from papergraph.server.selection.result import PROVEN, Certificate, DeviceReport, SelectionReport, Stage, describe

LARGEST_LINEARISED = 120
"""Candidates that CP-SAT is given at most: each pair of them is a variable."""

CPSAT_SCALE = 1e7
PAIRS_AT_ONCE = 100
"""Pairs whose constraints are made before the deadline is looked at again."""

ANNEAL_SIZE = 512
ANNEAL_SWEEPS = 200
SWEEPS_PER_RUN, SWEEPS_IN_HASTE = 20, 5
CERTIFY_MS = 1000.0


@dataclass(frozen=True)
class Proposal:
    """Proposal of a back end: a selection, and a lower bound of all selections, -inf without one.

    Attributes:
        chosen: Positions, in any order.
        lower_bound: Lower bound of f.
        found_by: Back end that found it, if not the requested one.
        certified_by: Source of the bound, if not the back end.
        fallback: Reason for another back end.
        device: Report of the Ising device.
    """

    chosen: Indices
    lower_bound: float = -np.inf
    found_by: str | None = None
    certified_by: str | None = None
    fallback: str | None = None
    device: DeviceReport | None = None


class Backend(Protocol):
    """Anything that proposes selections."""

    name: str

    def propose(self, problem: Problem, *, deadline_ms: float | None, seed: int) -> Proposal:
        """Return a feasible selection within the deadline.

        Raises:
            BackendError: It cannot be used.
        """


def select_with(
    backend: Backend, problem: Problem, *, deadline_ms: float | None = None, seed: int = 0
) -> SelectionReport:
    """Let a back end select, and certify what it found with the better of its bound and the own one.

    The certificate takes what the back end leaves of the deadline, and a tangent bound (one pass) when nothing is left.

    Raises:
        BackendError: The back end cannot be used, or proposed something that is no selection.
    """
    start = time.perf_counter()
    proposal = backend.propose(problem, deadline_ms=deadline_ms, seed=seed)
    if not problem.is_feasible(proposal.chosen):
        raise BackendError(f"the back end {backend.name!r} proposed {proposal.chosen.tolist()}, which is no selection")
    objective = problem.objective(proposal.chosen)
    if proposal.lower_bound > objective + PROVEN * max(1.0, abs(objective)):
        raise BackendError(f"the back end {backend.name!r} gave a lower bound above the objective of its own selection")
    spent_ms = 1000.0 * (time.perf_counter() - start)
    left_ms = CERTIFY_MS if deadline_ms is None else max(0.0, deadline_ms - spent_ms)
    own_bound = solver.certify(problem, proposal.chosen, deadline_ms=left_ms)
    return describe(
        problem,
        proposal.chosen,
        Certificate(
            lower_bound=max(own_bound, proposal.lower_bound),
            top_k=problem.objective(solver.top_k(problem)),
            stage=Stage.CERTIFICATE,
            backend=proposal.found_by or backend.name,
            certified_by=(proposal.certified_by or backend.name) if proposal.lower_bound > own_bound else solver.NAME,
            elapsed_ms=1000.0 * (time.perf_counter() - start),
            fallback=proposal.fallback,
            device=proposal.device,
        ),
    )


class ExactBackend:
    """The own solver, as one of the back ends."""

    name = "exact"

    def propose(self, problem: Problem, *, deadline_ms: float | None, seed: int) -> Proposal:
        """Return the own solver's selection with its bound."""
        found = solver.select(problem, deadline_ms=deadline_ms, seed=seed)
        return Proposal(np.array(found.positions, dtype=np.int64), found.lower_bound)


class TopKBackend:
    """The most relevant candidates that keep the side constraints."""

    name = "top_k"

    def propose(self, problem: Problem, *, deadline_ms: float | None, seed: int) -> Proposal:
        """Return the most relevant candidates."""
        return Proposal(solver.top_k(problem))


class MmrBackend:
    """Maximal marginal relevance: next the candidate with the most of alpha relevance - (1 - alpha) max similarity.

    Source: Carbonell and Goldstein 1998, The Use of MMR, doi:10.1145/290941.291025.
    """

    name = "mmr"

    def propose(self, problem: Problem, *, deadline_ms: float | None, seed: int) -> Proposal:
        """Return the greedy selection; the pinned candidates come first, and each next one leaves a way to k."""
        chosen = [int(position) for position in problem.pinned]
        closest = np.full(problem.n, -np.inf)
        for position in chosen:
            closest = np.maximum(closest, _row(problem, position))
        while len(chosen) < problem.k:
            redundancy = np.where(np.isfinite(closest), closest, 0.0)
            score = problem.alpha * problem.relevance - (1.0 - problem.alpha) * redundancy
            waiting = np.setdiff1d(problem.allowed, chosen)
            for position in waiting[np.argsort(-score[waiting], kind="stable")]:
                if leads_somewhere(problem, [*chosen, int(position)]):
                    break
            chosen.append(int(position))
            closest = np.maximum(closest, _row(problem, int(position)))
        return Proposal(np.array(chosen, dtype=np.int64))


class AnnealBackend:
    """Simulated annealing by exchanges, among the most promising candidates."""

    name = "anneal"

    def propose(self, problem: Problem, *, deadline_ms: float | None, seed: int) -> Proposal:
        """Return the best selection met, polished; it never is worse than the own first answer."""
        start = time.perf_counter()
        first = solver.first_answer(problem)
        reduced = Reduced.of(problem, free=problem.allowed, inside=problem.pinned)
        if not 0 < reduced.k < len(reduced.free):
            return Proposal(first)
        places = np.flatnonzero(np.isin(reduced.free, first))
        near = np.union1d(np.argsort(reduced.linear, kind="stable")[:ANNEAL_SIZE], places)
        best, hot = first, _spread(reduced)
        sweeps = SWEEPS_PER_RUN if deadline_ms is None else SWEEPS_IN_HASTE
        for run in range(ANNEAL_SWEEPS // sweeps):
            if deadline_ms is not None and 1000.0 * (time.perf_counter() - start) >= deadline_ms:
                break
            found = kernels.anneal(
                problem.gram(reduced.free[near]),
                reduced.linear[near],
                problem.q,
                np.searchsorted(near, np.flatnonzero(np.isin(reduced.free, best))),
                reduced.group[near],
                reduced.room,
                reduced.length[near],
                reduced.budget,
                sweeps * len(near),
                hot,
                1e-3 * hot,
                seed + run,
            )
            candidate = np.concatenate([problem.pinned, reduced.free[near[found]]])
            if problem.objective(candidate) < problem.objective(best):
                best = candidate
        return Proposal(best)


class CpSatBackend:
    """OR-Tools CP-SAT on the linearised problem: a 0/1 variable for each candidate and each pair of candidates.

    Certified fixing comes first; if more candidates are left than CP-SAT can take, it works on the most promising ones,
    and its bound, which then holds for those only, is not used.
    """

    name = "cpsat"

    def propose(self, problem: Problem, *, deadline_ms: float | None, seed: int) -> Proposal:
        """Return CP-SAT's selection, and its bound where it saw every candidate that matters.

        The deadline counts from here, with the first import of OR-Tools; when it passes before CP-SAT can start, the
        first answer is what is returned.

        Raises:
            BackendError: OR-Tools is not installed.
        """
        start = time.perf_counter()

        def left_s() -> float:
            return np.inf if deadline_ms is None else deadline_ms / 1000.0 - (time.perf_counter() - start)

        def should_stop() -> bool:
            return left_s() <= 0.0

        try:
            from ortools.sat.python import cp_model
        except ImportError as error:
            raise BackendError("the back end 'cpsat' needs OR-Tools: uv add ortools") from error
        first = solver.first_answer(problem)
        value = problem.objective(first)
        reduced = Reduced.of(problem, free=problem.allowed, inside=problem.pinned)
        if not 0 < reduced.k < len(reduced.free):
            return Proposal(first)
        places = np.flatnonzero(np.isin(reduced.free, first)).astype(np.int64)
        bound = convex_bound(reduced, places, tolerance=1e-5 * max(abs(value), problem.p), should_stop=should_stop)
        out, _ = ruled(reduced, bound, value)
        out[places] = False
        kept = np.flatnonzero(~out)
        all_that_matter = len(kept) <= LARGEST_LINEARISED
        if not all_that_matter:
            kept = np.union1d(kept[np.argsort(bound.slope[kept], kind="stable")[:LARGEST_LINEARISED]], places)
        largest = float(np.abs(problem.gram(reduced.free[kept])).max())
        scale = CPSAT_SCALE / max(float(np.abs(reduced.linear[kept]).max()), problem.q * largest, 1e-12)
        built = self._model(reduced, kept, scale, should_stop)
        if built is None or (left := left_s()) <= 0.0:
            return Proposal(first)
        model, x = built
        for i, place in enumerate(kept):
            model.add_hint(x[i], bool(np.isin(place, places)))
        cp = cp_model.CpSolver()
        cp.parameters.num_workers = 1
        cp.parameters.random_seed = seed
        if deadline_ms is not None:
            cp.parameters.max_time_in_seconds = left
        status = cp.solve(model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Proposal(first)
        found = np.array([place for i, place in enumerate(kept) if cp.boolean_value(x[i])], dtype=np.int64)
        chosen = np.concatenate([problem.pinned, reduced.free[found]])
        if problem.objective(chosen) > value:
            chosen = first
        rounding = 0.5 * (reduced.k + reduced.k * (reduced.k - 1) / 2 + 1)
        lower = reduced.constant + (cp.best_objective_bound - rounding) / scale
        # what was ruled out can only be in selections that are not better than the first answer
        return Proposal(chosen, min(lower, problem.objective(chosen)) if all_that_matter else -np.inf)

    @staticmethod
    def _model(
        reduced: Reduced, kept: Indices, scale: float, should_stop: Callable[[], bool]
    ) -> tuple[Any, list[Any]] | None:
        """Return the linearised problem over the candidates ``kept``, costs times ``scale``, and its variables.

        Each of up to 7,140 pairs has constraints of its own; None where ``should_stop`` says so before they are made.
        """
        from ortools.sat.python import cp_model

        problem, linear = reduced.problem, reduced.linear[kept]
        gram = problem.gram(reduced.free[kept])
        model = cp_model.CpModel()
        x = [model.new_bool_var(f"x{i}") for i in range(len(kept))]
        pairs = [(i, j) for i in range(len(kept)) for j in range(i)] if problem.q > 0.0 else []
        y = {}
        model.add(sum(x) == reduced.k)
        for number, (i, j) in enumerate(pairs):
            if number % PAIRS_AT_ONCE == 0 and should_stop():
                return None
            y[i, j] = model.new_bool_var(f"y{i, j}")
            model.add_bool_or([x[i].negated(), x[j].negated(), y[i, j]])
            model.add_implication(y[i, j], x[i])
            model.add_implication(y[i, j], x[j])
        for i in range(len(kept)):  # a chosen candidate makes a pair with each of the k - 1 others
            if pairs:
                own = [y[max(i, j), min(i, j)] for j in range(len(kept)) if j != i]
                model.add(sum(own) == (reduced.k - 1) * x[i])
        CpSatBackend._limit(model, reduced, kept, x)
        model.minimize(
            sum(round(scale * float(linear[i])) * x[i] for i in range(len(kept)))
            + sum(round(scale * problem.q * float(gram[i, j])) * y[i, j] for i, j in pairs)
        )
        return model, x

    @staticmethod
    def _limit(model: Any, reduced: Reduced, kept: Indices, x: list[Any]) -> None:
        for group, room in enumerate(reduced.room):
            members = [x[i] for i, place in enumerate(kept) if reduced.group[place] == group]
            if len(members) > room:
                model.add(sum(members) <= int(room))
        if reduced.budget < int(reduced.length.sum()):
            total = sum(int(reduced.length[place]) * x[i] for i, place in enumerate(kept))
            model.add(total <= reduced.budget)


BACKENDS: dict[str, Callable[[], Backend]] = {
    "exact": ExactBackend,
    "cpsat": CpSatBackend,
    "anneal": AnnealBackend,
    "mmr": MmrBackend,
    "top_k": TopKBackend,
}
"""Back ends by name that need nothing but themselves."""

PBIT = "pbit"
NAMES = (*BACKENDS, PBIT)


def backend(name: str, *, device: Backend | None = None) -> Backend:
    """Return the back end with this name.

    Args:
        name: One of ``NAMES``.
        device: Back end ``pbit``, if a device is configured.

    Raises:
        SelectionError: The name is unknown.
        NoDeviceError: ``pbit`` without a configured device.
    """
    if name == PBIT:
        if device is None:
            raise NoDeviceError
        return device
    if name not in BACKENDS:
        raise SelectionError(f"there is no back end {name!r}, only {', '.join(NAMES)}", field="backend")
    return BACKENDS[name]()


def _row(problem: Problem, position: int) -> Floats:
    return problem.weighted_sum(np.array([position]), np.ones(1), exact=False)


def _spread(reduced: Reduced) -> float:
    """Return a temperature at which most exchanges are taken: the spread of what candidates add."""
    return max(1e-9, 0.3 * float(np.std(reduced.linear)) + 0.1 * reduced.problem.q)
