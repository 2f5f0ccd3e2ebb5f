"""The whole way of documents into the graph, over the ledger: find, look up, open a job, and work it off.

A bad document does not stop the rest, and the same call again goes on with what an earlier one left.
"""

import asyncio
import os
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import TypeAdapter

import cypher
from ingest import jobs
from ingest.budget import Budget
from ingest.chunk import ChunkOptions
from ingest.crew import Crew
from ingest.jobs import Job, JobKind, JobState, Owner, Request, TaskState
from ingest.layers.choice import LayerChoice
from ingest.layers.layer import Means
from ingest.layers.run import work_on
from ingest.parsed import ParsedDocuments
from ingest.prepare import JobSettings, Preparer
from ingest.report import Item, Report
from ingest.sources import Found, PdfService, Spec, Web, find_documents
from ingest.sources.files import path_named
from ingest.survey import Survey, survey
from ingest.work import Documents, Hear, Work
from ingest.write import delete_arrival
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import DatabaseError, NotFoundError, SourceError
from papergraph.language_model import LanguageModel
from papergraph.progress import Progress, silent
from schema.ids import DEFAULT_COLLECTION, check_collection, possible_keys

__all__ = ["Item", "Report", "delete", "enqueue", "ingest", "work"]

MAX_BYTES = 20_000_000
TASKS_AT_ONCE = 1000
IDLE_S = 2.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
FAREWELL_S = 5.0
"""How long noting that a job is paused may take."""

JOB_SETTINGS = TypeAdapter(JobSettings)


def _hear_nothing(items: Sequence[Item]) -> None:
    """Take no notice."""


async def ingest(
    database: Database,
    embedder: Embedder,
    specs: Sequence[Spec],
    *,
    collection: str = DEFAULT_COLLECTION,
    options: ChunkOptions | None = None,
    max_bytes: int = MAX_BYTES,
    web: Web | None = None,
    pdf_by: PdfService | None = None,
    crew: Crew | None = None,
    budget: Budget | None = None,
    parsed: ParsedDocuments | None = None,
    progress: Progress = silent,
    hear: Hear = _hear_nothing,
) -> Report:
    """Bring documents into a collection: open a job for those that are new or changed, and work it off.

    What stands in the graph already is neither parsed nor written again. A call that was interrupted is resumed by
    making it again, which goes on with its job.

    Args:
        database: A prepared store (:func:`schema.migrate.prepare`).
        embedder: The store's embedding model.
        specs: Files, folders, URLs or ``arxiv:ID``; see :func:`ingest.sources.find_documents`.
        collection: Where the papers go.
        options: How to cut chunks.
        max_bytes: Largest document that is read.
        web: The way to what lies outside; without it only files are read.
        pdf_by: The service that reads PDFs, if our own parser does not.
        crew: Who parses and cuts documents; by default a thread of this process.
        budget: What may be spent; the job is paused when it is.
        parsed: Where documents are kept that took a while to parse.
        progress: Hears how many documents are done.
        hear: Hears of documents in groups as soon as they are seen to; those with an outcome are in the graph by then.

    Returns:
        One item for each document; refused ones are among them, with the reason.

    Raises:
        InputError: The collection has no valid name.
        DatabaseError: Neo4j failed; what was heard of until then is written.
    """
    start = time.perf_counter()
    settings = JobSettings(options or ChunkOptions(), max_bytes, pdf_by)
    preparer = Preparer(embedder, settings, collection=collection, parsed=parsed)
    opened = await _open(database, preparer, specs, web=web)
    items, places = opened.known_items, opened.documents.places

    def take(seen_to: Sequence[Item]) -> None:
        items.update({places[item.source]: item for item in seen_to if item.source in places})
        progress.advance("documents", len(items), len(opened.found))
        hear(seen_to)

    progress.advance("documents", len(items), len(opened.found))
    hear(list(items.values()))
    with Owner() as owner:
        ours = Work(
            database,
            preparer,
            opened.documents,
            job_id=opened.job_id,
            owner=owner,
            known=opened.survey.known,
            crew=crew,
            budget=budget,
            n_tasks=sum(document.reason is None for document in opened.survey.wanted),
            progress=progress,
            hear=take,
        )
        state = await _see_to_the_end(database, ours, opened.job_id)
    if len(items) < len(opened.found):
        items.update({**await _seen_to_by_others(database, opened), **items})
        progress.advance("documents", len(items), len(opened.found))
    return Report(
        collection,
        tuple(items[place] for place in sorted(items)),
        time.perf_counter() - start,
        settings.options,
        opened.job_id,
        n_left=len(opened.found) - len(items),
        stopped=None if state is JobState.DONE else state or "forgotten",
        detail=ours.spent if state is JobState.PAUSED else None,
        done=ours.done,
    )


