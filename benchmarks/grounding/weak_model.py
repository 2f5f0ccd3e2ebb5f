"""A weak model: mode ``auto`` beside extracts, and its accepted sentences with a judgement each.

The model is that of ``PAPERGRAPH_LLM_URL`` and ``_MODEL``: Gemma 3 270M, a base model, served by
:mod:`benchmarks.grounding.weak_server`. The part "weak" puts the 40 questions about the public PDFs to both modes, and
a question with each heading of these PDFs to mode ``generative``, several times at a temperature of .7. It writes the
accepted sentences with their quotes to ``PAPERGRAPH_BENCH_ACCEPTED``, to be read and judged. The part "judged" counts
``judged.jsonl``: such lines with ``supported``, and ``why`` where that is false. Rules were chosen after the sentences
of ``round`` 1, over the public PDFs, were read. Those of later rounds were accepted by rules that had not seen them: 2
over 30 PDFs of public repositories, 3 over 13 others, 4 over these by the rules mended on 3, 5 by these over 14 others.
A file is named by the start of its SHA-256. In rounds 3 to 5 the model was computed in bfloat16, and its sources were
ten passages with most words of the question (BM25), without a store.
"""

import asyncio
import json
import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from benchmarks.common import data_folder, environment_number, interval
from benchmarks.grounding.asking import measure_refusals
from benchmarks.grounding.material import expected, library, texts
from papergraph.evaluation.answers.verifier_evaluation import source_of
from papergraph.language_model import LanguageModel
from papergraph.server.answers.answer import answer
from papergraph.server.answers.claims import Claim, Mark
from papergraph.server.answers.records import Answer, Mode
from papergraph.server.answers.request import AskRequest
from papergraph.server.answers.verify import Verifier
from papergraph.server.retrieval.resources import Resources
from tests.support.flat_settings import settings_of

JUDGED = Path(__file__).with_name("judged.jsonl")
QUESTIONS = ("What do the authors say about {}?", "How does {} work?", "Why is {} used?")
TEMPERATURE = 0.7
LEAST_CHARS = 6
"""Characters of a heading that makes a question."""


def measure() -> dict[str, Any]:
    """Return right answers of both modes, and how many sentences of the model were accepted."""
    return asyncio.run(_measured(sorted((data_folder() / "real_pdfs" / "pdf").glob("*.pdf"))))


async def _measured(files: Sequence[Path]) -> dict[str, Any]:
    chosen = {"llm_attempts": 1, "llm_cache_bytes": 0, "llm_concurrency": 1}
    async with library(files, store="weak") as resources:
        with TemporaryDirectory() as cache:
            async with LanguageModel.from_settings(settings_of(chosen | {"cache": Path(cache)})) as model:
                both = replace(resources, language_model=model)
                figures = {mode.value: await _of_public(both, mode) for mode in (Mode.EXTRACTIVE, Mode.AUTO)}
                return figures | {"sentences": await _accepted(both)}


async def _of_public(resources: Resources, mode: Mode) -> dict[str, Any]:
    sets = expected("public, answerable"), texts("public, near misses"), texts("public, unrelated")
    return await measure_refusals(resources, *sets, mode=mode)


def heading_questions() -> list[str]:
    """Return a question with each heading of the public PDFs, in a random order."""
    found: dict[str, str] = {}
    for file in sorted((data_folder() / "real_pdfs" / "gold").glob("*.json")):
        for heading in json.loads(file.read_text(encoding="utf-8"))["headings"]:
            if len(title := heading["title"].strip(" .:")) >= LEAST_CHARS:
                found[title.casefold()] = title[0].lower() + title[1:] if title[1].islower() else title
    draw = random.Random(0)  # noqa: S311
    asked = [draw.choice(QUESTIONS).format(title) for title in found.values()]
    return draw.sample(asked, len(asked))


async def _accepted(resources: Resources) -> dict[str, int]:
    """Ask until enough sentences are accepted or the time is over, and write these for judging."""
    most, until = (
        environment_number("PAPERGRAPH_BENCH_SENTENCES", 200),
        monotonic() + 60 * environment_number("PAPERGRAPH_BENCH_MINUTES", 25),
    )
    file = Path(os.environ.get("PAPERGRAPH_BENCH_ACCEPTED", "accepted.jsonl"))
    questions = [*texts("public, answerable"), *texts("public, near misses"), *heading_questions()]
    accepted: dict[str, dict[str, Any]] = {}
    n_asked = n_dropped = 0
    for question in questions * environment_number("PAPERGRAPH_BENCH_ROUNDS", 3):
        if len(accepted) >= most or monotonic() > until:
            break
        asking = AskRequest(question, mode=Mode.GENERATIVE, temperature=TEMPERATURE, min_answerability=0.0)
        result = await answer(resources, asking)
        n_asked, n_dropped = n_asked + 1, n_dropped + len(result.dropped)
        if not isinstance(result, Answer) or not result.llm_generated:
            continue
        for one in result.citations:
            claim = result.text[one.claim_start : one.claim_end]
            record = accepted.setdefault(
                claim.casefold(),
                {"question": question, "claim": claim, "quoted": one.quoted, "file": one.file, "quotes": []},
            )
            if one.quote not in record["quotes"]:
                record["quotes"].append(one.quote)
        _write(file, accepted.values())
    return {"asked": n_asked, "accepted": len(accepted), "dropped": n_dropped}


def _write(file: Path, records: Iterable[dict[str, Any]]) -> None:
    lines = (json.dumps(record, ensure_ascii=False) for record in records)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def judged() -> dict[str, Any]:
    """Return the share of judged sentences of each round that their papers say, with its 95 % interval (Wilson).

    "now" counts those that pass today's rules, which were chosen after these sentences had been read.
    """
    lines = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]
    rounds = {
        number: [line for line in lines if line["round"] == number]
        for number in sorted({one["round"] for one in lines})
    }
    return {
        f"round {number}": {
            "accepted": _share(of_round),
            "not word for word": _share([line for line in of_round if not line["quoted"]]),
            "now": _share([line for line in of_round if _passes(line)]),
        }
        for number, of_round in rounds.items()
    }


def _passes(line: dict[str, Any]) -> bool:
    verifiers = (Verifier(line["question"], [source_of(quote)], None) for quote in line["quotes"])
    return any(one.check(Claim(line["claim"], (Mark(1),))).passed for one in verifiers)


def _share(lines: Sequence[dict[str, Any]]) -> dict[str, float]:
    n = sum(line["supported"] for line in lines)
    share = round(n / max(1, len(lines)), 3)
    return {"sentences": len(lines), "supported": n, "share": share, **interval(n, len(lines))}
