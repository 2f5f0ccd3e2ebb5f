"""The state of one process's work on one job, which reading and writing share."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ingest.jobs import leases
from ingest.jobs.leases import Owner
from ingest.jobs.model import Claim, TaskProgress
from ingest.jobs.stages import Stage
from ingest.jobs.timing import StageClock
from ingest.pipeline.context import IngestContext
from ingest.pipeline.documents import Documents
from ingest.pipeline.prepare import DocumentPreparer, OnStage, Prepared, Refused, Vectors
from ingest.pipeline.report import IngestStats, Item
from papergraph.errors import DatabaseError
from papergraph.progress import Progress
from papergraph.telemetry import tracing
from schema.ids import public_name

RENEWED_EVERY_S = 3.0

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
        self, context: IngestContext, job: OpenJob, owner: Owner, *, progress: Progress, hear: OnItems
    ) -> None:
        self.database, self.job, self.owner, self.hear = context.store, job, owner, hear
        self.job_id, self.preparer, self.documents = job.id, job.preparer, job.documents
        self.known = set(job.known)
        """Contents whose texts need no vectors: they stand in the graph, or are on their way there."""

        self.done = IngestStats()
        self.held: dict[str, TaskProgress] = {}
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

    async def give_back(self, *, tried: bool) -> None:
        """Give back what is held and not written."""
        held = list(self.held)
        self.held.clear()
        if held:
            await leases.release(self.database, self.owner, held, tried=tried)

    async def renew(self) -> None:
        """Renew the leases of what is held, until cancelled."""
        while True:
            await asyncio.sleep(RENEWED_EVERY_S)
            with suppress(DatabaseError):  # the next time will do; else others take over
                if self.held:
                    asked = dict(self.held)
                    still = await leases.renew(self.database, self.owner, asked)
                    for id in asked.keys() - still:
                        self.held.pop(id, None)
