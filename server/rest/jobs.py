"""Routes of jobs (ingest, follow, cancel, retry), and changes of papers and questions."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from papergraph.ingest.enrichments.questions.review import Decision, ReviewedQuestion
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import Job, Task, TaskState
from papergraph.ingest.pipeline.estimate import IngestionEstimate
from papergraph.server.auth.operations import CHANGE, ESTIMATE
from papergraph.server.graph.lists import Entry
from papergraph.server.operations import changes
from papergraph.server.operations.changes import DeletedPaper
from papergraph.server.operations.context import Context, Id, RequestContext
from papergraph.server.operations.ingest import MOST_KEY_CHARS, IngestRequest
from papergraph.server.rest.pagination import Place, Source, linked, page_of, plain
from papergraph.server.rest.requests import Page, PageOf, RequestModel
from papergraph.server.rest.sse import EVENTS, Named, as_named, stream_of

PLACE = (int, str)

router = APIRouter()


class TasksOf(PageOf):
    """Filter on tasks."""

    state: list[TaskState] | None = None
    """States to include."""


class ReviewBody(RequestModel):
    """Decision about a question."""

    decision: Decision
    text: str | None = Field(default=None, max_length=2000)
    """New text, for an edit."""


JobId = Annotated[str, Path(min_length=1, max_length=64, description="Id of a job, or an unambiguous prefix of it.")]
WholeJobId = Annotated[str, Path(min_length=1, max_length=64, description="Id of a job, whole.")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=MOST_KEY_CHARS + 2,
        description="Idempotency key: a repeated call with it opens no second job.",
    ),
]


@router.post("/jobs", status_code=202, summary="Queue a durable ingestion job.")
@CHANGE
async def ingest_papers(context: Context, wanted: IngestRequest, response: Response, key: IdempotencyKey = None) -> Job:
    embedder = context.service.resources.model.searched.embedder
    request = replace(wanted, key=_bare(key))
    opened = await context.intake.open_job(context.principal, context.database, embedder, request)
    response.headers["Location"] = f"jobs/{opened.id}"
    return opened


@router.post("/jobs/estimate", summary="Estimate what an ingestion job would take; nothing is written.")
@ESTIMATE
async def estimate_ingestion(context: Context, wanted: IngestRequest) -> IngestionEstimate:
    embedder = context.service.resources.model.searched.embedder
    return await context.intake.estimate(context.principal, context.database, embedder, wanted)


@router.get("/jobs", summary="List jobs, newest first.")
@CHANGE
async def list_jobs(
    context: Context, wanted: Annotated[PageOf, Query()], request: Request, response: Response
) -> Page[Job]:

    async def read(place: Place, limit: int) -> list[Entry[Job]]:
        found = await jobs.list_jobs(context.database, after=place, limit=limit, collections=context.collections)
        return [Entry(job, job.place) for job in found]

    source = Source("jobs", PLACE, read, lambda: jobs.count_jobs(context.database, collections=context.collections))
    return await page_of(context, source, wanted, plain, link=linked(request, response))


@router.get("/jobs/{id}", summary="Get a job by its id, or by an unambiguous prefix of it.")
@CHANGE
async def get_job(context: Context, id: JobId) -> Job:
    return await _found(context, id)


@router.get("/jobs/{id}/tasks", summary="List the documents of a job, in order.")
@CHANGE
async def list_job_tasks(
    context: Context, id: JobId, wanted: Annotated[TasksOf, Query()], request: Request, response: Response
) -> Page[Task]:
    of = await _found(context, id)
    states = tuple(TaskState) if wanted.state is None else tuple(dict.fromkeys(wanted.state))

    async def read(place: Place, limit: int) -> list[Entry[Task]]:
        tasks = await jobs.tasks_of(context.database, of.id, states=states, after=place, limit=limit)
        return [Entry(task.shown(), task.place) for task in tasks]

    async def count() -> int:
        return sum(of.states.get(state, 0) for state in states)

    source = Source(f"tasks of {of.id} {','.join(states)}", PLACE, read, count)
    return await page_of(context, source, wanted, plain, link=linked(request, response))


@router.post("/jobs/{id}/cancel", summary="Cancel a job; written documents are kept.")
@CHANGE
async def cancel_job(context: Context, id: WholeJobId) -> Job:
    return await changes.change_job(context.database, id, jobs.cancel, collections=context.collections)


@router.post("/jobs/{id}/retry", summary="Retry failed, quarantined or cancelled documents, or resume a paused job.")
@CHANGE
async def retry_job(context: Context, id: WholeJobId) -> Job:
    return await changes.change_job(context.database, id, jobs.retry, collections=context.collections)


@router.get(
    "/jobs/{id}/progress",
    summary="Follow a job: an event after each progress, until it is finished.",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Events named job, each with the job.",
            "content": {EVENTS: {"schema": {"$ref": "#/components/schemas/JobEvent"}}},
        }
    },
)
@CHANGE
async def follow_job(context: Context, id: JobId, request: Request) -> StreamingResponse:
    return await stream_of(context, request, _following(context, id), as_named)


@router.get(
    "/jobs/{id}/events",
    summary="Follow a job and its documents: events after each change, until it is finished.",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Events named job, each with the job, and named task, each with a document that changed; "
            "at first those that run.",
            "content": {EVENTS: {"schema": {"$ref": "#/components/schemas/TaskEvent"}}},
        }
    },
)
@CHANGE
async def follow_job_tasks(context: Context, id: JobId, request: Request) -> StreamingResponse:
    return await stream_of(context, request, _following_tasks(context, id), as_named)


@router.delete("/papers/{id}", summary="Delete a paper and its data.")
@CHANGE
async def delete_paper(context: Context, id: Id) -> DeletedPaper:
    return await changes.delete_paper(
        context.database, id, collections=context.collections, originals=context.service.originals
    )


@router.put("/questions/{id}/review", summary="Accept, edit or reject a question; the decision survives regeneration.")
@CHANGE
async def review_question(context: Context, id: Id, wanted: ReviewBody) -> ReviewedQuestion:
    return await changes.review_question(
        context.service.resources, id, wanted.decision, wanted.text, collections=context.collections
    )


async def _found(context: RequestContext, id: str) -> Job:
    return await jobs.find_job(context.database, id, collections=context.collections)


async def _following(context: RequestContext, id: str) -> AsyncGenerator[Named, None]:
    async for job in jobs.follow(context.database, id, collections=context.collections):
        yield "job", job


async def _following_tasks(context: RequestContext, id: str) -> AsyncGenerator[Named, None]:
    async for event in jobs.follow_tasks(context.database, id, collections=context.collections):
        yield "job", event.job
        for task in event.tasks:
            yield "task", task.shown()


def _bare(key: str | None) -> str | None:
    """Return a key without the quotes that a structured field has (draft-ietf-httpapi-idempotency-key-header)."""
    return key[1:-1] if key is not None and len(key) > 2 and key[0] == key[-1] == '"' else key
