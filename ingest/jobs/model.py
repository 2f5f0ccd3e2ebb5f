"""Jobs and tasks, and the times of their stages."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import computed_field

from papergraph.records import Id, Record, described, internal
from papergraph.schema.ids import public_name, sha256
from papergraph.telemetry import metrics, tracing

# The stages that a task goes through; by itself, since processes that only parse need no more of the ledger


class Stage(StrEnum):
    """The stages of a document; an enrichment of its paper is at the stage of its name."""

    FETCH = "fetch"
    PARSE = "parse"
    CHUNK = "chunk"
    EMBED = "embed"
    WRITE = "write"


# Durations of stages, for metrics and traces


@contextmanager
def timed(stage: str) -> Iterator[None]:
    """Measure a stage, and be the span of what is done in it."""
    with tracing.span(f"stage {stage}"), metrics.STAGE_SECONDS.labels(str(stage)).time():
        yield


class StageClock:
    """Measures the stages that one document goes through, each from when it is reached to the next one or the end."""

    def __init__(self) -> None:
        self._stage = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stage.close()

    def reached(self, stage: Stage) -> None:
        """Begin a stage."""
        self._stage.close()
        self._stage.enter_context(timed(stage))


# Jobs and their tasks as records, and what is asked for and comes of them


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class JobState(StrEnum):
    """State of a job; a paused job waits until it is resumed."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class WaitsFor(StrEnum):
    """Reason for which a job needs attention; worker: no process works on jobs."""

    WORKER = "worker"


class JobKind(StrEnum):
    """Kind of a job: documents to ingest, papers to enrich, or cells of an evidence table."""

    DOCUMENTS = "documents"
    ENRICHMENTS = "enrichments"
    TABLES = "tables"


FINISHED = (JobState.DONE, JobState.CANCELLED)


class TaskState(StrEnum):
    """State of a task.

    stored: found by words, vectors follow; failed: the document is at fault; quarantined: too many attempts failed.
    """

    QUEUED = "queued"
    STORED = "stored"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    QUARANTINED = "quarantined"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True)
class Job(Record):
    """Ingestion or enrichment job with its progress."""

    id: Annotated[Id, described("Id of the job.")]
    kind: Annotated[JobKind, described("Kind of work.")]
    collection: Annotated[str, described("Collection of the papers.")]
    specs: Annotated[tuple[str, ...], internal("Files, folders, addresses or enrichments as they were named.")]
    settings: Annotated[str, internal("Settings of parsers and chunkers, or of enrichments, as JSON.")]
    config_hash: Annotated[str, internal("Configuration hash of the papers, or of the enrichments.")]
    state: Annotated[JobState, described("State of the job.")]
    detail: Annotated[str | None, described("Reason of the pause.")]
    n_documents: Annotated[int, described("Number of documents found.")]
    n_unchanged: Annotated[int, described("Number of unchanged documents; they have no task.")]
    states: Annotated[Mapping[str, int], described("Number of documents per state.")]
    stages: Annotated[Mapping[str, int], described("Number of running documents per stage.")]
    created_at: Annotated[datetime, described("Time of the request.")]
    finished_at: Annotated[datetime | None, described("Time of the end or the cancellation.")]
    waits_for: Annotated[WaitsFor | None, described("Cause of the wait, if the job waits.")] = None
    n_embedded: Annotated[int, described("Number of chunks embedded so far.")] = 0
    n_warned: Annotated[int, described("Number of documents with a warning, such as a field that was left out.")] = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def sources(self) -> tuple[str, ...]:
        """Sources of the job; only names of local files."""
        return tuple(map(public_name, self.specs))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def n_pending(self) -> int:
        """Number of open documents."""
        return sum(self.states.get(state, 0) for state in (TaskState.QUEUED, TaskState.STORED, TaskState.RUNNING))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def progress(self) -> float:
        """Fraction of finished documents, 0 to 1."""
        n_tasks = sum(self.states.values())
        return 1.0 if not n_tasks and self.state in FINISHED else 1.0 - self.n_pending / max(n_tasks, 1)

    @property
    def place(self) -> tuple[int, str]:
        """Sort key in the list of jobs."""
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
        n_warned: int = 0,
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
            states={TaskState(entry["state"]): entry["n"] for entry in states},
            stages={entry["stage"]: entry["n"] for entry in stages},
            created_at=properties["createdAt"].to_native(),
            finished_at=finished_at and finished_at.to_native(),
            waits_for=WaitsFor.WORKER if waits else None,
            n_embedded=n_embedded,
            n_warned=n_warned,
        )


