"""Scripted small models that ignore the format of answers: does an extractive answer ever become a refusal?

Each question is put to three of thirteen models. A model writes a sentence of the sources, or one that no source has.
"""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.grounding.library import library
from benchmarks.grounding.questions import texts
from papergraph.language_model import LanguageModel
from server.answers.answer import answer
from server.answers.records import Answer, Mode, Refusal
from server.answers.request import AskRequest
from server.retrieval.resources import Resources
from tests.support.fake_llm import FakeLLM, Reply, Request, cut
from tests.support.flat_settings import settings_of

N_QUESTIONS, N_MODELS = 20, 3
_SOURCE = re.compile(r' n="1"[^>]*>\s*(?P<text>.+?)\s*</', re.DOTALL)
_FOREIGN = "Es sind 12345 Stück pro Woche, nicht mehr und nicht weniger. [1]"
_WHALES = "Whales sing long songs across the wide oceans in winter. "

STYLES: Sequence[tuple[str, Callable[[str], Reply | str]]] = (
    ("prose without marks", lambda said: said),
    ("marks without quotes", lambda said: f"{said} [1]"),
    ("typographic quotes", lambda said: f"{said} [1: “{said}”]"),
    ("fenced JSON", lambda said: f"```json\n{json.dumps({'answer': said})}\n```"),
    ("a thinking block", lambda said: f"<think>Source 1 says it. [1]</think>\n{said}"),
    ("another language", lambda said: _FOREIGN),
    ("twice the length", lambda said: _WHALES * 40),
    ("an unclosed thinking block", lambda said: f"<think>Source 1 says: {said} [1]"),
    ("thinking apart", lambda said: _thinking_apart(said)),
    ("nothing", lambda said: ""),
    ("a loop", lambda said: f"{said} " * 60),
    ("a loop of another thing", lambda said: "The answer is in the sources. " * 200),
    ("a stream that breaks", lambda said: cut(_WHALES * 40, after_bytes=2000)),
)
"""What a model makes of a sentence of the first source."""


def _thinking_apart(said: str) -> Reply:
    """Return a stream whose words are all in ``reasoning_content``, as some servers of models send them."""
    pieces = [{"reasoning_content": f"Source 1 says: {said} [1]"}, {"content": ""}]
    chunks = [
        {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "scripted",
         "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in pieces
    ]  # fmt: skip
    chunks.append(chunks[-1] | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return Reply(body=body.encode(), content_type="text/event-stream")


def measure() -> dict[str, Any]:
    """Return how many answers became refusals, and how many came from the model."""
    return asyncio.run(_measured())


def sentence_of(request: Request) -> str:
    """Return the longest sentence of the first source of a prompt."""
    found = _SOURCE.search(request.prompt)
    sentences = re.split(r"(?<=[.!?])\s", found["text"]) if found else [""]
    return " ".join(max(sentences, key=len).split())


def _said(style: Callable[[str], Reply | str], request: Request) -> Reply | str:
    return style(sentence_of(request))


async def _measured() -> dict[str, Any]:
    questions = list(dict.fromkeys(texts("dialogues")))[:N_QUESTIONS]
    refused, by_model, n, skipped = [], 0, 0, []
    with FakeLLM() as llm, TemporaryDirectory() as cache:
        async with library() as resources:
            for number, question in enumerate(questions):
                if isinstance(await answer(resources, AskRequest(question, mode=Mode.EXTRACTIVE)), Refusal):
                    skipped.append(question)
                    continue
                for place in range(N_MODELS):
                    name, style = STYLES[(3 * number + place) % len(STYLES)]
                    llm.otherwise(partial(_said, style))
                    result = await _answered(resources, llm, Path(cache), question)
                    n += 1
                    by_model += isinstance(result, Answer) and result.llm_generated
                    if isinstance(result, Refusal):
                        refused.append({"question": question, "model": name, "reason": result.reason.value})
    return {
        "answers": n,
        "refused": len(refused),
        "written by the model": by_model,
        "refusals": refused,
        "without an extractive answer": skipped,
    }


async def _answered(resources: Resources, llm: FakeLLM, cache: Path, question: str) -> Answer | Refusal:
    chosen = {"llm_url": llm.url, "llm_model": "scripted", "llm_attempts": 1, "llm_cache_bytes": 0, "cache": cache}
    async with LanguageModel.from_settings(settings_of(chosen)) as model:
        return await answer(replace(resources, language_model=model), AskRequest(question))
