"""A task and a plan to a comparison: one corpus for each chunking, the same questions for all systems."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluation.answers.evaluate import Asked, judging
from evaluation.answers.examples import Example, cases_of, sampled
from evaluation.answers.judge import Judge, Judgement
from evaluation.answers.measures import Encoder, Measured
from evaluation.answers.readers import answerer_of
from evaluation.answers.report import make_answer_report
from evaluation.answers.run import ask_all
from evaluation.comparison.corpus import Lengths, chunk_lengths, text_lengths
from evaluation.comparison.plan import ComparisonPlan
from evaluation.comparison.report import Comparison, described, p_values_of_answers, p_values_of_rankings
from evaluation.comparison.systems import System, running_systems
from evaluation.corpus_store import LoadedCorpus, open_home
from evaluation.retrieval.evaluate import CorpusPlan, loaded
from evaluation.retrieval.report import make_report
from evaluation.retrieval.runs import Run, run_pipelines
from evaluation.task import Task
from ingest.chunkers import ChunkOptions
from papergraph.embedding import DEFAULT_NAME, load_model
from papergraph.errors import InputError
from papergraph.language_model import Budget
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from papergraph.store import Address
from server.retrieval.resources import Resources
from server.retrieval.runner import absent, enrichments_of_collection

NO_REFERENCES = "no question has a reference answer or evidence, so answers are not measured without a judge"
NOTHING_MADE = "the corpus gave no"


@dataclass
class Given:
    """What systems gave, by name, how long the chunks are that they searched, and which systems could not run."""

    runs: dict[str, Run] = field(default_factory=dict)
    answers: dict[str, list[Measured]] = field(default_factory=dict)
    lengths: dict[str, Lengths] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """Systems that could not run on their corpus, with the reason."""


def sampled_task(task: Task, n: int | None, *, seed: int) -> Task:
    """Return a task with ``n`` of its queries, drawn by ``seed``; all where there are no more, or ``n`` is None."""
    drawn = {case.id for case in sampled(cases_of(task), n, seed=seed)}
    return replace(task, queries=tuple(query for query in task.queries if query.id in drawn))


def compare(
    settings: Settings, task: Task, plan: ComparisonPlan, *, left_out: Mapping[str, str], progress: Progress = silent
) -> tuple[Comparison, Mapping[str, Sequence[Measured]]]:
    """Ask all systems a task's questions, in a Neo4j for each chunking; call it from the main thread.

    Args:
        settings: Where the cache is, the models and the reranker.
        task: Whose corpus and questions.
        plan: Systems, readers and judge.
        left_out: What was asked for and cannot run, with the reason; it is told in the comparison.
        progress: Hears what is being done.

    Returns:
        The comparison, and what each system with each reader gave.

    Raises:
        InputError: There is nothing to measure, or nothing that the systems search could be made of the corpus.
        PapergraphError: As of :func:`evaluation.retrieval.evaluate.evaluate`.
    """
    cases = cases_of(task)
    notes = list(task.notes)
    if not plan.judged and not any(case.answers or case.evidence for case in cases):
        cases = ()
        notes.append(NO_REFERENCES)
    if not task.measures and not cases:
        raise InputError(f"{task.name} {task.split} has nothing to measure: {'; '.join(notes)}", field="folder")
    by_chunking: dict[ChunkOptions, list[System]] = defaultdict(list)
    for system in plan.systems:
        by_chunking[system.chunking].append(system)
    given = Given()
    for number, (chunking, systems) in enumerate(by_chunking.items(), start=1):
        progress.step(f"chunks {number} of {len(by_chunking)}: {chunking}")
        work = _OneChunking(settings, task, cases, replace(plan, systems=systems), given, progress)
        with open_home(settings, task, chunking, by_model=plan.by_model, progress=progress) as (folder, address):
            asyncio.run(work.run(folder, address, chunking))
    running = running_systems(plan.systems, given.left_out)
    told = ({**left_out, **given.left_out}, notes)
    return asyncio.run(_reported(settings, task, replace(plan, systems=running), given, told, progress))


@dataclass(frozen=True)
class _OneChunking:
    settings: Settings
    task: Task
    cases: Sequence[Example]
    plan: ComparisonPlan
    given: Given
    progress: Progress

    async def run(self, folder: Path, address: Address, chunking: ChunkOptions) -> None:
        """Ask the systems that search chunks of one kind."""
        pipelines = [system.pipeline for system in self.plan.systems]
        wanted = CorpusPlan(self.task, chunking, pipelines, self.plan.by_model)
        async with loaded(self.settings, address, folder, wanted, progress=self.progress) as (resources, corpus):
            for level, lengths in (await chunk_lengths(resources.database, corpus.collection)).items():
                self.given.lengths[f"chunks, {chunking.chunker}{f', level {level}' if level else ''}"] = lengths
            there = await enrichments_of_collection(resources.database, corpus.collection)
            able = [system for system in self.plan.systems if not self._is_left_out(system, there)]
            pipelines = [system.pipeline for system in able]
            if self.task.measures and able:
                self.given.runs |= await run_pipelines(resources, self.task, corpus, pipelines, progress=self.progress)
            if self.cases and able:
                self.given.answers |= await self._answers(able, resources, corpus)

    def _is_left_out(self, system: System, there: Mapping[str, bool]) -> bool:
        """Say whether a system searches what could not be made of the corpus, and note it."""
        if lacking := absent(system.pipeline, there):
            self.given.left_out[system.name] = f"{NOTHING_MADE} {' and '.join(lacking)}"
        return bool(lacking)

    async def _answers(
        self, systems: Sequence[System], resources: Resources, corpus: LoadedCorpus
    ) -> dict[str, list[Measured]]:
        readers = {
            self.plan.label(system, reader): answerer_of(
                resources, reader, pipeline=system.pipeline, collection=corpus.collection, corpus=corpus, whole=True
            )
            for system in systems
            for reader in self.plan.readers
        }
        return await ask_all(self.cases, readers, await _encoder(), progress=self.progress)


async def _encoder() -> Encoder:
    return await asyncio.to_thread(load_model, DEFAULT_NAME)


async def _reported(
    settings: Settings,
    task: Task,
    plan: ComparisonPlan,
    given: Given,
    told: tuple[Mapping[str, str], Sequence[str]],
    progress: Progress,
) -> tuple[Comparison, Mapping[str, Sequence[Measured]]]:
    (left_out, notes), encoder, judge = told, await _encoder(), None
    labels = [plan.label(system, reader) for system in plan.systems for reader in plan.readers]
    found: Mapping[str, Sequence[Measured]] = {name: given.answers[name] for name in labels if name in given.answers}
    runs = {system.name: given.runs[system.name] for system in plan.systems if system.name in given.runs}
    if plan.judged and found:
        asked = Asked(plan.readers, plan.systems[0].pipeline, judged=True, judge_model=plan.judge_model)
        async with judging(settings, asked) as model:
            if model is not None:
                budget = None if plan.judge_tokens is None else Budget(tokens=plan.judge_tokens)
                judge = Judge(model, encoder, budget=budget)
                found = await judged(judge, found, seed=plan.seed, progress=progress)
    name = f"{task.name} {task.split}"
    answers = None
    if found:
        answers = make_answer_report(name, found, encoder=encoder.card.name, judge=judge, any_evidence=True)
    retrieval = make_report(task, runs, None) if runs else None
    comparison = Comparison(
        name=name,
        n_questions=len(task.queries),
        systems=described(plan.systems),
        left_out=left_out,
        texts=text_lengths(task) | given.lengths,
        retrieval=retrieval,
        answers=answers,
        p_values={"retrieval": p_values_of_rankings(task, runs), "answers": p_values_of_answers(found)},
        notes=tuple(notes),
    )
    return comparison, found


async def judged(
    judge: Judge, found: Mapping[str, Sequence[Measured]], *, seed: int, progress: Progress = silent
) -> dict[str, list[Measured]]:
    """Return what systems gave with what a judge says of each answer, and of all answers to a question side by side."""
    given: dict[str, list[Measured]] = {name: [] for name in found}
    rows = list(zip(*found.values(), strict=True))
    for number, row in enumerate(rows, start=1):
        case, of_row = row[0].case, dict(zip(found, row, strict=True))
        answered = [name for name, one in of_row.items() if one.given.is_answer]
        alone = await asyncio.gather(*(judge.judge(case, of_row[name].given) for name in answered))
        together = await judge.side_by_side(case, {name: one.given for name, one in of_row.items()}, seed=seed)
        for name, said in zip(answered, alone, strict=True):
            of_row[name] = _with(_with(of_row[name], said), together.get(name, Judgement()))
        for name, one in of_row.items():
            given[name].append(one)
        progress.advance("questions judged", number, len(rows))
    return given


def _with(one: Measured, said: Judgement) -> Measured:
    return replace(
        one,
        figures={**one.figures, **said.figures},
        missing={**one.missing, **said.missing},
        reasons={**one.reasons, **said.reasons},
    )
