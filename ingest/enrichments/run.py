"""Make layers: open a job for the papers that lack one, work it off, then see to what spans the collection.

The same call again goes on with what an earlier one left, and does nothing where nothing changed.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.enrichments.enrichment import CollectionEnrichment, Enrichment, EnrichmentContext, EnrichmentName, Noted
from ingest.enrichments.state import (
    PaperState,
    fingerprint,
    of_collections,
    of_papers,
    paper_states,
    states_of_layers,
)
from ingest.enrichments.worker import EnrichmentWorker, LayerJob, Refusal
from ingest.jobs import queue as jobs
from ingest.jobs.leases import Owner
from ingest.jobs.model import Job, JobKind, JobState, NewTask, Request
from ingest.jobs.stages import Stage
from papergraph.database import Database
from papergraph.language_model import Usage
from papergraph.progress import Progress, silent
from schema.ids import check_collection, sha256


@dataclass(frozen=True)
class EnrichReport:
    """What making layers did.

    Attributes:
        collection: Of which papers.
        layers: Their names.
        n_papers: Papers of the collection.
        n_due: How many of them lacked a layer.
        n_made: How many this process made layers of.
        counts: What layers over the whole collection say of themselves, by layer; none where nothing had changed.
        failed: What could not be made, with the reason.
        usage: What the language model took since it was opened.
        elapsed_s: How long it took.
        job: Id of the job in the ledger; None where there was nothing to do.
        stopped: State of a job that was not worked off to its end, or ``forgotten``; else None.
        detail: Why, where that is known.
        notes: How layers are made, by layer, where there is something to say.
    """

    collection: str
    layers: tuple[str, ...]
    n_papers: int
    n_due: int
    n_made: int = 0
    counts: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: tuple[Refusal, ...] = ()
    usage: Usage = field(default_factory=Usage)
    elapsed_s: float = 0.0
    job: str | None = None
    stopped: str | None = None
    detail: str | None = None
    notes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Due:
    """What is to be done for layers: papers that lack some, and whether what spans the collection is out of date.

    ``papers`` are the collection's, in the order of ids, and ``wanted`` those of which something is to be made.
    """

    n_papers: int
    wanted: tuple[PaperState, ...]
    spanning: tuple[CollectionEnrichment, ...]


async def find_due(database: Database, layers: Sequence[Enrichment], *, collection: str) -> Due:
    """Find out what is to be done for layers; reads every paper's marks.

    Raises:
        InputError: The collection has no valid name.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    papers = [paper async for paper in paper_states(database, collection)]
    wanted = tuple(paper for paper in papers if paper.lacks(of_papers(layers)))
    stand = await states_of_layers(database, collection)
    now = fingerprint(papers)
    spanning = [
        layer for layer in of_collections(layers) if wanted or stand.get(layer.name.value) != (layer.recipe, now)
    ]
    return Due(len(papers), wanted, tuple(spanning if papers or stand else []))


async def enrich(
    database: Database,
    layers: Sequence[Enrichment],
    means: EnrichmentContext,
    *,
    collection: str,
    settings: str = "{}",
    progress: Progress = silent,
) -> EnrichReport:
    """Bring layers over the papers of a collection up to date.

    Args:
        database: A prepared store.
        layers: The layers, with their options.
        means: What they are made with.
        collection: Whose papers.
        settings: The layers' options as JSON, from which ``papergraph worker`` makes the same layers.
        progress: Hears how far it is.

    Raises:
        InputError: The collection has no valid name.
        DatabaseError: Neo4j failed; what was made until then stands, and the same call goes on.
    """
    start = time.perf_counter()
    progress.step("looking for papers that lack a layer")
    ordered = in_order(layers)
    due = await find_due(database, ordered, collection=collection)
    names = tuple(layer.name.value for layer in ordered)
    if not due.wanted and not due.spanning:
        return EnrichReport(collection, names, due.n_papers, 0, elapsed_s=time.perf_counter() - start)
    job_id = await _open(database, ordered, due, collection=collection, settings=settings)
    with Owner() as owner:
        work = EnrichmentWorker(
            database, ordered, means, LayerJob(job_id, collection, len(due.wanted)), owner=owner, progress=progress
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
        work.stopped_by,
        {layer.name.value: layer.note for layer in ordered if isinstance(layer, Noted) and layer.note},
    )


async def enqueue(database: Database, layers: Sequence[Enrichment], *, collection: str, settings: str) -> Job | None:
    """Open a job as :func:`enrich` does, and leave it to ``papergraph worker``; None if there is nothing to do."""
    ordered = in_order(layers)
    due = await find_due(database, ordered, collection=collection)
    if not due.wanted and not due.spanning:
        return None
    job_id = await _open(database, ordered, due, collection=collection, settings=settings)
    return await jobs.find_job(database, job_id)


async def work_on(
    database: Database, layers: Sequence[Enrichment], means: EnrichmentContext, job: Job, *, progress: Progress
) -> int:
    """Work on a job of another process until there is nothing to do at the moment; return how many papers it made.

    A job of layers that are others here, for example because another model is configured, is paused.
    """
    if recipe_of(layers) != job.recipe:
        detail = "the worker's language model, prompts or files are not those that it was opened with"
        await jobs.pause(database, job.id, detail=detail)
        return 0
    with Owner() as owner:
        work = EnrichmentWorker(
            database, in_order(layers), means, LayerJob(job.id, job.collection), owner=owner, progress=progress
        )
        await work.run(to_the_end=False)
    return work.n_made


def recipe_of(layers: Sequence[Enrichment]) -> str:
    """Return a sha-256 hex over the recipes of layers."""
    return sha256(*(layer.recipe for layer in in_order(layers)))


def in_order(layers: Sequence[Enrichment]) -> list[Enrichment]:
    """Return layers in the order in which they are made."""
    return sorted(layers, key=lambda layer: list(EnrichmentName).index(layer.name))


async def _open(database: Database, layers: Sequence[Enrichment], due: Due, *, collection: str, settings: str) -> str:
    """Open a job: a task for each paper, then one for each layer that spans the collection."""
    wanted = [
        NewTask(paper.key, ordinal, paper.content, stage=Stage(layers[0].name.value))
        for ordinal, paper in enumerate(due.wanted)
    ]
    wanted += [
        NewTask(layer.name.value, len(due.wanted) + number, stage=Stage(layer.name.value))
        for number, layer in enumerate(due.spanning)
    ]
    request = Request(
        collection,
        tuple(layer.name.value for layer in layers),
        settings,
        recipe_of(layers),
        JobKind.LAYERS,
    )
    n_papers = len(due.wanted)
    return await jobs.open_job(database, request, wanted, n_documents=due.n_papers, n_unchanged=due.n_papers - n_papers)
