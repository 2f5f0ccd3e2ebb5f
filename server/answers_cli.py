"""``papergraph evaluate --answers``: how good answers are, on a data folder or on a file of questions."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from papergraph.errors import InputError
from server.commands import progress, settings, write

if TYPE_CHECKING:
    from evaluation.answers.cases import Case
    from evaluation.answers.evaluate import Asked
    from evaluation.answers.figures import Measured
    from evaluation.answers.report import AnswerReport
    from papergraph.settings import Settings
    from server.terminal import TerminalProgress

    Found = tuple[AnswerReport, Mapping[str, Sequence[Measured]]]


def evaluate_answers(
    questions: Path,
    answers: str,
    *,
    split: str | None,
    corpus: str | None,
    collection: str,
    pipeline: str,
    judge: bool,
    judge_tokens: int | None,
    judge_model: str | None,
    n: int | None,
    n_unanswerable: int,
    seed: int,
    chunker: str | None,
    max_tokens: int | None,
    overlap: int | None,
    json_file: Path | None,
    given_file: Path | None,
    quiet: bool,
) -> None:
    """Ask readers the questions of a data folder or a file, and write what comes of it."""
    from evaluation import report as files
    from evaluation.answers.evaluate import Asked
    from evaluation.answers.readers import parse_readers
    from evaluation.answers.report import answer_table, write_answers
    from evaluation.evaluate import parse_pipelines
    from server.retrieval.resources import known_pipelines

    chosen = settings()
    (one_pipeline, *others) = parse_pipelines(pipeline, known_pipelines(chosen))
    if others:
        raise InputError("answers are written from the passages of one pipeline; name one", field="pipeline")
    asked = Asked(
        parse_readers(answers), one_pipeline, judge, chosen.llm_concurrency if judge else 1, judge_tokens, judge_model
    )
    asked.check(chosen)
    files.check_folder(json_file, field="json")
    files.check_folder(given_file, field="given")
    with progress(quiet=quiet) as told:
        if questions.is_dir():
            from evaluation.answers.evaluate import evaluate_task, task_cases
            from evaluation.task import read_task
            from ingest.chunk import ChunkOptions

            chunking = None
            if (chunker, max_tokens, overlap) != (None, None, None):
                chunking = ChunkOptions.choose(chunker or "default", max_tokens=max_tokens, overlap=overlap)
            task = read_task(questions, split=split, corpus=corpus)
            cases = task_cases(task, n=n, n_unanswerable=n_unanswerable, seed=seed)
            notes = (*_drawn(cases, len(task.queries), n, seed), *task.notes)
            report, found = evaluate_task(chosen, task, cases, asked, chunking=chunking, notes=notes, progress=told)
        else:
            if n_unanswerable:
                raise InputError("a file of questions has its own unanswerable ones", field="unanswerable")
            report, found = _of_file(chosen, questions, asked, n=n, seed=seed, collection=collection, told=told)
        told.pause()
    if json_file is not None:
        files.write_report(report, json_file)
    if given_file is not None:
        write_answers(found, given_file)
    write(answer_table(report))


def _of_file(
    chosen: "Settings",
    file: Path,
    asked: "Asked",
    *,
    n: int | None,
    seed: int,
    collection: str,
    told: "TerminalProgress",
) -> "Found":
    """Ask the questions of a file of the store that the settings name."""
    from evaluation.answers.cases import sampled
    from evaluation.answers.evaluate import judging, measure_readers
    from evaluation.answers.files import read_cases
    from papergraph.store import open_store
    from server.opening import open_service
    from server.retrieval.resources import Resources, equipped

    every = read_cases(file, source=file.name)
    cases = sampled(every, n, seed=seed)

    async def work() -> "Found":
        async with (
            judging(chosen, asked) as judge,
            open_service(chosen, address, progress=told) as service,
            equipped(chosen, Resources.of(service.database, service.embedder)) as resources,
        ):
            return await measure_readers(
                resources,
                cases,
                asked,
                name=file.stem,
                judge_model=judge,
                collection=collection,
                notes=_drawn(cases, len(every), n, seed),
                progress=told,
            )

    with open_store(chosen, progress=told) as address:
        return asyncio.run(work())


def _drawn(cases: "Sequence[Case]", n_all: int, n: int | None, seed: int) -> tuple[str, ...]:
    return () if n is None or n >= n_all else (f"{n} of {n_all} questions, drawn with seed {seed}",)
