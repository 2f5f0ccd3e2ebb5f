"""Compiled inner loops: one thread, the same answer every time, compiled once per machine and kept.

All work on a small dense problem, minimise c·x + q/2 Σ_{i≠j} sᵢⱼxᵢxⱼ over x with k ones, with at most ``room[g]`` of
group g and at most ``budget`` of total length. ``python -m server.selection.kernels`` compiles them beforehand.
"""

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.int8]

IMPROVEMENT = 1e-12
FREE, OUT, IN = 0, -1, 1
LARGEST_FACE = 160
GRADIENT_STEPS, NEWTON_STEPS = 6, 3


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


@numba.njit(cache=True)
def project(v: Floats, k: float) -> Floats:
    """Return the point of {0 <= x <= 1, Σx = k} nearest to ``v``, by Newton's method on the multiplier in a bracket."""
    low, high = v.min() - 1.0, v.max()
    multiplier = 0.5 * (low + high)
    for _ in range(60):
        total, inside = 0.0, 0
        for value in v:
            rest = value - multiplier
            if rest >= 1.0:
                total += 1.0
            elif rest > 0.0:
                total += rest
                inside += 1
        if abs(total - k) <= 1e-13 * k:
            break
        if total > k:
            low = multiplier
        else:
            high = multiplier
        multiplier = 0.5 * (low + high)
        if inside > 0:
            newton = (low if total > k else high) + (total - k) / inside
            if low < newton < high:
                multiplier = newton
    return np.minimum(1.0, np.maximum(0.0, v - multiplier))


@numba.njit(cache=True)
def smallest_sum(g: Floats, k: int) -> float:
    """Return the sum of the ``k`` smallest entries."""
    return np.partition(g, k - 1)[:k].sum()


@numba.njit(cache=True)
def product(s: Floats, q: float, free: Indices, x: Floats) -> Floats:
    """Return q·s[free, free]·x for a symmetric s: as many rows of s are read as x has entries that are not zero."""
    m, n = len(s), len(free)
    few = 4 * n < m
    out = np.zeros(n if few else m)
    for j in range(n):
        if x[j] != 0.0:
            weight, row = q * x[j], s[free[j]]
            if few:
                for i in range(n):
                    out[i] += weight * row[free[i]]
            else:
                for i in range(m):
                    out[i] += weight * row[i]
    return out if few else out[free]


@numba.njit(cache=True)
def newton_step(s: Floats, q: float, free: Indices, gradient: Floats, x: Floats, k: float) -> Floats:
    """Return the minimiser over the face of {0 <= x <= 1, Σx = k} that x lies in, or where the way there leaves it.

    Of the projected and the shortened step the one with the lower value; x itself where there is none.
    """
    inside = np.flatnonzero((x > 1e-9) & (x < 1.0 - 1e-9))
    n = len(inside)
    if n < 2 or n > LARGEST_FACE:
        return x
    system = np.empty((n, n))
    right = np.empty((n, 2))
    for a in range(n):
        row = s[free[inside[a]]]
        for b in range(n):
            system[a, b] = q * row[free[inside[b]]]
        system[a, a] += 1e-12 + 1e-9 * system[a, a]
        right[a, 0], right[a, 1] = gradient[inside[a]], 1.0
    solved = np.linalg.solve(system, right)
    multiplier = solved[:, 0].sum() / solved[:, 1].sum()
    step = multiplier * solved[:, 1] - solved[:, 0]
    shortest = 1.0
    for a in range(n):
        at = x[inside[a]]
        if step[a] < 0.0:
            shortest = min(shortest, -at / step[a])
        elif step[a] > 0.0:
            shortest = min(shortest, (1.0 - at) / step[a])
    moved = x.copy()
    for a in range(n):
        moved[inside[a]] = min(1.0, max(0.0, x[inside[a]] + shortest * step[a]))
    if shortest == 1.0:
        return moved
    far = x.copy()
    for a in range(n):
        far[inside[a]] += step[a]
    far = project(far, k)
    if _change(s, q, free, gradient, far - x) < _change(s, q, free, gradient, moved - x):
        return far
    return moved


