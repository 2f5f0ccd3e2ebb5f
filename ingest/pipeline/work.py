"""Work off a job: claim some tasks, prepare them while the ones before are written, and note what became of them."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any

from ingest.graph.stored_papers import find_vectors, has_papers
from ingest.jobs.budget import Budget, JobBudget
from ingest.jobs.leases import Owner
from ingest.jobs.model import Claim, JobState
from ingest.jobs.timing import Stage, timed
from ingest.jobs.worker import HeldTasks, JobWorker
from ingest.pipeline.context import IngestContext
from ingest.pipeline.prepare import Prepared, Vectors
from ingest.pipeline.report import IngestStats
from ingest.pipeline.work_state import Coming, Entry, OnItems, OpenJob, Reading, WorkState
from ingest.pipeline.writing import Embedding, Writing
from papergraph.embedding.served import is_of_the_texts
from papergraph.errors import ModelServerError, ServedModelChangedError
from papergraph.progress import Progress, silent
from schema.ids import paper_id

DOCUMENTS_AT_ONCE, TEXTS_AT_ONCE = 128, 512
"""Documents that are claimed together, and texts that are embedded together, sorted by length."""

FEWEST_AT_ONCE, FIRST_AT_ONCE = 4, 16
"""Fewest documents that are claimed together, however long they are, and how many before that is known."""


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
        self._spending = JobBudget(budget)
        self._under_way: deque[Coming] = deque()
        """Documents that are claimed and read, in order."""

        self._being_written: asyncio.Task[None] | None = None
        self._had_papers: bool | None = None
        self._more_new, self._are_again = True, False
        self._n_at_once = FIRST_AT_ONCE

    @property
    def done(self) -> IngestStats:
        """What was done."""
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
            await self._arrived()
            return False
        with timed(Stage.EMBED):
            vectors = await self._embed(entries)
        await self._arrived()
        self._being_written = asyncio.create_task(self._write(entries, vectors))  # while the next ones are prepared
        return True

    def _counts(self, error: Exception) -> bool:
        return not isinstance(error, ModelServerError | ServedModelChangedError) or is_of_the_texts(error)

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
        claims = await self.tasks.claim(limit, again=alone)
        self._are_again = bool(claims) and claims[0].attempts > 1
        self._more_new = len(claims) == limit and not self._are_again
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
        while self._under_way and n_texts < TEXTS_AT_ONCE and len(entries) < DOCUMENTS_AT_ONCE and self.stopped is None:
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

    async def _embed(self, entries: Sequence[Entry]) -> Vectors:
        """Return a vector for each distinct text of the documents whose content is not known yet.

        Those that stand in the graph are read from there: of a paper that changed, or is cut anew, most may stay.
        """
        new = [
            (entry.claim, entry.ready)
            for entry in entries
            if isinstance(entry.ready, Prepared) and entry.ready.source.content_hash not in self._state.known
        ]
        self._state.known |= {ready.source.content_hash for _, ready in new}
        made = {text: vector for entry in entries for text, vector in entry.vectors.items()}
        wanted = list(dict.fromkeys(text for _, ready in new for text in ready.texts if text not in made))
        stored = await self._stored([ready for _, ready in new], wanted) if wanted and await self._has_vectors() else {}
        missing = [text for text in wanted if text not in stored]
        made |= await self._embedding.run(new, missing)
        self._state.done.n_texts_embedded += len(made)
        self._state.done.n_texts_kept += len(stored)
        self._state.done.n_parsed += sum(not ready.parsed_before for _, ready in new)
        self._state.done.n_parsed_before += sum(ready.parsed_before for _, ready in new)
        self._state.advance("embedded", len(entries))
        return made | stored

    async def _has_vectors(self) -> bool:
        """Say whether the collection held papers when the first texts were to be embedded; else none is asked for."""
        if self._had_papers is None:
            self._had_papers = await has_papers(self._state.database, collection=self._state.preparer.collection)
        return self._had_papers

    async def _stored(self, documents: Sequence[Prepared], texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts that stand in the graph, in papers that these documents are to replace."""
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

    async def _write(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        await self._writing.write(entries, vectors)

    async def _arrived(self) -> None:
        """Wait for what is being written.

        To cancel whoever awaits a task itself cancels that task instead, and is lost if it ends all the same, for
        example because Neo4j has just answered: then Ctrl-C would do nothing.
        """
        if self._being_written is not None:
            await asyncio.shield(self._being_written)
