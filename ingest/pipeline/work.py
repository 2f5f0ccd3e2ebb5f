"""Work of an ingestion: its state, the writing of papers, and its report."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, Self

from papergraph.embedding import Floats
from papergraph.embedding.served import is_of_the_texts
from papergraph.errors import ModelServerError, QueryError, Reason, SchemaError
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.graph.paper_sources import source_of
from papergraph.ingest.graph.stored_papers import UnembeddedText, find_unembedded, find_vectors, has_papers
from papergraph.ingest.graph.writer import (
    BASE_DEADLINE_S,
    LOOK_AGAIN,
    MakeRows,
    PaperUpsert,
    WriteOutcome,
    write_papers,
    write_vectors,
)
from papergraph.ingest.jobs import worker
from papergraph.ingest.jobs.model import (
    Claim,
    JobState,
    Stage,
    StageClock,
    Task,
    TaskProgress,
    TaskResult,
    TaskState,
    timed,
)
from papergraph.ingest.jobs.worker import RENEWED_EVERY_S, Budget, HeldTasks, JobBudget, JobWorker, Owner
from papergraph.ingest.parsers.sandbox import abandoned, on_page
from papergraph.ingest.pipeline.executor import Executor, IngestContext
from papergraph.ingest.pipeline.prepare import (
    DocumentPreparer,
    Documents,
    OnStage,
    Prepared,
    Refused,
    Vectors,
    language_warning,
    notes_warning,
)
from papergraph.ingest.sources import Format, RawDocument
from papergraph.neo4j_errors import HOPELESS, Transaction
from papergraph.progress import Progress, silent
from papergraph.schema.embedding_models import stored_models
from papergraph.schema.ids import paper_id, public_name
from papergraph.schema.migrate import analyzer_of
from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.metrics import AGAIN, REFUSED

# Report of an ingestion, with an item for each document


@dataclass(frozen=True)
class Item:
    """Result for one document: ``outcome`` and key, or ``reason`` and ``detail`` of its refusal.

    ``n_cut_short`` new chunks exceed the embedding model, which reads their beginning. A ``warning`` says what was lost
    when it was read, and that searches may miss it because of its ``language``.
    """

    source: str
    outcome: WriteOutcome | None = None
    key: str | None = None
    title: str | None = None
    n_sections: int = 0
    n_chunks: int = 0
    n_cut_short: int = 0
    language: str | None = None
    warning: str | None = None
    reason: Reason | None = None
    detail: str | None = None

    @classmethod
    def of(cls, source: str, task: TaskResult | Task) -> Self:
        """Make one of what the ledger notes of a document's task."""
        return cls(
            source,
            WriteOutcome(task.outcome) if task.outcome else None,
            task.key,
            task.title,
            task.n_sections,
            task.n_chunks,
            task.n_cut_short,
            task.language,
            task.warning,
            Reason(task.reason) if task.reason else None,
            task.detail,
        )


@dataclass
class IngestStats:
    """Counts of documents parsed and texts embedded for a job, and of reused results.

    Attributes:
        n_parsed: Number of parsed documents.
        n_parsed_before: Number of documents from the cache.
        n_texts_embedded: Number of embedded texts.
        n_texts_kept: Number of texts with stored vectors.
    """

    n_parsed: int = 0
    n_parsed_before: int = 0
    n_texts_embedded: int = 0
    n_texts_kept: int = 0


