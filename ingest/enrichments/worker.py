"""Process a job of enrichments: claim papers, make what they lack, write it with the task, then what spans them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from papergraph import cypher
from papergraph.concurrency import gather_or_cancel
from papergraph.database import Database
from papergraph.errors import (
    BudgetSpentError,
    GraphDataScienceMissingError,
    LanguageModelError,
    ModelAnswerError,
    ModelChangedError,
    ModelUnavailableError,
    QueryError,
    Reason,
)
from papergraph.ingest.enrichments import enrichments as known_enrichments
from papergraph.ingest.enrichments.enrichment import (
    Enrichment,
    EnrichmentContext,
    PaperEnrichment,
    StoredPaper,
    Telling,
)
from papergraph.ingest.enrichments.state import (
    forget_enrichments,
    input_hash,
    mark,
    of_collections,
    of_papers,
    paper_states,
    read_papers,
    record_enrichment,
    states_of_enrichments,
    with_marks,
)
from papergraph.ingest.graph.writer import LOOK_AGAIN, hold_model
from papergraph.ingest.jobs import worker
from papergraph.ingest.jobs.model import Claim, Stage, TaskProgress, TaskResult, TaskState, timed
from papergraph.ingest.jobs.worker import HeldTasks, JobWorker, Owner
from papergraph.neo4j_errors import HOPELESS, Transaction
from papergraph.progress import Progress
from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.metrics import AGAIN, REFUSED

PAPERS_AT_ONCE = 16
WRITE_DEADLINE_S = 120.0


@dataclass(frozen=True)
class Refusal:
    """A paper, or an enrichment over the collection, that could not be made, and why."""

    source: str
    enrichment: str
    reason: Reason
    detail: str


@dataclass(frozen=True)
class EnrichmentJob:
    """A job of enrichments: its id, whose papers it is about, and how many of them it enriches, where known."""

    id: str
    collection: str
    n_papers: int = 0


def uses(name: str, others: Collection[str]) -> bool:
    """Say whether an enrichment is made with one of ``others``."""
    kind = known_enrichments().get(name)
    return kind is not None and any(used in others for used in kind.uses)


class _LostError(Exception):
    """A task that is to be written is held by this process no more, or its paper has changed."""


class EnrichmentWorker(JobWorker):
    """One process's work on one job of enrichments."""

    def __init__(
        self,
        database: Database,
        enrichments: Sequence[Enrichment],
        resources: EnrichmentContext,
        job: EnrichmentJob,
        *,
        owner: Owner,
        progress: Progress,
    ) -> None:
        super().__init__(HeldTasks(database, job.id, owner, first_stage=enrichments[0].name))
        self._database, self._means, self._collection = database, resources, job.collection
        self._of_papers = of_papers(enrichments)
        self._spanning = {enrichment.name: enrichment for enrichment in of_collections(enrichments)}
        self._progress, self._n_papers = progress, job.n_papers
        self._waiting: list[Claim] = []
        """Claimed tasks over the collection, in order; all tasks of papers come first."""
        self.n_made = 0
        self.counts: dict[str, dict[str, Any]] = {}
        self.refused: list[Refusal] = []

    async def _step(self) -> bool:
        claims = [] if self.turn_is_over() else await self.tasks.claim(PAPERS_AT_ONCE)
        of_papers = [claim for claim in claims if claim.source not in known_enrichments()]
        spanning = [claim for claim in claims if claim.source in known_enrichments()]
        self._waiting = [claim for claim in (*self._waiting, *spanning) if claim.id in self.tasks.held]
        await self._see_to_papers(of_papers)
        seen_to = bool(of_papers)
        while (
            self._waiting
            and self.stopped is None
            and not self.turn_is_over()
            and await self._see_to_collection(self._waiting[0])
        ):
            self._waiting.pop(0)
            seen_to = True
        return seen_to and self.stopped is None

    async def _see_to_papers(self, claims: Sequence[Claim]) -> None:
        if not claims:
            return
        papers = {
            paper.key: paper
            for paper in await read_papers(self._database, self._collection, [claim.source for claim in claims])
        }
        gone = [claim for claim in claims if claim.source not in papers]
        await self._settle(
            [TaskResult(claim.id, TaskState.DONE, self._stage_of(claim), outcome="gone") for claim in gone]
        )
        there = [claim for claim in claims if claim.source in papers]
        await gather_or_cancel(self._see_to_paper(claim, papers[claim.source]) for claim in there)

    async def _see_to_paper(self, claim: Claim, paper: StoredPaper) -> None:
        """Make and write what a paper lacks, or note why that cannot be."""
        with tracing.span("item", {tracing.JOB: self.tasks.job_id, tracing.TASK: claim.id}):
            await self._make_enrichments(claim, paper)

    async def _make_enrichments(self, claim: Claim, paper: StoredPaper) -> None:
        enrichment: Enrichment | None = None
        seen, changed = paper, set[str]()
        try:
            made = []
            for enrichment in self._of_papers:
                if mark(enrichment) in paper.enrichments and not uses(enrichment.name, changed):
                    continue
                if self.stopped is not None:
                    return
                self._at(claim, enrichment)
                with timed(enrichment.name):
                    made.append((enrichment, await enrichment.make(seen, self._means)))
                if isinstance(enrichment, Telling) and (told := enrichment.told(seen, made[-1][1])) != seen:
                    seen = told
                    changed.add(enrichment.name)
            with timed(Stage.WRITE):
                await self._write(claim, seen, made, changed)
        except _LostError:
            await self.tasks.give_back([claim.id], tried=False)
        except (BudgetSpentError, ModelUnavailableError, ModelChangedError) as error:
            self.stopped = self.stopped or str(error)
        except LanguageModelError as error:
            reason = Reason.MODEL_ANSWER if isinstance(error, ModelAnswerError) else Reason.MODEL_DEADLINE
            await self._refuse(claim, enrichment, reason, str(error))
        except QueryError as error:
            await self._refuse(claim, enrichment, Reason.DATABASE, str(error), hopeless=error.status in HOPELESS)
        else:
            metrics.seen_to("made")
            self.n_made += 1
            if self.n_made <= self._n_papers:
                self._progress.advance("papers", self.n_made, self._n_papers)

    async def _write(
        self, claim: Claim, paper: StoredPaper, made: Sequence[tuple[PaperEnrichment, Any]], changed: Collection[str]
    ) -> None:
        """Write what was made of a paper, with marks; what uses one of ``changed`` and was not made loses its mark."""
        enrichments = [enrichment for enrichment, _ in made]

        async def work(transaction: Transaction) -> bool:
            model = await hold_model(transaction)
            if model.sha256 != self._means.embedder.card.sha256:
                raise ModelChangedError(active=model.identity)
            records = await transaction.run(cypher.load("enrichments/lock_paper"), id=paper.id)
            if not records or (records[0]["content"], records[0]["config_hash"]) != (
                paper.content_hash,
                paper.config_hash,
            ):
                raise _LostError
            for enrichment, value in made:
                await enrichment.write(transaction, paper, value, self._means, model.slot)
            standing = [one for one in records[0]["enrichments"] if not uses(one.partition("=")[0], changed)]
            row = {"id": paper.id, "enrichments": with_marks(standing, enrichments)}
            await transaction.run(cypher.load("enrichments/mark"), rows=[row])
            await forget_enrichments(
                transaction, self._collection, known_enrichments()
            )  # whatever they were made of before
            done = TaskResult(
                claim.id,
                TaskState.DONE,
                self._stage_of(claim),
                key=paper.key,
                outcome="made",
                title=paper.title,
                n_chunks=len(paper.chunks),
            )
            if not await worker.settle(transaction, self.tasks.owner, [done]):
                raise _LostError
            return True

        async def look() -> bool | None:
            stored = await read_papers(self._database, self._collection, [paper.key])
            return (
                all(mark(enrichment) in stored[0].enrichments for enrichment in enrichments) or None if stored else None
            )

        name = f"write enrichments of {paper.key}"
        await self._database.transact_until_known(
            name, work, look=look, again_on=LOOK_AGAIN, deadline_s=WRITE_DEADLINE_S
        )
        self.tasks.held.pop(claim.id, None)

    async def _see_to_collection(self, claim: Claim) -> bool:
        """Bring an enrichment over the collection up to date if all before it is; say whether it was processed."""
        (record,) = await self._database.read(
            cypher.load("enrichments/count_before"), job_id=self.tasks.job_id, ordinal=claim.ordinal
        )
        if record["n"]:
            return False
        enrichment = self._spanning[claim.source]
        self._at(claim, enrichment)
        try:
            now = input_hash([paper async for paper in paper_states(self._database, self._collection)])
            stand = await states_of_enrichments(self._database, self._collection)
            current = stand.get(enrichment.name) == (enrichment.config_hash, now)
            if not current:
                self._progress.step(f"bringing {enrichment.name} up to date")
                with timed(enrichment.name):
                    self.counts[enrichment.name] = await enrichment.finish(
                        self._database, self._collection, self._means, progress=self._progress
                    )
                await record_enrichment(self._database, self._collection, enrichment, now)
        except (BudgetSpentError, ModelUnavailableError, ModelChangedError) as error:
            self.stopped = str(error)
            return False
        except LanguageModelError as error:
            await self._refuse(claim, enrichment, Reason.MODEL_ANSWER, str(error))
        except GraphDataScienceMissingError as error:
            await self._refuse(claim, enrichment, Reason.DATABASE, str(error), hopeless=True)
        except QueryError as error:
            await self._refuse(claim, enrichment, Reason.DATABASE, str(error), hopeless=error.status in HOPELESS)
        else:
            outcome = "unchanged" if current else "made"
            await self._settle([TaskResult(claim.id, TaskState.DONE, enrichment.name, outcome=outcome)])
        return True

    def _at(self, claim: Claim, enrichment: Enrichment) -> None:
        if claim.id in self.tasks.held:
            self.tasks.held[claim.id] = TaskProgress(enrichment.name)

    async def _refuse(
        self, claim: Claim, enrichment: Enrichment | None, reason: Reason, detail: str, *, hopeless: bool = False
    ) -> None:
        """Note that a task failed: it is tried again, unless that is hopeless or was done often enough."""
        stage = self._stage_of(claim)
        if hopeless or reason is Reason.MODEL_ANSWER:
            settled = TaskResult(claim.id, TaskState.FAILED, stage, reason=reason.value, detail=detail[:500])
        else:
            settled = worker.again(claim, stage, reason, detail[:500])
        if settled.retry_s is None:
            self.refused.append(Refusal(claim.source, enrichment.name if enrichment else stage, reason, detail))
        await self._settle([settled])

    async def _settle(self, results: Sequence[TaskResult]) -> None:
        await self.tasks.settle(results)
        for one in results:
            metrics.seen_to((one.outcome or REFUSED) if one.retry_s is None else AGAIN, reason=one.reason)

    def _stage_of(self, claim: Claim) -> str:
        held = self.tasks.held.get(claim.id)
        return self.tasks.first_stage if held is None else str(held.stage)