@numba.njit(cache=True)
def _change(s: Floats, q: float, free: Indices, gradient: Floats, d: Floats) -> float:
    return float(np.dot(gradient, d) + 0.5 * np.dot(d, product(s, q, free, d)))


@numba.njit(cache=True)
def quadratic_bound(
    s: Floats,
    q: float,
    free: Indices,
    c: Floats,
    k: int,
    lipschitz: float,
    start: Floats,
    iterations: int,
    tolerance: float,
    enough: float,
) -> tuple[float, Floats, Floats]:
    """Bound c·x + q/2 x's[free, free]x from below over {0 <= x <= 1, Σx = k}, s positive semidefinite.

    Accelerated projected gradient finds the face, Newton steps the minimiser on it; the bound is the linearisation's
    minimum (Frank-Wolfe gap), so it is valid wherever the iteration stops: when the gap is within ``tolerance``, when
    the bound exceeds ``enough``, when the value shows that it never will, or after ``iterations``.

    Returns:
        The bound, the point that gave it and the gradient there.

    Source: Beck and Teboulle 2009, FISTA, doi:10.1137/080716542; O'Donoghue and Candès 2015, restarts,
    doi:10.1007/s10208-013-9150-3; the steps on a face as in Moré and Toraldo 1991, doi:10.1137/0801008.
    """
    x = start.copy()
    y = x.copy()
    momentum = 1.0
    bound, point, slope = -np.inf, x.copy(), c.copy()
    gradient = c.copy()
    iteration = 0
    while iteration < iterations:
        for _ in range(GRADIENT_STEPS):
            iteration += 1
            ahead = project(y - (c + product(s, q, free, y)) / lipschitz, k)
            step = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum))
            if np.dot(y - ahead, ahead - x) > 0.0:
                step = 1.0
                y = ahead.copy()
            else:
                y = ahead + (momentum - 1.0) / step * (ahead - x)
            x, momentum = ahead, step
        for after_newton in range(1 + NEWTON_STEPS):
            if after_newton:
                x = newton_step(s, q, free, gradient, x, k)
                y, momentum = x.copy(), 1.0
            hx = product(s, q, free, x)
            gradient = c + hx
            value = np.dot(c, x) + 0.5 * np.dot(x, hx)
            lower = value - (np.dot(gradient, x) - smallest_sum(gradient, k))
            if lower > bound:
                bound, point, slope = lower, x.copy(), gradient
            if bound > enough or value - bound < tolerance:
                return bound, point, slope
            if value < enough < np.inf and value - bound < 0.02 * (enough - value):
                return bound, point, slope
    return bound, point, slope


