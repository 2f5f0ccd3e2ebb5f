"""Table of measured figures, each with its gate, its peers of the same run, date and processor.

Usage: python -m benchmarks.summary

Each line of ``gates.jsonl`` describes a figure: ``file`` with the results, ``at`` (path to the value), ``over`` (path
to a divisor), ``least`` or ``most`` as the gate, and ``peer`` (paths to values of other systems, by name).
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
GATES = Path(__file__).parent / "gates.jsonl"


def main() -> None:
    head = ("figure", "measured", "gate", "met", "peer", "measured on")
    for row in (head, ("---",) * len(head), *rows()):
        print(f"| {' | '.join(row)} |")


def rows() -> list[tuple[str, ...]]:
    """Return the cells of each figure of the table."""
    return [row_of(json.loads(line)) for line in GATES.read_text(encoding="utf-8").splitlines()]


def row_of(gate: dict[str, Any]) -> tuple[str, ...]:
    report = json.loads((ROOT / gate["file"]).read_text(encoding="utf-8"))
    measured, machine = value_at(report, gate["at"]), report["measuredOn"]
    if "over" in gate:
        measured /= value_at(report, gate["over"])
    peers = ", ".join(f"{name} {value_at(report, path):g}" for name, path in gate.get("peer", {}).items())
    wanted, met = "", ""
    if "least" in gate or "most" in gate:
        wanted = f"≥ {gate['least']:g}" if "least" in gate else f"≤ {gate['most']:g}"
        met = "yes" if gate.get("least", measured) <= measured <= gate.get("most", measured) else "no"
    return gate["figure"], f"{measured:.4g}", wanted, met, peers, f"{machine['date']}, {machine['cpu']}"


def value_at(report: Any, path: Sequence[str | int]) -> float:
    """Return the number at a path of keys and places."""
    for step in path:
        report = report[step]
    return float(report)


if __name__ == "__main__":
    main()
