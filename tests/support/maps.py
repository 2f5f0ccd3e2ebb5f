"""Maps of papers that nobody wrote, as the API answers with them."""

import random
from typing import Any


def large_map(n: int) -> dict[str, Any]:
    """Return a map of synthetic papers in twelve heaps, half of them in two topics of a heap."""
    drawn = random.Random(7)  # noqa: S311
    heaps = [(drawn.uniform(-0.8, 0.8), drawn.uniform(-0.8, 0.8)) for _ in range(12)]
    of = [drawn.randrange(12) for _ in range(n)]
    tops = [
        {"nodeId": f"{i:064x}", "name": f"topic {i}", "level": 1, "n": of.count(i), "x": x, "y": y, "above": None}
        for i, (x, y) in enumerate(heaps)
    ]
    return {
        "nPapers": n + 1,
        "nUnplaced": 0,
        "truncated": True,
        "method": "umap",
        "topics": tops,
        "ids": [f"{i:064x}" for i in range(n)],
        "titles": [f"Paper {i} on topic {of[i]}" for i in range(n)],
        "years": [None if i % 50 == 0 else 1990 + i % 35 for i in range(n)],
        "x": [round(heaps[heap][0] + drawn.gauss(0, 0.08), 4) for heap in of],
        "y": [round(heaps[heap][1] + drawn.gauss(0, 0.08), 4) for heap in of],
        "topicNumbers": of,
    }
