"""Worker of one job: it claims tasks, renews their leases while it works, and gives back those that are not done.

The kind of the job (:class:`ingest.jobs.model.JobKind`) decides which subclass processes its tasks;
:mod:`ingest.worker` is the loop over jobs. A killed worker loses nothing: its leases end, and other workers claim its
tasks.
"""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress

from ingest.jobs import leases
from ingest.jobs import queue as jobs
from ingest.jobs.leases import Owner
from ingest.jobs.model import Claim, JobState, TaskProgress, TaskResult
from ingest.jobs.timing import Stage
from papergraph.database import Database
from papergraph.errors import DatabaseError

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

    async def claim(self, limit: int, *, again: bool = True) -> list[Claim]:
        """Claim tasks; those that are claimed while the caller is cancelled are held too, so that they are given back.

        Raises:
            DatabaseError: As of :func:`ingest.jobs.leases.claim`.
        """
        claiming = asyncio.ensure_future(
            leases.claim(self.database, self.job_id, self.owner, limit=limit, again=again, stage=self.first_stage)
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
            self.held[claim.id] = TaskProgress(self.first_stage)

    async def settle(self, results: Sequence[TaskResult]) -> set[str]:
        """Write results of tasks without a paper, and return the ids of those that were held until then."""
        settled = await leases.settle_alone(self.database, self.owner, results)
        for result in results:
            self.held.pop(result.id, None)
        return settled

    async def give_back(self, ids: Collection[str] | None = None, *, tried: bool) -> None:
        """Give back tasks that are not done, by default all; those that were ``tried`` count an attempt."""
        ids = list(self.held if ids is None else ids)
        for id in ids:
            self.held.pop(id, None)
        if ids:
            await leases.release(self.database, self.owner, ids, tried=tried)

    async def renew(self) -> None:
        """Renew the leases until cancelled."""
        while True:
            await asyncio.sleep(RENEWED_EVERY_S)
            with suppress(DatabaseError):  # the next renewal is in time; else other workers take over
                if self.held:
                    asked = dict(self.held)
                    still = await leases.renew(self.database, self.owner, asked)
                    for id in asked.keys() - still:
                        self.held.pop(id, None)


class JobWorker:
    """Work of one process on one job.

    Attributes:
        tasks: The tasks that it holds.
        stopped: Reason to pause the job, such as a spent budget; None to go on.
    """

    def __init__(self, tasks: HeldTasks) -> None:
        self.tasks = tasks
        self.stopped: str | None = None

    async def run(self, *, to_the_end: bool = True) -> JobState | None:
        """Work until nothing of the job is left to do, or, unless ``to_the_end``, nothing at the moment.

        The job is paused when it is ``stopped``, and when the work is cancelled ``to_the_end``.

        Returns:
            The state of the job then; None if the job is gone.

        Raises:
            DatabaseError: Neo4j failed; tasks that are not done are given back.
            EmbeddingError: The server of the embedding model failed, or has another model; the same.
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
