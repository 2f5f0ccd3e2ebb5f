"""Questions about the graph and questions to passages: which go to a named query, and are its rows the right ones?

A question about the graph is right if the expected query answers it and the text has all expected parts. A question to
passages is misrouted if a named query answers it.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from benchmarks.grounding.library import library
from benchmarks.grounding.questions import expected, texts
from server.answers.answer import answer
from server.answers.records import Answer
from server.answers.request import AskRequest
from server.retrieval.resources import Resources


def measure() -> dict[str, Any]:
    """Return how many questions were right, and those that were not."""
    return asyncio.run(_measured())


async def _measured() -> dict[str, Any]:
    async with library() as resources:
        return await measure_graph(resources, expected("graph"), texts("passages of graph"))


async def measure_graph(
    resources: Resources, graph: Sequence[tuple[str, ...]], passages: Sequence[str]
) -> dict[str, Any]:
    """Return how many questions about a graph were right, how many to passages were misrouted, and which."""
    wrong, misrouted = [], []
    for question, query, *parts in graph:
        result = await answer(resources, AskRequest(question))
        named = result.named if isinstance(result, Answer) else None
        text = result.text.casefold() if isinstance(result, Answer) else ""
        if named is None or named.query != query or not all(part.casefold() in text for part in parts):
            wrong.append({"question": question, "query": named and named.query, "text": text[:300]})
    for question in passages:
        result = await answer(resources, AskRequest(question))
        if isinstance(result, Answer) and result.named is not None:
            misrouted.append({"question": question, "query": result.named.query})
    return {
        "graphQuestions": len(graph),
        "correct": len(graph) - len(wrong),
        "passageQuestions": len(passages),
        "misrouted": len(misrouted),
        "wrong": wrong,
        "wrongly": misrouted,
    }
