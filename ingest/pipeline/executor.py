"""Who parses and cuts documents for the process that writes them, where that process does not do it itself.

Documents are fetched by the writing process, so that what limits its requests counts them all, and sent to whoever has
a hand free. What comes back is the same whoever did it, and is taken in the order of the documents.
"""

import asyncio
import multiprocessing
import os
import pickle
import signal
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing.connection import Connection, wait
from typing import Protocol

from ingest.jobs.stages import Stage
from ingest.parsers import parsers
from ingest.pipeline.prepare import DocumentPreparer, Made, OnStage, Prepared, Reader, Refused, our_fault
from ingest.sources import RawDocument
from papergraph.errors import Reason

WORTH_STARTING_S = 2.0
"""Processes are started once parsing and cutting here has taken so long; starting them takes about as much."""

WORTH_SENDING_S = 0.02
"""What takes less by document is done here, while what came before is embedded: sending it would cost as much."""


class Executor(Protocol):
    """Prepares documents beside the process that writes them; :meth:`close` ends what it started."""

    n_at_once: int
    """How many documents it takes at once."""

    def read_here(
        self, preparer: DocumentPreparer, source: RawDocument, *, reached: OnStage
    ) -> Prepared | Refused | None:
        """Parse and cut a document in this thread, or return None if it is better sent: :meth:`prepare` does that."""

    async def prepare(self, preparer: DocumentPreparer, source: RawDocument, *, embed: bool, reached: OnStage) -> Made:
        """Have a document parsed and cut.

        Args:
            preparer: How.
            source: The document.
            embed: Whether its texts need vectors, if whoever prepares it can embed as well.
            reached: Hears of stages.

        Returns:
            What was made of it, and vectors by text, of which any may be missing.
        """

    async def close(self) -> None:
        """End what was started; may be called twice."""


class ProcessExecutor:
    """Documents are prepared by processes beside this one, started once that pays; they end with it however it ends."""

    def __init__(self, n_processes: int | None = None, *, start_after_s: float = WORTH_STARTING_S) -> None:
        """Choose how many.

        Args:
            n_processes: At least 1; by default as many as there are processors for this process.
            start_after_s: How long this process prepares documents that could be sent before it starts others.
        """
        self._n_processes = n_processes or len(os.sched_getaffinity(0))
        self._start_after_s = start_after_s
        self._taken_s, self._n_done = 0.0, 0
        self._running: tuple[ProcessPoolExecutor, Connection] | None = None
        self.n_at_once = 2 * self._n_processes

    def read_here(
        self, preparer: DocumentPreparer, source: RawDocument, *, reached: OnStage
    ) -> Prepared | Refused | None:
        """Parse and cut a document that is not worth sending; see :class:`Executor`."""
        if parsers()[source.format].quick:
            return preparer.reader.read(source, reached=reached)
        slow = self._taken_s >= WORTH_SENDING_S * self._n_done
        if self._running is not None or (slow and self._taken_s >= self._start_after_s):
            return None
        start = time.perf_counter()
        ready = preparer.reader.read(source, reached=reached)
        self._taken_s += time.perf_counter() - start
        self._n_done += 1
        return ready

    async def prepare(self, preparer: DocumentPreparer, source: RawDocument, *, embed: bool, reached: OnStage) -> Made:
        """Have a document prepared by a process; see :class:`Executor`. One whose process ends is to be tried again."""
        reached(Stage.PARSE)
        executor = self._executor()
        try:
            pickled = pickle.dumps(preparer.reader)
            made: Future[Prepared | Refused] = executor.submit(_read, pickled, source)
            return await asyncio.wrap_future(made), {}
        except BrokenProcessPool:
            self._leave(executor)
            detail = "the process that parsed it ended, perhaps by another document beside it"
            return Refused(source.name, Stage.PARSE, Reason.LOST, detail, may_work=True), {}
        except Exception as error:  # what was made of it cannot be sent
            return our_fault(source.name, Stage.PARSE, error), {}

    async def close(self) -> None:
        """End the processes at once, whatever they are doing."""
        if self._running is not None:
            self._leave(self._running[0])

    def _executor(self) -> ProcessPoolExecutor:
        if self._running is None:
            context = multiprocessing.get_context("spawn")
            theirs, ours = context.Pipe(duplex=False)
            executor = ProcessPoolExecutor(self._n_processes, context, initializer=_begin, initargs=(theirs,))
            self._running = executor, ours
        return self._running[0]

    def _leave(self, executor: ProcessPoolExecutor) -> None:
        if self._running is not None and self._running[0] is executor:
            self._running[1].close()
            self._running = None
            executor.shutdown(wait=False, cancel_futures=True)


def _begin(open_while_wanted: Connection) -> None:
    """Let Ctrl-C to our parent, and end when it does, or when it wants us no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end() -> None:
        wait([open_while_wanted])
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def _read(pickled: bytes, source: RawDocument) -> Prepared | Refused:
    return _reader(pickled).read(source)


@lru_cache(maxsize=4)
def _reader(pickled: bytes) -> Reader:
    reader: Reader = pickle.loads(pickled)  # noqa: S301 from our own parent
    return reader