async def enqueue(
    database: Database,
    embedder: Embedder,
    specs: Sequence[Spec],
    *,
    collection: str = DEFAULT_COLLECTION,
    options: ChunkOptions | None = None,
    max_bytes: int = MAX_BYTES,
    web: Web | None = None,
    pdf_by: PdfService | None = None,
    key: str | None = None,
) -> Job:
    """Open a job as :func:`ingest` does, and leave it to ``papergraph worker``; it is durable when this returns.

    With a ``key`` the job is opened once, also when it is finished by then.

    Raises:
        ConflictError: Something else was asked for with this key.
    """
    settings = JobSettings(options or ChunkOptions(), max_bytes, pdf_by)
    opened = await _open(database, Preparer(embedder, settings, collection=collection), specs, web=web, key=key)
    return await jobs.find_job(database, opened.job_id)


async def work(
    database: Database,
    embedder: Embedder,
    *,
    once: bool,
    web: Web | None = None,
    crew: Crew | None = None,
    parsed: ParsedDocuments | None = None,
    model: LanguageModel | None = None,
    progress: Progress = silent,
) -> int:
    """Work off the queued jobs of any process, the oldest first, until told to stop.

    Args:
        database: A prepared store.
        embedder: The store's embedding model.
        once: Stop when nothing is left to do; else wait for more, and for a database that has failed.
        web: The way to what lies outside; without it only files are read.
        crew: Who parses and cuts documents; by default a thread of this process.
        parsed: Where documents are kept that took a while to parse.
        model: The language model that layers are made with, if one is configured.
        progress: Hears which job is worked on.

    Returns:
        How many documents were seen to, and papers given layers.

    Raises:
        DatabaseError: Neo4j failed, if ``once``.
    """
    n_seen_to = 0
    pause_s = FIRST_PAUSE_S
    skipped: list[str] = []

    def count(items: Sequence[Item]) -> None:
        nonlocal n_seen_to
        n_seen_to += len(items)

    while True:
        try:
            job_id = await jobs.next_job(database, skipped=skipped)
            if job_id is not None:
                progress.step(f"working on job {job_id}")
                skipped.append(job_id)
                job = await jobs.find_job(database, job_id)
                if job.kind is JobKind.LAYERS:
                    layers = LayerChoice.model_validate_json(job.settings).layers(model)
                    n_seen_to += await work_on(database, layers, Means(embedder, model), job, progress=progress)
                else:
                    await _work_on(database, embedder, job, web=web, crew=crew, parsed=parsed, hear=count)
            elif skipped:  # others hold what is left, its time has not come, or there is more by now
                skipped.clear()
                await asyncio.sleep(FIRST_PAUSE_S)
            elif once:
                return n_seen_to
            else:
                await asyncio.sleep(IDLE_S)
            pause_s = FIRST_PAUSE_S
        except NotFoundError:  # forgotten meanwhile
            continue
        except DatabaseError as error:
            if once:
                raise
            progress.step(f"{error}; trying again")
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))  # noqa: S311 jitter
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