@dataclass(frozen=True)
class IngestReport:
    """Report of an ingestion.

    Attributes:
        collection: Collection of the papers.
        items: Results of processed documents, in the order in which they were found.
        elapsed_s: Duration in seconds.
        chunking: Options of chunking.
        job: Id of the job in the ledger.
        n_left: Number of documents left when the job was cancelled or paused.
        stopped: State of an unfinished job, or ``forgotten``; else None.
        detail: Reason of ``stopped``, if known.
        done: Counts of this process's work.
        pruned: Names of deleted sources that no longer exist.

    >>> report = library.ingest("ingest/samples/annealing-and-tabu-search.txt")
    >>> [(item.title, item.outcome.value) for item in report.items]
    [('Simulated Annealing and Tabu Search for Binary Optimisation', 'unchanged')]
    """

    collection: str
    items: tuple[Item, ...]
    elapsed_s: float
    chunking: ChunkOptions
    job: str
    n_left: int = 0
    stopped: str | None = None
    detail: str | None = None
    done: IngestStats = field(default_factory=IngestStats)
    pruned: tuple[str, ...] = ()

    def count(self, outcome: WriteOutcome) -> int:
        """Number of documents with this outcome."""
        return sum(item.outcome is outcome for item in self.items)

    @property
    def failed(self) -> tuple[Item, ...]:
        """The documents that were refused."""
        return tuple(item for item in self.items if item.outcome is None)


# The state of one process's work on one job, which reading and writing share

OnItems = Callable[[Sequence[Item]], None]


@dataclass(frozen=True)
class OpenJob:
    """Open job.

    Attributes:
        id: Its id.
        preparer: Prepares its documents by its settings.
        documents: Its documents.
        known: Stored contents.
        n_tasks: Number of documents to prepare, if known.
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
        """Contents that are stored or being written, whose texts need no vectors."""
        self.done = IngestStats()
        self.tasks, self.held = tasks, tasks.held
        self._progress = progress
        self._n_reached = Counter[str]()

    def told_of(self, claim: Claim) -> dict[str, str]:
        """Return the attributes of a claim's spans."""
        return {tracing.JOB: self.job_id, tracing.TASK: claim.id}

    def reached(self, claim: Claim, clock: StageClock) -> OnStage:
        """Return what notes the stages that a document reaches; scanned pages are noted too, until the task is lost."""

        def note(stage: Stage, detail: str | None = None) -> None:
            if claim.id in self.held:
                self.held[claim.id] = TaskProgress(stage, detail=detail)

        def reached(stage: Stage) -> None:
            clock.reached(stage)
            if stage is Stage.PARSE:
                self._progress.at("documents", public_name(claim.source))
            note(stage)

        abandoned.set(lambda: claim.id not in self.held)
        on_page.set(lambda page, n_pages: note(Stage.PARSE, f"reading page {page} of {n_pages} by OCR"))
        return reached

    def advance(self, stage: str, n_documents: int) -> None:
        """Report that documents have reached a stage."""
        self._n_reached[stage] += n_documents
        if self._n_reached[stage] <= self.job.n_tasks:  # else it is not known how many there are
            self._progress.advance(stage, self._n_reached[stage], self.job.n_tasks)


READING_S = 0.1
"""Seconds that a thread reads documents before it returns them; a switch per document would cost as much as a short
document.
"""

Coming = asyncio.Future[Entry]


class Reading:
    """Reads the documents that were claimed, in the order of claims."""

    def __init__(self, state: WorkState, crew: Executor | None) -> None:
        self._state, self._crew = state, crew
        self._hands = asyncio.Semaphore(crew.n_at_once if crew else 1)
        self._turn = asyncio.Lock()
        self.tasks: set[asyncio.Task[None]] = set()
        """Running reads, which are cancelled when the work ends."""

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


# Texts of documents embedded some seconds at a time, so that those who follow a job see how far each document is


FIRST_TEXTS = 8
"""Texts that are embedded at once until the model's speed is known."""

BATCH_S = RENEWED_EVERY_S / 2
"""Time that the texts take that are embedded at once, in seconds: a cancelled job ends at the next ones."""


