"""Ledger of jobs: one task for each new or changed document, with its progress.

A job is stored before it is acknowledged. Processes claim batches of tasks by a lease on the database's clock and renew
it while they work; tasks of an ended process are taken over. A task is marked as done in the transaction that writes
its paper.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.errors import ConflictError, InputError, NotFoundError
from papergraph.ingest.jobs.model import FINISHED, Job, JobEvent, JobState, NewTask, Request, Task, TaskState, task_id
from papergraph.schema.ids import sha256

KEPT_JOBS, KEPT_TASKS = 100, 200_000
"""Most finished jobs in the ledger, newest first, and most tasks of them together; the newest job always stays. Every
new job deletes a few older ones.
"""
MOST_UNFINISHED = 100
"""Most unfinished jobs of an account."""

ROWS_PER_STATEMENT = 1000
ID_BYTES = 6
DEADLINE_S = 60.0
MOST_FORGOTTEN = 10
FOLLOWED_EVERY_S, FOLLOWED_AT_LEAST_EVERY_S = 0.5, 5.0
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
MOST_CHANGES = 100
"""Tasks of one event; what is more comes with the next one."""
LOOKED_BACK = timedelta(seconds=5)
"""Overlap of consecutive reads of changes, because transactions may end in another order than they began."""


async def open_job(
    database: Database, request: Request, wanted: Sequence[NewTask], *, n_documents: int, n_unchanged: int
) -> str:
    """Write a job with its tasks, or add new tasks to the open job of an equal request.

    A request with a key whose job is finished changes nothing.

    Args:
        database: The store.
        request: The request.
        wanted: A task for each document that needs work or is refused.
        n_documents: Number of documents found.
        n_unchanged: Number of those that are stored unchanged and need no task.

    Returns:
        The id of the job, which is stored completely.

    Raises:
        ConflictError: The key belongs to another request, or the account has too many unfinished jobs.
        DatabaseError: The job is missing or paused; the same call continues it.
    """
    if request.key is None:
        found = await database.read(cypher.load("jobs/find_open"), request=request.hash)
        job_id = str(found[0]["id"]) if found else secrets.token_hex(ID_BYTES)
    else:
        job_id = sha256("job", request.key)[: 2 * ID_BYTES]
    properties = {
        "kind": request.kind.value,
        "collection": request.collection,
        "specs": list(request.specs),
        "settings": request.settings,
        "configHash": request.config_hash,
        "request": request.hash,
        "account": request.account,
    }
    await _refuse_flood(database, request.account, job_id)
    (opened,) = await database.run_alone(cypher.load("jobs/open"), id=job_id, properties=properties)
    job = opened["job"]
    if any(job[name] != properties[name] for name in ("kind", "collection", "specs", "settings")):
        raise ConflictError(
            "another request came with this key; give this one a key of its own", field="idempotencyKey"
        )
    if JobState(job["state"]) in FINISHED:
        return job_id
    rows = [_task_row(job_id, request.config_hash, document) for document in wanted]
    for batch in batches(rows, ROWS_PER_STATEMENT):
        await database.run_alone(cypher.load("jobs/write_tasks"), job_id=job_id, rows=batch, deadline_s=DEADLINE_S)
    await database.run_alone(
        cypher.load("jobs/ready"), id=job_id, n_documents=n_documents, n_unchanged=n_unchanged, deadline_s=DEADLINE_S
    )
    await _forget_old(database)
    return job_id


async def _refuse_flood(database: Database, account: str, job_id: str) -> None:
    """Refuse a job beside too many unfinished ones of its account; the command line has no limit.

    Raises:
        ConflictError: It is one too many.
    """
    if account:
        (found,) = await database.read(cypher.load("jobs/count_unfinished"), account=account, id=job_id)
        if found["n"] >= MOST_UNFINISHED:
            told = f"{found['n']} jobs of this account are unfinished, the most allowed. Wait for some, or cancel some."
            raise ConflictError(told, field="sources")


def _task_row(job_id: str, config_hash: str, document: NewTask) -> dict[str, Any]:
    properties: dict[str, Any] = dict.fromkeys(
        (
            "owner",
            "leaseUntil",
            "nextTryAt",
            "key",
            "outcome",
            "title",
            "nSections",
            "nChunks",
            "nCutShort",
            "language",
            "warning",
        )
    )
    state = TaskState.QUEUED if document.reason is None else TaskState.FAILED
    properties |= {
        "ordinal": document.ordinal,
        "source": document.source,
        "contentHash": document.content_hash,
        "configHash": config_hash,
        "stage": str(document.stage),
        "state": state.value,
        "attempts": 0,
        "reason": document.reason,
        "detail": document.detail,
    }
    return {"id": task_id(job_id, document.source), "properties": properties}


async def close(database: Database, job_id: str) -> JobState | None:
    """Close a job if nothing of it is left to do, and return its state; None if it is gone."""
    records = await database.run_alone(cypher.load("jobs/close"), id=job_id)
    return JobState(records[0]["state"]) if records else None


async def pause(database: Database, job_id: str, *, detail: str) -> None:
    """Pause a job until it is retried."""
    await database.run_alone(cypher.load("jobs/pause"), id=job_id, detail=detail)


async def next_jobs(database: Database, *, skipped: Collection[str], busy: Collection[str]) -> dict[str, str]:
    """Return the oldest job that has something to do by account, without ``busy`` accounts and ``skipped`` jobs."""
    records = await database.read(cypher.load("jobs/next"), skipped=list(skipped), busy=list(busy))
    return {record["account"]: record["id"] for record in records}


async def list_jobs(
    database: Database,
    *,
    after: Sequence[int | str] = (),
    limit: int = 20,
    collections: Sequence[str] | None = None,
) -> list[Job]:
    """Return jobs, the newest first.

    Args:
        database: The store.
        after: Place of the last job of the page before; empty for the first page.
        limit: How many.
        collections: Only those of these collections, or None for all.
    """
    return await _jobs(database, start="", after=after, limit=limit, collections=collections)


async def find_job(database: Database, name: str, *, collections: Sequence[str] | None = None) -> Job:
    """Return a job by its id or a unique prefix of it.

    Raises:
        NotFoundError: The job is missing, or is of another collection.
        InputError: The prefix is ambiguous.
    """
    found = await _jobs(database, start=name, after=(), limit=2, collections=collections) if name else []
    if not found:
        raise NotFoundError("job", name, field="id")
    exact = [job for job in found if job.id == name]
    if len(found) > 1 and not exact:
        raise InputError(f"Several job ids begin with {name!r}. Give more digits of the id.", field="id")
    (job,) = exact or found
    return job


async def follow(database: Database, name: str, *, collections: Sequence[str] | None = None) -> AsyncIterator[Job]:
    """Yield a job after each progress until it is finished, at most twice a second.

    Raises:
        PapergraphError: As of :func:`find_job`.
    """
    last, pause_s = None, FOLLOWED_EVERY_S
    while True:
        job = await find_job(database, name, collections=collections)
        pause_s = FOLLOWED_EVERY_S if job != last else min(FOLLOWED_AT_LEAST_EVERY_S, 1.5 * pause_s)
        if job != last:
            last = job
            yield job
        if job.state in FINISHED:
            return
        await asyncio.sleep(pause_s)


async def follow_tasks(
    database: Database, name: str, *, collections: Sequence[str] | None = None
) -> AsyncIterator[JobEvent]:
    """Yield a job with its tasks that changed, each time that some did or it came on, until it is finished.

    The first event has the tasks that run; :func:`tasks_of` reads those that are done. No event has more than
    :data:`MOST_CHANGES` tasks, and tasks come in the order of their changes.

    Raises:
        PapergraphError: As of :func:`find_job`.
    """
    job = await find_job(database, name, collections=collections)
    changed, now = await _changes(database, job.id, states=(TaskState.RUNNING,))
    known = {task["id"]: task["changedAt"] for task in changed}
    since, pause_s = now - LOOKED_BACK, FOLLOWED_EVERY_S
    yield JobEvent(job, tuple(map(Task.of, changed)))
    while True:
        found = await find_job(database, job.id, collections=collections)  # before its tasks: they are no older
        changed, now = await _changes(database, job.id, since=since, known=known)
        is_full, is_new = len(changed) == MOST_CHANGES, bool(changed) or found != job
        since = since if is_full else now - LOOKED_BACK
        known |= {task["id"]: task["changedAt"] for task in changed}
        known = {id: at for id, at in known.items() if at > since}
        job = found
        if is_new:
            yield JobEvent(job, tuple(map(Task.of, changed)))
        if job.state in FINISHED and not is_full:
            return
        pause_s = FOLLOWED_EVERY_S if is_new else min(FOLLOWED_AT_LEAST_EVERY_S, 1.5 * pause_s)
        await asyncio.sleep(0 if is_full else pause_s)


async def _changes(
    database: Database,
    job_id: str,
    *,
    since: Any = LONG_AGO,
    known: Mapping[str, Any] = MappingProxyType({}),
    states: Sequence[TaskState] = tuple(TaskState),
) -> tuple[list[dict[str, Any]], Any]:
    """Return the properties of tasks that changed and are not known, and the database's time as the driver has it."""
    (record,) = await database.read(
        cypher.load("jobs/changes"),
        job_id=job_id,
        since=since,
        known=dict(known),
        states=[state.value for state in states],
        limit=MOST_CHANGES,
    )
    return record["tasks"], record["now"]


