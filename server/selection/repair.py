"""Selections out of any sets of candidates: filled to k, within the side constraints, and polished by exchanges."""

from collections.abc import Sequence

import numpy as np

from server.selection import compilation as kernels
from server.selection.bounds import Reduced
from server.selection.problem import Indices, Problem

MOST_PROMISING = 512
"""Candidates outside a selection that exchanges consider."""


def repair(problem: Problem, proposed: Indices) -> Indices:
    """Make a selection of any set of candidates: drop and add what costs least, then exchange until none helps.

    Args:
        problem: What is asked.
        proposed: Positions, any number, whether allowed or not.
    """
    return polish(problem, fill(problem, proposed))


def fill(problem: Problem, proposed: Indices) -> Indices:
    """Make a selection of any set of candidates: drop and add what costs least; what is one already stays as it is."""
    if problem.is_feasible(proposed):
        return proposed
    chosen = [int(position) for position in problem.pinned]
    wanted = np.intersect1d(proposed, problem.allowed)
    for pool in (wanted, problem.allowed):
        while len(chosen) < problem.k:
            waiting = np.setdiff1d(pool, chosen)
            if not len(waiting):
                break
            linear = Reduced.of(problem, free=waiting, inside=np.array(chosen, dtype=np.int64)).linear
            for place in np.argsort(linear, kind="stable"):
                if leads_somewhere(problem, [*chosen, int(waiting[place])]):
                    chosen.append(int(waiting[place]))
                    break
            else:
                break
    return np.array(chosen, dtype=np.int64)


def polish(problem: Problem, chosen: Indices) -> Indices:
    """Exchange chosen candidates for others among the most promising ones until no exchange helps."""
    return polish_all(problem, [chosen])[0]


def polish_all(problem: Problem, selections: Sequence[Indices]) -> list[Indices]:
    """Polish several selections of one problem, which have the similarities in common."""
    reduced = Reduced.of(problem, free=problem.allowed, inside=problem.pinned)
    places = [np.flatnonzero(np.isin(reduced.free, chosen)) for chosen in selections]
    promising = np.argsort(reduced.linear, kind="stable")[:MOST_PROMISING]
    near = np.unique(np.concatenate([promising, *places]))
    similarity = problem.gram(reduced.free[near])
    polished = []
    for its in places:
        inside = np.searchsorted(near, its)
        kernels.swap(
            similarity,
            reduced.linear[near],
            problem.q,
            inside,
            reduced.group[near],
            reduced.room,
            reduced.length[near],
            reduced.budget,
            50 * problem.k,
        )
        polished.append(np.concatenate([problem.pinned, reduced.free[near[inside]]]))
    return polished


def leads_somewhere(problem: Problem, chosen: list[int]) -> bool:
    """Say whether some feasible selection holds all of ``chosen``: the shortest one that keeps the caps must fit."""
    counts = np.bincount(problem.group[chosen], minlength=int(problem.group.max(initial=0)) + 1)
    total, n = int(problem.length[chosen].sum()), len(chosen)
    if counts.max(initial=0) > problem.cap or total > problem.budget or n > problem.k:
        return False
    if not problem.constrained:
        return True
    waiting = np.setdiff1d(problem.allowed, chosen)
    for position in waiting[np.argsort(problem.length[waiting], kind="stable")]:
        if n == problem.k:
            break
        if counts[problem.group[position]] < problem.cap:
            counts[problem.group[position]] += 1
            total += int(problem.length[position])
            n += 1
    return n == problem.k and total <= problem.budget
