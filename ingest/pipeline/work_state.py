"""The state of one process's work on one job, which reading and writing share."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingest.jobs.model import Claim, TaskProgress
from ingest.jobs.stages import Stage
from ingest.jobs.timing import StageClock
from ingest.jobs.worker import HeldTasks
from ingest.pipeline.context import IngestContext
from ingest.pipeline.documents import Documents
from ingest.pipeline.prepare import DocumentPreparer, OnStage, Prepared, Refused, Vectors
from ingest.pipeline.report import IngestStats, Item
from papergraph.progress import Progress
from papergraph.telemetry import tracing
from schema.ids import public_name

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
