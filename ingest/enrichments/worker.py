"""Work off a job of layers: claim papers, make what they lack, write it with the task, then what spans them all."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import cypher
from ingest.enrichments import enrichments
from ingest.enrichments.enrichment import Enrichment, EnrichmentContext, PaperEnrichment, StoredPaper
from ingest.enrichments.state import (
    fingerprint,
    forget_layers,
    mark,
    of_collections,
    of_papers,
    paper_states,
    read_papers,
    record_layer,
    states_of_layers,
    with_marks,
)
from ingest.graph.writer import LOOK_AGAIN, hold_model
from ingest.jobs import leases
from ingest.jobs import queue as jobs
from ingest.jobs.leases import Owner
from ingest.jobs.model import Claim, JobState, TaskResult, TaskState
from ingest.jobs.stages import Stage
from ingest.jobs.timing import timed
from papergraph.concurrency import gather_or_cancel
from papergraph.database import Database
from papergraph.errors import (
    BudgetSpentError,
    DatabaseError,
    LanguageModelError,
    ModelAnswerError,
    ModelChangedError,
    ModelUnavailableError,
    QueryError,
    Reason,
)
from papergraph.neo4j_errors import HOPELESS, Transaction
from papergraph.progress import Progress
from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.metrics import AGAIN, REFUSED

PAPERS_AT_ONCE = 16
WRITE_DEADLINE_S = 120.0
POLL_S = 0.25
RENEWED_EVERY_S = 3.0
FAREWELL_S = 5.0


@dataclass(frozen=True)
class Refusal:
    """A paper, or a layer over the collection, that could not be made, and why."""

    source: str
    layer: str
    reason: Reason
    detail: str


@dataclass(frozen=True)
class LayerJob:
    """A job of layers: its id, whose papers it is about, and how many of them it makes layers of, where known."""

    id: str
    collection: str
    n_papers: int = 0


class _LostError(Exception):
    """A task that is to be written is held by this process no more, or its paper has changed."""


class EnrichmentWorker:
    """One process's work on one job of layers."""

    def __init__(
        self,
        database: Database,
        layers: Sequence[Enrichment],
        means: EnrichmentContext,
        job: LayerJob,
        *,
        owner: Owner,
        progress: Progress,
    ) -> None:
        self._database, self._means, self._collection = database, means, job.collection
        self._first = layers[0].name
        self._of_papers = of_papers(layers)
        self._spanning = {layer.name: layer for layer in of_collections(layers)}
        self._job_id, self._owner = job.id, owner
        self._progress, self._n_papers = progress, job.n_papers
        self._held: dict[str, str] = {}
        self.n_made = 0
        self.counts: dict[str, dict[str, Any]] = {}
        self.refused: list[Refusal] = []
        self.stopped_by: str | None = None

    async def run(self, *, to_the_end: bool = True) -> JobState | None:
        """Work until nothing of the job is left to do, or, unless ``to_the_end``, nothing at the moment.

        The job is paused when the language model cannot be had or its budget is spent, and when we are interrupted.

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
            self.stopped_by = "interrupted"
            raise
        finally:
            renewing.cancel()
            with suppress(DatabaseError, TimeoutError):
                async with asyncio.timeout(FAREWELL_S):
                    await self._give_back(list(self._held), tried=tried)
                    if self.stopped_by == "interrupted":
                        await jobs.pause(self._database, self._job_id, detail=self.stopped_by)

    async def _work(self, *, to_the_end: bool) -> JobState | None:
        waiting: list[Claim] = []
        """Tasks over the collection that are claimed, in order; papers come before them, whoever makes these."""

        while True:
            claims = await leases.claim(
                self._database, self._job_id, self._owner, limit=PAPERS_AT_ONCE, stage=self._first
            )
            self._held |= {claim.id: self._first for claim in claims}
            of_papers = [claim for claim in claims if claim.source not in enrichments()]
            waiting = [claim for claim in (*waiting, *claims) if claim not in of_papers and claim.id in self._held]
            await self._see_to_papers(of_papers)
            seen_to = bool(of_papers)
            while waiting and self.stopped_by is None and await self._see_to_collection(waiting[0]):
                waiting.pop(0)
                seen_to = True
            if self.stopped_by is not None:
                await self._give_back(list(self._held), tried=False)
                await jobs.pause(self._database, self._job_id, detail=self.stopped_by)
                return JobState.PAUSED
            if seen_to:
                continue
            if waiting and not to_the_end:
                await self._give_back([claim.id for claim in waiting], tried=False)
            state = await jobs.close(self._database, self._job_id)
            if state not in (JobState.QUEUED, JobState.RUNNING) or not to_the_end:
                return state
            await asyncio.sleep(POLL_S)  # others hold what is left, or its time has not come

    async def _see_to_papers(self, claims: Sequence[Claim]) -> None:
        if not claims:
            return
        papers = {
            paper.key: paper
            for paper in await read_papers(self._database, self._collection, [claim.source for claim in claims])
        }
        gone = [claim for claim in claims if claim.source not in papers]
        await self._settle(
            [TaskResult(claim.id, TaskState.DONE, self._held[claim.id], outcome="gone") for claim in gone]
        )
        there = [claim for claim in claims if claim.source in papers]
        await gather_or_cancel(self._see_to_paper(claim, papers[claim.source]) for claim in there)

    async def _see_to_paper(self, claim: Claim, paper: StoredPaper) -> None:
        """Make and write what a paper lacks, or note why that cannot be."""
        with tracing.span("item", {tracing.JOB: self._job_id, tracing.TASK: claim.id}):
            await self._make_layers(claim, paper)

    async def _make_layers(self, claim: Claim, paper: StoredPaper) -> None:
        missing = [layer for layer in self._of_papers if mark(layer) not in paper.layers]
        layer: Enrichment | None = None
        try:
            made = []
            for layer in missing:
                if self.stopped_by is not None:
                    return
                self._at(claim, layer)
                with timed(layer.name):
                    made.append((layer, await layer.make(paper, self._means)))
            with timed(Stage.WRITE):
                await self._write(claim, paper, made)
        except _LostError:
            await self._give_back([claim.id], tried=False)
        except (BudgetSpentError, ModelUnavailableError, ModelChangedError) as error:
            self.stopped_by = self.stopped_by or str(error)
        except LanguageModelError as error:
            reason = Reason.MODEL_ANSWER if isinstance(error, ModelAnswerError) else Reason.MODEL_DEADLINE
            await self._refuse(claim, layer, reason, str(error))
        except QueryError as error:
            await self._refuse(claim, layer, Reason.DATABASE, str(error), hopeless=error.status in HOPELESS)
        else:
            metrics.seen_to("made")
            self.n_made += 1
            if self.n_made <= self._n_papers:
                self._progress.advance("papers", self.n_made, self._n_papers)

    async def _write(self, claim: Claim, paper: StoredPaper, made: Sequence[tuple[PaperEnrichment, Any]]) -> None:
        layers = [layer for layer, _ in made]

        async def work(transaction: Transaction) -> bool:
            model = await hold_model(transaction)
            if model.sha256 != self._means.embedder.card.sha256:
                raise ModelChangedError(active=model.identity)
            records = await transaction.run(cypher.load("enrichments/lock_paper"), id=paper.id)
            if not records or (records[0]["content"], records[0]["recipe"]) != (paper.content_hash, paper.recipe):
                raise _LostError
            for layer, value in made:
                await layer.write(transaction, paper, value, self._means, model.slot)
            row = {"id": paper.id, "layers": with_marks(records[0]["layers"], layers)}
            await transaction.run(cypher.load("enrichments/mark"), rows=[row])
            await forget_layers(transaction, self._collection, enrichments())  # whatever they were made of before
            done = TaskResult(
                claim.id,
                TaskState.DONE,
                self._held.get(claim.id, self._first),
                key=paper.key,
                outcome="made",
                title=paper.title,
                n_chunks=len(paper.chunks),
            )
            if not await leases.settle(transaction, self._owner, [done]):
                raise _LostError
            return True

        async def look() -> bool | None:
            stored = await read_papers(self._database, self._collection, [paper.key])
            return all(mark(layer) in stored[0].layers for layer in layers) or None if stored else None

        name = f"write layers of {paper.key}"
        await self._database.transact_until_known(
            name, work, look=look, again_on=LOOK_AGAIN, deadline_s=WRITE_DEADLINE_S
        )
        self._held.pop(claim.id, None)

    async def _see_to_collection(self, claim: Claim) -> bool:
        """Bring a layer over the collection up to date if all that comes before it is; say whether it was seen to."""
        (record,) = await self._database.read(
            cypher.load("enrichments/count_before"), job_id=self._job_id, ordinal=claim.ordinal
        )
        if record["n"]:
            return False
        layer = self._spanning[claim.source]
        self._at(claim, layer)
        try:
            now = fingerprint([paper async for paper in paper_states(self._database, self._collection)])
            stand = await states_of_layers(self._database, self._collection)
            current = stand.get(layer.name) == (layer.recipe, now)
            if not current:
                self._progress.step(f"bringing {layer.name} up to date")
                with timed(layer.name):
                    self.counts[layer.name] = await layer.finish(
                        self._database, self._collection, self._means, progress=self._progress
                    )
                await record_layer(self._database, self._collection, layer, now)
        except (BudgetSpentError, ModelUnavailableError, ModelChangedError) as error:
            self.stopped_by = str(error)
            return False
        except LanguageModelError as error:
            await self._refuse(claim, layer, Reason.MODEL_ANSWER, str(error))
        except QueryError as error:
            await self._refuse(claim, layer, Reason.DATABASE, str(error), hopeless=error.status in HOPELESS)
        else:
            outcome = "unchanged" if current else "made"
            await self._settle([TaskResult(claim.id, TaskState.DONE, layer.name, outcome=outcome)])
        return True

    def _at(self, claim: Claim, layer: Enrichment) -> None:
        if claim.id in self._held:
            self._held[claim.id] = layer.name

    async def _refuse(
        self, claim: Claim, layer: Enrichment | None, reason: Reason, detail: str, *, hopeless: bool = False
    ) -> None:
        """Note that a task failed: it is tried again, unless that is hopeless or was done often enough."""
        stage = self._held.get(claim.id, self._first)
        if hopeless or reason is Reason.MODEL_ANSWER:
            settled = TaskResult(claim.id, TaskState.FAILED, stage, reason=reason.value, detail=detail[:500])
        else:
            settled = leases.again(claim, stage, reason, detail[:500])
        if settled.retry_s is None:
            self.refused.append(Refusal(claim.source, layer.name if layer else stage, reason, detail))
        await self._settle([settled])

    async def _settle(self, settled: Sequence[TaskResult]) -> None:
        await leases.settle_alone(self._database, self._owner, settled)
        for of_task in settled:
            metrics.seen_to((of_task.outcome or REFUSED) if of_task.retry_s is None else AGAIN, reason=of_task.reason)
            self._held.pop(of_task.id, None)

    async def _give_back(self, ids: Sequence[str], *, tried: bool) -> None:
        for id in ids:
            self._held.pop(id, None)
        if ids:
            await leases.release(self._database, self._owner, ids, tried=tried)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEWED_EVERY_S)
            with suppress(DatabaseError):  # the next time will do; else others take over
                if self._held:
                    asked = dict(self._held)
                    still = await leases.renew(self._database, self._owner, asked)
                    for id in asked.keys() - still:
                        self._held.pop(id, None)
