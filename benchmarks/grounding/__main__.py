"""Gates of answers: ``PAPERGRAPH_DATA=… python -m benchmarks.grounding [PART ...]``.

Parts: verifier, models, dialogues, graph, refusal, held_out, public, fresh, routing, weak, judged. Writes
results/grounding.json, where parts that are not measured keep their figures.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.common import earlier_result, write_result
from benchmarks.grounding import asking, routing, verifier, weak_model

PARTS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "verifier": verifier.measure,
    "models": asking.of_models,
    "dialogues": asking.of_dialogues,
    "graph": asking.of_graph,
    "refusal": asking.of_refusal,
    "held_out": asking.of_held_out,
    "public": asking.of_public,
    "fresh": asking.of_fresh,
    "routing": routing.measure,
    "weak": weak_model.measure,
    "judged": weak_model.judged,
}


def main() -> None:
    chosen = sys.argv[1:] or [part for part in PARTS if part != "weak"]  # that needs a model
    if unknown := sorted(set(chosen) - set(PARTS)):
        sys.exit(f"unknown part {unknown[0]}; parts are {', '.join(PARTS)}")
    for part in chosen:
        measured = PARTS[part]()
        write_result("grounding", earlier_result("grounding") | {part: measured})


if __name__ == "__main__":
    main()
