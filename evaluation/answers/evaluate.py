"""Questions, readers and a judge to a report: what the command runs, on a task's corpus or on a store of one's own."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from evaluation.answers.examples import Example, cases_of, sampled
from evaluation.answers.judge import Judge
from evaluation.answers.measures import Measured
from evaluation.answers.readers import answerer_of, asks_model
from evaluation.answers.report import AnswerReport, make_answer_report
from evaluation.answers.run import ask_all
from evaluation.answers.testset import elsewhere
from evaluation.corpus_store import LoadedCorpus, chunking_of, open_home
from evaluation.retrieval.evaluate import CorpusPlan, loaded
from evaluation.task import Task
from ingest.chunkers import ChunkOptions
from papergraph.embedding import DEFAULT_NAME, load_model
from papergraph.errors import InputError, ModelUnavailableError
from papergraph.language_model import Budget, LanguageModel
from papergraph.language_model.model import NOT_CONFIGURED
from papergraph.progress import Progress, silent
from papergraph.settings import Settings
from papergraph.store import Address
from server.retrieval.pipelines import Pipeline
from server.retrieval.resources import Resources

Found = tuple[AnswerReport, Mapping[str, Sequence[Measured]]]


@dataclass(frozen=True)
class QuestionSet:
    """Questions, and where they are asked.

    Attributes:
        name: Its name, for the report.
        cases: The questions.
        collection: The collection to search.
        corpus: The documents of the task that the collection holds, or None for a store of one's own.
        notes: What the reader of figures should know.
    """

    name: str
    cases: Sequence[Example]
    collection: str
    corpus: LoadedCorpus | None = None
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Asked:
    """How readers are asked.

    Attributes:
        readers: Names of :data:`evaluation.answers.readers.READERS`; others are compared with the first.
        pipeline: How passages are found.
        judged: Whether the language model judges.
        at_once: How many questions are on their way together.
        judge_tokens: What the judge may take at most.
        judge_model: Another model of the same server as the judge; None for the one that answers.
    """

    readers: Sequence[str]
    pipeline: Pipeline
    judged: bool = False
    at_once: int = 1
    judge_tokens: int | None = None
    judge_model: str | None = None

    def check(self, settings: Settings) -> None:
        """Refuse, before anything is started, what needs a language model where none is configured.

        Raises:
            ModelUnavailableError: That.
        """
        if (self.judged or asks_model(self.readers)) and not (settings.llm.url and settings.llm.model):
            raise ModelUnavailableError(NOT_CONFIGURED)


@asynccontextmanager
async def judging(settings: Settings, asked: Asked) -> AsyncIterator[LanguageModel | None]:
    """Give the model that judges, None where nobody does.

    Raises:
        InputError: The address or the key cannot be one.
        PromptError: A prompt of the user's folder cannot be used.
    """
    if not asked.judged:
        yield None
        return
    other = {} if asked.judge_model is None else {"model": asked.judge_model}
    async with LanguageModel.from_settings(settings.replace(llm=other)) as model:
        yield model


def task_cases(task: Task, *, n: int | None, n_unanswerable: int, seed: int) -> tuple[Example, ...]:
    """Return a sample of a task's questions, and as many of them as wanted asked of another paper.

    Args:
        task: The task.
        n: How many questions; None for all.
        n_unanswerable: How many of the sample are asked again of another document, which is taken not to answer them.
        seed: What is drawn follows from it.

    Raises:
        InputError: Questions that name no document cannot be asked of another one.
    """
    cases = sampled(cases_of(task), n, seed=seed)
    if not n_unanswerable:
        return cases
    paper_of = {case.id: case.spans[0].doc if case.spans else (case.papers or ("",))[0] for case in cases}
    paper_of = {id: paper for id, paper in paper_of.items() if paper}
    others = elsewhere(cases, paper_of, [document.id for document in task.documents], n=n_unanswerable, seed=seed)
    if not others:
        raise InputError("the questions name no paper that answers them, so none is another one", field="unanswerable")
    return (*cases, *others)


def evaluate_task(
    settings: Settings,
    task: Task,
    cases: Sequence[Example],
    asked: Asked,
    *,
    chunking: ChunkOptions | None = None,
    notes: Sequence[str] = (),
    progress: Progress = silent,
) -> Found:
    """Ask readers a task's questions, in a Neo4j that holds nothing but its corpus; call it from the main thread.

    Args:
        settings: Where the cache is, the embedding model, and the language model.
        task: Whose corpus.
        cases: The questions; their papers are ids of its documents.
        asked: Who is asked, and how.
        chunking: How documents are cut, as for retrieval if None.
        notes: What the reader of figures should know.
        progress: Hears what is being done.

    Returns:
        The report, and what each reader gave.

    Raises:
        ModelUnavailableError: A language model is needed, and none is configured.
        PapergraphError: As of :func:`evaluation.retrieval.evaluate.evaluate`.
    """
    asked.check(settings)
    options = chunking or chunking_of(task)

    async def work(folder: Path, address: Address) -> Found:
        name, wanted = f"{task.name} {task.split}", CorpusPlan(task, options, [asked.pipeline])
        async with (
            judging(settings, asked) as judge,
            loaded(settings, address, folder, wanted, progress=progress) as (resources, corpus),
        ):
            questions = QuestionSet(name, cases, corpus.collection, corpus, notes)
            return await measure_readers(resources, questions, asked, judge_model=judge, progress=progress)

    with open_home(settings, task, options, progress=progress) as (folder, address):
        return asyncio.run(work(folder, address))


async def measure_readers(
    resources: Resources,
    questions: QuestionSet,
    asked: Asked,
    *,
    judge_model: LanguageModel | None = None,
    progress: Progress = silent,
) -> Found:
    """Ask readers questions, and measure what they give.

    Args:
        resources: What pipelines run with, with the language model.
        questions: The questions, and where they are asked.
        asked: Who is asked, and how.
        judge_model: Who judges, or None.
        progress: Hears how many questions are done.

    Raises:
        DatabaseError: Neo4j failed.
    """
    card = resources.model.searched.embedder.card
    encoder = await asyncio.to_thread(load_model, DEFAULT_NAME if card.probes else card.name)  # tokens are compared
    readers = {
        reader: answerer_of(
            resources, reader, pipeline=asked.pipeline, collection=questions.collection, corpus=questions.corpus
        )
        for reader in asked.readers
    }
    judge = None
    if judge_model is not None:
        budget = None if asked.judge_tokens is None else Budget(tokens=asked.judge_tokens)
        judge = Judge(judge_model, encoder, budget=budget)
    found = await ask_all(questions.cases, readers, encoder, judge=judge, at_once=asked.at_once, progress=progress)
    report = make_answer_report(questions.name, found, encoder=encoder.card.name, judge=judge, notes=questions.notes)
    return report, found