async def _jobs(
    database: Database, *, start: str, after: Sequence[int | str], limit: int, collections: Sequence[str] | None
) -> list[Job]:
    records = await database.read(
        cypher.load("jobs/list"),
        start=start,
        after=list(after),
        limit=limit,
        collections=None if collections is None else list(collections),
    )
    return [
        Job.of(
            record["job"],
            record["states"],
            record["stages"],
            waits=record["waits"],
            n_embedded=record["n_embedded"],
            n_warned=record["n_warned"],
        )
        for record in records
    ]


async def count_jobs(database: Database, *, collections: Sequence[str] | None = None) -> int:
    """Return how many jobs the ledger has, of all collections or of some."""
    narrowed = None if collections is None else list(collections)
    (record,) = await database.read(cypher.load("jobs/count"), collections=narrowed)
    return int(record["n"])


async def count_states(
    database: Database, *, deadline_s: float | None = None
) -> tuple[dict[JobState, int], dict[TaskState, int]]:
    """Return how many jobs and tasks are in each state, those that none is in included."""
    n_jobs, n_tasks = dict.fromkeys(JobState, 0), dict.fromkeys(TaskState, 0)
    for record in await database.read(cypher.load("jobs/count_states"), deadline_s=deadline_s):
        if record["kind"] == "job":
            n_jobs[JobState(record["state"])] = record["n"]
        else:
            n_tasks[TaskState(record["state"])] = record["n"]
    return n_jobs, n_tasks


