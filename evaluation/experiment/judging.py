"""Judgements of what arms found and nobody judged: pooled, blind and shuffled, by persons or by a language model.

A pool is a file of what ``papergraph ratings collect`` shows: a question, and a paper or passage, without the arms that
found it. Each rater has an order of their own. A file of ratings is what an experiment reads as ``judgements``.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

import cypher
from evaluation.answers.answer_ratings import HIGHEST, LOWEST, RatingFile, Shown
from evaluation.experiment.plan import Experiment, Unit
from evaluation.experiment.plan_file import as_experiment
from evaluation.experiment.record import read_questions, read_record, read_runs, trec_id
from evaluation.experiment.stores import Opened, Stores
from evaluation.report import write_text
from papergraph.errors import InputError
from papergraph.language_model import Budget, LanguageModel
from papergraph.language_model.prompts import fenced
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from server.retrieval.pipelines import parse
from server.retrieval.resources import Resources
from server.retrieval.steps.passages import read_texts

PROMPTS = Path(__file__).with_name("prompts")
PROMPT = "judge_relevant"
PLACEHOLDERS = frozenset({"question", "title", "text"})
LONGEST_TEXT = 6_000


class _Relevant(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: str
    rating: int = Field(ge=LOWEST, le=HIGHEST)


@dataclass(frozen=True)
class Pooled:
    """A pool that was written: how many texts, of how many questions."""

    n: int
    n_questions: int


def pool(settings: Settings, folder: Path, file: Path, *, depth: int, progress: Progress) -> Pooled:
    """Write what the runs of a record have among their first ``depth`` and is not known to be right.

    Call it from the main thread.

    Raises:
        NotFoundError: There is no record.
        InputError: All is judged, or arms were asked in several places, whose ids are others.
        PapergraphError: The store cannot be opened or read.
    """
    report, questions, runs = read_record(folder), read_questions(folder), read_runs(folder)
    known = {name: parse(name, written) for name, written in report["pipelines"].items()}
    plan = as_experiment(report["experiment"], folder, known, where=str(folder))
    if len(plan.wheres) > 1:
        raise InputError("arms were asked in several places: pool the record of an experiment in one", field="record")
    wanted: dict[str, list[str]] = {}
    for question in questions:
        units = dict.fromkeys(unit for run in runs for unit in run.get(trec_id(question.id), ())[:depth])
        if left := [unit for unit in units if unit not in question.gains]:
            wanted[question.id] = left
    if not wanted:
        raise InputError(f"the first {depth} of all runs are known to be right", field="depth")
    texts = _read(settings, plan, sorted({unit for units in wanted.values() for unit in units}), progress)
    asked = {question.id: question.text for question in questions}
    shown = [
        Shown(id=id, reader=unit, question=asked[id], sources=[{"title": texts[unit][0], "text": texts[unit][1]}])
        for id, units in wanted.items()
        for unit in sorted(units)
        if unit in texts
    ]
    lines = (json.dumps(one.model_dump(exclude_none=True), ensure_ascii=False) + "\n" for one in shown)
    write_text(file, "".join(lines), field="file")
    return Pooled(len(shown), len({one.id for one in shown}))


def _read(settings: Settings, plan: Experiment, ids: Sequence[str], progress: Progress) -> dict[str, tuple[str, str]]:
    async def work(opened: Opened) -> dict[str, tuple[str, str]]:
        return await _texts(opened.resources, ids, plan.file.unit)

    with Stores(settings, plan, progress) as stores:
        return stores.run(plan.wheres[0], work)


async def _texts(resources: Resources, ids: Sequence[str], unit: Unit) -> dict[str, tuple[str, str]]:
    """Return title and text of papers, or headings and text of chunks, by id."""
    if unit is Unit.CHUNK:
        return {id: (context, text) for id, (text, context) in (await read_texts(resources, ids)).items()}
    records = await resources.database.read(cypher.load("evaluation/papers_to_judge"), ids=list(ids))
    return {record["id"]: (record["title"], record["text"]) for record in records}


async def judge(
    model: LanguageModel,
    shown: Sequence[Shown],
    file: RatingFile,
    *,
    budget: Budget | None = None,
    progress: Progress = silent,
) -> int:
    """Have a language model rate what it has not rated yet, each on the disk before the next; return how many.

    Args:
        model: Who judges; its name is the rater.
        shown: What there is to rate.
        file: Where ratings go.
        budget: What it may take.
        progress: Hears how far it is.

    Raises:
        LanguageModelError: It failed, or the budget is spent; what was rated stays.
        InputError: The file cannot be written.
    """
    prompt = model.prompt(PROMPT, PLACEHOLDERS, folder=PROMPTS)
    left = file.left(shown, model.name)
    for number, one in enumerate(left, start=1):
        source = one.sources[0] if one.sources else {}
        values = {
            "question": fenced(one.question),
            "title": fenced(source.get("title", "")),
            "text": fenced(source.get("text", one.answer)[:LONGEST_TEXT]),
        }
        said = (await model.answer_json(prompt, values, answer=_Relevant, budget=budget)).value
        file.add(model.name, one, said.rating, said.reason)
        progress.advance("texts judged", number, len(left))
    return len(left)
