"""Worker of jobs: leases, renewed tasks and budgets."""

import asyncio
import json
import os
import random
import re
import secrets
import socket
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from typing import Self

import psutil

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import DatabaseError, InputError, Reason
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import Claim, JobState, Stage, TaskProgress, TaskResult, TaskState
from papergraph.neo4j_errors import Transaction

# Leases of tasks: claimed, renewed, finished or released, so that a killed process loses no task


LEASE_S = 30
MAX_ATTEMPTS = 5
"""Most attempts of a task; further failures are blamed on the document."""
FIRST_RETRY_S, LONGEST_RETRY_S = 0.5, 60.0
CLOCK_TOLERANCE_S = 5.0
"""Tolerance for the start time of a process, which changes when the machine's clock is set."""


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
        """Return whether an owner has ended; False for owners on other machines."""
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
    state: TaskState = TaskState.QUEUED,
) -> list[Claim]:
    """Claim the next new tasks of a job or, if ``again``, tasks to retry.

    They begin at ``stage``; new ones are in ``state``.

    Returns:
        At most ``limit`` tasks in order; empty if nothing is pending, or the job is paused, done or cancelled.

    Raises:
        DatabaseError: The outcome is unknown, and a second read did not find the claims.
    """
    claims: list[Claim] = []

    async def work(transaction: Transaction) -> list[Claim]:
        nonlocal claims
        claims = []
        taken = await transaction.run(cypher.load("jobs/take"), id=job_id)
        if not taken or taken[0]["state"] != JobState.RUNNING:
            return []
        own = {"job_id": job_id, "owner": owner.name, "lease_s": LEASE_S}
        records = await transaction.run(
            cypher.load("jobs/claim_new"), **own, limit=limit, stage=str(stage), state=state.value
        )
        if not records and again:
            owners = await transaction.run(cypher.load("jobs/owners"), job_id=job_id)
            gone = [record["owner"] for record in owners if Owner.is_gone(record["owner"])]
            again_query = cypher.load("jobs/claim_again")
            while records := await transaction.run(again_query, **own, gone=gone, max_attempts=MAX_ATTEMPTS):
                if records[0]["state"] == TaskState.RUNNING:  # else they have been put into quarantine
                    break
        names = ("id", "source", "ordinal", "attempts", "is_stored")
        claims = [Claim(*(record[name] for name in names)) for record in records]
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


async def release(database: Database, owner: Owner, ids: Sequence[str], *, tried: bool) -> None:
    """Give tasks back that are not done; ``tried`` ones count as tried."""
    await database.run_alone(cypher.load("jobs/release"), owner=owner.name, ids=list(ids), tried=int(tried))


# Worker of one job: it claims tasks, renews their leases, and releases unfinished ones.
#
# The kind of the job (:class:`papergraph.ingest.jobs.model.JobKind`) decides which subclass processes its tasks;
# :mod:`papergraph.ingest.worker` is the loop over jobs. A killed worker loses nothing: its leases end, and other
# workers claim
# its tasks.


POLL_S = 0.25
RENEWED_EVERY_S = 3.0
FAREWELL_S = 5.0
"""Limit of giving back claimed tasks when the work ends early."""

UNFINISHED = (JobState.QUEUED, JobState.RUNNING)


