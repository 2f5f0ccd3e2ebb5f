"""Refusal on real papers without a model: answerable questions, near misses, and questions on something else.

``PAPERGRAPH_PDFS`` names the folder of the papers. A question is right if the answer cites its paper and has
the expected words. All questions were seen while the rule on rare nouns was chosen, so none is held out.
"""

import asyncio
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.grounding.library import library, pdfs
from benchmarks.grounding.questions import expected, texts
from server.answers.answer import answer
from server.answers.records import Answer
from server.answers.request import AskRequest
from server.retrieval.resources import Resources


def measure() -> dict[str, Any]:
    """Return how many questions of each kind were answered, and which of them wrongly."""
    return asyncio.run(_measured(pdfs(texts("refusal papers"))))


async def _measured(files: Sequence[Path]) -> dict[str, Any]:
    async with library(files) as resources:
        return await measure_refusals(
            resources,
            expected("refusal, answerable"),
            texts("refusal, near misses"),
            texts("refusal, unrelated"),
        )


async def measure_refusals(
    resources: Resources,
    answerable: Sequence[tuple[str, ...]],
    near_misses: Sequence[str],
    unrelated: Sequence[str],
) -> dict[str, Any]:
    """Return how many questions of each kind were answered, and which of them wrongly."""
    asked: list[tuple[str, str, bool, bool, str]] = []  # kind, question, answered, right, text
    for question, paper, *parts in answerable:
        result = await answer(resources, AskRequest(question))
        text = " ".join(result.text.split()) if isinstance(result, Answer) else ""
        cited = {one.file or "" for one in result.citations} if isinstance(result, Answer) else set()
        right = any(paper in name for name in cited) and all(_plain(part) in _plain(text) for part in parts)
        asked.append(("answerable", question, isinstance(result, Answer), right, _probability(result) + text))
    for kind, questions in (("near misses", near_misses), ("unrelated", unrelated)):
        for question in questions:
            result = await answer(resources, AskRequest(question))
            answered = isinstance(result, Answer)
            text = result.text if isinstance(result, Answer) else ""
            asked.append((kind, question, answered, not answered, _probability(result) + text))
    if os.environ.get("PAPERGRAPH_BENCH_SHOW"):
        print(*asked, sep="\n")
    figures: dict[str, Any] = {}
    for kind in ("answerable", "near misses", "unrelated"):
        of_kind = [one for one in asked if one[0] == kind]
        figures[kind] = {
            "questions": len(of_kind),
            "answered": sum(one[2] for one in of_kind),
            "right": sum(one[3] for one in of_kind),
            "wrong": [{"question": one[1], "text": one[4][:200]} for one in of_kind if not one[3]],
        }
    return figures


def _plain(text: str) -> str:
    """Return a text in small letters without hyphens: a paper may write "Kaplan Meier" for "Kaplan-Meier"."""
    return re.sub(r"[-‐‑–]", " ", text).lower()


def _probability(result: Any) -> str:
    return f"{result.answerability.probability:.2f} " if result.answerability is not None else ""
