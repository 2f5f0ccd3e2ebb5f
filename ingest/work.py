"""Work off a job: claim some tasks, prepare them while the ones before are written, and note what became of them."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from ingest import jobs
from ingest.budget import Budget, Spending
from ingest.crew import Crew
from ingest.jobs import Claim, JobState, Owner, Settled, TaskState
from ingest.prepare import Prepared, Preparer, Reached, Refused, Vectors, fetch
from ingest.report import Done, Item
from ingest.sources import Found, SourceFile, Web, find_documents
from ingest.stages import Stage
from ingest.timing import StageClock, timed
from ingest.write import Arrival, MakeRows, Outcome, find_vectors, has_papers, write_papers
from papergraph.database import HOPELESS, Database, Transaction
from papergraph.errors import DatabaseError, QueryError, Reason, SourceError
from papergraph.progress import Progress, silent
from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.metrics import AGAIN, REFUSED
from schema.ids import paper_id

DOCUMENTS_AT_ONCE, TEXTS_AT_ONCE = 128, 512
"""Documents that are claimed together, and texts that are embedded together, sorted by length."""

FEWEST_AT_ONCE, FIRST_AT_ONCE = 4, 16
"""Fewest documents that are claimed together, however long they are, and how many before that is known."""

DOCUMENTS_PER_TRANSACTION, CHUNKS_PER_TRANSACTION = 128, 1000
"""Small papers go in by many: with 16 to a transaction Neo4j's vector indexes cost nearly twice the processor time."""

READING_S = 0.1
"""How long a thread reads documents before it hands them on: a hop for each would cost as much as a short one."""

POLL_S = 0.25
RENEWED_EVERY_S = 3.0
FAREWELL_S = 5.0
"""How long giving back what was claimed may take when the work ends early."""

UNFINISHED = (JobState.QUEUED, JobState.RUNNING)

Hear = Callable[[Sequence[Item]], None]


class _LostError(Exception):
    """Tasks that are to be written are held by this process no more."""

    def __init__(self, ids: set[str]) -> None:
        super().__init__(f"{len(ids)} tasks are held no more")
        self.ids = ids


@dataclass(frozen=True)
class Documents:
    """The documents that a job found, by name: what to read, and the order that decides which of two stays.

    Attributes:
        found: By name.
        places: Place of each name among what was found.
        max_bytes: Largest document that is read.
        specs: What they were found by.
        web: The way to what lies outside, if there is one.
    """

    found: Mapping[str, Found]
    places: Mapping[str, int]
    max_bytes: int
    specs: tuple[str, ...]
    web: Web | None = None

    @classmethod
    def find(cls, specs: Sequence[str], *, max_bytes: int, web: Web | None = None) -> Self:
        """Find the documents that a job was opened for, as they are now."""
        return cls.of(list(find_documents(specs, web=web)), specs, max_bytes=max_bytes, web=web)

    @classmethod
    def of(
        cls, found: Sequence[Found | SourceError], specs: Sequence[str], *, max_bytes: int, web: Web | None = None
    ) -> Self:
        """Put documents in order that were found."""
        documents = {entry.name: (place, entry) for place, entry in enumerate(found) if isinstance(entry, Found)}
        by_name = {name: entry for name, (_, entry) in documents.items()}
        return cls(by_name, {name: place for name, (place, _) in documents.items()}, max_bytes, tuple(specs), web)

    def yields(self, source: str) -> Callable[[str, str], bool]:
        """Return what says whether ``source`` leaves its key to a later document that is still what stands there."""

        def to(other: str, content: str) -> bool:
            if other not in self.found or self.places[other] <= self.places.get(source, -1):
                return False
            return self.found[other].content_hash(max_bytes=self.max_bytes) == content

        return to


@dataclass(frozen=True)
class _Entry:
    claim: Claim
    ready: Prepared | Refused
    vectors: Vectors


_Coming = asyncio.Future[_Entry]