class HeldTasks:
    """Tasks of a job that this process holds, by id, with the stage of each."""

    def __init__(self, database: Database, job_id: str, owner: Owner, *, first_stage: str = Stage.FETCH) -> None:
        self.database, self.job_id, self.owner, self.first_stage = database, job_id, owner, first_stage
        self.held: dict[str, TaskProgress] = {}

    async def claim(self, limit: int, *, again: bool = True, state: TaskState = TaskState.QUEUED) -> list[Claim]:
        """Claim tasks; those that are claimed while the caller is cancelled are held too, so that they are given back.

        Raises:
            DatabaseError: As of :func:`papergraph.ingest.jobs.worker.claim`.
        """
        claiming = asyncio.ensure_future(
            claim(
                self.database,
                self.job_id,
                self.owner,
                limit=limit,
                again=again,
                stage=self.first_stage if state is TaskState.QUEUED else Stage.EMBED,
                state=state,
            )
        )
        try:
            claims = await asyncio.shield(claiming)
        except asyncio.CancelledError:
            with suppress(DatabaseError, TimeoutError):
                self._hold(await asyncio.wait_for(claiming, FAREWELL_S))
            raise
        self._hold(claims)
        return claims

    def _hold(self, claims: Sequence[Claim]) -> None:
        for claim in claims:
            self.held[claim.id] = TaskProgress(Stage.EMBED if claim.is_stored else self.first_stage)

    async def settle(self, results: Sequence[TaskResult]) -> set[str]:
        """Write results of tasks without a paper, and return the ids of those that were held until then."""
        if not results:
            return set()
        rows = [result.row for result in results]
        records = await self.database.run_alone(cypher.load("jobs/settle"), owner=self.owner.name, rows=rows)
        self.forget(result.id for result in results)
        return {record["id"] for record in records}

    def forget(self, ids: Iterable[str]) -> None:
        """Drop tasks whose result is written, before any of them can be claimed again to be retried."""
        for id in ids:
            self.held.pop(id, None)

    async def give_back(self, ids: Collection[str] | None = None, *, tried: bool) -> None:
        """Release unfinished tasks, by default all; ``tried`` counts as an attempt."""
        ids = list(self.held if ids is None else ids)
        self.forget(ids)
        if ids:
            await release(self.database, self.owner, ids, tried=tried)

    async def renew(self) -> None:
        """Renew the leases until cancelled."""
        while True:
            await asyncio.sleep(RENEWED_EVERY_S)
            with suppress(DatabaseError):  # the next renewal is in time; else other workers take over
                if self.held:
                    asked = dict(self.held)
                    still = await renew(self.database, self.owner, asked)
                    for id in asked.keys() - still:
                        self.held.pop(id, None)


class JobWorker:
    """Work of one process on one job.

    Attributes:
        tasks: Claimed tasks.
        stopped: Reason to pause the job, such as a spent budget; None to continue.
        turn_is_over: Returns True once other accounts wait for the worker: no more tasks are begun.
    """

    def __init__(self, tasks: HeldTasks) -> None:
        self.tasks = tasks
        self.stopped: str | None = None
        self.turn_is_over: Callable[[], bool] = lambda: False

    async def run(self, *, to_the_end: bool = True) -> JobState | None:
        """Work until the job is finished or, unless ``to_the_end``, until nothing is pending now.

        The job is paused when it is ``stopped``, and when the work is cancelled ``to_the_end``.

        Returns:
            The final state of the job; None if it was deleted.

        Raises:
            DatabaseError: Neo4j failed; unfinished tasks are released.
            EmbeddingError: The embedding server failed or has another model; unfinished tasks are released.
        """
        renewing = asyncio.create_task(self.tasks.renew())
        tried = True
        try:
            return await self._work(to_the_end=to_the_end)
        except asyncio.CancelledError:
            tried, self.stopped = False, "interrupted"
            raise
        except Exception as error:
            tried = self._counts(error)
            raise
        finally:
            renewing.cancel()
            with suppress(DatabaseError, TimeoutError):
                async with asyncio.timeout(FAREWELL_S):
                    await self.tasks.give_back(tried=tried)
                    if self.stopped == "interrupted" and to_the_end:
                        await jobs.pause(self.tasks.database, self.tasks.job_id, detail=self.stopped)

    async def _work(self, *, to_the_end: bool) -> JobState | None:
        database, job_id = self.tasks.database, self.tasks.job_id
        while True:
            if await self._step():
                continue
            if self.stopped is not None or not to_the_end:
                await self.tasks.give_back(tried=False)
            state = await jobs.close(database, job_id)
            if self.stopped is not None and state in UNFINISHED:
                await jobs.pause(database, job_id, detail=self.stopped)
                return JobState.PAUSED
            if state not in UNFINISHED or not to_the_end:
                return state
            await asyncio.sleep(POLL_S)  # other workers hold the rest, or its time has not come

    async def _step(self) -> bool:
        """Claim and process some tasks; return False if there is nothing to do now, or the job is stopped."""
        raise NotImplementedError

    def _counts(self, error: Exception) -> bool:
        """Say whether an error counts as an attempt of the tasks that are held."""
        return True


