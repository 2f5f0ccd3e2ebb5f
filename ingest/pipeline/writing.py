"""Embedding and writing of prepared documents."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from ingest.graph.paper_sources import source_of
from ingest.graph.writer import MakeRows, PaperUpsert, WriteOutcome, write_papers
from ingest.jobs import leases
from ingest.jobs.model import Claim, TaskProgress, TaskResult, TaskState
from ingest.jobs.timing import Stage, timed
from ingest.jobs.worker import RENEWED_EVERY_S
from ingest.pipeline.prepare import Prepared, Refused, Vectors, language_warning
from ingest.pipeline.report import Item
from ingest.pipeline.work_state import Entry, WorkState
from papergraph.embedding import Floats
from papergraph.errors import QueryError, Reason
from papergraph.neo4j_errors import HOPELESS, Transaction
from papergraph.telemetry import metrics
from papergraph.telemetry.metrics import AGAIN, REFUSED
from schema.migrate import analyzer_of

# Texts of documents embedded some seconds at a time, so that those who follow a job see how far each document is


FIRST_TEXTS = 64
"""Texts that are embedded at once until the model's speed is known."""


class Embedding:
    """Embeds the texts of one process's work on a job, and notes how far its documents are."""

    def __init__(self, state: WorkState) -> None:
        self._state = state
        self._n_chars, self._taken_s = 0, 0.0

    async def run(self, documents: Sequence[tuple[Claim, Prepared]], texts: Sequence[str]) -> Vectors:
        """Return the vectors of distinct ``texts``; the other texts of ``documents`` have theirs already.

        Texts of about one length are embedded together, about as many as take until the leases are renewed.

        Raises:
            EmbeddingError: The server of the embedding model failed, or has another model.
        """
        waiting = sorted(texts, key=len, reverse=True)
        vectors: dict[str, Floats] = {}
        self._note(documents, waiting)
        while waiting:
            n = self._n_at_once(waiting)
            batch, waiting = waiting[:n], waiting[n:]
            start = time.perf_counter()
            vectors |= await asyncio.to_thread(self._state.preparer.embed, batch)
            self._taken_s += time.perf_counter() - start
            self._n_chars += sum(map(len, batch))
            self._note(documents, waiting)
        return vectors

    def _n_at_once(self, waiting: Sequence[str]) -> int:
        """Return how many of the texts, the longest first, take about as long as a lease waits for its renewal."""
        if not self._n_chars:
            return FIRST_TEXTS
        most = RENEWED_EVERY_S * self._n_chars / max(self._taken_s, 1e-6)
        return max(FIRST_TEXTS, sum(n_chars <= most for n_chars in accumulate(map(len, waiting))))

    def _note(self, documents: Sequence[tuple[Claim, Prepared]], waiting: Sequence[str]) -> None:
        """Note how many chunks of each document have a vector, and how long the texts that wait will take."""
        missing = set(waiting)
        seconds_left = sum(map(len, waiting)) * self._taken_s / self._n_chars if self._n_chars else None
        for claim, ready in documents:
            if claim.id in self._state.held:
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
            self._state.held.pop(entry.claim.id, None)
        self._state.hear([items[entry.claim.id] for entry in entries if entry.claim.id in items])

    async def _written(self, entries: Sequence[Entry], vectors: Vectors) -> dict[str, Item]:
        items: dict[str, Item] = {}
        refused = [(e.claim, self._refusal(e.claim, e.ready)) for e in entries if isinstance(e.ready, Refused)]
        held = await leases.settle_alone(self._state.database, self._state.owner, [settled for _, settled in refused])
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
        if self._analyzer is None:
            self._analyzer = await analyzer_of(self._state.database)
        analyzer = self._analyzer
        by_source = {ready.source.name: (claim, ready) for claim, ready in group}
        settled: dict[str, TaskResult] = {}

        async def settle(
            transaction: Transaction, arrivals: Sequence[PaperUpsert], outcomes: Sequence[WriteOutcome]
        ) -> None:
            rows = [
                self._done(*by_source[arrival.source.name], arrival, outcome, analyzer)
                for arrival, outcome in zip(arrivals, outcomes, strict=True)
            ]
            if lost := {row.id for row in rows} - await leases.settle(transaction, self._state.owner, rows):
                raise _LostError(lost)
            settled.update({row.id: row for row in rows})

        held_of = {claim.id: self._state.held[claim.id] for claim, _ in group if claim.id in self._state.held}
        self._state.held |= {id: replace(progress, stage=Stage.WRITE) for id, progress in held_of.items()}
        arrivals = [(self._arrival(ready), self._rows(ready, vectors)) for _, ready in group]
        results = await write_papers(self._state.database, arrivals, settle=settle)
        failures = [
            self._failure(claim, result)
            for (claim, _), result in zip(group, results, strict=True)
            if isinstance(result, QueryError)
        ]
        held = await leases.settle_alone(self._state.database, self._state.owner, failures)
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
        self, claim: Claim, ready: Prepared, arrival: PaperUpsert, outcome: WriteOutcome, analyzer: str
    ) -> TaskResult:
        return TaskResult(
            claim.id,
            TaskState.DONE,
            Stage.WRITE,
            key=arrival.source.key,
            outcome=outcome.value,
            title=ready.document.title,
            n_sections=len(ready.document.sections),
            n_chunks=ready.n_chunks,
            n_cut_short=sum(span.has_vector and span.n_read < span.n_tokens for span in ready.spans),
            language=ready.language,
            warning=language_warning(ready.language, model=self._state.preparer.embedder.card.name, analyzer=analyzer),
        )

    def _refusal(self, claim: Claim, refused: Refused) -> TaskResult:
        if refused.may_work:
            return leases.again(claim, refused.stage, refused.reason, refused.detail)
        return TaskResult(claim.id, TaskState.FAILED, refused.stage, reason=refused.reason.value, detail=refused.detail)

    def _failure(self, claim: Claim, error: QueryError) -> TaskResult:
        if error.status in HOPELESS or error.status.startswith("Neo.ClientError"):
            return TaskResult(
                claim.id, TaskState.QUARANTINED, Stage.WRITE, reason=Reason.DATABASE.value, detail=str(error)[:500]
            )
        return leases.again(claim, Stage.WRITE, Reason.DATABASE, str(error)[:500])


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
