"""Jobs: papers brought in, followed, stopped and taken up again; papers deleted, and questions reviewed."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Annotated, Any, Self

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from ingest import jobs
from ingest.jobs import JobKind, JobState, TaskState
from ingest.layers.questions.review import Decision
from schema.ids import ID
from server import changes
from server.intake import MOST_KEY_CHARS, MOST_SOURCES, shown, shown_detail, shown_key
from server.rest.asking import Ask, Asked, Given, Id, InCollection, PageOf
from server.rest.events import EVENTS, Named, stream_of
from server.rest.models import Answer, Page
from server.rest.pages import Place, Source, charge_page, linked, page_of
from server.rest.pricing import price_of
from server.retrieval.listings import Entry

PLACE = (int, str)

router = APIRouter()


class IngestBody(InCollection):
    """What to bring in: URLs, ``arxiv:ID`` and uploads, at least one."""

    sources: list[str] = Field(default_factory=list, max_length=MOST_SOURCES, examples=[["arxiv:2401.01234"]])
    uploads: list[Annotated[str, Field(pattern=f"^{ID.pattern}$")]] = Field(
        default_factory=list, max_length=MOST_SOURCES
    )
    """Ids of one's own uploads."""


class Job(Answer):
    """What one call asked to bring in, or to make layers of, and how far it is."""

    id: str
    kind: JobKind
    collection: str
    sources: list[str]
    """What was named; of files on the server only their names."""

    state: JobState
    detail: str | None
    """Why it is paused."""

    n_documents: int
    n_unchanged: int
    """How many of them stood in the graph; they have no task."""

    n_open: int
    progress: float
    """Share of its documents that is done, 0 to 1."""

    states: dict[str, int]
    """Documents in each state that there is one in."""

    stages: dict[str, int]
    """Documents at each stage that one is worked on at."""

    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, record: jobs.Job) -> Self:
        """Make it of a record."""
        return cls.model_validate(
            vars(record)
            | {
                "sources": [shown(spec) for spec in record.specs],
                "n_open": record.n_open,
                "progress": record.progress,
                "states": {state.value: n for state, n in record.tasks.items()},
                "stages": {stage.value: n for stage, n in record.stages.items()},
            }
        )


class Task(Answer):
    """A document of a job, or a paper that layers are made of."""

    id: str
    source: str
    """Where it is from; of a file on the server only its name."""

    state: TaskState
    stage: str | None
    """How far it came: fetch, parse, chunk, embed, write, or a layer."""

    attempts: int
    reason: str | None
    """Why it was refused, one of a closed list."""

    detail: str | None
    """The same in words."""

    key: str | None
    """Key of the paper that it became."""

    outcome: str | None
    """added, replaced, joined, unchanged or superseded."""

    title: str | None
    n_sections: int
    n_chunks: int
    next_try_at: datetime | None

    @classmethod
    def of(cls, record: jobs.Task) -> Self:
        """Make it of a record."""
        told = {"source": shown(record.source), "key": shown_key(record.key), "detail": shown_detail(record)}
        return cls.model_validate(vars(record) | told)


class TasksOf(PageOf):
    """Which tasks."""

    state: list[TaskState] | None = None
    """Only those in one of these states."""


class DeletedPaper(Answer):
    """A paper that was deleted."""

    id: str
    keys: list[str]
    """Keys under which it was known."""


class ReviewBody(Given):
    """What is decided of a question."""

    decision: Decision
    text: str | None = Field(default=None, max_length=2000)
    """The new text of an edited one."""


class ReviewedQuestion(Answer):
    """What a decision did."""

    decision: Decision
    original: str
    """The question as it was made."""

    text: str | None
    """As it was edited."""

    ids: list[str]
    """Where in the collection it stands now, or stood."""


JobId = Annotated[str, Path(min_length=1, max_length=64, description="A job's id, or its beginning.")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=MOST_KEY_CHARS + 2,
        description="A name for the call: sent again with it, it opens no second job.",
    ),
]


@router.post("/jobs", status_code=202, summary="Bring papers in: a job, durable when this is answered.")
async def ingest(ask: Ask, wanted: IngestBody, response: Response, key: IdempotencyKey = None) -> Job:
    await ask.charge(1 + price_of(Job))
    service = ask.service
    opened = await ask.intake.open_job(
        service.database,
        service.resources.model.searched.embedder,
        wanted.sources,
        uploads=wanted.uploads,
        collection=wanted.collection,
        collections=ask.collections,
        asker=ask.grant.id,
        key=_bare(key),
    )
    response.headers["Location"] = f"/v1/jobs/{opened.id}"
    return Job.of(opened)