async def tasks_of(
    database: Database,
    job_id: str,
    *,
    states: Sequence[TaskState] = tuple(TaskState),
    after: Sequence[int | str] = (),
    limit: int = 1000,
) -> list[Task]:
    """Return tasks of a job in order, from the one whose place is ``after`` on."""
    (tasks,) = await tasks_of_jobs(database, [job_id], states=states, after=after, limit=limit)
    return tasks


async def tasks_of_jobs(
    database: Database,
    job_ids: Sequence[str],
    *,
    states: Sequence[TaskState] = tuple(TaskState),
    after: Sequence[int | str] = (),
    limit: int = 1000,
    collections: Sequence[str] | None = None,
) -> list[list[Task]]:
    """Return tasks of each of several jobs in order, from the place ``after`` on; one query for all.

    Jobs of other ``collections`` have none; None is all.
    """
    records = await database.read(
        cypher.load("jobs/tasks"),
        job_ids=list(job_ids),
        states=[state.value for state in states],
        after=list(after),
        limit=limit,
        collections=None if collections is None else list(collections),
    )
    tasks: dict[str, list[Task]] = {job_id: [] for job_id in job_ids}
    for record in records:
        tasks[record["job_id"]].append(Task.of(record["task"]))
    return [tasks[job_id] for job_id in job_ids]


async def cancel(database: Database, job_id: str) -> int:
    """Cancel a job and return how many tasks are left undone; nothing of these is written any more."""
    records = await database.run_alone(cypher.load("jobs/cancel"), id=job_id, deadline_s=DEADLINE_S)
    return int(records[0]["n"]) if records else 0


async def retry(database: Database, job_id: str) -> int:
    """Queue the refused, quarantined and cancelled tasks of a job, resume it, and return the number of queued tasks."""
    records = await database.run_alone(cypher.load("jobs/retry"), id=job_id, deadline_s=DEADLINE_S)
    return int(records[0]["n"]) if records else 0


async def forget(database: Database, job_id: str) -> int:
    """Delete a finished job from the ledger, and return how many tasks it had; the papers stay.

    Raises:
        InputError: It is not finished.
        NotFoundError: There is no such job.
    """
    job = await find_job(database, job_id)
    if job.state not in FINISHED:
        raise InputError(f"Job {job.id} is {job.state}. Run papergraph jobs cancel {job.id} first.", field="id")
    await _forget(database, job.id)
    return sum(job.states.values())


async def _forget(database: Database, job_id: str) -> None:
    await database.run_alone(cypher.load("jobs/forget_tasks"), id=job_id, deadline_s=DEADLINE_S)
    await database.run_alone(cypher.load("jobs/forget"), id=job_id)


async def _forget_old(database: Database) -> None:
    n_tasks = 0
    records = await database.read(cypher.load("jobs/old"), limit=KEPT_JOBS + MOST_FORGOTTEN)
    for place, record in enumerate(records):
        n_tasks += record["n_tasks"]
        if place >= KEPT_JOBS or (place > 0 and n_tasks > KEPT_TASKS):
            await _forget(database, record["id"])
