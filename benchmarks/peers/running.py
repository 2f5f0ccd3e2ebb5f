"""What the programs of peers share: what they are told on their input, the clock, and what they say on their output.

They run in environments of their own, so nothing of papergraph can be imported here.
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch

SIZE_TOKENS, OVERLAP_TOKENS = 192, 32
SIZE_CHARS, OVERLAP_CHARS = 900, 150
"""About as many tokens of abstracts."""

TASK: dict[str, Any] = json.load(sys.stdin)
"""``way``, ``papers`` (a folder), ``state`` (a folder that outlives a run), ``model`` (a folder), ``bfloat16``,
``llm`` (an address), ``uri``, ``user`` and ``password``."""


def papers() -> list[tuple[str, str]]:
    """Return name and text of each paper."""
    return [(path.name, path.read_text(encoding="utf-8")) for path in sorted(Path(TASK["papers"]).iterdir())]


@contextmanager
def measured() -> Iterator[None]:
    """Compute in the same precision as papergraph does, and print the seconds that it took."""
    start = time.perf_counter()
    with torch.autocast("cpu", dtype=torch.bfloat16) if TASK["bfloat16"] else nullcontext():
        yield
    print(json.dumps({"ingestSeconds": round(time.perf_counter() - start, 2)}))