async def delete(database: Database, names: Sequence[str], *, collection: str = DEFAULT_COLLECTION) -> list[str]:
    """Delete papers from a collection.

    Args:
        database: A prepared store.
        names: Keys, ids, DOIs, arXiv ids, URLs, paths of files, or of folders and files of records, which stand for all
            that was ingested out of them.
        collection: Where they stand.

    Returns:
        The keys of what was deleted, in order.

    Raises:
        NotFoundError: A name stands for nothing there; nothing was deleted.
        InputError: The collection has no valid name.
        DatabaseError: Neo4j failed; what was deleted until then is gone.
    """
    check_collection(collection)
    arrivals: dict[tuple[str, str], None] = {}
    for name in names:
        path = path_named(name)
        matches = await database.read(
            cypher.load("ingest/find_papers"),
            collection=collection,
            keys=possible_keys(name),
            path=path,
            below=[f"{path.rstrip('/')}/", f"{path}#"] if path else [],
        )
        if not matches:
            raise NotFoundError(f"paper in collection {collection!r} with key, id or path", name, field="names")
        arrivals |= dict.fromkeys((record["key"], record["source"]) for record in matches)
    for key, source in arrivals:
        await delete_arrival(database, collection=collection, key=key, source=source)
    return list(dict.fromkeys(key for key, _ in arrivals))


@dataclass(frozen=True)
class _Opened:
    """A job of ours, with what was found for it."""

    job_id: str
    found: list[Found | SourceError]
    survey: Survey
    documents: Documents

    @property
    def known_items(self) -> dict[int, Item]:
        """By place, what is known beforehand: documents that are unchanged, and what is none."""
        refused = {
            place: Item(error.source, reason=error.reason, detail=error.detail)
            for place, error in enumerate(self.found)
            if isinstance(error, SourceError)
        }
        return self.survey.unchanged | refused


async def _open(
    database: Database, preparer: Preparer, specs: Sequence[Spec], *, web: Web | None, key: str | None = None
) -> _Opened:
    settings, collection = preparer.settings, check_collection(preparer.collection)
    named = tuple(_absolute(str(spec)) for spec in specs)
    found = await asyncio.to_thread(lambda: list(find_documents(named, web=web)))
    surveyed = await survey(
        database, found, collection=collection, recipe_of=preparer.recipe_of, max_bytes=settings.max_bytes
    )
    of_pdfs = preparer.recipe(settings.pdf_by)
    request = Request(collection, named, JOB_SETTINGS.dump_json(settings).decode(), of_pdfs, key=key)
    n_unchanged = len(surveyed.unchanged)
    job_id = await jobs.open_job(database, request, surveyed.wanted, n_documents=len(found), n_unchanged=n_unchanged)
    documents = Documents.of(found, named, max_bytes=settings.max_bytes, web=web)
    return _Opened(job_id, found, surveyed, documents)


async def _see_to_the_end(database: Database, work: Work, job_id: str) -> JobState | None:
    """Work until nothing is left or the budget is spent, and return the job's state; interrupted, it is paused."""
    try:
        return await work.run()
    except asyncio.CancelledError:
        with suppress(DatabaseError, TimeoutError):
            async with asyncio.timeout(FAREWELL_S):
                await jobs.pause(database, job_id, detail="interrupted")
        raise


async def _work_on(
    database: Database,
    embedder: Embedder,
    job: Job,
    *,
    web: Web | None,
    crew: Crew | None,
    parsed: ParsedDocuments | None,
    hear: Hear,
) -> None:
    settings = JOB_SETTINGS.validate_json(job.settings)
    documents = await asyncio.to_thread(Documents.find, job.specs, max_bytes=settings.max_bytes, web=web)
    preparer = Preparer(embedder, settings, collection=job.collection, parsed=parsed)
    with Owner() as owner:
        work = Work(database, preparer, documents, job_id=job.id, owner=owner, crew=crew, hear=hear)
        await work.run(to_the_end=False)


async def _seen_to_by_others(database: Database, opened: _Opened) -> dict[int, Item]:
    """Return by place what other processes did for a job of ours."""
    places = opened.documents.places
    items: dict[int, Item] = {}
    after: tuple[int, str] | tuple[()] = ()
    seen_to = (TaskState.DONE, TaskState.FAILED, TaskState.QUARANTINED)
    while tasks := await jobs.tasks_of(database, opened.job_id, states=seen_to, after=after, limit=TASKS_AT_ONCE):
        items |= {places[task.source]: Item.of(task.source, task) for task in tasks if task.source in places}
        after = tasks[-1].place
    return items


def _absolute(spec: str) -> str:
    """Return a path that is there as an absolute one, so that another process finds it; anything else as it is."""
    return os.path.abspath(spec) if os.path.lexists(spec) else spec  # noqa: PTH100 resolve() would follow links
