"""State of the work on a job, and documents that are read for it."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.jobs.model import Claim, TaskProgress
from ingest.jobs.timing import Stage, StageClock
from ingest.jobs.worker import HeldTasks
from ingest.pipeline.context import IngestContext
from ingest.pipeline.executor import Executor
from ingest.pipeline.prepare import DocumentPreparer, Documents, OnStage, Prepared, Refused, Vectors
from ingest.pipeline.report import IngestStats, Item
from ingest.sources import RawDocument
from papergraph.errors import Reason
from papergraph.progress import Progress
from papergraph.telemetry import tracing
from schema.ids import public_name

# The state of one process's work on one job, which reading and writing share


OnItems = Callable[[Sequence[Item]], None]


@dataclass(frozen=True)
class OpenJob:
    """A job to be worked on.

    Attributes:
        id: Its id.
        preparer: Prepares its documents by its settings.
        documents: Its documents, as they were found.
        known: Contents that stand in the graph.
        n_tasks: How many documents are to be prepared, where that is known.
    """

    id: str
    preparer: DocumentPreparer
    documents: Documents
    known: frozenset[str] = frozenset()
    n_tasks: int = 0


@dataclass(frozen=True)
class Entry:
    """A document that was claimed and read, with its vectors where these are made."""

    claim: Claim
    ready: Prepared | Refused
    vectors: Vectors


class WorkState:
    """One process's work on one job; ``done`` counts it."""

    def __init__(
        self, context: IngestContext, job: OpenJob, tasks: HeldTasks, *, progress: Progress, hear: OnItems
    ) -> None:
        self.database, self.job, self.owner, self.hear = context.store, job, tasks.owner, hear
        self.job_id, self.preparer, self.documents = job.id, job.preparer, job.documents
        self.known = set(job.known)
        """Contents whose texts need no vectors: they stand in the graph, or are on their way there."""

        self.done = IngestStats()
        self.held = tasks.held
        self._progress = progress
        self._n_reached = Counter[str]()

    def told_of(self, claim: Claim) -> dict[str, str]:
        """Return the attributes of a claim's spans."""
        return {tracing.JOB: self.job_id, tracing.TASK: claim.id}

    def reached(self, claim: Claim, clock: StageClock) -> OnStage:
        """Return what notes the stages that a document reaches."""

        def reached(stage: Stage) -> None:
            clock.reached(stage)
            if stage is Stage.PARSE:
                self._progress.at("documents", public_name(claim.source))
            if claim.id in self.held:
                self.held[claim.id] = TaskProgress(stage)

        return reached

    def advance(self, stage: str, n_documents: int) -> None:
        """Report that documents have reached a stage."""
        self._n_reached[stage] += n_documents
        if self._n_reached[stage] <= self.job.n_tasks:  # else it is not known how many there are
            self._progress.advance(stage, self._n_reached[stage], self.job.n_tasks)


# Documents read in order, here or by the crew, for the work that waits for them


READING_S = 0.1
"""How long a thread reads documents before it hands them on: a hop for each would cost as much as a short one."""

Coming = asyncio.Future[Entry]


class Reading:
    """Reads the documents that were claimed, in the order of claims."""

    def __init__(self, state: WorkState, crew: Executor | None) -> None:
        self._state, self._crew = state, crew
        self._hands = asyncio.Semaphore(crew.n_at_once if crew else 1)
        self._turn = asyncio.Lock()
        self.tasks: set[asyncio.Task[None]] = set()
        """What is being read, to be cancelled when the work ends."""

    def start(self, claims: Sequence[Claim]) -> list[Coming]:
        """Begin to read documents, and return what will be made of each, in order."""
        expected = [(claim, Coming()) for claim in claims]
        self._start(self._read(expected))
        return [coming for _, coming in expected]

    def _start(self, reading: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(reading)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _read(self, expected: Sequence[tuple[Claim, Coming]]) -> None:
        """Read documents in order, here or by the crew, for those who wait for them."""
        async with self._turn:
            waiting = deque(expected)
            try:
                while waiting:
                    made, source = await asyncio.to_thread(self._read_some, [claim for claim, _ in waiting])
                    for ready in made:
                        claim, coming = waiting.popleft()
                        coming.set_result(Entry(claim, ready, {}))
                    self._state.advance("parsed", len(made))
                    if source is not None and self._crew is not None:
                        await self._hands.acquire()
                        self._start(self._send(*waiting.popleft(), source, self._crew))
            except BaseException as error:  # whatever it is, it must not leave anybody waiting
                for _, coming in waiting:
                    if not coming.done():
                        coming.set_exception(error)

    def _read_some(self, claims: Sequence[Claim]) -> tuple[list[Prepared | Refused], RawDocument | None]:
        """Read documents from the first on for a moment, or up to one for the crew, which is only fetched."""
        made: list[Prepared | Refused] = []
        end = time.perf_counter() + READING_S
        while len(made) < len(claims) and time.perf_counter() < end:
            ready = self._read_here(claims[len(made)])
            if isinstance(ready, RawDocument):
                return made, ready
            made.append(ready)
        return made, None

    def _read_here(self, claim: Claim) -> Prepared | Refused | RawDocument:
        """Read a document, which is only fetched if it is for the crew."""
        found = self._state.documents.found.get(claim.source)
        if found is None:
            return Refused(claim.source, Stage.FETCH, Reason.NOT_FOUND, "is not among the documents any more")
        with tracing.span("item", self._state.told_of(claim)), StageClock() as clock:
            clock.reached(Stage.FETCH)
            source = self._state.preparer.fetch(found)
            if isinstance(source, Refused):
                return source
            reached = self._state.reached(claim, clock)
            if self._crew is None:
                return self._state.preparer.reader.read(source, reached=reached)
            return self._crew.read_here(self._state.preparer, source, reached=reached) or source

    async def _send(self, claim: Claim, coming: Coming, source: RawDocument, crew: Executor) -> None:
        try:
            embed = source.content_hash not in self._state.known
            with tracing.span("item", self._state.told_of(claim)), StageClock() as clock:
                reached = self._state.reached(claim, clock)
                ready, vectors = await crew.prepare(self._state.preparer, source, embed=embed, reached=reached)
            coming.set_result(Entry(claim, ready, vectors))
            self._state.advance("parsed", 1)
        except BaseException as error:
            if not coming.done():
                coming.set_exception(error)
        finally:
            self._hands.release()
