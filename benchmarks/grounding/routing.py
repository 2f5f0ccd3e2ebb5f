"""Sets of questions about the graph, and all questions of judged data sets, through the router alone.

A question about the graph is right if the expected query answers it and the text has all expected parts. A question of
a data set is one to passages: it is misrouted if a named query answers it. The first five sets and the data
sets are put to the library of ``held_out``, the other five to our samples and the real papers.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import data_folder
from benchmarks.grounding.material import SAMPLES, expected, library, pdfs, texts
from papergraph.database import Database
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.server.answers.graph_answer import GraphRows, run
from papergraph.server.answers.graph_recognition import route

SETS = ("first", "second", "third", "fourth", "fifth")
LIKELY_SETS = ("sixth", "seventh", "eighth", "ninth", "tenth")
FILES = (
    "covidqa/queries.jsonl",
    "cranfield/queries.jsonl",
    "doris_mae/queries.jsonl",
    "multihop_2wiki/queries.jsonl",
    "multihop_musique/queries.jsonl",
    "qasper_leval/papers.jsonl",
    "scifact/queries_test.jsonl",
    "scifact/queries_train.jsonl",
)


def measure() -> dict[str, Any]:
    """Return how many questions were right, and how many to passages were misrouted."""
    return asyncio.run(_measured())


async def _measured() -> dict[str, Any]:
    passages = {"written": [*texts("passages of the first"), *texts("passages of the second to fifth")]}
    passages |= {file: list(_questions(data_folder() / file)) for file in FILES}
    async with library(pdfs(texts("held out papers")), store="routing") as resources:
        figures = await measure_routing(resources.database, {name: expected(name) for name in SETS}, passages)
    real = sorted((data_folder() / "real_pdfs" / "pdf").glob("*.pdf"))
    async with library([*real, SAMPLES], store="routing") as resources:
        likely = {name: expected(name) for name in LIKELY_SETS}
        likely_passages = {name: texts(name) for name in (f"passages of the {one}" for one in LIKELY_SETS)}
        return figures | await measure_routing(resources.database, likely, likely_passages)


async def measure_routing(
    database: Database,
    sets: Mapping[str, Sequence[tuple[str, ...]]],
    passages: Mapping[str, Sequence[str]],
    collection: str = DEFAULT_COLLECTION,
) -> dict[str, Any]:
    """Return how many questions of each set were right, and how many to passages were misrouted."""
    figures: dict[str, Any] = {}
    for name, questions in sets.items():
        wrong = [one[0] for one in questions if not _is_right(await _rows(database, one[0], collection), one)]
        figures[name] = {"questions": len(questions), "correct": len(questions) - len(wrong), "wrong": wrong}
    for name, written in passages.items():
        misrouted = [one for one in written if await _rows(database, one, collection) is not None]
        figures[name] = {"questions": len(written), "misrouted": misrouted}
    return figures


async def _rows(database: Database, question: str, collection: str) -> GraphRows | None:
    asked = await route(database, question, collection)
    return None if asked is None else await run(database, asked, collection)


def _is_right(rows: GraphRows | None, expected: tuple[str, ...]) -> bool:
    text = "" if rows is None else "\n".join(line.text for line in rows.lines).casefold()
    is_query = rows is not None and rows.question.name == expected[1]
    return is_query and all(part.casefold() in text for part in expected[2:])


def _questions(file: Path) -> Iterator[str]:
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if "qas" in record:
            yield from (one["question"] for one in record["qas"])
        else:
            yield record.get("text") or record["question"]