@router.get("/jobs", summary="Jobs of the ledger, the newest first.")
async def list_jobs(ask: Ask, wanted: Annotated[PageOf, Query()], request: Request, response: Response) -> Page[Job]:
    await charge_page(ask, Job, wanted)

    async def read(place: Place, limit: int) -> list[Entry[jobs.Job]]:
        found = await jobs.list_jobs(ask.database, after=place, limit=limit, collections=ask.collections)
        return [Entry(job, job.place) for job in found]

    source = Source("jobs", PLACE, read, lambda: jobs.count_jobs(ask.database, collections=ask.collections))
    return await page_of(ask, source, wanted, _jobs, link=linked(request, response))


@router.get("/jobs/{id}", summary="A job by its id, or by the beginning of it that no other job has.")
async def job(ask: Ask, id: JobId) -> Job:
    await ask.charge(1 + price_of(Job))
    return Job.of(await _found(ask, id))


@router.get("/jobs/{id}/tasks", summary="Its documents that have something to do, in order.")
async def list_tasks(
    ask: Ask, id: JobId, wanted: Annotated[TasksOf, Query()], request: Request, response: Response
) -> Page[Task]:
    await charge_page(ask, Task, wanted)
    of = await _found(ask, id)
    states = tuple(TaskState) if wanted.state is None else tuple(dict.fromkeys(wanted.state))

    async def read(place: Place, limit: int) -> list[Entry[jobs.Task]]:
        tasks = await jobs.tasks_of(ask.database, of.id, states=states, after=place, limit=limit)
        return [Entry(task, task.place) for task in tasks]

    async def count() -> int:
        return sum(of.tasks.get(state, 0) for state in states)

    source = Source(f"tasks of {of.id} {','.join(states)}", PLACE, read, count)
    return await page_of(ask, source, wanted, _tasks, link=linked(request, response))


@router.post("/jobs/{id}/cancel", summary="Begin nothing more of a job; what it has written stays.")
async def cancel(ask: Ask, id: JobId) -> Job:
    await ask.charge(1 + price_of(Job))
    return Job.of(await changes.change_job(ask.database, id, jobs.cancel, collections=ask.collections))


@router.post("/jobs/{id}/retry", summary="Queue what was refused, given up or cancelled, or all of a paused one.")
async def retry(ask: Ask, id: JobId) -> Job:
    await ask.charge(1 + price_of(Job))
    return Job.of(await changes.change_job(ask.database, id, jobs.retry, collections=ask.collections))


@router.get(
    "/jobs/{id}/progress",
    summary="A job each time that it has come on, until it is finished.",
    response_class=StreamingResponse,
    responses={200: {"description": "Events called job, each with a job.", "content": {EVENTS: {}}}},
)
async def progress(ask: Ask, id: JobId, request: Request) -> StreamingResponse:
    await ask.charge(1 + price_of(Job))
    return await stream_of(ask, request, _following(ask, id))


@router.delete("/papers/{id}", summary="Delete a paper with all that it has.")
async def delete_paper(ask: Ask, id: Id) -> DeletedPaper:
    await ask.charge(1 + price_of(DeletedPaper))
    paper = await changes.delete_paper(ask.database, id, collections=ask.collections)
    return DeletedPaper(id=id, keys=list(paper.keys))


@router.put(
    "/questions/{id}/review", summary="Accept, edit or reject a question; it holds when questions are made again."
)
async def review(ask: Ask, id: Id, wanted: ReviewBody) -> ReviewedQuestion:
    await ask.charge(1 + price_of(ReviewedQuestion))
    done = await changes.review_question(
        ask.service.resources, id, wanted.decision, wanted.text, collections=ask.collections
    )
    return ReviewedQuestion.model_validate(done)


async def _found(ask: Asked, id: str) -> jobs.Job:
    return await jobs.find_job(ask.database, id, collections=ask.collections)


async def _jobs(ask: Asked, found: Any) -> list[Job]:
    return [Job.of(record) for record in found]


async def _tasks(ask: Asked, found: Any) -> list[Task]:
    return [Task.of(record) for record in found]


async def _following(ask: Asked, id: str) -> AsyncGenerator[Named, None]:
    async for job in jobs.follow(ask.database, id, collections=ask.collections):
        yield "job", Job.of(job)


def _bare(key: str | None) -> str | None:
    """Return a key without the quotes that a structured field has (draft-ietf-httpapi-idempotency-key-header)."""
    return key[1:-1] if key is not None and len(key) > 2 and key[0] == key[-1] == '"' else key
