"""Compiled inner loops of bounds, and of the branching that proves a selection."""

import numba
import numpy as np

from papergraph.server.selection.search_kernels import IMPROVEMENT, Flags, Floats, Indices

FREE, OUT, IN = 0, -1, 1
LARGEST_FACE = 160
GRADIENT_STEPS, NEWTON_STEPS = 6, 3


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
    """Return the minimiser over the face of {0 <= x <= 1, Σx = k} that contains x, or the exit point on the way to it.

    The better of the projected and the shortened step; x itself if neither descends.
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
    if change_of(s, q, free, gradient, far - x) < change_of(s, q, free, gradient, moved - x):
        return far
    return moved


@numba.njit(cache=True)
def change_of(s: Floats, q: float, free: Indices, gradient: Floats, d: Floats) -> float:
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

    If the space for open nodes is full, the search continues depth first, which needs a row per level.

    A node is a row of ``status`` (FREE, OUT or IN for each candidate) with its bound and a starting point. ``c`` is the
    convex form's linear part: f = c·x + q/2 x's x with the diagonal of s included.

    Returns:
        Number of open nodes, best value, and number of finished nodes; ``best`` is changed in place.
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
                    write_node(state, best)
                break
            if need == 1:
                for m in range(n_free):
                    value = constant + linear[m] + 0.5 * q * s[free[m], free[m]]
                    if value < best_value - IMPROVEMENT:
                        best_value = value
                        write_node(state, best)
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
                write_node(state, best)
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
def write_node(state: Flags, best: Indices) -> None:
    place = 0
    for i in range(len(state)):
        if state[i] == IN:
            best[place] = i
            place += 1
