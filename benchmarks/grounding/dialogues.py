"""Dialogues with a follow-up question: is it answered, without a model, from the paper that the dialogue is about?"""

import asyncio
from typing import Any

from benchmarks.grounding.library import library
from benchmarks.grounding.questions import expected
from server.answers.answer import answer
from server.answers.records import Answer, Refusal
from server.answers.request import AskRequest, Turn
from server.operations.ask import text_of
from server.retrieval.resources import Resources


def measure() -> dict[str, Any]:
    """Return how many follow-up questions were answered from the right paper, and those that were not."""
    return asyncio.run(_measured())


async def _measured() -> dict[str, Any]:
    dialogues, wrong = expected("dialogues"), []
    async with library() as resources:
        for first, second, title in dialogues:
            result = await followed(resources, first, second)
            cited = result.citations[0].paper_title if isinstance(result, Answer) else None
            if cited is None or title not in cited:
                wrong.append({"question": result.question, "cited": cited, "text": text_of(result)[:300]})
    return {"dialogues": len(dialogues), "right": len(dialogues) - len(wrong), "wrong": wrong}


async def followed(resources: Resources, first: str, second: str) -> Answer | Refusal:
    """Return the answer to a question that follows another one and its answer."""
    said = text_of(await answer(resources, AskRequest(first)))
    history = (Turn("user", first), Turn("assistant", said))
    return await answer(resources, AskRequest(second, history=history))
