"""Enrichment run: a job for papers that lack an enrichment, then an update of results over the collection.

A repeated call continues an interrupted run, and does nothing if nothing changed.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from papergraph.database import Database
from papergraph.ingest.enrichments import enrichments as known_enrichments
from papergraph.ingest.enrichments.enrichment import CollectionEnrichment, Enrichment, EnrichmentContext, Noted
from papergraph.ingest.enrichments.state import (
    PaperState,
    input_hash,
    of_collections,
    of_papers,
    paper_states,
    states_of_enrichments,
)
from papergraph.ingest.enrichments.worker import EnrichmentJob, EnrichmentWorker, Refusal
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import Job, JobKind, JobState, NewTask, Request
from papergraph.ingest.jobs.worker import Owner
from papergraph.language_model import ModelUsage
from papergraph.progress import Progress, silent
from papergraph.schema.ids import check_collection, sha256


@dataclass(frozen=True)
class EnrichReport:
    """Result of an enrichment run.

    Attributes:
        collection: Name of the collection.
        enrichments: Names of the enrichments.
        n_papers: Number of papers in the collection.
        n_due: Number of papers that lacked an enrichment.
        n_made: Number of papers enriched by this process.
        counts: Figures reported by enrichments over the whole collection, by enrichment; empty without a change.
        failed: Failures with their reasons.
        usage: Usage of the language model since it was opened.
        elapsed_s: Duration in seconds.
        job: Id of the job; None without work.
        stopped: State of an unfinished job, or ``forgotten``; else None.
        detail: Reason of ``stopped``, if known.
        notes: Remarks on enrichments, by name.
    """

    collection: str
    enrichments: tuple[str, ...]
    n_papers: int
    n_due: int
    n_made: int = 0
    counts: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: tuple[Refusal, ...] = ()
    usage: ModelUsage = field(default_factory=ModelUsage)
    elapsed_s: float = 0.0
    job: str | None = None
    stopped: str | None = None
    detail: str | None = None
    notes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Due:
    """Pending work of enrichments: papers that lack some, and results over the collection that are out of date.

    ``papers`` are the collection's, in the order of ids; ``wanted`` are those that lack an enrichment.
    """

    n_papers: int
    wanted: tuple[PaperState, ...]
    spanning: tuple[CollectionEnrichment, ...]


async def find_due(database: Database, enrichments: Sequence[Enrichment], *, collection: str) -> Due:
    """Find out what is to be done for enrichments; reads every paper's marks.

    Raises:
        InputError: The collection's name is invalid.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    papers = [paper async for paper in paper_states(database, collection)]
    wanted = tuple(paper for paper in papers if paper.lacks(of_papers(enrichments)))
    stand = await states_of_enrichments(database, collection)
    now = input_hash(papers)
    spanning = [
        enrichment
        for enrichment in of_collections(enrichments)
        if wanted or stand.get(enrichment.name) != (enrichment.config_hash, now)
    ]
    return Due(len(papers), wanted, tuple(spanning if papers or stand else []))


async def enrich(
    database: Database,
    enrichments: Sequence[Enrichment],
    resources: EnrichmentContext,
    *,
    collection: str,
    settings: str = "{}",
    progress: Progress = silent,
) -> EnrichReport:
    """Update the enrichments of a collection.

    Args:
        database: A prepared store.
        enrichments: The enrichments, with their options.
        resources: Resources of the enrichments.
        collection: Name of the collection.
        settings: Options of the enrichments as JSON, for ``papergraph worker``.
        progress: Receives the progress.

    Raises:
        InputError: The collection's name is invalid.
        DatabaseError: Neo4j failed; finished papers are stored, and the same call continues.
    """
    start = time.perf_counter()
    progress.step("looking for papers that lack an enrichment")
    ordered = in_order(enrichments)
    due = await find_due(database, ordered, collection=collection)
    names = tuple(enrichment.name for enrichment in ordered)
    if not due.wanted and not due.spanning:
        return EnrichReport(collection, names, due.n_papers, 0, elapsed_s=time.perf_counter() - start)
    job_id = await _open(database, ordered, due, collection=collection, settings=settings)
    with Owner() as owner:
        work = EnrichmentWorker(
            database,
            ordered,
            resources,
            EnrichmentJob(job_id, collection, len(due.wanted)),
            owner=owner,
            progress=progress,
        )
        state = await work.run()
    return EnrichReport(
        collection,
        names,
        due.n_papers,
        len(due.wanted),
        work.n_made,
        work.counts,
        tuple(work.refused),
        resources.usage,
        time.perf_counter() - start,
        job_id,
        None if state is JobState.DONE else state or "forgotten",
        work.stopped,
        {one.name: one.note for one in ordered if isinstance(one, Noted) and one.note},
    )


