"""Gates of answers: ``PAPERGRAPH_DATA=… python -m benchmarks.grounding [PART ...]``.

Parts: verifier, models, dialogues, graph, refusal, held_out, routing. Writes results/grounding.json, where
parts that are not measured keep their figures.
"""

import json
import sys
from importlib import import_module
from typing import Any

from benchmarks.common import RESULTS, write_result

PARTS = ("verifier", "models", "dialogues", "graph", "refusal", "held_out", "routing")


def main() -> None:
    chosen = sys.argv[1:] or list(PARTS)
    if unknown := sorted(set(chosen) - set(PARTS)):
        sys.exit(f"unknown part {unknown[0]}; parts are {', '.join(PARTS)}")
    for part in chosen:
        measured = import_module(f"benchmarks.grounding.{part}").measure()
        write_result("grounding", _kept() | {part: measured})


def _kept() -> dict[str, Any]:
    """Return the figures of all parts, read anew, since another part may be measured at the same time."""
    path = RESULTS / "grounding.json"
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    figures.pop("measuredOn", None)
    return figures


if __name__ == "__main__":
    main()
