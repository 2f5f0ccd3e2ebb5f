"""The worker: queued jobs of any process worked off, by turns of accounts."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

from papergraph.errors import DatabaseError, EmbeddingError, NotFoundError
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import work_on
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import Job, JobKind
from papergraph.ingest.jobs.worker import Owner
from papergraph.ingest.pipeline.executor import IngestContext
from papergraph.ingest.pipeline.prepare import JOB_SETTINGS, Documents
from papergraph.ingest.pipeline.work import DocumentWorker, Item, OpenJob
from papergraph.language_model import Budget, LanguageModel
from papergraph.progress import Progress, silent

BudgetOf = Callable[[str], AbstractAsyncContextManager[Budget | None]]
"""Function that returns the remaining budget for a language model of an account; None for no limit."""

JobRunner = Callable[[Job, Callable[[], bool]], Awaitable[int]]
"""Function that works on a job until there is nothing to do, or its turn is over; it returns how many papers it did."""

IDLE_S = 2.0
LOOK_S = 1.0
"""Interval in seconds in which a busy worker looks for jobs of other accounts."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
ACCOUNTS_AT_ONCE = 3
"""Accounts whose jobs one process works on at the same time, one job of each."""

TURN_S = 5.0
"""Time after which an account's turn ends, once more accounts wait than are worked for, in seconds."""


def no_limit(account: str) -> AbstractAsyncContextManager[None]:
    """Let everybody spend what they want."""
    return nullcontext()


async def work(
    context: IngestContext,
    *,
    once: bool,
    model: LanguageModel | None = None,
    budget_of: BudgetOf = no_limit,
    runners: Mapping[JobKind, JobRunner] | None = None,
    progress: Progress = silent,
) -> int:
    """Work off the queued jobs of all processes until stopped: of each account the oldest, by turns.

    Args:
        context: The parts of ingestion.
        once: True to stop when the queue is empty; else wait for jobs, and for a failed database or model.
        model: Language model for enrichments, if one is configured.
        budget_of: Returns the budget of the account that opened a job.
        runners: What works on jobs of other kinds than documents and enrichments.
        progress: Receives the current job.

    Returns:
        Number of processed documents and enriched papers.

    Raises:
        DatabaseError: Neo4j failed, if ``once``.
        EmbeddingError: The embedding model failed, if ``once``.
    """
    turns = _Turns(context, model, budget_of, runners or {}, progress)
    pause_s = FIRST_PAUSE_S
    try:
        while True:
            try:
                is_idle = not await turns.step()
                pause_s = FIRST_PAUSE_S
                if is_idle and once:
                    return turns.n_done
                if is_idle:
                    await asyncio.sleep(IDLE_S)
            except NotFoundError:  # forgotten meanwhile
                continue
            except (DatabaseError, EmbeddingError) as error:
                if once:
                    raise
                progress.step(f"{error}; trying again")
                await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))  # noqa: S311 jitter
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
    finally:
        await turns.end()


class _Turns:
    """Turns of accounts in one worker; an account has one job that is worked on."""

    def __init__(
        self,
        context: IngestContext,
        model: LanguageModel | None,
        budget_of: BudgetOf,
        runners: Mapping[JobKind, JobRunner],
        progress: Progress,
    ) -> None:
        self._context, self._model, self._budget_of, self._progress = context, model, budget_of, progress
        self._runners = runners
        self._running: dict[str, tuple[str, asyncio.Task[int]]] = {}
        self._begun_s: dict[str, float] = {}
        self._skipped: dict[str, float] = {}
        self._is_crowded = False
        self.n_done = 0

    async def step(self) -> bool:
        """Begin and end turns, and wait a while; return False if there was nothing to do.

        Raises:
            PapergraphError: The work on a job failed.
        """
        self._settle()
        now = time.monotonic()
        self._skipped = {id: until_s for id, until_s in self._skipped.items() if until_s > now}
        found = await jobs.next_jobs(self._context.store, skipped=self._skipped, busy=self._running)
        waiting = sorted(found, key=lambda account: self._begun_s.get(account, 0.0))
        n_free = ACCOUNTS_AT_ONCE - len(self._running)
        for account in waiting[:n_free]:
            await self._begin(account, found[account])
        self._is_crowded = len(waiting) > n_free
        if self._running:
            tasks = [task for _, task in self._running.values()]
            await asyncio.wait(tasks, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
        elif self._skipped:
            await asyncio.sleep(FIRST_PAUSE_S)
        return bool(self._running or self._skipped)

    async def end(self) -> None:
        """Cancel what is worked on."""
        tasks = [task for _, task in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _settle(self) -> None:
        """Count the work of turns that have ended; their jobs wait, others may hold the rest, or its time will come."""
        for account, (job_id, task) in list(self._running.items()):
            if task.done():
                del self._running[account]
                self._skipped[job_id] = time.monotonic() + (0.0 if self._is_crowded else FIRST_PAUSE_S)
                self.n_done += task.result()

    async def _begin(self, account: str, job_id: str) -> None:
        self._progress.step(f"working on job {job_id}")
        self._begun_s[account] = begun_s = time.monotonic()
        job = await jobs.find_job(self._context.store, job_id)

        def is_over() -> bool:
            return self._is_crowded and time.monotonic() - begun_s > TURN_S

        self._running[account] = job_id, asyncio.create_task(self._work_on(job, is_over))

    async def _work_on(self, job: Job, turn_is_over: Callable[[], bool]) -> int:
        """Work on a job until there is nothing to do at the moment; return how many documents or papers that were."""
        context, progress = self._context, self._progress
        if (runner := self._runners.get(job.kind)) is not None:
            return await runner(job, turn_is_over)
        if job.kind is JobKind.ENRICHMENTS:
            choice = EnrichmentOptions.from_json(job.settings)
            async with self._budget_of(choice.account) if choice.account else nullcontext() as budget:
                resources = EnrichmentContext(context.embedder, self._model, budget)
                made = choice.enrichments(self._model)
                return await work_on(context.store, made, resources, job, turn_is_over=turn_is_over, progress=progress)
        settings = JOB_SETTINGS.validate_json(job.settings)
        documents = Documents.of([], job.specs, max_bytes=settings.max_bytes, web=context.web)
        n_done = 0

        def count(items: Sequence[Item]) -> None:
            nonlocal n_done
            n_done += len(items)

        with Owner() as owner:
            opened = OpenJob(job.id, context.preparer(settings, job.collection), documents)
            worker = DocumentWorker(context, opened, owner, hear=count)
            worker.turn_is_over = turn_is_over
            await worker.run(to_the_end=False)
        return n_done