class Embedding:
    """Embeds the texts of one process's work on a job, and records the progress of its documents."""

    def __init__(self, state: WorkState) -> None:
        self._state = state
        self._n_chars, self._taken_s = 0, 0.0

    async def run(self, documents: Sequence[tuple[Claim, Prepared | None]], texts: Sequence[str]) -> Vectors:
        """Return the vectors of distinct ``texts``; the other texts of ``documents`` have theirs already.

        Texts of about one length are embedded together, about as many as take :data:`BATCH_S`. No more follow once
        this process holds none of the documents, as after their job was cancelled.

        Raises:
            EmbeddingError: The server of the embedding model failed, or has another model.
        """
        waiting = sorted(texts, key=len, reverse=True)
        vectors: dict[str, Floats] = {}
        self._note(documents, waiting)
        while waiting and any(claim.id in self._state.held for claim, _ in documents):
            n = self._n_at_once(waiting)
            batch, waiting = waiting[:n], waiting[n:]
            start = time.perf_counter()
            vectors |= await asyncio.to_thread(self._state.preparer.embed, batch)
            self._taken_s += time.perf_counter() - start
            self._n_chars += sum(map(len, batch))
            self._note(documents, waiting)
        return vectors

    def _n_at_once(self, waiting: Sequence[str]) -> int:
        """Return how many of the texts, the longest first, take about :data:`BATCH_S`."""
        if not self._n_chars:
            return FIRST_TEXTS
        most = BATCH_S * self._n_chars / max(self._taken_s, 1e-6)
        return max(1, sum(n_chars <= most for n_chars in accumulate(map(len, waiting))))

    def _note(self, documents: Sequence[tuple[Claim, Prepared | None]], waiting: Sequence[str]) -> None:
        """Note how many chunks of each document have a vector, and how long the texts that wait will take."""
        missing = set(waiting)
        seconds_left = sum(map(len, waiting)) * self._taken_s / self._n_chars if self._n_chars else None
        for claim, ready in documents:
            if ready is not None and claim.id in self._state.held:
                n_missing = sum(text in missing for text in ready.texts[1:])
                n_embedded = ready.n_chunks - min(n_missing, ready.n_chunks)
                left = 0.0 if not n_missing else seconds_left
                self._state.held[claim.id] = TaskProgress(Stage.EMBED, ready.n_chunks, n_embedded, left)


# Documents written in transactions with their tasks, and what became of each


DOCUMENTS_PER_TRANSACTION, CHUNKS_PER_TRANSACTION = 128, 1000
"""Small papers go in by many: with 16 to a transaction Neo4j's vector indexes cost nearly twice the processor time."""


class _LostError(Exception):
    """Tasks that are to be written are held by this process no more."""

    def __init__(self, ids: set[str]) -> None:
        super().__init__(f"{len(ids)} tasks are held no more")
        self.ids = ids


