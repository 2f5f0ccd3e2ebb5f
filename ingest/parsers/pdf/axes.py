"""Labels of the ticks of a figure's axes: numbers at equal steps, which are no running text."""

import re
from collections.abc import Sequence
from itertools import pairwise

FEWEST = 3
"""Numbers of an axis; fewer may be anything."""

SMALLER_BY = 0.6
"""Points by which labels are at least smaller than the body's letters, which tells them from most rows of tables."""

EQUAL_WITHIN = 1e-6
NUMBER = re.compile(r"[-−–+]?(?:\d+(?:\.\d+)?|\.\d+)")


def is_axis(lines: Sequence[str]) -> bool:
    """Say whether lines hold nothing but numbers at equal steps, in each line or from line to line.

    The same number again and again is one, as it stands beside several figures in a row.
    """
    rows = [line.split() for line in lines]
    if not all(NUMBER.fullmatch(word) for row in rows for word in row):
        return False
    values = [[float(word.replace("−", "-").replace("–", "-")) for word in row] for row in rows]
    whole = [value for row in values for value in row]
    return _at_equal_steps(whole) or (bool(values) and all(_at_equal_steps(row) for row in values))


def _at_equal_steps(values: Sequence[float]) -> bool:
    if len(values) < FEWEST:
        return False
    steps = [after - before for before, after in pairwise(values)]
    return max(steps) - min(steps) <= EQUAL_WITHIN * max(1.0, *map(abs, values))
