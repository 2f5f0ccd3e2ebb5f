"""Refusals, dialogues and questions about the graph on papers and questions that nothing was tuned on."""

import asyncio
from pathlib import Path
from typing import Any

from benchmarks.grounding.dialogues import followed
from benchmarks.grounding.graph import measure_graph
from benchmarks.grounding.library import library, pdfs
from benchmarks.grounding.questions import expected, texts
from benchmarks.grounding.refusal import measure_refusals
from server.answers.records import Answer
from server.operations.ask import text_of
from server.retrieval.resources import Resources


def measure() -> dict[str, Any]:
    """Return the figures of each kind of question."""
    return asyncio.run(_measured(pdfs(texts("held out papers"))))


async def _measured(files: list[Path]) -> dict[str, Any]:
    async with library(files, store="held_out") as resources:
        return {
            "refusal": await measure_refusals(
                resources,
                expected("held out, answerable"),
                texts("held out, near misses"),
                texts("held out, unrelated"),
            ),
            "dialogues": await _dialogues(resources),
            "graph": await measure_graph(resources, expected("first"), texts("passages of the first")),
        }


async def _dialogues(resources: Resources) -> dict[str, Any]:
    dialogues, others = expected("held out, dialogues"), expected("held out, other subject")
    wrong, answered = [], []
    for first, second, file in dialogues:
        result = await followed(resources, first, second)
        cited = (result.citations[0].file or "") if isinstance(result, Answer) and result.citations else None
        if cited is None or file not in cited:
            wrong.append({"question": result.question, "cited": cited, "text": text_of(result)[:300]})
    for first, second in others:
        result = await followed(resources, first, second)
        if isinstance(result, Answer):
            answered.append({"question": result.question, "text": text_of(result)[:300]})
    return {
        "dialogues": len(dialogues),
        "right": len(dialogues) - len(wrong),
        "on another subject": len(others),
        "of these answered": len(answered),
        "wrong": wrong,
        "answered": answered,
    }
