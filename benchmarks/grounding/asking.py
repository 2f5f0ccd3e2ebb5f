"""Answers without a large model: dialogues, questions about the graph, refusals, and scripted small models.

A question about the graph is right if the expected query answers it and the text has all expected parts; a question to
passages is misrouted if a named query answers it. A follow-up question is right if its answer cites the paper of the
dialogue. A refusal question is right if the answer cites its paper and has the expected words. Each question to models
is put to three of thirteen, which ignore the format of answers: an extractive answer must never become a refusal.
"""

import asyncio
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common import data_folder
from benchmarks.grounding.material import expected, library, pdfs, texts
from papergraph.language_model import LanguageModel
from papergraph.server.answers.answer import answer
from papergraph.server.answers.records import Answer, Mode, Refusal
from papergraph.server.answers.request import AskRequest, Turn
from papergraph.server.operations.ask import text_of
from papergraph.server.retrieval.resources import Resources
from tests.support.fake_llm import FakeLLM, Reply, Request, cut
from tests.support.flat_settings import settings_of


def of_dialogues() -> dict[str, Any]:
    """Return how many follow-up questions were answered from the right paper, and those that were not."""
    return asyncio.run(_measured_dialogues())


async def _measured_dialogues() -> dict[str, Any]:
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


def of_graph() -> dict[str, Any]:
    """Return how many questions were right, and those that were not."""
    return asyncio.run(_measured_graph())


async def _measured_graph() -> dict[str, Any]:
    async with library() as resources:
        return await measure_graph(resources, expected("graph"), texts("passages of graph"))


async def measure_graph(
    resources: Resources, graph: Sequence[tuple[str, ...]], passages: Sequence[str]
) -> dict[str, Any]:
    """Return how many questions about a graph were right, how many to passages were misrouted, and which."""
    wrong, misrouted = [], []
    for question, query, *parts in graph:
        result = await answer(resources, AskRequest(question))
        named = result.named_query if isinstance(result, Answer) else None
        text = result.text.casefold() if isinstance(result, Answer) else ""
        if named is None or named.query != query or not all(part.casefold() in text for part in parts):
            wrong.append({"question": question, "query": named and named.query, "text": text[:300]})
    for question in passages:
        result = await answer(resources, AskRequest(question))
        if isinstance(result, Answer) and result.named_query is not None:
            misrouted.append({"question": question, "query": result.named_query.query})
    return {
        "graphQuestions": len(graph),
        "correct": len(graph) - len(wrong),
        "passageQuestions": len(passages),
        "misrouted": len(misrouted),
        "wrong": wrong,
        "wrongly": misrouted,
    }


def of_refusal() -> dict[str, Any]:
    """Return how many questions of each kind were answered, and which of them wrongly."""
    return asyncio.run(_measured_refusal(pdfs(texts("refusal papers"))))


async def _measured_refusal(files: Sequence[Path]) -> dict[str, Any]:
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
    *,
    mode: Mode = Mode.AUTO,
) -> dict[str, Any]:
    """Return how many questions of each kind were answered, and which of them wrongly."""
    asked: list[tuple[str, str, bool, bool, str]] = []  # kind, question, answered, right, text
    n_first = 0
    for question, paper, *parts in answerable:
        result = await answer(resources, AskRequest(question, mode=mode))
        text = " ".join(result.text.split()) if isinstance(result, Answer) else ""
        cited = {one.file or "" for one in result.citations} if isinstance(result, Answer) else set()
        right = any(paper in name for name in cited) and all(_plain(part) in _plain(text) for part in parts)
        n_first += right and all(_plain(part) in _plain(MARKS.split(text)[0]) for part in parts)
        asked.append(("answerable", question, isinstance(result, Answer), right, _probability(result) + text))
    for kind, questions in (("near misses", near_misses), ("unrelated", unrelated)):
        for question in questions:
            result = await answer(resources, AskRequest(question, mode=mode))
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
    figures["answerable"]["right in the first sentence"] = n_first
    return figures


def _plain(text: str) -> str:
    """Return a text in small letters without hyphens: a paper may write "Kaplan Meier" for "Kaplan-Meier"."""
    return re.sub(r"[-‐‑–]", " ", text).lower()


def _probability(result: Any) -> str:
    return f"{result.answerability:.2f} " if result.answerability is not None else ""


N_QUESTIONS, N_MODELS = 20, 3
MARKS = re.compile(r" \[\d+\]")
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
"""Sentences of a model about a sentence of the first source."""


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


def of_models() -> dict[str, Any]:
    """Return how many answers became refusals, and how many came from the model."""
    return asyncio.run(_measured_models())


def sentence_of(request: Request) -> str:
    """Return the longest sentence of the first source of a prompt."""
    found = _SOURCE.search(request.prompt)
    sentences = re.split(r"(?<=[.!?])\s", found["text"]) if found else [""]
    return " ".join(max(sentences, key=len).split())


def _said(style: Callable[[str], Reply | str], request: Request) -> Reply | str:
    return style(sentence_of(request))


async def _measured_models() -> dict[str, Any]:
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


def of_public() -> dict[str, Any]:
    """Return the figures of questions about the public PDFs of the evaluation data."""
    return asyncio.run(_measured_public("public", sorted((data_folder() / "real_pdfs" / "pdf").glob("*.pdf"))))


def of_fresh() -> dict[str, Any]:
    """Return the figures of questions about 30 PDFs of public repositories."""
    return asyncio.run(_measured_public("fresh", pdfs(texts("fresh papers"))))


async def _measured_public(name: str, files: Sequence[Path]) -> dict[str, Any]:
    async with library(files, store=name) as resources:
        sets = expected(f"{name}, answerable"), texts(f"{name}, near misses"), texts(f"{name}, unrelated")
        return await measure_refusals(resources, *sets)


def of_held_out() -> dict[str, Any]:
    """Return the figures of each kind of question."""
    return asyncio.run(_measured_held_out(pdfs(texts("held out papers"))))


async def _measured_held_out(files: list[Path]) -> dict[str, Any]:
    async with library(files, store="held_out") as resources:
        return {
            "refusal": await measure_refusals(
                resources,
                expected("held out, answerable"),
                texts("held out, near misses"),
                texts("held out, unrelated"),
            ),
            "dialogues": await _held_out_dialogues(resources),
            "graph": await measure_graph(resources, expected("first"), texts("passages of the first")),
        }


async def _held_out_dialogues(resources: Resources) -> dict[str, Any]:
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
