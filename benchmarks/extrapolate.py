"""What a figure will be at a size that was not measured, with an interval."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

CONFIDENCE = 0.95


def extrapolated(sizes: Sequence[float], values: Sequence[float], at: float) -> dict[str, float | None]:
    """Return what a power of the size gives that was fitted to what was measured.

    Args:
        sizes: Sizes that were measured, at least two different ones, above 0.
        values: What was measured at each, above 0.
        at: The size that is asked for.

    Returns:
        ``value``, the ``power``, and with three sizes or more ``low`` and ``high``, between which a measurement lies
        with 95 % if the same power goes on; else None.
    """
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(values, float))
    power, constant = np.polyfit(x, y, 1)
    value, low, high = constant + power * math.log(at), None, None
    if len(x) > 2:
        residual = math.sqrt(float(((y - constant - power * x) ** 2).sum()) / (len(x) - 2))
        leverage = 1 + 1 / len(x) + (math.log(at) - x.mean()) ** 2 / float(((x - x.mean()) ** 2).sum())
        around = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(x) - 2)) * residual * math.sqrt(leverage)
        low, high = math.exp(value - around), math.exp(value + around)
    return {"value": math.exp(value), "power": round(float(power), 3), "low": low, "high": high}