# Budget of one call of an ingestion: time, papers, chunks or tokens; a spent budget pauses the job


AMOUNT = re.compile(r"(?P<amount>\d+(?:\.\d+)?)\s*(?P<unit>s|min|m|h|papers?|chunks?|tokens?)", re.ASCII)
SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Budget:
    """Limits of one call; None is no limit.

    Attributes:
        seconds: Time after which no further work starts; started work is finished.
        papers: Most papers that are written.
        chunks: Most chunks that are written; a paper is written completely or left for the next call.
        tokens: Most tokens of written chunks.
    """

    seconds: float | None = None
    papers: int | None = None
    chunks: int | None = None
    tokens: int | None = None

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self | None:
        """Return the budget in a user's words, such as ``30m``, ``500 papers`` and ``20000 chunks``; None if empty.

        Raises:
            InputError: A part is malformed or repeated.
        """
        limits: dict[str, float] = {}
        for text in texts:
            match = AMOUNT.fullmatch(text.strip().lower())
            if match is None:
                raise InputError(
                    f"{text!r} is no budget; write a time such as 90s, 30m or 2h, 500papers, 20000chunks or "
                    "1000000tokens",
                    field="budget",
                )
            amount, unit = float(match["amount"]), match["unit"]
            name = "seconds" if unit in SECONDS else f"{unit.removesuffix('s')}s"
            if name in limits or (name != "seconds" and amount != int(amount)):
                raise InputError(f"{text!r} does not go with the rest of the budget", field="budget")
            limits[name] = amount * SECONDS.get(unit, 1.0)
        if not limits:
            return None
        counts = {name: int(limits[name]) for name in ("papers", "chunks", "tokens") if name in limits}
        return cls(limits.get("seconds"), **counts)


class JobBudget:
    """Rest of a budget during a job; unlimited without one."""

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget or Budget()
        self._start = time.monotonic()
        self._n_papers = self._n_chunks = self._n_tokens = 0

    @property
    def spent(self) -> str | None:
        """Name of the spent limit; None if none is spent."""
        budget = self._budget
        if up := self.time_is_up:
            return up
        if budget.papers is not None and self._n_papers >= budget.papers:
            return f"the budget of {budget.papers} papers is spent"
        if budget.chunks is not None and self._n_chunks >= budget.chunks:
            return f"the budget of {budget.chunks} chunks is spent"
        if budget.tokens is not None and self._n_tokens >= budget.tokens:
            return f"the budget of {budget.tokens} tokens is spent"
        return None

    @property
    def time_is_up(self) -> str | None:
        """Message if the time is spent, else None."""
        seconds = self._budget.seconds
        up = seconds is not None and time.monotonic() - self._start >= seconds
        return f"the budget of {seconds:g} s is spent" if up else None

    def most_papers(self, wanted: int, *, under_way: int) -> int:
        """Return how many more papers may be begun, at most ``wanted``, beside those under way."""
        if self._budget.papers is None:
            return wanted
        return min(wanted, max(0, self._budget.papers - self._n_papers - under_way))

    def take(self, n_chunks: int, n_tokens: int = 0) -> str | None:
        """Spend a paper of so many chunks and tokens, or say why there is not enough left for it."""
        budget = self._budget
        if budget.chunks is not None and self._n_chunks + n_chunks > budget.chunks:
            left = budget.chunks - self._n_chunks
            return f"of the budget of {budget.chunks} chunks {left} are left, and the next paper has {n_chunks}"
        if budget.tokens is not None and self._n_tokens + n_tokens > budget.tokens:
            left = budget.tokens - self._n_tokens
            return f"of the budget of {budget.tokens} tokens {left} are left, and the next paper has {n_tokens}"
        self._n_papers += 1
        self._n_tokens += n_tokens
        self._n_chunks += n_chunks
        return None
