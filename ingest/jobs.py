"""The ledger: what was asked to be ingested, one task for each document that is new or changed, and how far each is.

A job is in the graph before it is acknowledged. Processes claim tasks, some at a time, for as long as a lease lasts by
the database's clock; they renew it while they work, and what a process that ended held is taken over. A task is noted
as done in the transaction that writes its paper, so the one is never there without the other.
"""

import asyncio
import json
import os
import random
import secrets
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any, Self

import psutil

import cypher
from ingest.pages import batches
from ingest.stages import Stage
from papergraph.database import Database, Transaction
from papergraph.errors import ConflictError, InputError, NotFoundError, Reason
from schema.ids import sha256

LEASE_S = 30
MAX_ATTEMPTS = 5
"""How often a task is tried: by then it is the document's fault."""

FIRST_RETRY_S, LONGEST_RETRY_S = 0.5, 60.0

KEPT_JOBS, KEPT_TASKS = 100, 200_000
"""How many finished jobs stay in the ledger, the newest ones, and how many tasks they have together; the newest job
stays whatever it has. Of older ones a few are deleted with every new job."""

ROWS_PER_STATEMENT = 1000
ID_BYTES = 6
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DEADLINE_S = 60.0
MOST_FORGOTTEN = 10
FOLLOWED_EVERY_S, FOLLOWED_AT_LEAST_EVERY_S = 0.5, 5.0
CLOCK_TOLERANCE_S = 5.0
"""How far apart two tellings of a process' start may be: they follow the machine's clock when that is set."""


class JobState(StrEnum):
    """How far a job is; a paused one waits until somebody goes on with it."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class JobKind(StrEnum):
    """What the tasks of a job are about: documents to bring in, or papers to make layers of."""

    DOCUMENTS = "documents"
    LAYERS = "layers"


FINISHED = (JobState.DONE, JobState.CANCELLED)


class TaskState(StrEnum):
    """How far a task is: failed is the document's own fault, quarantined what went wrong too often."""

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
        specs: The files, folders or addresses, or the layers, that were named.
        settings: How documents are read and cut, or layers made, as JSON.
        recipe: Recipe of the papers, or of the layers.
        state: How far it is.
        detail: Why it is paused.
        n_documents: Documents that were found.
        n_unchanged: How many of them stood in the graph; they have no task.
        tasks: Number of tasks in each state that there is one in.
        stages: Number of running tasks at each stage that there is one at, as noted every few seconds.
        created_at: When it was opened, with time zone.
        finished_at: When it was done or cancelled.
    """

    id: str
    kind: JobKind
    collection: str
    specs: tuple[str, ...]
    settings: str
    recipe: str
    state: JobState
    detail: str | None
    n_documents: int
    n_unchanged: int
    tasks: Mapping[TaskState, int]
    stages: Mapping[Stage, int]
    created_at: datetime
    finished_at: datetime | None

    @property
    def n_open(self) -> int:
        """Tasks that are still to be done."""
        return sum(self.tasks.get(state, 0) for state in (TaskState.QUEUED, TaskState.RUNNING))

    @property
    def progress(self) -> float:
        """Share of its documents that is done, 0 to 1."""
        n_tasks = sum(self.tasks.values())
        return 1.0 if not n_tasks and self.state in FINISHED else 1.0 - self.n_open / max(n_tasks, 1)

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
    ) -> Self:
        """Make a job of a node's properties and the counts of its tasks by state, and of running ones by stage."""
        finished_at = properties.get("finishedAt")
        return cls(
            id=properties["id"],
            kind=JobKind(properties.get("kind") or JobKind.DOCUMENTS),
            collection=properties["collection"],
            specs=tuple(properties["specs"]),
            settings=properties["settings"],
            recipe=properties["recipe"],
            state=JobState(properties["state"]),
            detail=properties.get("detail"),
            n_documents=properties.get("nDocuments") or 0,
            n_unchanged=properties.get("nUnchanged") or 0,
            tasks={TaskState(entry["state"]): entry["n"] for entry in states},
            stages={Stage(entry["stage"]): entry["n"] for entry in stages},
            created_at=properties["createdAt"].to_native(),
            finished_at=finished_at and finished_at.to_native(),
        )


