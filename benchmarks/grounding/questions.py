"""Written questions of all parts, from ``questions.jsonl``: a line has the name of a set and texts.

The first text is the question. Further ones are what is expected: for a question about the graph the named query and
parts of the answer; for an answerable one words of the paper's file and parts of the answer; for a dialogue the
follow-up question and words of the paper's title or file. A set of papers has names of files without ending, of the
folder ``PAPERGRAPH_PDFS``.

The sets "held out" and "second" to "tenth" were frozen in a commit before they were asked. All other questions were
seen while rules were chosen. The first 30 of "second" are phrased as in the test split of Scholar (Iyer et al. 2017,
arXiv:1704.08760, in the form of Finegan-Dollak et al. 2018, arXiv:1806.09029).
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("questions.jsonl")


@cache
def _sets() -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        found.setdefault(record["set"], []).append(tuple(record["texts"]))
    return found


def expected(name: str) -> Sequence[tuple[str, ...]]:
    """Return the questions of a set with what is expected of each."""
    return _sets()[name]


def texts(name: str) -> Sequence[str]:
    """Return the first texts of a set: questions, or names of papers."""
    return [first for first, *_ in _sets()[name]]
