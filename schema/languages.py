"""Language of a paper from its chunks."""

_UNSPOKEN = frozenset({"references", "table", "equation", "parent"})


def is_spoken(kind: str, level: int) -> bool:
    """Say whether a chunk is of running text, which tells the language of its paper."""
    return level == 0 and kind not in _UNSPOKEN
