"""The worker: queued jobs of any process worked off, the oldest first."""

import asyncio
import random
from collections.abc import Callable, Sequence
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

IDLE_S = 2.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0


def no_limit(account: str) -> AbstractAsyncContextManager[None]:
    """Let everybody spend what they want."""
    return nullcontext()


async def work(
    context: IngestContext,
    *,
    once: bool,
    model: LanguageModel | None = None,
    budget_of: BudgetOf = no_limit,
    progress: Progress = silent,
) -> int:
    """Work off the queued jobs of all processes, oldest first, until stopped.

    Args:
        context: The parts of ingestion.
        once: True to stop when the queue is empty; else wait for jobs, and for a failed database or model.
        model: Language model for enrichments, if one is configured.
        budget_of: Returns the budget of the account that opened a job.
        progress: Receives the current job.

    Returns:
        Number of processed documents and enriched papers.

    Raises:
        DatabaseError: Neo4j failed, if ``once``.
        EmbeddingError: The embedding model failed, if ``once``.
    """
    n_done = 0
    pause_s = FIRST_PAUSE_S
    skipped: list[str] = []
    while True:
        try:
            job_id = await jobs.next_job(context.store, skipped=skipped)
            if job_id is not None:
                progress.step(f"working on job {job_id}")
                skipped.append(job_id)
                job = await jobs.find_job(context.store, job_id)
                n_done += await _work_on(context, job, model, budget_of, progress)
            elif skipped:  # others hold what is left, its time has not come, or there is more by now
                skipped.clear()
                await asyncio.sleep(FIRST_PAUSE_S)
            elif once:
                return n_done
            else:
                await asyncio.sleep(IDLE_S)
            pause_s = FIRST_PAUSE_S
        except NotFoundError:  # forgotten meanwhile
            continue
        except (DatabaseError, EmbeddingError) as error:
            if once:
                raise
            progress.step(f"{error}; trying again")
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))  # noqa: S311 jitter
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


async def _work_on(
    context: IngestContext, job: Job, model: LanguageModel | None, budget_of: BudgetOf, progress: Progress
) -> int:
    """Work on a job until there is nothing to do at the moment; return how many documents or papers that were."""
    if job.kind is JobKind.ENRICHMENTS:
        choice = EnrichmentOptions.from_json(job.settings)
        async with budget_of(choice.account) if choice.account else nullcontext() as budget:
            means = EnrichmentContext(context.embedder, model, budget)
            return await work_on(context.store, choice.enrichments(model), means, job, progress=progress)
    settings = JOB_SETTINGS.validate_json(job.settings)
    documents = Documents.of([], job.specs, max_bytes=settings.max_bytes, web=context.web)
    n_done = 0

    def count(items: Sequence[Item]) -> None:
        nonlocal n_done
        n_done += len(items)

    with Owner() as owner:
        opened = OpenJob(job.id, context.preparer(settings, job.collection), documents)
        await DocumentWorker(context, opened, owner, hear=count).run(to_the_end=False)
    return n_done