@numba.njit(cache=True)
def grow_tree(
    s: Floats,
    c: Floats,
    q: float,
    k: int,
    lipschitz: float,
    group: Indices,
    room: Indices,
    length: Indices,
    budget: int,
    status: Flags,
    bounds: Floats,
    points: Floats,
    n_open: int,
    best_value: float,
    best: Indices,
    max_nodes: int,
    prune: float,
) -> tuple[int, float, int]:
    """Work off up to ``max_nodes`` nodes of a branch and bound, the lowest bound first, so that the bound of all rises.

    When there is no room for more open nodes the search goes on in depth, which needs a row for each level.

    A node is a row of ``status`` (FREE, OUT or IN for each candidate) with its bound and a starting point. ``c`` is the
    convex form's linear part: f = c·x + q/2 x's x with the diagonal of s included.

    Returns:
        How many nodes are open, the best value, and how many nodes were worked off; ``best`` is changed in place.
    """
    n = len(c)
    worked = 0
    while n_open > 0 and worked < max_nodes:
        n_open -= 1
        if n_open + n + 2 < len(bounds):
            lowest = n_open
            for i in range(n_open - 1, -1, -1):
                if bounds[i] < bounds[lowest]:
                    lowest = i
            if lowest != n_open:
                for i in range(n):
                    status[lowest, i], status[n_open, i] = status[n_open, i], status[lowest, i]
                    points[lowest, i], points[n_open, i] = points[n_open, i], points[lowest, i]
                bounds[lowest], bounds[n_open] = bounds[n_open], bounds[lowest]
        state = status[n_open].copy()
        lower = bounds[n_open]
        x_full = points[n_open].copy()
        if lower >= best_value - prune:
            continue
        worked += 1
        while True:
            n_in, slack = 0, budget
            left = room.copy()
            for i in range(n):
                if state[i] == IN:
                    n_in += 1
                    slack -= length[i]
                    left[group[i]] -= 1
            n_free = 0
            for i in range(n):
                if state[i] == FREE:
                    if left[group[i]] <= 0 or length[i] > slack:
                        state[i] = OUT
                    else:
                        n_free += 1
            need = k - n_in
            if need < 0 or n_free < need or slack < 0 or left.min() < 0:
                break
            free = np.empty(n_free, np.int64)
            linear = np.empty(n_free)
            constant = 0.0
            m = 0
            for i in range(n):
                if state[i] == OUT:
                    continue
                cross = 0.0
                for j in range(n):
                    if state[j] == IN:
                        cross += s[i, j]
                if state[i] == IN:
                    constant += c[i] + 0.5 * q * cross
                else:
                    free[m] = i
                    linear[m] = c[i] + q * cross
                    m += 1
            if need == 0:
                if constant < best_value - IMPROVEMENT:
                    best_value = constant
                    _write(state, best)
                break
            if need == 1:
                for m in range(n_free):
                    value = constant + linear[m] + 0.5 * q * s[free[m], free[m]]
                    if value < best_value - IMPROVEMENT:
                        best_value = value
                        _write(state, best)
                        best[k - 1] = free[m]
                break
            start = project(x_full[free], need)
            enough = best_value - constant - prune
            lower_free, x, slope = quadratic_bound(
                s, q, free, linear, need, lipschitz, start, 160, 1e-6 * max(1e-3, abs(best_value)), enough
            )
            lower = max(lower, constant + lower_free)
            if lower >= best_value - prune:
                break
            rounded = np.argsort(-x)[:need]
            value, used = constant, 0
            fits = left.copy()
            feasible = True
            for a in rounded:
                used += length[free[a]]
                fits[group[free[a]]] -= 1
                if fits[group[free[a]]] < 0:
                    feasible = False
                value += linear[a]
                for b in rounded:
                    value += 0.5 * q * s[free[a], free[b]]
            if feasible and used <= slack and value < best_value - IMPROVEMENT:
                best_value = value
                _write(state, best)
                for m in range(need):
                    best[n_in + m] = free[rounded[m]]
            order = np.argsort(slope)
            last_in = slope[order[need - 1]]
            first_out = slope[order[need]] if need < n_free else np.inf
            base = constant + lower_free
            n_fixed = 0
            for place in range(n_free):
                a = order[place]
                x_full[free[a]] = x[a]
                if place >= need and base + slope[a] - last_in >= best_value - prune:
                    state[free[a]] = OUT
                    n_fixed += 1
                elif place < need and base + first_out - slope[a] >= best_value - prune:
                    state[free[a]] = IN
                    n_fixed += 1
            if n_fixed > 0.05 * n_free:
                continue
            branch, distance = -1, np.inf
            for a in range(n_free):
                if state[free[a]] == FREE and abs(x[a] - 0.5) < distance:
                    branch, distance = a, abs(x[a] - 0.5)
            if branch < 0:
                continue
            first, second = (OUT, IN) if x[branch] >= 0.5 else (IN, OUT)
            for choice in (first, second):  # the second one is on top of the stack
                status[n_open] = state
                status[n_open, free[branch]] = choice
                bounds[n_open] = lower
                points[n_open] = x_full
                n_open += 1
            break
    return n_open, best_value, worked


@numba.njit(cache=True)
def _write(state: Flags, best: Indices) -> None:
    place = 0
    for i in range(len(state)):
        if state[i] == IN:
            best[place] = i
            place += 1


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