@dataclass(frozen=True, kw_only=True)
class Task(Record):
    """Document of a job, or a paper to enrich."""

    id: Annotated[Id, described("Id of the task.")]
    source: Annotated[str, described("Source of the document; only the name of a local file.")]
    ordinal: Annotated[int, internal("Position in the job, from 0.")]
    state: Annotated[TaskState, described("State of the document.")]
    stage: Annotated[str | None, described("Last stage: fetch, parse, chunk, embed, write, or an enrichment.")]
    attempts: Annotated[int, described("Number of attempts.")]
    reason: Annotated[str | None, described("Reason of the failure, from a closed list.")]
    detail: Annotated[str | None, described("Reason as text; of a running task, the scanned page that is read.")]
    key: Annotated[str | None, described("Key of the resulting paper.")]
    outcome: Annotated[str | None, described("Effect: added, replaced, joined, unchanged or superseded.")]
    title: Annotated[str | None, described("Title of the resulting paper.")]
    n_sections: Annotated[int, described("Number of sections of the paper.")]
    n_chunks: Annotated[int, described("Number of chunks of the paper, as soon as it is cut.")]
    n_cut_short: Annotated[int, internal("Number of chunks longer than the embedding model reads.")]
    next_try_at: Annotated[datetime | None, described("Time of the next attempt.")]
    n_embedded: Annotated[int, described("Number of embedded chunks, while the document is embedded.")] = 0
    seconds_left: Annotated[float | None, described("Seconds until its chunks are embedded, while that is known.")] = (
        None
    )
    language: Annotated[str | None, described("Language of the paper as ISO 639-1 code, if certain.")] = None
    warning: Annotated[
        str | None, described("Losses while reading the document, and reasons why searches may miss it.")
    ] = None

    def shown(self) -> Self:
        """Return the task as others may read it: names in place of paths of local files."""
        name = public_name(self.source)
        key = f"file:{public_name(self.key[5:])}" if self.key and self.key.startswith("file:/") else self.key
        detail = self.detail and self.detail.replace(self.source, name)
        return replace(self, source=name, key=key, detail=detail)

    @property
    def place(self) -> tuple[int, str]:
        """Sort key among the tasks of its job."""
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
class JobEvent(Record):
    """Job with the documents that changed since the event before."""

    job: Annotated[Job, described("The job.")]
    tasks: Annotated[tuple[Task, ...], described("Changed documents, at most 100; at first those that run.")]

    def shown(self) -> Self:
        """Return the event as others may read it."""
        return replace(self, tasks=tuple(task.shown() for task in self.tasks))


@dataclass(frozen=True)
class TaskProgress:
    """Progress of a task: its stage, number of chunks and of embedded chunks, remaining time, and what it reads."""

    stage: str
    n_chunks: int | None = None
    n_embedded: int | None = None
    seconds_left: float | None = None
    detail: str | None = None


@dataclass(frozen=True)
class Request:
    """Request for a job; an equal request continues its job.

    Attributes:
        collection: Collection of the papers.
        specs: Files and folders (absolute paths) and addresses, or names of enrichments.
        settings: Options of ingestion or of enrichments, as JSON.
        config_hash: Configuration hash of the papers, or of the enrichments.
        kind: Kind of the tasks.
        key: Idempotency key: the job is opened once per key, also after it has finished.
        account: Account that opens it; empty for the command line.
    """

    collection: str
    specs: tuple[str, ...]
    settings: str
    config_hash: str
    kind: JobKind = JobKind.DOCUMENTS
    key: str | None = None
    account: str = ""

    @property
    def hash(self) -> str:
        """sha-256 hex over all of it."""
        of_kind = () if self.kind is JobKind.DOCUMENTS else ("layers",)  # as hashes of stored jobs have it
        return sha256(*of_kind, self.collection, self.settings, self.config_hash, *self.specs)


@dataclass(frozen=True)
class NewTask:
    """New task that starts at ``stage``; ``reason`` and ``detail`` for a document that was refused when found."""

    source: str
    ordinal: int
    content_hash: str | None = None
    reason: str | None = None
    detail: str | None = None
    stage: str = Stage.FETCH.value


@dataclass(frozen=True)
class Claim:
    """A task that a process holds, to be done before its lease ends; its paper ``is_stored`` without vectors."""

    id: str
    source: str
    ordinal: int
    attempts: int
    is_stored: bool = False


@dataclass(frozen=True)
class TaskResult:
    """Result of a task; ``retry_s`` is the wait before the next attempt in seconds, or None.

    A ``completed`` one keeps what was noted when its paper was stored.
    """

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
    completed: bool = False

    @property
    def row(self) -> dict[str, Any]:
        """Properties in the ledger."""
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
        if self.completed:
            properties = {name: properties[name] for name in ("state", "stage")}
        return {"id": self.id, "properties": properties, "retry_s": self.retry_s}


def task_id(job_id: str, source: str) -> str:
    """Return the id of the task that a document has in a job."""
    return sha256("task", job_id, source)
