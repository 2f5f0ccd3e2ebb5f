"""Make enrichments: open a job for the papers that lack one, work it off, then see to what spans the collection.

The same call again goes on with what an earlier one left, and does nothing where nothing changed.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.enrichments import enrichments as known_enrichments
from ingest.enrichments.enrichment import CollectionEnrichment, Enrichment, EnrichmentContext, Noted
from ingest.enrichments.state import (
    PaperState,
    input_hash,
    of_collections,
    of_papers,
    paper_states,
    states_of_enrichments,
)
from ingest.enrichments.worker import EnrichmentJob, EnrichmentWorker, Refusal
from ingest.jobs import queue as jobs
from ingest.jobs.model import Job, JobKind, JobState, NewTask, Request
from ingest.jobs.worker import Owner
from papergraph.database import Database
from papergraph.language_model import ModelUsage
from papergraph.progress import Progress, silent
from schema.ids import check_collection, sha256


@dataclass(frozen=True)
class EnrichReport:
    """What making enrichments did.

    Attributes:
        collection: Of which papers.
        enrichments: Their names.
        n_papers: Papers of the collection.
        n_due: How many of them lacked an enrichment.
        n_made: How many this process made enrichments of.
        counts: What enrichments over the whole collection say of themselves, by enrichment; none where nothing had
            changed.
        failed: What could not be made, with the reason.
        usage: What the language model took since it was opened.
        elapsed_s: How long it took.
        job: Id of the job in the ledger; None where there was nothing to do.
        stopped: State of a job that was not worked off to its end, or ``forgotten``; else None.
        detail: Why, where that is known.
        notes: How enrichments are made, by name, where there is something to say.
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
    """What is to be done for enrichments: papers that lack some, and whether what spans the collection is out of date.

    ``papers`` are the collection's, in the order of ids, and ``wanted`` those of which something is to be made.
    """

    n_papers: int
    wanted: tuple[PaperState, ...]
    spanning: tuple[CollectionEnrichment, ...]


async def find_due(database: Database, enrichments: Sequence[Enrichment], *, collection: str) -> Due:
    """Find out what is to be done for enrichments; reads every paper's marks.

    Raises:
        InputError: The collection has no valid name.
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
    means: EnrichmentContext,
    *,
    collection: str,
    settings: str = "{}",
    progress: Progress = silent,
) -> EnrichReport:
    """Bring enrichments over the papers of a collection up to date.

    Args:
        database: A prepared store.
        enrichments: The enrichments, with their options.
        means: What they are made with.
        collection: Whose papers.
        settings: The enrichments' options as JSON, from which ``papergraph worker`` makes the same enrichments.
        progress: Hears how far it is.

    Raises:
        InputError: The collection has no valid name.
        DatabaseError: Neo4j failed; what was made until then stands, and the same call goes on.
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
            database, ordered, means, EnrichmentJob(job_id, collection, len(due.wanted)), owner=owner, progress=progress
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
        means.usage,
        time.perf_counter() - start,
        job_id,
        None if state is JobState.DONE else state or "forgotten",
        work.stopped,
        {one.name: one.note for one in ordered if isinstance(one, Noted) and one.note},
    )


async def enqueue(
    database: Database, enrichments: Sequence[Enrichment], *, collection: str, settings: str
) -> Job | None:
    """Open a job as :func:`enrich` does, and leave it to ``papergraph worker``; None if there is nothing to do."""
    due = await find_due(database, in_order(enrichments), collection=collection)
    if not due.wanted and not due.spanning:
        return None
    return await open_job(database, enrichments, due, collection=collection, settings=settings)


async def open_job(
    database: Database, enrichments: Sequence[Enrichment], due: Due, *, collection: str, settings: str
) -> Job:
    """Open a job for a worker; it is durable when this returns, and done at once where nothing is to be done."""
    ordered = in_order(enrichments)
    job_id = await _open(database, ordered, due, collection=collection, settings=settings)
    return await jobs.find_job(database, job_id)


async def work_on(
    database: Database, enrichments: Sequence[Enrichment], means: EnrichmentContext, job: Job, *, progress: Progress
) -> int:
    """Work on a job of another process until there is nothing to do at the moment; return how many papers it made.

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
            means,
            EnrichmentJob(job.id, job.collection),
            owner=owner,
            progress=progress,
        )
        await work.run(to_the_end=False)
    return work.n_made


def config_hash_of(enrichments: Sequence[Enrichment]) -> str:
    """Return a sha-256 hex over the configuration hashes of enrichments."""
    return sha256(*(enrichment.config_hash for enrichment in in_order(enrichments)))


def in_order(enrichments: Sequence[Enrichment]) -> list[Enrichment]:
    """Return enrichments in the order in which they are made."""
    return sorted(enrichments, key=lambda enrichment: list(known_enrichments()).index(enrichment.name))


async def _open(
    database: Database, enrichments: Sequence[Enrichment], due: Due, *, collection: str, settings: str
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
    )
    n_papers = len(due.wanted)
    return await jobs.open_job(database, request, wanted, n_documents=due.n_papers, n_unchanged=due.n_papers - n_papers)
