"""The stores of an experiment: those of a data folder, one for each chunker, or the user's own, which is only read."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import cypher
from evaluation.answers.answer_ratings import read_ratings
from evaluation.corpus_store import CorpusPlan, LoadedCorpus, chunking_of, loaded, open_home
from evaluation.experiment.plan import Experiment
from evaluation.experiment.questions import (
    Question,
    asked_of_ratings,
    drawn,
    questions_of,
    questions_of_task,
    read_asked,
    shared,
    with_judgements,
)
from evaluation.task import Task, read_task
from ingest.chunkers import ChunkOptions
from papergraph.progress import Progress
from papergraph.settings import Settings
from papergraph.store import Address, open_store
from server.retrieval.resources import Resources, equipped
from server.startup import open_service

T = TypeVar("T")


@dataclass(frozen=True)
class Opened:
    """An open place.

    Attributes:
        resources: What pipelines run with.
        collection: Where to look.
        chunks_per_paper: How many a paper has on average, at least 1.
        corpus: The documents of a data folder, or None for the user's own collection.
    """

    resources: Resources
    collection: str
    chunks_per_paper: float
    corpus: LoadedCorpus | None = None


class Stores:
    """The stores of an experiment, of which one at a time is open; used as a context, from the main thread."""

    def __init__(self, settings: Settings, plan: Experiment, progress: Progress) -> None:
        """Read the data folder, where there is one.

        Raises:
            DataFolderError: It cannot be read.
        """
        self._settings, self._plan, self._progress = settings, plan, progress
        self._task: Task | None = None
        if plan.file.data is not None:
            self._task = read_task(plan.path(plan.file.data), split=plan.file.split, corpus=plan.file.corpus)
        self._stack = ExitStack()
        self._open: tuple[str, Path, Address] | None = None

    def __enter__(self) -> Self:
        """Open nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close what is open."""
        self._stack.close()

    def run(self, where: str, work: Callable[[Opened], Awaitable[T]]) -> T:
        """Do something in one of the places.

        Raises:
            PapergraphError: The store cannot be opened, or what the work raises.
        """
        if self._task is None:
            return asyncio.run(self._in_collection(where, work))
        return asyncio.run(self._in_corpus(self._task, where, work))

    def questions(self) -> dict[str, list[Question]]:
        """Return the questions of each place, the same ones in all, with what is right there.

        Raises:
            PapergraphError: They cannot be read, or are not of these places.
        """
        file = self._plan.file
        found = {where: self.run(where, self._questions) for where in self._plan.wheres}
        kept = [drawn(one, file.n_questions, seed=file.seed) for one in shared(list(found.values()))]
        ratings = [one for path in file.judgements for one in read_ratings(self._plan.path(path))]
        return {where: with_judgements(one, ratings) for where, one in zip(found, kept, strict=True)}

    async def _questions(self, opened: Opened) -> list[Question]:
        file, resources = self._plan.file, opened.resources
        if self._task is not None and opened.corpus is not None:
            return await questions_of_task(resources, self._task, opened.corpus, file.unit)
        if file.questions is not None:
            asked = read_asked(self._plan.path(file.questions))
        else:
            asked = await asked_of_ratings(resources, file.collection)
        return await questions_of(resources, asked, opened.collection, file.unit, progress=self._progress)

    async def _in_corpus(self, task: Task, where: str, work: Callable[[Opened], Awaitable[T]]) -> T:
        options = ChunkOptions(chunker=where) if where else chunking_of(task)
        if self._open is None or self._open[0] != where:
            self._stack.close()
            self._open = None
            folder, address = self._stack.enter_context(
                open_home(self._settings, task, options, progress=self._progress)
            )
            self._open = where, folder, address
        _, folder, address = self._open
        pipelines = [arm.pipeline for arm in self._plan.asking if arm.place.where == where]
        wanted = CorpusPlan(task, options, pipelines)
        async with loaded(self._settings, address, folder, wanted, progress=self._progress) as (resources, corpus):
            share = sum(corpus.n_chunks_of.values()) / max(1, len(corpus.documents_of))
            return await work(Opened(resources, corpus.collection, max(1.0, share), corpus))

    async def _in_collection(self, where: str, work: Callable[[Opened], Awaitable[T]]) -> T:
        if self._open is None:
            address = self._stack.enter_context(open_store(self._settings, progress=self._progress))
            self._open = "", Path(), address
        collection = where or self._plan.file.collection
        async with (
            open_service(self._settings, self._open[2], progress=self._progress, unchanged=True) as service,
            equipped(self._settings, Resources.of(service.database, service.embedder)) as resources,
        ):
            (counts,) = await service.database.read(cypher.load("evaluation/chunks_per_paper"), collection=collection)
            share = counts["n_chunks"] / max(1, counts["n_papers"])
            return await work(Opened(resources, collection, max(1.0, share)))
