"""Work off a job: claim some tasks, prepare them while the ones before are written, and note what became of them."""

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from ingest import jobs
from ingest.jobs import Claim, JobState, Owner, Settled, Stage, TaskState
from ingest.prepare import Prepared, Preparer, Refused, Vectors
from ingest.report import Item
from ingest.sources import Found, Web, find_documents
from ingest.write import Arrival, MakeRows, Outcome, write_papers
from papergraph.database import HOPELESS, Database, Transaction
from papergraph.errors import DatabaseError, QueryError, Reason, SourceError

DOCUMENTS_AT_ONCE, TEXTS_AT_ONCE = 128, 512
"""Documents that are claimed together, and texts that are embedded together, sorted by length."""

FEWEST_AT_ONCE, FIRST_AT_ONCE = 4, 16
"""Fewest documents that are claimed together, however long they are, and how many before that is known."""

DOCUMENTS_PER_TRANSACTION, CHUNKS_PER_TRANSACTION = 128, 1000
"""Small papers go in by many: with 16 to a transaction Neo4j's vector indexes cost nearly twice the processor time."""

FIRST_RETRY_S, LONGEST_RETRY_S = 0.5, 60.0
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


class Work:
    """One process's work on one job."""

    def __init__(
        self,
        database: Database,
        preparer: Preparer,
        documents: Documents,
        *,
        job_id: str,
        owner: Owner,
        known: frozenset[str] = frozenset(),
        hear: Hear,
    ) -> None:
        self._database, self._preparer, self._documents = database, preparer, documents
        self._job_id, self._owner, self._hear = job_id, owner, hear
        self._known = set(known)
        """Contents whose texts need no vectors: they stand in the graph, or are on their way there."""

        self._held: dict[str, Stage] = {}
        self._n_at_once = FIRST_AT_ONCE

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
            if self._held:
                with suppress(DatabaseError, TimeoutError):
                    async with asyncio.timeout(FAREWELL_S):
                        await jobs.release(self._database, self._owner, list(self._held), tried=tried)

    async def _work(self, *, to_the_end: bool) -> JobState | None:
        writing: asyncio.Task[None] | None = None
        try:
            while True:
                claims = await jobs.claim(self._database, self._job_id, self._owner, limit=self._n_at_once)
                await self._look_for(claims)
                self._held |= {claim.id: Stage.FETCH for claim in claims}
                n_claimed = len(claims)
                while claims:
                    entries = await asyncio.to_thread(self._read_some, claims)
                    vectors = await asyncio.to_thread(self._embed, entries)
                    if writing is not None:
                        await writing
                    writing = asyncio.create_task(self._write(entries, vectors))  # while the next ones are prepared
                    claims = [claim for claim in claims[len(entries) :] if claim.id in self._held]
                if n_claimed:
                    continue
                if writing is not None:
                    await writing
                state = await jobs.close(self._database, self._job_id)
                if state not in UNFINISHED or not to_the_end:
                    return state
                await asyncio.sleep(POLL_S)  # others hold what is left, or its time has not come
        except asyncio.CancelledError:
            if writing is not None:
                writing.cancel()
            raise
        finally:
            if writing is not None:  # something failed: let what is on its way arrive
                await asyncio.gather(writing, return_exceptions=True)

    async def _look_for(self, claims: Sequence[Claim]) -> None:
        """Find the documents again if another call has given the job more since they were found."""
        if any(claim.source not in self._documents.found for claim in claims):
            specs, max_bytes = self._documents.specs, self._documents.max_bytes
            self._documents = await asyncio.to_thread(
                Documents.find, specs, max_bytes=max_bytes, web=self._documents.web
            )

    def _read_some(self, claims: Sequence[Claim]) -> list[_Entry]:
        """Read the first documents, until there is enough to embed."""
        entries: list[_Entry] = []
        n_texts = 0
        for claim in claims:
            if n_texts >= TEXTS_AT_ONCE:
                break
            entry = _Entry(claim, self._read(claim))
            if isinstance(entry.ready, Prepared):
                n_texts += 1 + sum(span.has_vector for span in entry.ready.spans)
            entries.append(entry)
        wanted = TEXTS_AT_ONCE * len(entries) // max(1, n_texts)
        self._n_at_once = min(DOCUMENTS_AT_ONCE, max(FEWEST_AT_ONCE, wanted))
        return entries

    def _read(self, claim: Claim) -> Prepared | Refused:
        found = self._documents.found.get(claim.source)
        if found is None:
            return Refused(claim.source, Stage.FETCH, Reason.NOT_FOUND, "is not among the documents any more")

        def reached(stage: Stage) -> None:
            if claim.id in self._held:
                self._held[claim.id] = stage

        return self._preparer.read(found, reached=reached)

    def _embed(self, entries: Sequence[_Entry]) -> Vectors:
        """Return a vector for each distinct text of the documents whose content is not known yet."""
        new = [
            (entry.claim, entry.ready)
            for entry in entries
            if isinstance(entry.ready, Prepared) and entry.ready.source.content_hash not in self._known
        ]
        self._known |= {ready.source.content_hash for _, ready in new}
        self._held |= {claim.id: Stage.EMBED for claim, _ in new if claim.id in self._held}
        return self._preparer.embed([text for _, ready in new for text in ready.texts])

    async def _write(self, entries: Sequence[_Entry], vectors: Vectors) -> None:
        """Write documents in order, note what became of each, and let it be heard."""
        items: dict[str, Item] = {}
        refused = [(e.claim, self._refusal(e.claim, e.ready)) for e in entries if isinstance(e.ready, Refused)]
        held = await jobs.settle_alone(self._database, self._owner, [settled for _, settled in refused])
        items |= {
            claim.id: _item(claim.source, settled)
            for claim, settled in refused
            if settled.retry_s is None and claim.id in held
        }
        for group in _for_transactions(entries):
            items |= await self._write_group(group, vectors)
        for entry in entries:
            self._held.pop(entry.claim.id, None)
        self._hear([items[entry.claim.id] for entry in entries if entry.claim.id in items])

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
            claim.id: _item(ready.source.name, settled[claim.id])
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
            self._preparer.recipe,
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
            n_chunks=sum(span.level == 0 for span in ready.spans),
            n_cut_short=sum(span.has_vector and span.n_read < span.n_tokens for span in ready.spans),
        )

    def _refusal(self, claim: Claim, refused: Refused) -> Settled:
        if refused.may_work:
            return _again(claim, refused.stage, refused.reason, refused.detail)
        return Settled(claim.id, TaskState.FAILED, refused.stage, reason=refused.reason.value, detail=refused.detail)

    def _failure(self, claim: Claim, error: QueryError) -> Settled:
        if error.status in HOPELESS or error.status.startswith("Neo.ClientError"):
            return Settled(
                claim.id, TaskState.QUARANTINED, Stage.WRITE, reason=Reason.DATABASE.value, detail=str(error)[:500]
            )
        return _again(claim, Stage.WRITE, Reason.DATABASE, str(error)[:500])

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEWED_EVERY_S)
            with suppress(DatabaseError):  # the next time will do; else others take over
                if self._held:
                    asked = dict(self._held)
                    still = await jobs.renew(self._database, self._owner, asked)
                    for id in asked.keys() - still:
                        self._held.pop(id, None)


def _again(claim: Claim, stage: Stage, reason: Reason, detail: str) -> Settled:
    """Return that a task is to be tried again later, or, after too many times, not any more."""
    if claim.attempts >= jobs.MAX_ATTEMPTS:
        return Settled(claim.id, TaskState.QUARANTINED, stage, reason=reason.value, detail=detail)
    pause_s = min(LONGEST_RETRY_S, FIRST_RETRY_S * 2 ** (claim.attempts - 1)) * random.uniform(0.5, 1.0)  # noqa: S311
    return Settled(claim.id, TaskState.QUEUED, stage, reason=reason.value, detail=detail, retry_s=pause_s)


def _item(source: str, settled: Settled) -> Item:
    return Item(
        source,
        Outcome(settled.outcome) if settled.outcome else None,
        settled.key,
        settled.title,
        settled.n_sections,
        settled.n_chunks,
        settled.n_cut_short,
        Reason(settled.reason) if settled.reason else None,
        settled.detail,
    )


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