class Work:
    """One process's work on one job; ``done`` counts it."""

    def __init__(
        self,
        database: Database,
        preparer: Preparer,
        documents: Documents,
        *,
        job_id: str,
        owner: Owner,
        known: frozenset[str] = frozenset(),
        crew: Crew | None = None,
        budget: Budget | None = None,
        n_tasks: int = 0,
        progress: Progress = silent,
        hear: Hear,
    ) -> None:
        self._database, self._preparer, self._documents = database, preparer, documents
        self._job_id, self._owner, self._hear = job_id, owner, hear
        self._known = set(known)
        """Contents whose texts need no vectors: they stand in the graph, or are on their way there."""

        self._crew = crew
        self._hands = asyncio.Semaphore(crew.n_at_once if crew else 1)
        self._spending = Spending(budget)
        self._spent: str | None = None
        self.done = Done()
        self._n_tasks, self._progress = n_tasks, progress
        self._n_reached = Counter[str]()
        self._held: dict[str, Stage] = {}
        self._under_way: deque[_Coming] = deque()
        """Documents that are claimed and read, in order."""

        self._turn = asyncio.Lock()
        self._reading: set[asyncio.Task[None]] = set()
        self._had_papers: bool | None = None
        self._more_new, self._are_again = True, False
        self._n_at_once = FIRST_AT_ONCE

    @property
    def spent(self) -> str | None:
        """What of the budget is spent, in words, if that ended the work."""
        return self._spent

    async def run(self, *, to_the_end: bool = True) -> JobState | None:
        """Work until nothing of the job is left to do, or, unless ``to_the_end``, nothing at the moment.

        Returns:
            The job's state then; None if the job is gone.

        Raises:
            DatabaseError: Neo4j failed; what was not done is given back.
        """
        renewing = asyncio.create_task(self._renew())
        tried = True
        try:
            return await self._work(to_the_end=to_the_end)
        except asyncio.CancelledError:
            tried = False
            raise
        finally:
            renewing.cancel()
            with suppress(DatabaseError, TimeoutError):
                async with asyncio.timeout(FAREWELL_S):
                    await self._give_back(tried=tried)

    async def _work(self, *, to_the_end: bool) -> JobState | None:
        writing: asyncio.Task[None] | None = None
        try:
            while True:
                await self._claim_more()
                entries = await self._next_group()
                await self._claim_more()  # read while these are embedded
                if entries:
                    with timed(Stage.EMBED):
                        vectors = await self._embed(entries)
                    if writing is not None:
                        await _arrived(writing)
                    writing = asyncio.create_task(self._write(entries, vectors))  # while the next ones are prepared
                    continue
                if writing is not None:
                    await _arrived(writing)
                if self._spent is not None:
                    await self._give_back(tried=False)
                state = await jobs.close(self._database, self._job_id)
                if self._spent is not None and state in UNFINISHED:
                    await jobs.pause(self._database, self._job_id, detail=self._spent)
                    return JobState.PAUSED
                if state not in UNFINISHED or not to_the_end:
                    return state
                await asyncio.sleep(POLL_S)  # others hold what is left, or its time has not come
        except asyncio.CancelledError:
            if writing is not None:
                writing.cancel()
            raise
        finally:
            ending: list[asyncio.Future[Any]] = [*self._reading, *self._under_way]
            for reading in ending:
                reading.cancel()
            if writing is not None:  # something failed: let what is on its way arrive
                ending.append(writing)
            await asyncio.gather(*ending, return_exceptions=True)

    async def _claim_more(self) -> None:
        """Claim documents and let them be read, if few are under way; what was tried before goes by itself."""
        self._spent = self._spent or self._spending.spent
        at_once = max(self._n_at_once, self._crew.n_at_once if self._crew else 0)
        if self._spent is not None or len(self._under_way) > at_once // 2 or self._are_again:
            return
        limit = self._spending.most_papers(at_once, under_way=len(self._under_way))
        alone = not self._under_way
        if limit == 0 or not (alone or self._more_new):
            return
        claims = await self._claim(limit, again=alone)
        self._are_again = bool(claims) and claims[0].attempts > 1
        self._more_new = len(claims) == limit and not self._are_again
        self._held |= {claim.id: Stage.FETCH for claim in claims}
        await self._look_for(claims)
        if claims:
            expected = [(claim, _Coming()) for claim in claims]
            self._under_way.extend(coming for _, coming in expected)
            self._start(self._read(expected))

    async def _claim(self, limit: int, *, again: bool) -> list[Claim]:
        """Claim documents; if we are stopped meanwhile, note what was claimed, so that it is given back."""
        claiming = asyncio.ensure_future(
            jobs.claim(self._database, self._job_id, self._owner, limit=limit, again=again)
        )
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            with suppress(DatabaseError, TimeoutError):
                for claim in await asyncio.wait_for(claiming, FAREWELL_S):
                    self._held[claim.id] = Stage.FETCH
            raise

    async def _look_for(self, claims: Sequence[Claim]) -> None:
        """Find the documents again if another call has given the job more since they were found."""
        if any(claim.source not in self._documents.found for claim in claims):
            specs, max_bytes = self._documents.specs, self._documents.max_bytes
            self._documents = await asyncio.to_thread(
                Documents.find, specs, max_bytes=max_bytes, web=self._documents.web
            )

    async def _next_group(self) -> list[_Entry]:
        """Return the first documents that are read, until there is enough to embed."""
        entries: list[_Entry] = []
        n_texts = 0
        while self._under_way and n_texts < TEXTS_AT_ONCE and len(entries) < DOCUMENTS_AT_ONCE and self._spent is None:
            entry = await self._under_way[0]
            if isinstance(entry.ready, Prepared) and entry.claim.id in self._held:
                self._spent = self._spending.take(entry.ready.n_chunks)
                if self._spent is not None:
                    break
                n_texts += 1 + sum(span.has_vector for span in entry.ready.spans)
            self._under_way.popleft()
            if entry.claim.id in self._held:
                entries.append(entry)
            self._spent = self._spending.time_is_up
        self._are_again = self._are_again and bool(self._under_way)
        if entries:
            wanted = TEXTS_AT_ONCE * len(entries) // max(1, n_texts)
            self._n_at_once = min(DOCUMENTS_AT_ONCE, max(FEWEST_AT_ONCE, wanted))
        return entries

    async def _give_back(self, *, tried: bool) -> None:
        """Give back what is held and not written."""
        held = list(self._held)
        self._held.clear()
        if held:
            await jobs.release(self._database, self._owner, held, tried=tried)

    def _start(self, reading: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(reading)
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _read(self, expected: Sequence[tuple[Claim, _Coming]]) -> None:
        """Read documents in order, here or by the crew, for those who wait for them."""
        async with self._turn:
            waiting = deque(expected)
            try:
                while waiting:
                    made, source = await asyncio.to_thread(self._read_some, [claim for claim, _ in waiting])
                    for ready in made:
                        claim, coming = waiting.popleft()
                        coming.set_result(_Entry(claim, ready, {}))
                    self._advance("parsed", len(made))
                    if source is not None and self._crew is not None:
                        await self._hands.acquire()
                        self._start(self._send(*waiting.popleft(), source, self._crew))
            except BaseException as error:  # whatever it is, it must not leave anybody waiting
                for _, coming in waiting:
                    if not coming.done():
                        coming.set_exception(error)

    def _read_some(self, claims: Sequence[Claim]) -> tuple[list[Prepared | Refused], SourceFile | None]:
        """Read documents from the first on for a moment, or up to one for the crew, which is only fetched."""
        made: list[Prepared | Refused] = []
        end = time.perf_counter() + READING_S
        while len(made) < len(claims) and time.perf_counter() < end:
            ready = self._read_here(claims[len(made)])
            if isinstance(ready, SourceFile):
                return made, ready
            made.append(ready)
        return made, None

    def _read_here(self, claim: Claim) -> Prepared | Refused | SourceFile:
        """Read a document, which is only fetched if it is for the crew."""
        found = self._documents.found.get(claim.source)
        if found is None:
            return Refused(claim.source, Stage.FETCH, Reason.NOT_FOUND, "is not among the documents any more")
        with tracing.span("item", self._told_of(claim)), StageClock() as clock:
            clock.reached(Stage.FETCH)
            source = fetch(found, self._preparer.settings)
            if isinstance(source, Refused):
                return source
            reached = self._reached(claim, clock)
            if self._crew is None:
                return self._preparer.reader.read(source, reached=reached)
            return self._crew.read_here(self._preparer, source, reached=reached) or source

    async def _send(self, claim: Claim, coming: _Coming, source: SourceFile, crew: Crew) -> None:
        try:
            embed = source.content_hash not in self._known
            with tracing.span("item", self._told_of(claim)), StageClock() as clock:
                reached = self._reached(claim, clock)
                ready, vectors = await crew.prepare(self._preparer, source, embed=embed, reached=reached)
            coming.set_result(_Entry(claim, ready, vectors))
            self._advance("parsed", 1)
        except BaseException as error:
            if not coming.done():
                coming.set_exception(error)
        finally:
            self._hands.release()

    def _told_of(self, claim: Claim) -> dict[str, str]:
        return {tracing.JOB: self._job_id, tracing.TASK: claim.id}

    def _reached(self, claim: Claim, clock: StageClock) -> Reached:
        def reached(stage: Stage) -> None:
            clock.reached(stage)
            if claim.id in self._held:
                self._held[claim.id] = stage

        return reached

    async def _embed(self, entries: Sequence[_Entry]) -> Vectors:
        """Return a vector for each distinct text of the documents whose content is not known yet.

        Those that stand in the graph are read from there: of a paper that changed, or is cut anew, most may stay.
        """
        new = [
            (entry.claim, entry.ready)
            for entry in entries
            if isinstance(entry.ready, Prepared) and entry.ready.source.content_hash not in self._known
        ]
        self._known |= {ready.source.content_hash for _, ready in new}
        self._held |= {claim.id: Stage.EMBED for claim, _ in new if claim.id in self._held}
        made = {text: vector for entry in entries for text, vector in entry.vectors.items()}
        wanted = list(dict.fromkeys(text for _, ready in new for text in ready.texts if text not in made))
        stored = await self._stored([ready for _, ready in new], wanted) if wanted and await self._has_vectors() else {}
        missing = [text for text in wanted if text not in stored]
        made |= await asyncio.to_thread(self._preparer.embed, missing) if missing else {}
        self.done.n_texts_embedded += len(made)
        self.done.n_texts_kept += len(stored)
        self.done.n_parsed += sum(not ready.parsed_before for _, ready in new)
        self.done.n_parsed_before += sum(ready.parsed_before for _, ready in new)
        self._advance("embedded", len(entries))
        return made | stored

    async def _has_vectors(self) -> bool:
        """Say whether the collection held papers when the first texts were to be embedded; else none is asked for."""
        if self._had_papers is None:
            self._had_papers = await has_papers(self._database, collection=self._preparer.collection)
        return self._had_papers

    def _advance(self, stage: str, n_documents: int) -> None:
        self._n_reached[stage] += n_documents
        if self._n_reached[stage] <= self._n_tasks:  # else it is not known how many there are
            self._progress.advance(stage, self._n_reached[stage], self._n_tasks)

    async def _stored(self, documents: Sequence[Prepared], texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts that stand in the graph, in papers that these documents are to replace."""
        hashes = {self._preparer.hash_of(text): text for text in texts}
        collection = self._preparer.collection
        found = await find_vectors(
            self._database,
            list(hashes),
            collection=collection,
            ids=[paper_id(collection, ready.document.key) for ready in documents],
            contents=[ready.source.content_hash for ready in documents],
            chunkers=self._preparer.chunkers,
            dimension=self._preparer.embedder.card.dimension,
        )
        return {hashes[hash]: vector for hash, vector in found.items()}

    async def _write(self, entries: Sequence[_Entry], vectors: Vectors) -> None:
        """Write documents in order, note what became of each, and let it be heard."""
        with timed(Stage.WRITE):
            items = await self._written(entries, vectors)
        for entry in entries:
            if item := items.get(entry.claim.id):
                metrics.seen_to(item.outcome or REFUSED, reason=item.reason)
            else:
                metrics.seen_to(AGAIN)
            self._held.pop(entry.claim.id, None)
        self._hear([items[entry.claim.id] for entry in entries if entry.claim.id in items])

    async def _written(self, entries: Sequence[_Entry], vectors: Vectors) -> dict[str, Item]:
        items: dict[str, Item] = {}
        refused = [(e.claim, self._refusal(e.claim, e.ready)) for e in entries if isinstance(e.ready, Refused)]
        held = await jobs.settle_alone(self._database, self._owner, [settled for _, settled in refused])
        items |= {
            claim.id: Item.of(claim.source, settled)
            for claim, settled in refused
            if settled.retry_s is None and claim.id in held
        }
        for group in _for_transactions(entries):
            items |= await self._write_group(group, vectors)
        return items

    async def _write_group(self, group: Sequence[tuple[Claim, Prepared]], vectors: Vectors) -> dict[str, Item]:
        """Write documents in one transaction, their tasks included, and return the items of those that are settled.

        What is held no more is left to those who hold it.
        """
        while group:
            try:
                return await self._write_held(group, vectors)
            except _LostError as lost:
                group = [(claim, ready) for claim, ready in group if claim.id not in lost.ids]
        return {}

    async def _write_held(self, group: Sequence[tuple[Claim, Prepared]], vectors: Vectors) -> dict[str, Item]:
        by_source = {ready.source.name: (claim, ready) for claim, ready in group}
        settled: dict[str, Settled] = {}

        async def settle(transaction: Transaction, arrivals: Sequence[Arrival], outcomes: Sequence[Outcome]) -> None:
            rows = [
                self._done(*by_source[arrival.source], arrival, outcome)
                for arrival, outcome in zip(arrivals, outcomes, strict=True)
            ]
            if lost := {row.id for row in rows} - await jobs.settle(transaction, self._owner, rows):
                raise _LostError(lost)
            settled.update({row.id: row for row in rows})

        self._held |= {claim.id: Stage.WRITE for claim, _ in group if claim.id in self._held}
        arrivals = [(self._arrival(ready), self._rows(ready, vectors)) for _, ready in group]
        results = await write_papers(self._database, arrivals, settle=settle)
        failures = [
            self._failure(claim, result)
            for (claim, _), result in zip(group, results, strict=True)
            if isinstance(result, QueryError)
        ]
        held = await jobs.settle_alone(self._database, self._owner, failures)
        settled |= {failure.id: failure for failure in failures if failure.id in held}
        failed = {failure.id for failure in failures}
        self._known -= {ready.source.content_hash for claim, ready in group if claim.id in failed}
        return {
            claim.id: Item.of(ready.source.name, settled[claim.id])
            for claim, ready in group
            if claim.id in settled and settled[claim.id].retry_s is None
        }

    def _arrival(self, ready: Prepared) -> Arrival:
        source, key = ready.source, ready.document.key
        return Arrival(
            self._preparer.collection,
            key,
            source.name,
            source.content_hash,
            self._preparer.recipe(source.read_by),
            len(ready.spans),
            yields_to=self._documents.yields(source.name),
        )

    def _rows(self, ready: Prepared, vectors: Vectors) -> MakeRows:
        return lambda key: self._preparer.rows(ready, vectors, key)

    def _done(self, claim: Claim, ready: Prepared, arrival: Arrival, outcome: Outcome) -> Settled:
        return Settled(
            claim.id,
            TaskState.DONE,
            Stage.WRITE,
            key=arrival.key,
            outcome=outcome.value,
            title=ready.document.title,
            n_sections=len(ready.document.sections),
            n_chunks=ready.n_chunks,
            n_cut_short=sum(span.has_vector and span.n_read < span.n_tokens for span in ready.spans),
        )

    def _refusal(self, claim: Claim, refused: Refused) -> Settled:
        if refused.may_work:
            return jobs.again(claim, refused.stage, refused.reason, refused.detail)
        return Settled(claim.id, TaskState.FAILED, refused.stage, reason=refused.reason.value, detail=refused.detail)

    def _failure(self, claim: Claim, error: QueryError) -> Settled:
        if error.status in HOPELESS or error.status.startswith("Neo.ClientError"):
            return Settled(
                claim.id, TaskState.QUARANTINED, Stage.WRITE, reason=Reason.DATABASE.value, detail=str(error)[:500]
            )
        return jobs.again(claim, Stage.WRITE, Reason.DATABASE, str(error)[:500])

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEWED_EVERY_S)
            with suppress(DatabaseError):  # the next time will do; else others take over
                if self._held:
                    asked = dict(self._held)
                    still = await jobs.renew(self._database, self._owner, asked)
                    for id in asked.keys() - still:
                        self._held.pop(id, None)


async def _arrived(writing: asyncio.Task[None]) -> None:
    """Wait for what is being written.

    To cancel whoever awaits a task itself cancels that task instead, and is lost if it ends all the same, for example
    because Neo4j has just answered: then Ctrl-C would do nothing.
    """
    await asyncio.shield(writing)


def _for_transactions(entries: Sequence[_Entry]) -> Iterator[list[tuple[Claim, Prepared]]]:
    group: list[tuple[Claim, Prepared]] = []
    for entry in entries:
        if not isinstance(entry.ready, Prepared):
            continue
        n_chunks = len(entry.ready.spans) + sum(len(other.spans) for _, other in group)
        if group and (len(group) == DOCUMENTS_PER_TRANSACTION or n_chunks > CHUNKS_PER_TRANSACTION):
            yield group
            group = []
        group.append((entry.claim, entry.ready))
    if group:
        yield group
