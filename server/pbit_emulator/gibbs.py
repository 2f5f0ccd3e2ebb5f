"""Sequential Gibbs sampling of p-bits, compiled once per machine and kept.

A p-bit is a spin that is sgn(tanh(β Iᵢ) + u) at each update, u uniform in (-1, 1) and Iᵢ = -∂E/∂sᵢ its input: 1 with
probability 1 / (1 + exp(-2 β Iᵢ)), which is Gibbs sampling of exp(-β E).

Source: Camsari, Faria, Sutton and Datta 2017, Stochastic p-bits for Invertible Logic, doi:10.1103/PhysRevX.7.031014.
"""

import math

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Spins = NDArray[np.int8]


@numba.njit(cache=True, nogil=True)
def cool(h: Floats, j: Floats, betas: Floats, states: Spins, seed: int) -> None:
    """Sweep once through all p-bits of a replica at each of ``betas``, in place.

    Args:
        h: Fields, shape (n,).
        j: Couplings, shape (n, n), symmetric, zeros on the diagonal.
        betas: Inverse temperatures, shape (sweeps,), for E = h·s + Σ_{i<j} Jᵢⱼ sᵢ sⱼ.
        states: Where the replica is, shape (n,), -1 and 1.
        seed: Of these sweeps, in [0, 2³²).
    """
    np.random.seed(seed)
    n = len(h)
    slope = h.copy()
    for i in range(n):
        for m in range(n):
            slope[m] += j[i, m] * states[i]
    for beta in betas:
        for i in range(n):
            state = 1 if math.tanh(-beta * slope[i]) + 2.0 * np.random.random() - 1.0 > 0.0 else -1
            if state != states[i]:
                states[i] = state
                for m in range(n):
                    slope[m] += 2.0 * state * j[i, m]


def compile_it() -> None:
    """Compile the sweeps for the types that the device uses; kept on disk, so that it happens once."""
    cool(np.zeros(2), np.zeros((2, 2)), np.ones(1), np.ones(2, dtype=np.int8), 0)
