"""GraphQL types of jobs and their documents."""

import functools
from collections.abc import AsyncIterator
from typing import Annotated

import strawberry
from strawberry import Parent

from ingest.jobs import model as job_model
from ingest.jobs import queue as jobs
from ingest.jobs.model import JobKind, JobState, TaskState, WaitsFor
from papergraph.errors import Reason
from server.graph.lists import Entry
from server.graph.nodes import check_first
from server.graphql.connections import After, Connection, First, Info, edges_of, page
from server.graphql.context import PageKey
from server.graphql.derive import field, object_type, type_
from server.graphql.types.closed_lists import Conflict, InvalidInput, NotFound
from server.operations.pagination import place_after

PLACE = (int, str)

strawberry.enum(Reason, name="FailureReason", description="Reason why a document or an enrichment failed.")
strawberry.enum(JobState, description="State of a job; a paused job waits until it is resumed.")
strawberry.enum(JobKind, description="Kind of a job: documents to ingest, or papers to enrich.")
strawberry.enum(WaitsFor, description="What a job waits for; worker: no process works on jobs.")
strawberry.enum(
    TaskState,
    description="State of a document; failed: the document is at fault; quarantined: too many attempts failed.",
)


@type_(description="Number of documents in a state.")
class StateCount:
    """How many documents are in a state."""

    state: TaskState = strawberry.field(description="The state.")
    n: int = strawberry.field(description="Number of documents.")


@type_(description="Number of running documents at a stage.")
class StageCount:
    """How many documents are at a stage."""

    stage: str = strawberry.field(description="Stage, as in Task.stage.")
    n: int = strawberry.field(description="Number of documents.")


@object_type(job_model.Task, reason=Reason | None)
class Task:
    """A document of a job."""


@object_type(job_model.Job)
class Job:
    """A job."""

    @field("Number of documents per state.")
    def states(root: Parent[job_model.Job]) -> list[StateCount]:
        return [StateCount(state=TaskState(state), n=n) for state, n in root.states.items()]

    @field("Number of running documents per stage.")
    def stages(root: Parent[job_model.Job]) -> list[StageCount]:
        return [StageCount(stage=stage, n=n) for stage, n in root.stages.items()]

    @field("Documents of the job, in order.")
    async def tasks(
        root: Parent[job_model.Job],
        info: Info,
        first: First = 20,
        after: After = None,
        states: Annotated[list[TaskState] | None, strawberry.argument(description="States to include.")] = None,
    ) -> Connection[job_model.Task]:
        wanted = tuple(TaskState) if states is None else tuple(dict.fromkeys(states))
        name = f"tasks of {root.id} {','.join(wanted)}"

        async def count() -> int:
            return sum(root.states.get(state, 0) for state in wanted)

        key = PageKey(root.id, place_after(after, name, PLACE), check_first(first) + 1)
        found = await info.context.tasks_in(wanted).load(key)
        entries = [Entry(task.shown(), task.place) for task in found]
        return page(edges_of(name, entries), first=first, after=after, count=count)


JobResult = Annotated[
    job_model.Job | InvalidInput | NotFound | Conflict,
    strawberry.union("JobResult", description="The job, or the reason why there is none."),
]


async def read_jobs(info: Info, first: int, after: str | None) -> Connection[job_model.Job]:
    """Return a page of the jobs, the newest first."""
    database, reach, name = info.context.service.database, info.context.collections, "jobs"
    place = place_after(after, name, PLACE)
    found = await jobs.list_jobs(database, after=place, limit=check_first(first) + 1, collections=reach)
    entries = [Entry(job, job.place) for job in found]
    count = functools.partial(jobs.count_jobs, database, collections=reach)
    return page(edges_of(name, entries), first=first, after=after, count=count)


async def job_progress(info: Info, id: str) -> AsyncIterator[job_model.Job]:
    """Yield a job each time that it has come on, until it is finished."""
    async for job in jobs.follow(info.context.service.database, id, collections=info.context.collections):
        await info.context.stay()
        info.context.read_tasks_anew()
        yield job


async def job_events(info: Info, id: str) -> AsyncIterator[job_model.JobEvent]:
    """Yield a job with its documents that changed, each time that some did, until it is finished."""
    async for event in jobs.follow_tasks(info.context.service.database, id, collections=info.context.collections):
        await info.context.stay()
        info.context.read_tasks_anew()
        yield event.shown()