class Writing:
    """Writes the documents of one process's work."""

    def __init__(self, state: WorkState) -> None:
        self._state = state
        self._analyzer: str | None = None

    async def write(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        """Write documents in order, note what became of each, and let it be heard."""
        with timed(Stage.WRITE):
            items = await self._written(entries, vectors)
        for entry in entries:
            if item := items.get(entry.claim.id):
                metrics.seen_to(item.outcome or REFUSED, reason=item.reason)
            else:
                metrics.seen_to(AGAIN)
        self._state.hear([items[entry.claim.id] for entry in entries if entry.claim.id in items])

    async def _written(self, entries: Sequence[Entry], vectors: Vectors) -> dict[str, Item]:
        items: dict[str, Item] = {}
        refused = [(e.claim, self._refusal(e.claim, e.ready)) for e in entries if isinstance(e.ready, Refused)]
        held = await self._state.tasks.settle([settled for _, settled in refused])
        items |= {
            claim.id: Item.of(claim.source, settled)
            for claim, settled in refused
            if settled.retry_s is None and claim.id in held
        }
        for group in _for_transactions(entries):
            items |= await self._write_group(group, vectors)
        return items

    async def _write_group(self, group: Sequence[tuple[Claim, Prepared]], vectors: Vectors) -> dict[str, Item]:
        """Write documents and their tasks in one transaction, and return the items of finished ones.

        Documents with an expired lease are left to its new holder.
        """
        while group:
            try:
                return await self._write_held(group, vectors)
            except _LostError as lost:
                self._state.tasks.forget(lost.ids)
                group = [(claim, ready) for claim, ready in group if claim.id not in lost.ids]
        return {}

    async def _write_held(self, group: Sequence[tuple[Claim, Prepared]], vectors: Vectors) -> dict[str, Item]:
        if self._analyzer is None:
            self._analyzer = await analyzer_of(self._state.database)
        analyzer = self._analyzer
        by_source = {ready.source.name: (claim, ready) for claim, ready in group}
        settled: dict[str, TaskResult] = {}

        async def settle(
            transaction: Transaction, arrivals: Sequence[PaperUpsert], outcomes: Sequence[WriteOutcome]
        ) -> None:
            rows = [
                self._done(*by_source[arrival.source.name], arrival, outcome, analyzer, vectors)
                for arrival, outcome in zip(arrivals, outcomes, strict=True)
            ]
            if lost := {row.id for row in rows} - await worker.settle(transaction, self._state.owner, rows):
                raise _LostError(lost)
            settled.update({row.id: row for row in rows})

        held_of = {claim.id: self._state.held[claim.id] for claim, _ in group if claim.id in self._state.held}
        self._state.held |= {id: replace(progress, stage=Stage.WRITE) for id, progress in held_of.items()}
        arrivals = [(self._arrival(ready), self._rows(ready, vectors)) for _, ready in group]

        async def complete(related: Sequence[PaperUpsert]) -> None:
            records = [by_source[one.source.name][1] for one in related]
            texts = {text for ready in records if ready.is_record for text in ready.texts if text not in vectors}
            self._state.done.n_texts_embedded += len(texts)
            vectors.update(await asyncio.to_thread(self._state.preparer.embed, sorted(texts)))

        results = await write_papers(self._state.database, arrivals, settle=settle, complete=complete)
        self._state.tasks.forget(settled)
        failures = [
            self._failure(claim, result)
            for (claim, _), result in zip(group, results, strict=True)
            if isinstance(result, QueryError)
        ]
        held = await self._state.tasks.settle(failures)
        settled |= {failure.id: failure for failure in failures if failure.id in held}
        failed = {failure.id for failure in failures}
        self._state.known -= {ready.source.content_hash for claim, ready in group if claim.id in failed}
        return {
            claim.id: Item.of(ready.source.name, settled[claim.id])
            for claim, ready in group
            if claim.id in settled and settled[claim.id].retry_s is None
        }

    def _arrival(self, ready: Prepared) -> PaperUpsert:
        config = self._state.preparer.config_hash(ready.source.read_by, ready.source.format)
        source = source_of(ready.source, ready.document, config=config)
        return PaperUpsert(self._state.preparer.collection, source, len(ready.spans))

    def _rows(self, ready: Prepared, vectors: Vectors) -> MakeRows:
        return lambda key: self._state.preparer.rows(ready, vectors, key)

    def _done(
        self,
        claim: Claim,
        ready: Prepared,
        arrival: PaperUpsert,
        outcome: WriteOutcome,
        analyzer: str,
        vectors: Vectors,
    ) -> TaskResult:
        model = self._state.preparer.embedder.card.name
        language = language_warning(ready.language, model=model, analyzer=analyzer)
        follow = ready.is_record and any(text not in vectors for text in ready.texts)
        return TaskResult(
            claim.id,
            TaskState.STORED if follow else TaskState.DONE,
            Stage.WRITE,
            key=arrival.source.key,
            outcome=outcome.value,
            title=ready.document.title,
            n_sections=len(ready.document.sections),
            n_chunks=ready.n_chunks,
            n_cut_short=sum(span.has_vector and span.n_read < span.n_tokens for span in ready.spans),
            language=ready.language,
            warning=" ".join(filter(None, (notes_warning(ready.document), language))) or None,
        )

    def _refusal(self, claim: Claim, refused: Refused) -> TaskResult:
        if refused.may_work or (refused.reason is Reason.BUSY and claim.attempts == 1):
            return worker.again(claim, refused.stage, refused.reason, refused.detail)
        return TaskResult(claim.id, TaskState.FAILED, refused.stage, reason=refused.reason.value, detail=refused.detail)

    def _failure(self, claim: Claim, error: QueryError) -> TaskResult:
        if error.status in HOPELESS or error.status.startswith("Neo.ClientError"):
            return TaskResult(
                claim.id, TaskState.QUARANTINED, Stage.WRITE, reason=Reason.DATABASE.value, detail=str(error)[:500]
            )
        return worker.again(claim, Stage.WRITE, Reason.DATABASE, str(error)[:500])


class Completion:
    """Vectors of papers that were stored before they had any; their texts are read from the graph, group by group."""

    def __init__(self, state: WorkState, embedding: Embedding) -> None:
        self._state, self._embedding = state, embedding

    async def embed(self, claims: Sequence[Claim]) -> tuple[list[UnembeddedText], Vectors]:
        """Return the texts of some tasks that lack vectors, and their vectors."""
        database, preparer = self._state.database, self._state.preparer
        active = (await stored_models(database)).active
        if active is None:
            raise SchemaError
        texts = await find_unembedded(
            database,
            [claim.source for claim in claims],
            collection=preparer.collection,
            model=active,
            options=preparer.settings.options,
        )
        wanted = list(dict.fromkeys(text for one in texts for text in one.texts))
        vectors = await self._embedding.run([(claim, None) for claim in claims], wanted)
        self._state.done.n_texts_embedded += len(vectors)
        self._state.advance("embedded", len(claims))
        return texts, vectors

    async def write(self, claims: Sequence[Claim], texts: Sequence[UnembeddedText], vectors: Vectors) -> None:
        """Write vectors, and mark the tasks as done, in one transaction."""
        preparer = self._state.preparer

        async def work(transaction: Transaction) -> None:
            await write_vectors(
                transaction,
                texts,
                vectors,
                preparer.embedder.card,
                collection=preparer.collection,
                config=preparer.config_hash(None, Format.RECORD),
            )
            await worker.settle(transaction, self._state.owner, done)

        done = [TaskResult(claim.id, TaskState.DONE, Stage.WRITE, completed=True) for claim in claims]
        name = f"write vectors of {len(claims)} papers"
        with timed(Stage.WRITE):
            await self._state.database.transact_until_known(name, work, again_on=LOOK_AGAIN, deadline_s=BASE_DEADLINE_S)
        self._state.tasks.forget(claim.id for claim in claims)


def _for_transactions(entries: Sequence[Entry]) -> Iterator[list[tuple[Claim, Prepared]]]:
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


# Work off a job: claim some tasks, prepare them while the ones before are written, and note what became of them


DOCUMENTS_AT_ONCE, TEXTS_AT_ONCE = 128, 512
"""Documents that are claimed together, and texts that are embedded together, sorted by length."""

COMPLETED_AT_ONCE = 256
FEWEST_AT_ONCE, FIRST_AT_ONCE = 4, 16
"""Fewest documents that are claimed together, however long they are, and how many before that is known."""


def _is_stored_first(entry: Entry) -> bool:
    return isinstance(entry.ready, Prepared) and entry.ready.is_record


class DocumentWorker(JobWorker):
    """One process's work on one job; ``done`` counts it."""

    def __init__(
        self,
        context: IngestContext,
        job: OpenJob,
        owner: Owner,
        *,
        budget: Budget | None = None,
        progress: Progress = silent,
        hear: OnItems,
    ) -> None:
        super().__init__(HeldTasks(context.store, job.id, owner))
        self._state = WorkState(context, job, self.tasks, progress=progress, hear=hear)
        self._crew = context.executor
        self._reading, self._writing = Reading(self._state, self._crew), Writing(self._state)
        self._embedding = Embedding(self._state)
        self._completion = Completion(self._state, self._embedding)
        self._incomplete: list[Claim] = []
        """Claims to complete that were tried before."""

        self._spending = JobBudget(budget)
        self._under_way: deque[Coming] = deque()
        """Documents that are claimed and read, in order."""

        self._being_written: asyncio.Task[None] | None = None
        self._had_papers: bool | None = None
        self._more_new, self._are_again = True, False
        self._n_at_once = FIRST_AT_ONCE

    @property
    def done(self) -> IngestStats:
        """Counts of finished work."""
        return self._state.done

    async def _work(self, *, to_the_end: bool) -> JobState | None:
        try:
            return await super()._work(to_the_end=to_the_end)
        except asyncio.CancelledError:
            if self._being_written is not None:
                self._being_written.cancel()
            raise
        finally:
            ending: list[asyncio.Future[Any]] = [*self._reading.tasks, *self._under_way]
            for reading in ending:
                reading.cancel()
            if self._being_written is not None:  # something failed: let what is on its way arrive
                ending.append(self._being_written)
            await asyncio.gather(*ending, return_exceptions=True)

    async def _step(self) -> bool:
        await self._claim_more()
        entries = await self._next_group()
        await self._claim_more()  # read while these are embedded
        if not entries:
            if await self._complete():
                return True
            await self._arrived()
            return False
        with timed(Stage.EMBED):
            vectors = await self._embed(entries)
        entries = [entry for entry in entries if entry.claim.id in self._state.held]  # others were cancelled
        await self._arrived()
        # written while the next ones are prepared
        self._being_written = asyncio.create_task(self._writing.write(entries, vectors))
        return True

    async def _complete(self) -> bool:
        """Embed some stored papers without vectors; return True if there were any, and time for them."""
        if self._spending.time_is_up or self.turn_is_over():
            return False
        claims = self._incomplete or await self.tasks.claim(COMPLETED_AT_ONCE, again=False, state=TaskState.STORED)
        self._incomplete = []
        if not claims:
            return False
        with timed(Stage.EMBED):
            texts, vectors = await self._completion.embed(claims)
        await self._arrived()
        held = [claim for claim in claims if claim.id in self._state.held]  # others were cancelled
        if held:
            self._being_written = asyncio.create_task(self._completion.write(held, texts, vectors))
        return True

    def _counts(self, error: Exception) -> bool:
        return not isinstance(error, ModelServerError) or is_of_the_texts(error)

    async def _claim_more(self) -> None:
        """Claim documents and let them be read, if few are under way; what was tried before goes by itself."""
        self.stopped = self.stopped or self._spending.spent
        at_once = max(self._n_at_once, self._crew.n_at_once if self._crew else 0)
        if self.stopped is not None or len(self._under_way) > at_once // 2 or self._are_again:
            return
        limit = self._spending.most_papers(at_once, under_way=len(self._under_way))
        alone = not self._under_way
        if limit == 0 or not (alone or self._more_new):
            return
        if self.turn_is_over():
            return
        claims = await self.tasks.claim(limit, again=alone)
        self._are_again = bool(claims) and claims[0].attempts > 1
        self._more_new = len(claims) == limit and not self._are_again
        self._incomplete += [claim for claim in claims if claim.is_stored]
        claims = [claim for claim in claims if not claim.is_stored]
        await self._look_for(claims)
        if claims:
            self._under_way.extend(self._reading.start(claims))

    async def _look_for(self, claims: Sequence[Claim]) -> None:
        """Find documents that this process has not found: a worker finds none before, and a job may have got more."""
        names = [claim.source for claim in claims]
        if any(name not in self._state.documents.found for name in names):
            self._state.documents = await asyncio.to_thread(self._state.documents.with_sources, names)

    async def _next_group(self) -> list[Entry]:
        """Return the first documents that are read, until there is enough to embed."""
        entries: list[Entry] = []
        n_texts = 0
        while self._under_way and n_texts < TEXTS_AT_ONCE and len(entries) < DOCUMENTS_AT_ONCE and self._goes_on():
            entry = await self._under_way[0]
            if isinstance(entry.ready, Prepared) and entry.claim.id in self._state.held:
                self.stopped = self._spending.take(entry.ready.n_chunks, entry.ready.n_tokens)
                if self.stopped is not None:
                    break
                n_texts += 1 + sum(span.has_vector for span in entry.ready.spans)
            self._under_way.popleft()
            if entry.claim.id in self._state.held:
                entries.append(entry)
            self.stopped = self._spending.time_is_up
        self._are_again = self._are_again and bool(self._under_way)
        if entries:
            wanted = TEXTS_AT_ONCE * len(entries) // max(1, n_texts)
            self._n_at_once = min(DOCUMENTS_AT_ONCE, max(FEWEST_AT_ONCE, wanted))
        return entries

    def _goes_on(self) -> bool:
        return self.stopped is None and not self.turn_is_over()

    async def _embed(self, entries: Sequence[Entry]) -> Vectors:
        """Return a vector for each distinct text of the documents whose content is not known yet.

        Stored vectors are reused; most texts of a changed paper may be unchanged.
        """
        new = [
            (entry.claim, entry.ready)
            for entry in entries
            if isinstance(entry.ready, Prepared) and entry.ready.source.content_hash not in self._state.known
        ]
        self._state.known |= {ready.source.content_hash for _, ready in new}
        made = {text: vector for entry in entries for text, vector in entry.vectors.items()}
        wanted = list(dict.fromkeys(text for _, ready in new for text in ready.texts if text not in made))
        at_once = {text for _, ready in new if not ready.is_record for text in ready.texts}
        stored = await self._stored([ready for _, ready in new], wanted) if wanted and await self._has_vectors() else {}
        missing = [text for text in wanted if text not in stored and text in at_once]
        made |= await self._embedding.run([one for one in new if not one[1].is_record], missing)
        self._state.done.n_texts_embedded += len(made)
        self._state.done.n_texts_kept += len(stored)
        self._state.done.n_parsed += sum(not ready.parsed_before for _, ready in new)
        self._state.done.n_parsed_before += sum(ready.parsed_before for _, ready in new)
        self._state.advance("embedded", sum(not _is_stored_first(entry) for entry in entries))
        return made | stored

    async def _has_vectors(self) -> bool:
        """Say whether the collection held papers when the first texts were to be embedded; else none is asked for."""
        if self._had_papers is None:
            self._had_papers = await has_papers(self._state.database, collection=self._state.preparer.collection)
        return self._had_papers

    async def _stored(self, documents: Sequence[Prepared], texts: Sequence[str]) -> Vectors:
        """Return the stored vectors of texts, in papers that these documents replace."""
        hashes = {self._state.preparer.hash_of(text): text for text in texts}
        collection = self._state.preparer.collection
        found = await find_vectors(
            self._state.database,
            list(hashes),
            collection=collection,
            ids=[paper_id(collection, ready.document.key) for ready in documents],
            contents=[ready.source.content_hash for ready in documents],
            chunkers=self._state.preparer.chunkers,
            dimension=self._state.preparer.embedder.card.dimension,
        )
        return {hashes[hash]: vector for hash, vector in found.items()}

    async def _arrived(self) -> None:
        """Wait for pending writes.

        A cancellation of a plain ``await`` goes to the awaited task and is lost if that task succeeds, for example
        because Neo4j has just answered; then Ctrl-C would have no effect.
        """
        if self._being_written is not None:
            await asyncio.shield(self._being_written)