@dataclass(frozen=True)
class Task:
    """A task as it stands in the ledger; see :data:`schema.model.NODES` for the properties."""

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
        )


@dataclass(frozen=True)
class Request:
    """What is asked for: the same request again goes on with its job.

    Attributes:
        collection: Where the papers go, or stand.
        specs: The files, folders or addresses, paths absolute, or the layers, that were named.
        settings: How documents are read and cut, or layers made, as JSON.
        recipe: Recipe of the papers, or of the layers.
        kind: What the tasks are about.
        key: A name for the request itself: with it the job is opened once, also when it is finished.
    """

    collection: str
    specs: tuple[str, ...]
    settings: str
    recipe: str
    kind: JobKind = JobKind.DOCUMENTS
    key: str | None = None

    @property
    def hash(self) -> str:
        """sha-256 hex over all of it."""
        of_kind = () if self.kind is JobKind.DOCUMENTS else (self.kind.value,)
        return sha256(*of_kind, self.collection, self.settings, self.recipe, *self.specs)


@dataclass(frozen=True)
class Wanted:
    """What is to become a task, beginning at ``stage``; ``reason`` and ``detail`` where it was refused when found."""

    source: str
    ordinal: int
    content_hash: str | None = None
    reason: str | None = None
    detail: str | None = None
    stage: Stage = Stage.FETCH


@dataclass(frozen=True)
class Claim:
    """A task that a process holds, to be done before its lease ends."""

    id: str
    source: str
    ordinal: int
    attempts: int


@dataclass(frozen=True)
class Settled:
    """What became of a task; ``retry_s`` after how many seconds it is to be tried again, or None."""

    id: str
    state: TaskState
    stage: Stage
    reason: str | None = None
    detail: str | None = None
    key: str | None = None
    outcome: str | None = None
    title: str | None = None
    n_sections: int = 0
    n_chunks: int = 0
    n_cut_short: int = 0
    retry_s: float | None = None

    @property
    def row(self) -> dict[str, Any]:
        """What the ledger notes."""
        properties = {
            "state": self.state.value,
            "stage": self.stage.value,
            "reason": self.reason,
            "detail": self.detail,
            "key": self.key,
            "outcome": self.outcome,
            "title": self.title,
            "nSections": self.n_sections,
            "nChunks": self.n_chunks,
            "nCutShort": self.n_cut_short,
        }
        return {"id": self.id, "properties": properties, "retry_s": self.retry_s}


def again(claim: Claim, stage: Stage, reason: Reason, detail: str) -> Settled:
    """Return that a task is to be tried again later, or, after too many times, not any more."""
    if claim.attempts >= MAX_ATTEMPTS:
        return Settled(claim.id, TaskState.QUARANTINED, stage, reason=reason.value, detail=detail)
    pause_s = min(LONGEST_RETRY_S, FIRST_RETRY_S * 2 ** (claim.attempts - 1)) * random.uniform(0.5, 1.0)  # noqa: S311
    return Settled(claim.id, TaskState.QUEUED, stage, reason=reason.value, detail=detail, retry_s=pause_s)


def task_id(job_id: str, source: str) -> str:
    """Return the id of the task that a document has in a job."""
    return sha256("task", job_id, source)