async def enqueue(
    database: Database, enrichments: Sequence[Enrichment], *, collection: str, settings: str
) -> Job | None:
    """Open a job as :func:`enrich` does, for ``papergraph worker``; return None if nothing is pending."""
    due = await find_due(database, in_order(enrichments), collection=collection)
    if not due.wanted and not due.spanning:
        return None
    return await open_job(database, enrichments, due, collection=collection, settings=settings)


async def open_job(
    database: Database,
    enrichments: Sequence[Enrichment],
    due: Due,
    *,
    collection: str,
    settings: str,
    account: str = "",
) -> Job:
    """Open a job of an account for a worker; it is durable when this returns, and done where nothing is missing."""
    ordered = in_order(enrichments)
    job_id = await _open(database, ordered, due, collection=collection, settings=settings, account=account)
    return await jobs.find_job(database, job_id)


async def work_on(
    database: Database,
    enrichments: Sequence[Enrichment],
    resources: EnrichmentContext,
    job: Job,
    *,
    turn_is_over: Callable[[], bool] = lambda: False,
    progress: Progress,
) -> int:
    """Work on a job of another process until there is nothing to do at the moment; return how many papers it made.

    No more papers are begun once ``turn_is_over``.

    A job of enrichments that are others here, for example because another model is configured, is paused.
    """
    if config_hash_of(enrichments) != job.config_hash:
        detail = "the worker's language model, prompts or files are not those that it was opened with"
        await jobs.pause(database, job.id, detail=detail)
        return 0
    with Owner() as owner:
        work = EnrichmentWorker(
            database,
            in_order(enrichments),
            resources,
            EnrichmentJob(job.id, job.collection),
            owner=owner,
            progress=progress,
        )
        work.turn_is_over = turn_is_over
        await work.run(to_the_end=False)
    return work.n_made


def config_hash_of(enrichments: Sequence[Enrichment]) -> str:
    """Return a sha-256 hex over the configuration hashes of enrichments."""
    return sha256(*(enrichment.config_hash for enrichment in in_order(enrichments)))


def in_order(enrichments: Sequence[Enrichment]) -> list[Enrichment]:
    """Return enrichments in the order in which they are made."""
    return sorted(enrichments, key=lambda enrichment: list(known_enrichments()).index(enrichment.name))


async def _open(
    database: Database,
    enrichments: Sequence[Enrichment],
    due: Due,
    *,
    collection: str,
    settings: str,
    account: str = "",
) -> str:
    """Open a job: a task for each paper, then one for each enrichment that spans the collection."""
    wanted = [
        NewTask(paper.key, ordinal, paper.content, stage=enrichments[0].name)
        for ordinal, paper in enumerate(due.wanted)
    ]
    wanted += [
        NewTask(enrichment.name, len(due.wanted) + number, stage=enrichment.name)
        for number, enrichment in enumerate(due.spanning)
    ]
    request = Request(
        collection,
        tuple(enrichment.name for enrichment in enrichments),
        settings,
        config_hash_of(enrichments),
        JobKind.ENRICHMENTS,
        account=account,
    )
    n_papers = len(due.wanted)
    return await jobs.open_job(database, request, wanted, n_documents=due.n_papers, n_unchanged=due.n_papers - n_papers)
