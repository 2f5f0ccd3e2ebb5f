"""Tasks that a process holds for a while: claimed, renewed, settled or released, so that a killed one loses nothing."""

import json
import os
import random
import secrets
import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Self

import psutil

import cypher
from ingest.jobs.model import Claim, JobState, TaskProgress, TaskResult, TaskState
from ingest.jobs.timing import Stage
from papergraph.database import Database
from papergraph.errors import Reason
from papergraph.neo4j_errors import Transaction

LEASE_S = 30
MAX_ATTEMPTS = 5
"""How often a task is tried: by then it is the document's fault."""
FIRST_RETRY_S, LONGEST_RETRY_S = 0.5, 60.0
CLOCK_TOLERANCE_S = 5.0
"""How far apart two tellings of a process' start may be: they follow the machine's clock when that is set."""


def again(claim: Claim, stage: str, reason: Reason, detail: str) -> TaskResult:
    """Return that a task is to be tried again later, or, after too many times, not any more."""
    if claim.attempts >= MAX_ATTEMPTS:
        return TaskResult(claim.id, TaskState.QUARANTINED, stage, reason=reason.value, detail=detail)
    pause_s = min(LONGEST_RETRY_S, FIRST_RETRY_S * 2 ** (claim.attempts - 1)) * random.uniform(0.5, 1.0)  # noqa: S311
    return TaskResult(claim.id, TaskState.QUEUED, stage, reason=reason.value, detail=detail, retry_s=pause_s)


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
    stage: str = Stage.FETCH,
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
        records = await transaction.run(cypher.load("jobs/claim_new"), **own, limit=limit, stage=str(stage))
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
        held = await renew(database, owner, {claim.id: TaskProgress(stage) for claim in claims})
        return [claim for claim in claims if claim.id in held] or None

    return await database.transact_until_known(f"claim tasks of job {job_id}", work, look=look)


async def renew(database: Database, owner: Owner, held: Mapping[str, TaskProgress]) -> set[str]:
    """Renew the leases of the tasks that ``held`` names, note how far each is, and return those still held."""
    rows = [{"id": id, **asdict(progress), "stage": str(progress.stage)} for id, progress in held.items()]
    records = await database.run_alone(cypher.load("jobs/renew"), owner=owner.name, lease_s=LEASE_S, rows=rows)
    return {record["id"] for record in records}


async def settle(transaction: Transaction, owner: Owner, settled: Sequence[TaskResult]) -> set[str]:
    """Note what became of tasks, within the transaction that did it, and return the ids of those that ``owner`` held.

    What another process has taken over, or somebody has cancelled, is not to be written: it may be out of date.
    """
    rows = [of_task.row for of_task in settled]
    return {record["id"] for record in await transaction.run(cypher.load("jobs/settle"), owner=owner.name, rows=rows)}


async def settle_alone(database: Database, owner: Owner, settled: Sequence[TaskResult]) -> set[str]:
    """Note what became of tasks that nothing is written of, and return the ids of those that ``owner`` held."""
    if not settled:
        return set()
    rows = [of_task.row for of_task in settled]
    records = await database.run_alone(cypher.load("jobs/settle"), owner=owner.name, rows=rows)
    return {record["id"] for record in records}


async def release(database: Database, owner: Owner, ids: Sequence[str], *, tried: bool) -> None:
    """Give tasks back that are not done; ``tried`` ones count as tried."""
    await database.run_alone(cypher.load("jobs/release"), owner=owner.name, ids=list(ids), tried=int(tried))