async def open_job(
    database: Database, request: Request, wanted: Sequence[Wanted], *, n_documents: int, n_unchanged: int
) -> str:
    """Write a job with its tasks, or give the one that the same request opened before what is new.

    A request with a key whose job is finished changes nothing.

    Args:
        database: The store.
        request: What is asked for.
        wanted: A task for each document of which something is to be done, or that is refused.
        n_documents: Documents that were found.
        n_unchanged: How many of them stand in the graph; they have no task.

    Returns:
        The job's id; all of it is in the graph by then.

    Raises:
        ConflictError: Something else was asked for with this key.
        DatabaseError: The job is not there, or paused; the same call again goes on.
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
        "recipe": request.recipe,
        "request": request.hash,
    }
    (opened,) = await database.run_alone(cypher.load("jobs/open"), id=job_id, properties=properties)
    job = opened["job"]
    if any(job[name] != properties[name] for name in ("kind", "collection", "specs", "settings")):
        raise ConflictError("another request came with this key; give this one a key of its own", field="key")
    if JobState(job["state"]) in FINISHED:
        return job_id
    rows = [_task_row(job_id, request.recipe, document) for document in wanted]
    for batch in batches(rows, ROWS_PER_STATEMENT):
        await database.run_alone(cypher.load("jobs/write_tasks"), job_id=job_id, rows=batch, deadline_s=DEADLINE_S)
    await database.run_alone(
        cypher.load("jobs/ready"), id=job_id, n_documents=n_documents, n_unchanged=n_unchanged, deadline_s=DEADLINE_S
    )
    await _forget_old(database)
    return job_id


def _task_row(job_id: str, recipe: str, document: Wanted) -> dict[str, Any]:
    properties: dict[str, Any] = dict.fromkeys(
        ("owner", "leaseUntil", "nextTryAt", "key", "outcome", "title", "nSections", "nChunks", "nCutShort")
    )
    state = TaskState.QUEUED if document.reason is None else TaskState.FAILED
    properties |= {
        "ordinal": document.ordinal,
        "source": document.source,
        "contentHash": document.content_hash,
        "recipe": recipe,
        "stage": document.stage.value,
        "state": state.value,
        "attempts": 0,
        "reason": document.reason,
        "detail": document.detail,
    }
    return {"id": task_id(job_id, document.source), "properties": properties}


class Owner:
    """A process, or one of its workers, that holds tasks under a name by which others can see whether it lives."""

    _alive: set[str] = set()  # noqa: RUF012 the names of this process

    def __init__(self) -> None:
        self.name = json.dumps([_machine(), os.getpid(), _started(os.getpid()), secrets.token_hex(4)])

    def __enter__(self) -> Self:
        self._alive.add(self.name)
        return self

    def __exit__(self, *_: object) -> None:
        self._alive.discard(self.name)

    @classmethod
    def is_gone(cls, name: str) -> bool:
        """Whether an owner is known to have ended; of those on other machines nothing is known."""
        machine, pid, started, _ = json.loads(name)
        if machine != _machine():
            return False
        if pid == os.getpid():
            return name not in cls._alive
        now = _started(pid)
        return now is None or abs(now - started) > CLOCK_TOLERANCE_S


@cache
def _machine() -> str:
    """Return a name for everything that shares process ids with us: a host, or a container on it."""
    try:
        return f"{socket.gethostname()}/{os.stat('/proc/self/ns/pid').st_ino}"  # noqa: PTH116
    except OSError:
        return socket.gethostname()


def _started(pid: int) -> float | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.Error:
        return None


async def claim(
    database: Database,
    job_id: str,
    owner: Owner,
    *,
    limit: int,
    again: bool = True,
    stage: Stage = Stage.FETCH,
) -> list[Claim]:
    """Claim tasks of a job: the next ones that are new, else, if ``again``, some that can be tried again.

    They begin at ``stage``.

    Returns:
        At most ``limit`` tasks in order; none if there is nothing to do now, or the job is paused, done or cancelled.

    Raises:
        DatabaseError: They are not known to be claimed, and a second look did not find them.
    """
    claims: list[Claim] = []

    async def work(transaction: Transaction) -> list[Claim]:
        nonlocal claims
        claims = []
        taken = await transaction.run(cypher.load("jobs/take"), id=job_id)
        if not taken or taken[0]["state"] != JobState.RUNNING:
            return []
        own = {"job_id": job_id, "owner": owner.name, "lease_s": LEASE_S}
        records = await transaction.run(cypher.load("jobs/claim_new"), **own, limit=limit, stage=stage.value)
        if not records and again:
            owners = await transaction.run(cypher.load("jobs/owners"), job_id=job_id)
            gone = [record["owner"] for record in owners if Owner.is_gone(record["owner"])]
            again_query = cypher.load("jobs/claim_again")
            while records := await transaction.run(again_query, **own, gone=gone, max_attempts=MAX_ATTEMPTS):
                if records[0]["state"] == TaskState.RUNNING:  # else they have been put into quarantine
                    break
        claims = [Claim(record["id"], record["source"], record["ordinal"], record["attempts"]) for record in records]
        return claims

    async def look() -> list[Claim] | None:
        held = await renew(database, owner, {claim.id: stage for claim in claims})
        return [claim for claim in claims if claim.id in held] or None

    return await database.transact_until_known(f"claim tasks of job {job_id}", work, look=look)


async def renew(database: Database, owner: Owner, stages: Mapping[str, Stage]) -> set[str]:
    """Renew the leases of the tasks that ``stages`` names, note how far each is, and return those still held."""
    rows = [{"id": id, "stage": stage.value} for id, stage in stages.items()]
    records = await database.run_alone(cypher.load("jobs/renew"), owner=owner.name, lease_s=LEASE_S, rows=rows)
    return {record["id"] for record in records}


async def settle(transaction: Transaction, owner: Owner, settled: Sequence[Settled]) -> set[str]:
    """Note what became of tasks, within the transaction that did it, and return the ids of those that ``owner`` held.

    What another process has taken over, or somebody has cancelled, is not to be written: it may be out of date.
    """
    rows = [of_task.row for of_task in settled]
    return {record["id"] for record in await transaction.run(cypher.load("jobs/settle"), owner=owner.name, rows=rows)}


async def settle_alone(database: Database, owner: Owner, settled: Sequence[Settled]) -> set[str]:
    """Note what became of tasks that nothing is written of, and return the ids of those that ``owner`` held."""
    if not settled:
        return set()
    rows = [of_task.row for of_task in settled]
    records = await database.run_alone(cypher.load("jobs/settle"), owner=owner.name, rows=rows)
    return {record["id"] for record in records}


async def release(database: Database, owner: Owner, ids: Sequence[str], *, tried: bool) -> None:
    """Give tasks back that are not done; ``tried`` ones count as tried."""
    await database.run_alone(cypher.load("jobs/release"), owner=owner.name, ids=list(ids), tried=int(tried))


async def close(database: Database, job_id: str) -> JobState | None:
    """Close a job if nothing of it is left to do, and return its state; None if it is gone."""
    records = await database.run_alone(cypher.load("jobs/close"), id=job_id)
    return JobState(records[0]["state"]) if records else None


async def pause(database: Database, job_id: str, *, detail: str) -> None:
    """Leave a job as it is until somebody goes on with it."""
    await database.run_alone(cypher.load("jobs/pause"), id=job_id, detail=detail)


async def next_job(database: Database, *, skipped: Sequence[str]) -> str | None:
    """Return the id of the oldest job that has something to do, ``skipped`` ones aside."""
    records = await database.read(cypher.load("jobs/next"), skipped=list(skipped))
    return str(records[0]["id"]) if records else None


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
    """Return a job by its id, or by the beginning of it that no other job has.

    Raises:
        NotFoundError: There is none, or none of these ``collections``.
        InputError: There are several.
    """
    found = await _jobs(database, start=name, after=(), limit=2, collections=collections) if name else []
    if not found:
        raise NotFoundError("job", name, field="job")
    exact = [job for job in found if job.id == name]
    if len(found) > 1 and not exact:
        raise InputError(f"several jobs begin with {name!r}; write more of its id", field="job")
    (job,) = exact or found
    return job


async def follow(database: Database, name: str, *, collections: Sequence[str] | None = None) -> AsyncIterator[Job]:
    """Yield a job each time that it has come on, until it is finished; it is looked at twice a second at most.

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
    return [Job.of(record["job"], record["states"], record["stages"]) for record in records]


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
    """Queue what of a job was refused, put into quarantine or cancelled, let it go on, and return what is queued."""
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
        raise InputError(f"job {job.id} is {job.state}; papergraph jobs cancel {job.id} first", field="job")
    await _forget(database, job.id)
    return sum(job.tasks.values())


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
