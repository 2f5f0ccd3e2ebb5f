"""Jobs and their tasks as records, and what is asked for and comes of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Self

from ingest.jobs.stages import Stage
from schema.ids import sha256

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class JobState(StrEnum):
    """State of a job; a paused job waits until it is resumed."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class WaitsFor(StrEnum):
    """What a job waits for that does not come by itself; worker: no process works on jobs."""

    WORKER = "worker"


class JobKind(StrEnum):
    """Kind of a job: documents to ingest, or papers to enrich."""

    DOCUMENTS = "documents"
    ENRICHMENTS = "enrichments"


FINISHED = (JobState.DONE, JobState.CANCELLED)


class TaskState(StrEnum):
    """State of a task; failed: the document is at fault; quarantined: too many attempts failed."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    QUARANTINED = "quarantined"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Job:
    """A job as it stands in the ledger.

    Attributes:
        id: Its name.
        kind: What its tasks are about.
        collection: Where the papers go, or stand.
        specs: The files, folders or addresses, or the enrichments, that were named.
        settings: How documents are read and cut, or enrichments made, as JSON.
        config_hash: Configuration hash of the papers, or of the enrichments.
        state: How far it is.
        detail: Why it is paused.
        n_documents: Documents that were found.
        n_unchanged: How many of them stood in the graph; they have no task.
        tasks: Number of tasks in each state that there is one in.
        stages: Number of running tasks at each stage that there is one at, as noted every few seconds.
        n_embedded: Chunks of its finished documents, and of running ones those that are embedded.
        created_at: When it was opened, with time zone.
        finished_at: When it was done or cancelled.
        waits_for: What is missing for it to go on; None where nothing is.
    """

    id: str
    kind: JobKind
    collection: str
    specs: tuple[str, ...]
    settings: str
    config_hash: str
    state: JobState
    detail: str | None
    n_documents: int
    n_unchanged: int
    tasks: Mapping[TaskState, int]
    stages: Mapping[str, int]
    created_at: datetime
    finished_at: datetime | None
    waits_for: WaitsFor | None = None
    n_embedded: int = 0

    @property
    def n_pending(self) -> int:
        """Tasks that are still to be done."""
        return sum(self.tasks.get(state, 0) for state in (TaskState.QUEUED, TaskState.RUNNING))

    @property
    def progress(self) -> float:
        """Share of its documents that is done, 0 to 1."""
        n_tasks = sum(self.tasks.values())
        return 1.0 if not n_tasks and self.state in FINISHED else 1.0 - self.n_pending / max(n_tasks, 1)

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands in the list of jobs."""
        return -((self.created_at - EPOCH) // timedelta(milliseconds=1)), self.id

    @classmethod
    def of(
        cls,
        properties: Mapping[str, Any],
        states: Sequence[Mapping[str, Any]],
        stages: Sequence[Mapping[str, Any]],
        *,
        waits: bool = False,
        n_embedded: int = 0,
    ) -> Self:
        """Make a job of a node's properties and the counts of its tasks by state, and of running ones by stage."""
        finished_at = properties.get("finishedAt")
        return cls(
            id=properties["id"],
            kind=JobKind(properties.get("kind") or JobKind.DOCUMENTS),
            collection=properties["collection"],
            specs=tuple(properties["specs"]),
            settings=properties["settings"],
            config_hash=properties["configHash"],
            state=JobState(properties["state"]),
            detail=properties.get("detail"),
            n_documents=properties.get("nDocuments") or 0,
            n_unchanged=properties.get("nUnchanged") or 0,
            tasks={TaskState(entry["state"]): entry["n"] for entry in states},
            stages={entry["stage"]: entry["n"] for entry in stages},
            created_at=properties["createdAt"].to_native(),
            finished_at=finished_at and finished_at.to_native(),
            waits_for=WaitsFor.WORKER if waits else None,
            n_embedded=n_embedded,
        )


@dataclass(frozen=True)
class Task:
    """A task as it stands in the ledger; see :data:`schema.model.NODES` for the properties.

    Of a running one ``n_embedded`` of its ``n_chunks`` have a vector, and the others take ``seconds_left`` s, by the
    speed of the process that holds it; None until that is known.
    """

    id: str
    source: str
    ordinal: int
    state: TaskState
    stage: str | None
    attempts: int
    reason: str | None
    detail: str | None
    key: str | None
    outcome: str | None
    title: str | None
    n_sections: int
    n_chunks: int
    n_cut_short: int
    next_try_at: datetime | None
    n_embedded: int = 0
    seconds_left: float | None = None
    language: str | None = None
    warning: str | None = None

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands among the tasks of its job."""
        return self.ordinal, self.id

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Self:
        """Make a task of a node's properties."""
        next_try_at = properties.get("nextTryAt")
        return cls(
            id=properties["id"],
            source=properties["source"],
            ordinal=properties["ordinal"],
            state=TaskState(properties["state"]),
            n_sections=properties.get("nSections") or 0,
            n_chunks=properties.get("nChunks") or 0,
            n_cut_short=properties.get("nCutShort") or 0,
            next_try_at=next_try_at and next_try_at.to_native(),
            **{name: properties.get(name) for name in ("stage", "reason", "detail", "key", "outcome", "title")},
            attempts=properties["attempts"],
            n_embedded=properties.get("nEmbedded") or 0,
            seconds_left=properties.get("secondsLeft"),
            language=properties.get("language"),
            warning=properties.get("warning"),
        )


@dataclass(frozen=True)
class JobEvent:
    """A job as it stands, and the tasks that changed since the event before."""

    job: Job
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class TaskProgress:
    """How far a process is with a task: its stage, its chunks, how many have a vector, and how long the others take."""

    stage: str
    n_chunks: int | None = None
    n_embedded: int | None = None
    seconds_left: float | None = None


@dataclass(frozen=True)
class Request:
    """What is asked for: the same request again goes on with its job.

    Attributes:
        collection: Where the papers go, or stand.
        specs: The files, folders or addresses, paths absolute, or the enrichments, that were named.
        settings: How documents are read and cut, or enrichments made, as JSON.
        config_hash: Configuration hash of the papers, or of the enrichments.
        kind: What the tasks are about.
        key: A name for the request itself: with it the job is opened once, also when it is finished.
    """

    collection: str
    specs: tuple[str, ...]
    settings: str
    config_hash: str
    kind: JobKind = JobKind.DOCUMENTS
    key: str | None = None

    @property
    def hash(self) -> str:
        """sha-256 hex over all of it."""
        of_kind = () if self.kind is JobKind.DOCUMENTS else ("layers",)  # as hashes of stored jobs have it
        return sha256(*of_kind, self.collection, self.settings, self.config_hash, *self.specs)


@dataclass(frozen=True)
class NewTask:
    """What is to become a task, beginning at ``stage``; ``reason`` and ``detail`` where it was refused when found."""

    source: str
    ordinal: int
    content_hash: str | None = None
    reason: str | None = None
    detail: str | None = None
    stage: str = Stage.FETCH.value


@dataclass(frozen=True)
class Claim:
    """A task that a process holds, to be done before its lease ends."""

    id: str
    source: str
    ordinal: int
    attempts: int


@dataclass(frozen=True)
class TaskResult:
    """What became of a task; ``retry_s`` after how many seconds it is to be tried again, or None."""

    id: str
    state: TaskState
    stage: str
    reason: str | None = None
    detail: str | None = None
    key: str | None = None
    outcome: str | None = None
    title: str | None = None
    n_sections: int = 0
    n_chunks: int = 0
    n_cut_short: int = 0
    language: str | None = None
    warning: str | None = None
    retry_s: float | None = None

    @property
    def row(self) -> dict[str, Any]:
        """What the ledger notes."""
        properties = {
            "state": self.state.value,
            "stage": str(self.stage),
            "reason": self.reason,
            "detail": self.detail,
            "key": self.key,
            "outcome": self.outcome,
            "title": self.title,
            "nSections": self.n_sections,
            "nChunks": self.n_chunks,
            "nCutShort": self.n_cut_short,
            "language": self.language,
            "warning": self.warning,
        }
        return {"id": self.id, "properties": properties, "retry_s": self.retry_s}


def task_id(job_id: str, source: str) -> str:
    """Return the id of the task that a document has in a job."""
    return sha256("task", job_id, source)
