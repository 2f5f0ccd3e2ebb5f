"""Executors of the preparation of documents, and what a pipeline works with."""

import asyncio
import contextvars
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from papergraph.concurrency import FairQueue
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.originals import Originals
from papergraph.ingest.parsers import parsers
from papergraph.ingest.parsers.cache import ParsedDocuments
from papergraph.ingest.parsers.sandbox import end_children
from papergraph.ingest.pipeline.prepare import DocumentPreparer, JobSettings, Made, OnStage, Prepared, Refused
from papergraph.ingest.sources import Format, RawDocument, Web
from papergraph.ingest.sources.uploads import is_foreign

# Executors that parse and cut several documents at the same time, for the process that writes them.
#
# The writing process fetches all documents, so that its rate limits count them all. Results are the same with any
# executor, and are used in the order of the documents.


class Executor(Protocol):
    """Prepares several documents at the same time; :meth:`close` ends what it started."""

    n_at_once: int
    """Number of documents that it takes at the same time."""

    def read_here(
        self, preparer: DocumentPreparer, source: RawDocument, *, reached: OnStage
    ) -> Prepared | Refused | None:
        """Parse and cut a document in this thread; return None for a document that is for :meth:`prepare`."""

    async def prepare(self, preparer: DocumentPreparer, source: RawDocument, *, embed: bool, reached: OnStage) -> Made:
        """Parse and cut a document.

        Args:
            preparer: Parser and chunker with their settings.
            source: The document.
            embed: Whether its texts need vectors, if the executor can embed as well.
            reached: Receives the stages.

        Returns:
            The prepared document, and vectors by text, of which any may be missing.
        """

    async def close(self) -> None:
        """End everything that was started; may be called twice."""


class ThreadExecutor:
    """Threads that wait for the child processes which parse documents.

    The child takes nearly all of the time of a PDF: 0.5 s, and this process 0.03 s (22 papers, 2026-11-29).
    """

    def __init__(self, n_threads: int | None = None) -> None:
        """Choose the number of threads, by default that of the processors of this process."""
        self.n_at_once = n_threads or len(os.sched_getaffinity(0))
        n_all = self.n_at_once + 1  # one for another job, however long the documents of the first take
        self._threads = ThreadPoolExecutor(n_all, thread_name_prefix="parser")
        self._turns = FairQueue("parsing", n_all, of_one=self.n_at_once)

    def read_here(
        self, preparer: DocumentPreparer, source: RawDocument, *, reached: OnStage
    ) -> Prepared | Refused | None:
        """Parse and cut a document that needs no child process; see :class:`Executor`."""
        return None if _waits(source) else preparer.reader.read(source, reached=reached)

    async def prepare(self, preparer: DocumentPreparer, source: RawDocument, *, embed: bool, reached: OnStage) -> Made:
        """Prepare a document in a thread, of one job after the other; see :class:`Executor`."""
        read = partial(contextvars.copy_context().run, preparer.reader.read, source, reached=reached)
        async with self._turns.turn(str(id(preparer)), patience_s=None):
            return await asyncio.get_running_loop().run_in_executor(self._threads, read), {}

    async def close(self) -> None:
        """End the child processes at once, and the threads with them."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        end_children()


def _waits(source: RawDocument) -> bool:
    """Say whether parsing a document is waiting for a child process, a program or a service."""
    parser = parsers()[source.format]
    return source.format == Format.PDF or parser.runs_program or (parser.sandboxed and is_foreign(source))


# The parts that every way of ingestion shares


@dataclass(frozen=True)
class IngestContext:
    """Parts of ingestion, created once.

    Attributes:
        store: A prepared store (:func:`papergraph.schema.migrate.prepare`).
        embedder: The store's embedding model.
        web: Access to the network; without it only files are read.
        executor: Executor of parsing and cutting; by default a thread of this process.
        cache: Cache of slowly parsed documents.
        originals: Store of papers' files; None to discard them.
    """

    store: Database
    embedder: Embedder
    web: Web | None = field(default=None, repr=False)
    executor: Executor | None = field(default=None, repr=False)
    cache: ParsedDocuments | None = None
    originals: Originals | None = None

    def preparer(self, settings: JobSettings, collection: str) -> DocumentPreparer:
        """Return what prepares the documents of a job."""
        return DocumentPreparer(
            self.embedder, settings, collection=collection, parsed=self.cache, originals=self.originals
        )
