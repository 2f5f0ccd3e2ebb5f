"""GraphQL types of jobs and their documents."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Self

import strawberry

from ingest.jobs import model as job_model
from ingest.jobs import queue as jobs
from ingest.jobs.model import JobKind, JobState, TaskState, WaitsFor
from papergraph.errors import Reason
from schema.ids import public_name
from server import pagination as cursors
from server.graph.nodes import check_first
from server.graphql.connections import After, Connection, First, Info, page
from server.graphql.context import PageKey
from server.graphql.types.user_errors import Conflict, InvalidInput, NotFound
from server.operations.ingest import shown_detail, shown_key
from server.pagination import place_after

PLACE = (int, str)

strawberry.enum(Reason, name="FailureReason", description="Reason why a document or an enrichment failed.")
strawberry.enum(JobState, description="State of a job; a paused job waits until it is resumed.")
strawberry.enum(JobKind, description="Kind of a job: documents to ingest, or papers to enrich.")
strawberry.enum(WaitsFor, description="What a job waits for; worker: no process works on jobs.")
strawberry.enum(
    TaskState,
    description="State of a document; failed: the document is at fault; quarantined: too many attempts failed.",
)


@strawberry.type(description="Number of documents in a state.")
class StateCount:
    """How many documents are in a state."""

    state: TaskState = strawberry.field(description="The state.")
    n: int = strawberry.field(description="Number of documents.")


@strawberry.type(description="Number of running documents at a stage.")
class StageCount:
    """How many documents are at a stage."""

    stage: str = strawberry.field(description="Stage, as in Task.stage.")
    n: int = strawberry.field(description="Number of documents.")


@strawberry.type(description="Document of a job, or a paper to enrich.")
class Task:
    """A document of a job."""

    id: strawberry.ID = strawberry.field(description="Id of the task.")
    source: str = strawberry.field(description="Source of the document; only the name of a local file.")
    state: TaskState = strawberry.field(description="State of the document.")
    stage: str | None = strawberry.field(description="Last stage: fetch, parse, chunk, embed, write, or an enrichment.")
    attempts: int = strawberry.field(description="Number of attempts.")
    reason: Reason | None = strawberry.field(description="Reason of the failure.")
    detail: str | None = strawberry.field(description="Reason as text.")
    key: str | None = strawberry.field(description="Key of the resulting paper.")
    outcome: str | None = strawberry.field(description="Effect: added, replaced, joined, unchanged or superseded.")
    title: str | None = strawberry.field(description="Title of the resulting paper.")
    n_sections: int = strawberry.field(description="Number of sections of the paper.")
    n_chunks: int = strawberry.field(description="Number of chunks of the paper, as soon as it is cut.")
    next_try_at: datetime | None = strawberry.field(description="Time of the next attempt.")
    n_embedded: int = strawberry.field(description="Number of embedded chunks, while the document is embedded.")
    seconds_left: float | None = strawberry.field(
        description="Seconds until its chunks are embedded, while that is known."
    )
    language: str | None = strawberry.field(description="Language of the paper as ISO 639-1 code, if certain.")
    warning: str | None = strawberry.field(description="Reason why searches may miss the paper, with the next step.")

    @classmethod
    def of(cls, record: job_model.Task) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            source=public_name(record.source),
            state=record.state,
            stage=record.stage,
            attempts=record.attempts,
            reason=None if record.reason is None else Reason(record.reason),
            detail=shown_detail(record),
            key=shown_key(record.key),
            outcome=record.outcome,
            title=record.title,
            n_sections=record.n_sections,
            n_chunks=record.n_chunks,
            next_try_at=record.next_try_at,
            n_embedded=record.n_embedded,
            seconds_left=record.seconds_left,
            language=record.language,
            warning=record.warning,
        )


@strawberry.type(description="Ingestion or enrichment job with its progress.")
class Job:
    """A job of the ledger."""

    id: strawberry.ID = strawberry.field(description="Id of the job.")
    kind: JobKind = strawberry.field(description="Kind of work.")
    collection: str = strawberry.field(description="Collection of the papers.")
    sources: list[str] = strawberry.field(description="Sources of the job; only names of local files.")
    state: JobState = strawberry.field(description="State of the job.")
    detail: str | None = strawberry.field(description="Reason of the pause.")
    n_documents: int = strawberry.field(description="Number of documents found.")
    n_unchanged: int = strawberry.field(description="Number of unchanged documents; they have no task.")
    n_pending: int = strawberry.field(description="Number of open documents.")
    n_embedded: int = strawberry.field(description="Number of chunks embedded so far.")
    progress: float = strawberry.field(description="Fraction of finished documents, 0 to 1.")
    states: list[StateCount] = strawberry.field(description="Number of documents per state.")
    stages: list[StageCount] = strawberry.field(description="Number of running documents per stage.")
    created_at: datetime = strawberry.field(description="Time of the request.")
    finished_at: datetime | None = strawberry.field(description="Time of the end or the cancellation.")
    waits_for: WaitsFor | None = strawberry.field(description="What is missing for the job to go on, if anything.")

    @classmethod
    def of(cls, record: job_model.Job) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            kind=record.kind,
            collection=record.collection,
            sources=[public_name(spec) for spec in record.specs],
            state=record.state,
            detail=record.detail,
            n_documents=record.n_documents,
            n_unchanged=record.n_unchanged,
            n_pending=record.n_pending,
            n_embedded=record.n_embedded,
            progress=record.progress,
            states=[StateCount(state=state, n=n) for state, n in record.tasks.items()],
            stages=[StageCount(stage=stage, n=n) for stage, n in record.stages.items()],
            created_at=record.created_at,
            finished_at=record.finished_at,
            waits_for=record.waits_for,
        )

    @strawberry.field(description="Documents of the job, in order.")
    async def tasks(
        self,
        info: Info,
        first: First = 20,
        after: After = None,
        states: Annotated[list[TaskState] | None, strawberry.argument(description="States to include.")] = None,
    ) -> Connection[Task]:
        wanted = tuple(TaskState) if states is None else tuple(dict.fromkeys(states))
        name = f"tasks of {self.id} {','.join(wanted)}"
        place = place_after(after, name, PLACE)
        counts = {one.state: one.n for one in self.states}

        async def count() -> int:
            return sum(counts.get(state, 0) for state in wanted)

        key = PageKey(self.id, place, check_first(first) + 1)
        return page(
            await info.context.tasks_in(wanted).load(key),
            first=first,
            after=after,
            wrap=Task.of,
            cursor=lambda task: cursors.encode(name, *task.place),
            count=count,
        )


@strawberry.type(description="Job with the documents that changed since the event before.")
class JobEvent:
    """A job, and what changed of it."""

    job: Job = strawberry.field(description="The job.")
    tasks: list[Task] = strawberry.field(description="Changed documents, at most 100; at first those that run.")

    @classmethod
    def of(cls, record: job_model.JobEvent) -> Self:
        """Wrap a record."""
        return cls(job=Job.of(record.job), tasks=[Task.of(task) for task in record.tasks])


JobResult = Annotated[
    Job | InvalidInput | NotFound | Conflict,
    strawberry.union("JobResult", description="The job, or the reason why there is none."),
]


async def read_jobs(info: Info, first: int, after: str | None) -> Connection[Job]:
    """Return a page of the jobs, the newest first."""
    database, reach, name = info.context.service.database, info.context.collections, "jobs"
    place = place_after(after, name, PLACE)

    return page(
        await jobs.list_jobs(database, after=place, limit=check_first(first) + 1, collections=reach),
        first=first,
        after=after,
        wrap=Job.of,
        cursor=lambda job: cursors.encode(name, *job.place),
        count=lambda: jobs.count_jobs(database, collections=reach),
    )


async def job_progress(info: Info, id: str) -> AsyncIterator[Job]:
    """Yield a job each time that it has come on, until it is finished."""
    async for record in jobs.follow(info.context.service.database, id, collections=info.context.collections):
        await info.context.stay()
        info.context.read_tasks_anew()
        yield Job.of(record)


async def job_events(info: Info, id: str) -> AsyncIterator[JobEvent]:
    """Yield a job with its documents that changed, each time that some did, until it is finished."""
    async for record in jobs.follow_tasks(info.context.service.database, id, collections=info.context.collections):
        await info.context.stay()
        info.context.read_tasks_anew()
        yield JobEvent.of(record)
