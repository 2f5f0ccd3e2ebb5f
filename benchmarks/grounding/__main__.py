"""Gates of answers: ``PAPERGRAPH_DATA=… python -m benchmarks.grounding [PART ...]``.

Parts: verifier, models, dialogues, graph, refusal. Writes results/grounding.json, where parts that are
not measured keep their figures.
"""

import json
import sys
from importlib import import_module
from typing import Any

from benchmarks.common import RESULTS, write_result

PARTS = ("verifier", "models", "dialogues", "graph", "refusal")


def main() -> None:
    chosen = sys.argv[1:] or list(PARTS)
    if unknown := sorted(set(chosen) - set(PARTS)):
        sys.exit(f"unknown part {unknown[0]}; parts are {', '.join(PARTS)}")
    path = RESULTS / "grounding.json"
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    figures.pop("measuredOn", None)
    for part in chosen:
        figures[part] = import_module(f"benchmarks.grounding.{part}").measure()
        write_result("grounding", figures)


if __name__ == "__main__":
    main()
