"""GraphQL types of the ledger: jobs, what became of each document, and how far they are."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Self

import strawberry

from ingest import jobs
from ingest.jobs import JobKind, JobState, TaskState
from server import cursors
from server.cursors import place_after
from server.graphql.context import PageKey
from server.graphql.types import After, Connection, First, Info, page
from server.intake import shown, shown_detail, shown_key
from server.retrieval.reading import check_first

PLACE = (int, str)

strawberry.enum(JobState, description="How far a job is; a paused one waits until somebody goes on with it.")
strawberry.enum(JobKind, description="What a job is about: documents to bring in, or papers to make layers of.")
strawberry.enum(
    TaskState, description="How far a document is; failed is its own fault, quarantined went wrong too often."
)


@strawberry.type(description="How many documents of a job are in a state.")
class StateCount:
    """How many documents are in a state."""

    state: TaskState
    n: int


@strawberry.type(description="How many documents that are worked on are at a stage.")
class StageCount:
    """How many documents are at a stage."""

    stage: str
    n: int


@strawberry.type(description="A document of a job, or a paper that layers are made of.")
class Task:
    """A document of a job."""

    id: strawberry.ID
    source: str = strawberry.field(description="Where it is from; of a file on the server only its name.")
    state: TaskState
    stage: str | None = strawberry.field(description="How far it came: fetch, parse, chunk, embed, write, or a layer.")
    attempts: int = strawberry.field(description="How often it was tried.")
    reason: str | None = strawberry.field(description="Why it was refused, one of a closed list.")
    detail: str | None = strawberry.field(description="The same in words.")
    key: str | None = strawberry.field(description="Key of the paper that it became.")
    outcome: str | None = strawberry.field(description="added, replaced, joined, unchanged or superseded.")
    title: str | None = strawberry.field(description="Title of that paper.")
    n_sections: int
    n_chunks: int
    next_try_at: datetime | None = strawberry.field(description="When it is tried again.")

    @classmethod
    def of(cls, record: jobs.Task) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            source=shown(record.source),
            state=record.state,
            stage=record.stage,
            attempts=record.attempts,
            reason=record.reason,
            detail=shown_detail(record),
            key=shown_key(record.key),
            outcome=record.outcome,
            title=record.title,
            n_sections=record.n_sections,
            n_chunks=record.n_chunks,
            next_try_at=record.next_try_at,
        )


@strawberry.type(description="What one call asked to bring in, or to make layers of, and how far it is.")
class Job:
    """A job of the ledger."""

    id: strawberry.ID
    kind: JobKind
    collection: str
    sources: list[str] = strawberry.field(description="What was named; of files on the server only their names.")
    state: JobState
    detail: str | None = strawberry.field(description="Why it is paused.")
    n_documents: int = strawberry.field(description="Documents that were found.")
    n_unchanged: int = strawberry.field(description="How many of them stood in the graph; they have no task.")
    n_open: int = strawberry.field(description="Documents that are still to be done.")
    progress: float = strawberry.field(description="Share of its documents that is done, 0 to 1.")
    states: list[StateCount] = strawberry.field(description="Documents in each state that there is one in.")
    stages: list[StageCount] = strawberry.field(description="Documents at each stage that one is worked on at.")
    created_at: datetime
    finished_at: datetime | None = strawberry.field(description="When it was done or cancelled.")

    @classmethod
    def of(cls, record: jobs.Job) -> Self:
        """Wrap a record."""
        return cls(
            id=strawberry.ID(record.id),
            kind=record.kind,
            collection=record.collection,
            sources=[shown(spec) for spec in record.specs],
            state=record.state,
            detail=record.detail,
            n_documents=record.n_documents,
            n_unchanged=record.n_unchanged,
            n_open=record.n_open,
            progress=record.progress,
            states=[StateCount(state=state, n=n) for state, n in record.tasks.items()],
            stages=[StageCount(stage=stage, n=n) for stage, n in record.stages.items()],
            created_at=record.created_at,
            finished_at=record.finished_at,
        )

    @strawberry.field(description="Its documents that have something to do, in order.")
    async def tasks(
        self,
        info: Info,
        first: First = 20,
        after: After = None,
        states: Annotated[
            list[TaskState] | None, strawberry.argument(description="Only those in one of these states.")
        ] = None,
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
        yield Job.of(record)
