"""Loop of the peers' search programs: one query per line of the input, one result per line of the output.

They run in environments of their own, so nothing of papergraph can be imported here.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

TASK: dict[str, Any] = json.loads(sys.stdin.readline())
"""``way``, ``uri``, ``user``, ``password``, and the names of indexes: ``index``, ``fulltext``."""

Search = Callable[[str, list[float], "dict[str, Any] | None"], Sequence[str]]
"""Takes a query's words, its vector and the filter, ``property`` and ``value`` or ``values``; gives ids of chunks."""


def answer(search: Search) -> None:
    """Answer each query with the ids that are found, best first, and the milliseconds that it took."""
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        query = json.loads(line)
        start = time.perf_counter()
        ids = list(search(query["text"], query["vector"], query["filter"]))
        print(json.dumps({"ms": 1000 * (time.perf_counter() - start), "ids": ids}), flush=True)
