"""Accuracy of the verifier on made claims (``papergraph eval answers --verifier``) and on written paraphrases."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.common import data_folder
from benchmarks.grounding.material import paper_files, passages
from papergraph.evaluation.answers.verifier_evaluation import MARKS, evaluate_verifier, papers_of_task, source_of
from papergraph.evaluation.task import read_task
from papergraph.server.answers.claims import Claim, Mark
from papergraph.server.answers.verify import Verifier

FOLDERS = ("covidqa", "scifact", "quantum_arxiv")
"""Data folders; failures in all of them and in the PDFs were looked at while rules were chosen."""
PARAPHRASES = Path(__file__).with_name("paraphrases.jsonl")


def measure() -> dict[str, Any]:
    """Return the pass rates of each kind of claim and mark, by collection, and of handwritten paraphrases."""
    papers: dict[str, list[str]] = {}
    for passage in passages(paper_files()):
        papers.setdefault(passage.paper, []).append(passage.text)
    figures = {"pdfs": _without_claims(evaluate_verifier("pdfs", list(papers.values())).as_json())}
    for name in FOLDERS:
        found = evaluate_verifier(name, papers_of_task(read_task(data_folder() / name)))
        figures[name] = _without_claims(found.as_json())
    return {**figures, "paraphrases": paraphrases()}


def _without_claims(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key != "wrong"}


def paraphrases() -> Mapping[str, int]:
    """Return the number of handwritten paraphrases, and of those that pass by kind of mark."""
    lines = [json.loads(line) for line in PARAPHRASES.read_text(encoding="utf-8").splitlines()]
    found = {"n": len(lines)} | dict.fromkeys(MARKS, 0)
    for line in lines:
        marks = {"quoted": (Mark(1, line["sentence"]),), "bare": (Mark(1),), "unmarked": ()}
        for mark in MARKS:
            verifier = Verifier("", [source_of(line["sentence"])], None)
            found[mark] += verifier.check(Claim(line["claim"], marks[mark])).passed
    return found
