"""How many candidates of an index to look through so that enough of them pass a filter that the index cannot apply."""

import math

MARGIN = 1.5
"""What passes may stand further down than evenly spread."""


def looks(k: int, share: float, n_all: int, *, least: int = 0) -> list[int]:
    """Return how many to look through for ``k`` that pass: first what should do, then every one.

    Args:
        k: How many are wanted, at least 1.
        share: About which share passes, in (0, 1].
        n_all: How many there are to look through.
        least: How many cost no more than fewer.
    """
    first = max(least, math.ceil(MARGIN * k / share), k)
    return [first, n_all] if first < n_all else [max(k, n_all)]
