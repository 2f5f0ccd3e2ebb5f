"""Overhead of an answer beside its model: time to the sources, to the first text, and the release after a disconnect.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.answers

Questions of COVID-QA over all of its papers, with the default pipeline and a scripted model on a real socket that
answers at once: the first words of its first source, quoted. What is left is ours.

And the verifier: people's own answers of six words and more to QASPER's questions, as claims that cite the passage with
most of their words, of their own paper and of the next one in the file. Writes results/answers.json.
"""

import asyncio
import json
import re
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.answering import opened
from benchmarks.common import data_folder, environment_number, percentiles, write_result
from papergraph.embedding import Embedder
from papergraph.evaluation.answers.verifier_evaluation import source_of
from papergraph.language_model import LanguageModel
from papergraph.server.answers.answer import answer
from papergraph.server.answers.claims import Claim, Mark
from papergraph.server.answers.records import DeltaEvent, Event, Mode, Source, SourcesEvent
from papergraph.server.answers.request import AskRequest
from papergraph.server.answers.verify import Verifier
from papergraph.server.retrieval.resources import Resources
from papergraph.settings import Settings
from tests.support.fake_llm import FakeLLM, Reply, Request, dripping

WARM = 20
LEAST_WORDS = 6


async def main() -> None:
    """Measure and write."""
    n = environment_number("PAPERGRAPH_BENCH_QUERIES", 200)
    figures: dict[str, Any] = {}
    with FakeLLM() as llm, tempfile.TemporaryDirectory() as folder:
        llm.otherwise(quoting)
        settings = Settings(llm={"url": llm.url, "model": "scripted"}, cache=Path(folder))
        async with opened(data_folder() / "covidqa") as store, LanguageModel.from_settings(settings) as model:
            collection = store.corpus.collection
            resources = replace(store.resources, language_model=model)
            asked = [query.text for query in store.task.queries[: WARM + n]]
            for mode in (Mode.GENERATIVE, Mode.EXTRACTIVE):
                timed = [await events_of(resources, text, collection, mode) for text in asked]
                figures[mode.value] = {"questions": n} | summary(timed[WARM:])
            llm.otherwise(dripping("word " * 5000, drip_s=0.005))
            figures["leaving"] = quantiles([await leaving(resources, llm, text, collection) for text in asked[:50]])
            figures = {"ms": figures, "verifier passes": verifying(store.resources.model.searched.embedder)}
    write_result("answers", figures)
    print(json.dumps(figures, indent=1))


def quoting(request: Request) -> Reply:
    """Answer with the words that source 1 begins with, quoted."""
    text = re.split(r'<source-\w+ n="1">\n', request.prompt)[-1].split("\n", 2)[2]
    words = " ".join(text.split("</source-")[0].split()[:25])
    return Reply(f'{words}. [1: "{words}"] And more.')


async def events_of(resources: Resources, text: str, collection: str, mode: Mode) -> dict[str, float]:
    """Return the milliseconds until each kind of event came first."""
    start = time.perf_counter()
    first: dict[type, float] = {}
    asking = AskRequest(text, collection=collection, mode=mode, min_answerability=0.0)

    def note(event: Event) -> None:
        first.setdefault(type(event), 1000.0 * (time.perf_counter() - start))

    await answer(resources, asking, emit=note)
    names = {SourcesEvent: "sources", DeltaEvent: "first text"}
    found = {names[kind]: ms for kind, ms in first.items() if kind in names}
    return found | {"whole answer": 1000.0 * (time.perf_counter() - start)}


async def leaving(resources: Resources, llm: FakeLLM, text: str, collection: str) -> float:
    """Return the milliseconds from leaving in the midst of the model's answer until it is rid of us."""
    asking = AskRequest(text, collection=collection, mode=Mode.GENERATIVE, min_answerability=0.0)
    waiting = asyncio.ensure_future(answer(resources, asking))
    while not llm.n_open:  # noqa: ASYNC110 the scripted model lives in another thread
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.02)
    start = time.perf_counter()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    while llm.n_open:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    return 1000.0 * (time.perf_counter() - start)


def summary(timed: list[dict[str, float]]) -> dict[str, Any]:
    """Return quantiles of each kind of event."""
    names = ("sources", "first text", "whole answer")
    return {name: quantiles([one[name] for one in timed if name in one]) for name in names}


def verifying(embedder: Embedder) -> dict[str, Any]:
    """Return the shares of people's answers that pass with a passage of their own paper, and of another one."""
    lines = (data_folder() / "qasper_leval" / "papers.jsonl").read_text(encoding="utf-8").splitlines()
    papers = [json.loads(line) for line in lines]
    passed: dict[str, list[bool]] = {"own paper": [], "another paper": []}
    for paper, other in zip(papers, [*papers[1:], papers[0]], strict=True):
        for asked in paper["qas"]:
            if len(asked["answer"].split()) >= LEAST_WORDS:
                for name, cited in (("own paper", paper), ("another paper", other)):
                    source = best_passage(asked["answer"], cited["text"])
                    verifier = Verifier(asked["question"], [source], embedder)
                    passed[name].append(verifier.check(Claim(asked["answer"], (Mark(1),))).passed)
    return {name: {"n": len(all_), "share": round(sum(all_) / len(all_), 3)} for name, all_ in passed.items()}


def best_passage(answer: str, text: str) -> Source:
    """Return the passage of about 1,500 letters with most of an answer's words, as a source."""
    passages = [text[start : start + 1500] for start in range(0, len(text), 1200)]
    wanted = set(answer.lower().split())
    best = max(passages, key=lambda passage: len(wanted & set(passage.lower().split())))
    return source_of(best)


def quantiles(values: list[float]) -> dict[str, float]:
    """Return median and 95th percentile, and of how many."""
    return {"n": len(values)} | percentiles(values)


if __name__ == "__main__":
    asyncio.run(main())
