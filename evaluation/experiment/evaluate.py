"""What the commands do: an experiment on a data folder, or on the user's own collection, to its record."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cypher
from evaluation.corpus_store import chunking_of, open_home
from evaluation.experiment.plan import Experiment, read_experiment
from evaluation.experiment.questions import (
    Question,
    drawn,
    questions_of_file,
    questions_of_judgements,
    questions_of_task,
)
from evaluation.experiment.record import write_record
from evaluation.experiment.run import Found, run_experiment
from evaluation.retrieval.evaluate import CorpusPlan, loaded
from evaluation.task import read_task
from papergraph.errors import InputError
from papergraph.progress import Progress
from papergraph.settings import Settings
from papergraph.store import open_store
from server.retrieval.pipelines import known_pipelines
from server.retrieval.resources import Resources, equipped
from server.startup import open_service


@dataclass(frozen=True)
class Done:
    """An experiment that was run, and the folder of its record."""

    found: Found
    folder: Path


def experiment(settings: Settings, file: Path, output: Path, *, progress: Progress) -> Done:
    """Run the experiment of a file, and write its record below ``output``; call it from the main thread.

    Raises:
        InputError: The file, its questions or an arm cannot be used.
        PapergraphError: What :func:`evaluation.experiment.run.run_experiment` raises.
    """
    plan = read_experiment(file, known_pipelines(settings))
    run = _on_data if plan.file.data is not None else _on_collection
    questions, found = run(settings, plan, progress)
    return Done(found, write_record(output, plan, questions, found))


def _on_data(settings: Settings, plan: Experiment, progress: Progress) -> tuple[list[Question], Found]:
    if plan.file.data is None:
        raise InputError("name a data folder", field="data")
    task = read_task(plan.path(plan.file.data), split=plan.file.split, corpus=plan.file.corpus)
    wanted = CorpusPlan(task, chunking_of(task), [arm.pipeline for arm in plan.arms])

    async def work() -> tuple[list[Question], Found]:
        async with loaded(settings, address, folder, wanted, progress=progress) as (resources, corpus):
            questions = drawn(questions_of_task(task, corpus), plan.file.n_questions, seed=plan.file.seed)
            share = sum(corpus.n_chunks_of.values()) / max(1, len(corpus.documents_of))
            found = await run_experiment(
                resources, plan, questions, collection=corpus.collection, chunks_per_paper=share, progress=progress
            )
        return questions, found

    with open_home(settings, task, wanted.options, progress=progress) as (folder, address):
        return asyncio.run(work())


def _on_collection(settings: Settings, plan: Experiment, progress: Progress) -> tuple[list[Question], Found]:
    collection, named = plan.file.collection, plan.file.questions

    async def work() -> tuple[list[Question], Found]:
        async with (
            open_service(settings, address, progress=progress) as service,
            equipped(settings, Resources.of(service.database, service.embedder)) as resources,
        ):
            if named is None:
                every = await questions_of_judgements(service.database, collection)
            else:
                every = await questions_of_file(service.database, plan.path(named), collection)
            questions = drawn(every, plan.file.n_questions, seed=plan.file.seed)
            (counts,) = await service.database.read(cypher.load("evaluation/chunks_per_paper"), collection=collection)
            found = await run_experiment(
                resources,
                plan,
                questions,
                collection=collection,
                chunks_per_paper=max(1.0, counts["n_chunks"] / max(1, counts["n_papers"])),
                progress=progress,
            )
        return questions, found

    with open_store(settings, progress=progress) as address:
        return asyncio.run(work())


def regression(report: Mapping[str, Any], baseline: Mapping[str, Any], *, bound: float) -> str | None:
    """Return in words how a record is worse than an earlier one; None where it is not, by more than ``bound``.

    Compared is the mean of the baseline arm, which is the pipeline that is in use.

    Raises:
        InputError: The records have other measures, questions or baselines.
    """
    now, before = report["outcome"], baseline["outcome"]
    if (now["measure"], now["n_questions"]) != (before["measure"], before["n_questions"]):
        raise InputError(
            f"the records are not of the same questions: {before['measure']} of {before['n_questions']:,} and "
            f"{now['measure']} of {now['n_questions']:,}",
            field="against",
        )
    name, old = report["experiment"]["baseline"], baseline["experiment"]["baseline"]
    mean, mean_before = now["means"][name], before["means"][old]
    if mean < mean_before - bound:
        return f"{name} has {now['measure']} {mean:.4f}, and {old} had {mean_before:.4f}: worse by more than {bound:g}"
    return None
