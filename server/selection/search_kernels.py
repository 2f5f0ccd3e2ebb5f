"""Compiled inner loops of the search for a selection: one thread, the same answer every time.

All work on a small dense problem, minimise c·x + q/2 Σ_{i≠j} sᵢⱼxᵢxⱼ over x with k ones, with at most ``room[g]`` of
group g and at most ``budget`` of total length.
"""

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.int8]
IMPROVEMENT = 1e-12


@numba.njit(cache=True)
def greedy(s: Floats, c: Floats, q: float, k: int, group: Indices, room: Indices) -> Indices:
    """Return k candidates, each the one that adds least to f, given those before and the room in its group."""
    n = len(c)
    field = c.copy()
    left = room.copy()
    taken = np.zeros(n, np.bool_)
    chosen = np.empty(k, np.int64)
    for step in range(k):
        best = -1
        for i in range(n):
            if not taken[i] and left[group[i]] > 0 and (best < 0 or field[i] < field[best]):
                best = i
        taken[best] = True
        left[group[best]] -= 1
        chosen[step] = best
        for j in range(n):
            field[j] += q * s[best, j]
        field[best] -= q * s[best, best]
    return chosen


@numba.njit(cache=True)
def fields(s: Floats, c: Floats, q: float, chosen: Indices) -> Floats:
    """Return for each candidate what it adds to f beside the chosen others, shape (n,)."""
    field = c.copy()
    for i in chosen:
        for j in range(len(c)):
            field[j] += q * s[i, j]
    for i in chosen:
        field[i] -= q * s[i, i]
    return field


@numba.njit(cache=True)
def swap(
    s: Floats,
    c: Floats,
    q: float,
    chosen: Indices,
    group: Indices,
    room: Indices,
    length: Indices,
    budget: int,
    max_swaps: int,
) -> int:
    """Exchange one chosen candidate for another, the best exchange first, until none helps; return how many."""
    n, k = len(c), len(chosen)
    field = fields(s, c, q, chosen)
    inside = np.zeros(n, np.bool_)
    left = room.copy()
    slack = budget
    for i in chosen:
        inside[i] = True
        left[group[i]] -= 1
        slack -= length[i]
    for done in range(max_swaps):
        best, best_t, best_j = -IMPROVEMENT, -1, -1
        for t in range(k):
            i = chosen[t]
            for j in range(n):
                change = field[j] - field[i] - q * s[i, j]
                if change >= best or inside[j] or length[j] - length[i] > slack:
                    continue
                if left[group[j]] > 0 or group[j] == group[i]:
                    best, best_t, best_j = change, t, j
        if best_t < 0:
            return done
        i, j = chosen[best_t], best_j
        for m in range(n):
            field[m] += q * (s[j, m] - s[i, m])
        field[i] += q * s[i, i]
        field[j] -= q * s[j, j]
        inside[i], inside[j] = False, True
        left[group[i]] += 1
        left[group[j]] -= 1
        slack -= length[j] - length[i]
        chosen[best_t] = j
    return max_swaps


@numba.njit(cache=True)
def tabu(
    s: Floats,
    c: Floats,
    q: float,
    start: Indices,
    group: Indices,
    room: Indices,
    length: Indices,
    budget: int,
    iterations: int,
    patience: int,
    seed: int,
) -> Indices:
    """Tabu search over exchanges, with random kicks when nothing gets better; return the best selection met."""
    np.random.seed(seed)
    n, k = len(c), len(start)
    chosen = start.copy()
    field = fields(s, c, q, chosen)
    inside = np.zeros(n, np.bool_)
    left = room.copy()
    slack = budget
    for i in chosen:
        inside[i] = True
        left[group[i]] -= 1
        slack -= length[i]
    value, best_value, best = 0.0, 0.0, chosen.copy()
    may_enter = np.zeros(n, np.int64)
    may_leave = np.zeros(n, np.int64)
    stale = 0
    for iteration in range(1, iterations + 1):
        change, out, into = np.inf, -1, -1
        for t in range(k):
            i = chosen[t]
            for j in range(n):
                d = field[j] - field[i] - q * s[i, j]
                if d < change and not inside[j]:
                    if length[j] - length[i] > slack or (left[group[j]] <= 0 and group[j] != group[i]):
                        continue
                    forbidden = may_leave[i] > iteration or may_enter[j] > iteration
                    if not forbidden or value + d < best_value - IMPROVEMENT:
                        change, out, into = d, t, j
        kicks = 1
        if stale > patience:
            kicks, stale = max(2, k // 4), 0
        for kick in range(kicks):
            if kick > 0 or out < 0:
                out, into = np.random.randint(k), np.random.randint(n)
                i = chosen[out]
                if inside[into] or length[into] - length[i] > slack:
                    continue
                if left[group[into]] <= 0 and group[into] != group[i]:
                    continue
                change = field[into] - field[i] - q * s[i, into]
            i, j = chosen[out], into
            for m in range(n):
                field[m] += q * (s[j, m] - s[i, m])
            field[i] += q * s[i, i]
            field[j] -= q * s[j, j]
            inside[i], inside[j] = False, True
            left[group[i]] += 1
            left[group[j]] -= 1
            slack -= length[j] - length[i]
            chosen[out] = j
            value += change
            may_enter[i] = iteration + 5 + np.random.randint(max(2, k // 2))
            may_leave[j] = iteration + 2 + np.random.randint(max(2, k // 4))
        if value < best_value - IMPROVEMENT:
            best_value, best, stale = value, chosen.copy(), 0
        else:
            stale += 1
    return best


@numba.njit(cache=True)
def anneal(
    s: Floats,
    c: Floats,
    q: float,
    start: Indices,
    group: Indices,
    room: Indices,
    length: Indices,
    budget: int,
    steps: int,
    hot: float,
    cold: float,
    seed: int,
) -> Indices:
    """Simulated annealing over exchanges, temperature falling geometrically; return the best selection met.

    Source: Kirkpatrick, Gelatt and Vecchi 1983, Optimization by Simulated Annealing, doi:10.1126/science.220.4598.671.
    """
    np.random.seed(seed)
    n, k = len(c), len(start)
    chosen = start.copy()
    field = fields(s, c, q, chosen)
    inside = np.zeros(n, np.bool_)
    left = room.copy()
    slack = budget
    for i in chosen:
        inside[i] = True
        left[group[i]] -= 1
        slack -= length[i]
    value, best_value, best = 0.0, 0.0, chosen.copy()
    fall = np.log(cold / hot)
    for step in range(steps):
        t, j = np.random.randint(k), np.random.randint(n)
        i = chosen[t]
        if inside[j] or length[j] - length[i] > slack or (left[group[j]] <= 0 and group[j] != group[i]):
            continue
        d = field[j] - field[i] - q * s[i, j]
        if d > 0.0 and np.random.random() >= np.exp(-d / (hot * np.exp(fall * step / steps))):
            continue
        for m in range(n):
            field[m] += q * (s[j, m] - s[i, m])
        field[i] += q * s[i, i]
        field[j] -= q * s[j, j]
        inside[i], inside[j] = False, True
        left[group[i]] += 1
        left[group[j]] -= 1
        slack -= length[j] - length[i]
        chosen[t] = j
        value += d
        if value < best_value - IMPROVEMENT:
            best_value, best = value, chosen.copy()
    return best
