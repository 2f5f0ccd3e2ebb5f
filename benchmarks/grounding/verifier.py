"""The verifier on true sentences of real papers, and on the same sentences made wrong."""

import os
import random
from collections import defaultdict
from hashlib import sha256
from typing import Any

from benchmarks.grounding.papers import Passage, paper_files, passages, sentences
from benchmarks.grounding.perturbations import KINDS, Kind, unchanged
from server.answers.claims import Claim, Mark
from server.answers.verify import Verifier

SEED = 28
MOST = 1200
"""Cases of a kind."""
TRUE = Kind("true sentence with a true quote", unchanged, 1.0)
LEAST_TRUE = 0.99
N_PARTS = 3


def measure() -> dict[str, Any]:
    """Return the share that passes for each kind of change, on all cases and on the third that is held out."""
    told = [(passage, sentence) for passage in passages(paper_files()) for sentence in sentences(passage)]
    told = list({sentence: (passage, sentence) for passage, sentence in told}.values())
    random.Random(SEED).shuffle(told)  # noqa: S311
    figures: dict[str, Any] = {}
    for kind in (TRUE, *KINDS):
        passed: dict[str, list[bool]] = defaultdict(list)
        for passage, sentence, claim in _cases(kind, told):
            ok = Verifier("", [passage.source()], None).check(Claim(claim, (Mark(1, sentence),))).passed
            passed["held out" if _is_held_out(passage) else "seen"].append(ok)
            if os.environ.get("PAPERGRAPH_BENCH_SHOW") and ok is not (kind is TRUE):
                print(f"{kind.name}\n  {sentence}\n  {claim}")
        every = [*passed["seen"], *passed["held out"]]
        share = sum(every) / len(every)
        figures[kind.name] = {
            "n": len(every),
            "passed": sum(every),
            "share": round(share, 4),
            "held out": {"n": len(passed["held out"]), "passed": sum(passed["held out"])},
            "gate": f">= {LEAST_TRUE}" if kind is TRUE else f"<= {kind.most}",
            "met": len(every) >= 600 and (share >= LEAST_TRUE if kind is TRUE else share <= kind.most),
        }
    return figures


def _cases(kind: Kind, told: list[tuple[Passage, str]]) -> list[tuple[Passage, str, str]]:
    """Return sentences with what they are changed to, drawn anew for each kind."""
    draw = random.Random(f"{SEED} {kind.name}")  # noqa: S311
    found = []
    for passage, sentence in told:
        found += [(passage, sentence, claim) for claim in kind.change(sentence, passage, draw)]
        if len(found) >= MOST:
            break
    return found[:MOST]


def _is_held_out(passage: Passage) -> bool:
    """Say whether a paper belongs to the third that nobody looks at while tuning."""
    return int(sha256(passage.paper.encode()).hexdigest(), 16) % N_PARTS == 0
