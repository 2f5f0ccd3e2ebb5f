"""Documents read in order, here or by the crew, for the work that waits for them."""

import asyncio
import time
from collections import deque
from collections.abc import Coroutine, Sequence
from typing import Any

from ingest.jobs.model import Claim
from ingest.jobs.stages import Stage
from ingest.jobs.timing import StageClock
from ingest.pipeline.executor import Executor
from ingest.pipeline.prepare import Prepared, Refused
from ingest.pipeline.work_state import Entry, WorkState
from ingest.sources import RawDocument
from papergraph.errors import Reason
from papergraph.telemetry import tracing

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
