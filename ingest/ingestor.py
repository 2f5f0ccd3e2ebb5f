"""Ingestion of documents over the ledger: find, look up, open a job, and work it off.

A bad document does not stop the others, and a repeated call continues an interrupted one.
"""

import asyncio
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import NotFoundError, SourceError
from papergraph.ingest import worker
from papergraph.ingest.graph.writer import BeforeDelete, delete_source
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import Job, JobKind, JobState, Request, TaskState
from papergraph.ingest.jobs.worker import Budget, Owner
from papergraph.ingest.originals import Originals
from papergraph.ingest.pipeline import changes, estimate
from papergraph.ingest.pipeline.changes import Survey, detect_changes
from papergraph.ingest.pipeline.estimate import IngestionEstimate
from papergraph.ingest.pipeline.executor import IngestContext
from papergraph.ingest.pipeline.prepare import JOB_SETTINGS, Documents, JobSettings
from papergraph.ingest.pipeline.work import DocumentWorker, IngestReport, Item, OnItems, OpenJob
from papergraph.ingest.sources import DocumentRef, Spec, find_documents
from papergraph.ingest.sources.parser import path_named
from papergraph.language_model import LanguageModel
from papergraph.progress import Progress, silent
from papergraph.schema.ids import DEFAULT_COLLECTION, check_collection, possible_keys

__all__ = ["JOB_SETTINGS", "IngestReport", "Ingestor", "Item", "JobSettings", "delete"]
TASKS_AT_ONCE = 1000

DEFAULT_SETTINGS = JobSettings()


def _hear_nothing(items: Sequence[Item]) -> None:
    """Take no notice."""


@dataclass(frozen=True)
class Ingestor(IngestContext):
    """The way of documents into a store, with the parts of :class:`IngestContext`."""

    async def ingest(
        self,
        specs: Sequence[Spec],
        *,
        collection: str = DEFAULT_COLLECTION,
        settings: JobSettings = DEFAULT_SETTINGS,
        budget: Budget | None = None,
        progress: Progress = silent,
        hear: OnItems = _hear_nothing,
    ) -> IngestReport:
        """Ingest papers into a collection: open a job for new and changed ones, and work it off.

        Unchanged documents are skipped. A repeated call resumes an interrupted job.

        Args:
            specs: Files, folders, URLs or ``arxiv:ID``; see :func:`papergraph.ingest.sources.find_documents`.
            collection: Collection of the papers.
            settings: Settings of parsing and chunking.
            budget: Budget of the call; the job is paused when it is spent.
            progress: Receives the number of finished documents.
            hear: Receives groups of documents as soon as they are processed; those with an outcome are stored.

        Returns:
            Report with one item for each document; refused ones have a reason.

        Raises:
            InputError: The collection has no valid name.
            DatabaseError: Neo4j failed; reported documents are stored.
        """
        start = time.perf_counter()
        opened = await self._open(specs, collection, settings)
        items, places, n_found = opened.known_items, opened.job.documents.places, len(opened.found)

        def take(seen_to: Sequence[Item]) -> None:
            items.update({places[item.source]: item for item in seen_to if item.source in places})
            progress.advance("documents", len(items), n_found)
            hear(seen_to)

        progress.advance("documents", len(items), n_found)
        hear(list(items.values()))
        with Owner() as owner:
            ours = DocumentWorker(self, opened.job, owner, budget=budget, progress=progress, hear=take)
            state = await ours.run()
        if len(items) < n_found:
            items.update({**await _seen_to_by_others(self.store, opened), **items})
            progress.advance("documents", len(items), n_found)
        return IngestReport(
            collection,
            tuple(items[place] for place in sorted(items)),
            time.perf_counter() - start,
            settings.options,
            opened.job.id,
            n_left=n_found - len(items),
            stopped=None if state is JobState.DONE else state or "forgotten",
            detail=ours.stopped if state is JobState.PAUSED else None,
            done=ours.done,
        )

    async def prune(self, specs: Sequence[Spec], *, collection: str = DEFAULT_COLLECTION) -> list[str]:
        """Delete the sources that are gone from the folders, files and sites of ``specs``.

        See :func:`papergraph.ingest.pipeline.changes.prune`.
        """
        named = tuple(_absolute(str(spec)) for spec in specs)
        found = await asyncio.to_thread(lambda: list(find_documents(named, web=self.web)))
        return await changes.prune(self.store, named, found, collection=check_collection(collection), web=self.web)

    async def estimate(
        self,
        specs: Sequence[Spec],
        *,
        collection: str = DEFAULT_COLLECTION,
        settings: JobSettings = DEFAULT_SETTINGS,
        progress: Progress = silent,
    ) -> IngestionEstimate:
        """Estimate what :meth:`ingest` would take; see :func:`papergraph.ingest.pipeline.estimate.plan`."""
        return await estimate.plan(self, specs, collection=collection, settings=settings, progress=progress)

    async def enqueue(
        self,
        specs: Sequence[Spec],
        *,
        collection: str = DEFAULT_COLLECTION,
        settings: JobSettings = DEFAULT_SETTINGS,
        key: str | None = None,
        account: str = "",
    ) -> Job:
        """Open a job as :meth:`ingest` does, and leave it to ``papergraph worker``; it is durable when this returns.

        With a ``key`` the job is opened once, also when it is finished by then. ``account`` takes its turn in the
        queue, and has a limit of unfinished jobs; empty for the command line.

        Raises:
            ConflictError: Something else was asked for with this key, or the account has too many unfinished jobs.
        """
        opened = await self._open(specs, collection, settings, key=key, account=account)
        return await jobs.find_job(self.store, opened.job.id)

    async def work(
        self,
        *,
        once: bool,
        model: LanguageModel | None = None,
        budget_of: worker.BudgetOf = worker.no_limit,
        runners: Mapping[JobKind, worker.JobRunner] | None = None,
        progress: Progress = silent,
    ) -> int:
        """Work off the queued jobs of any process; see :func:`papergraph.ingest.worker.work`."""
        return await worker.work(self, once=once, model=model, budget_of=budget_of, runners=runners, progress=progress)

    async def delete(self, names: Sequence[str], *, collection: str = DEFAULT_COLLECTION) -> list[str]:
        """Delete papers from a collection; see :func:`delete`."""
        return await delete(self.store, names, collection=collection, originals=self.originals)

    async def _open(
        self,
        specs: Sequence[Spec],
        collection: str,
        settings: JobSettings,
        *,
        key: str | None = None,
        account: str = "",
    ) -> "_Opened":
        preparer = self.preparer(settings, check_collection(collection))
        named = tuple(_absolute(str(spec)) for spec in specs)
        found = await asyncio.to_thread(lambda: list(find_documents(named, web=self.web)))
        surveyed = await detect_changes(
            self.store,
            found,
            collection=collection,
            config_hash_of=preparer.config_hash_of,
            max_bytes=settings.max_bytes,
        )
        of_pdfs = preparer.config_hash(settings.pdf_by)
        said = JOB_SETTINGS.dump_json(settings).decode()
        request = Request(collection, named, said, of_pdfs, key=key, account=account)
        n_unchanged = len(surveyed.unchanged)
        job_id = await jobs.open_job(
            self.store, request, surveyed.wanted, n_documents=len(found), n_unchanged=n_unchanged
        )
        documents = Documents.of(found, named, max_bytes=settings.max_bytes, web=self.web)
        n_tasks = sum(document.reason is None for document in surveyed.wanted)
        return _Opened(OpenJob(job_id, preparer, documents, surveyed.known, n_tasks), found, surveyed)


async def find_sources(
    database: Database, names: Sequence[str], *, collection: str = DEFAULT_COLLECTION
) -> dict[str, str]:
    """Return the sources that names mean, each with the key of its paper.

    Args:
        database: A prepared store.
        names: Keys, ids, DOIs, arXiv ids, URLs, and paths of files, or of folders and files of records, which name all
            papers ingested from them.
        collection: Collection of the papers.

    Raises:
        NotFoundError: A name matches no paper.
        InputError: The collection has no valid name.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    keys: dict[str, str] = {}
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
        keys |= {record["source"]: record["key"] for record in matches}
    return keys


async def delete(
    database: Database,
    names: Sequence[str],
    *,
    collection: str = DEFAULT_COLLECTION,
    originals: Originals | None = None,
    before: BeforeDelete | None = None,
) -> list[str]:
    """Delete papers from a collection, and files that no other paper uses.

    Args:
        database: A prepared store.
        names: Papers, as of :func:`find_sources`.
        collection: Collection of the papers.
        originals: Store of papers' files, or None.
        before: What to do with each paper first.

    Returns:
        Keys of the deleted papers, in order.

    Raises:
        NotFoundError: A name matches no paper; nothing was deleted.
        InputError: The collection has no valid name.
        DatabaseError: Neo4j failed; some papers may be deleted.
    """
    sources = await find_sources(database, names, collection=collection)
    contents = await _contents(database, sources, collection=collection) if originals else set()
    for source in sources:
        await delete_source(database, collection=collection, name=source, before=before)
    if originals is not None:
        await originals.sweep(database, contents)
    return list(dict.fromkeys(sources.values()))


async def _contents(database: Database, sources: Iterable[str], *, collection: str) -> set[str]:
    """Return the content hashes of sources."""
    records = await database.read(cypher.load("ingest/contents_of"), collection=collection, sources=list(sources))
    return {record["hash"] for record in records}


@dataclass(frozen=True)
class _Opened:
    """A job of ours, with what was found for it."""

    job: OpenJob
    found: list[DocumentRef | SourceError]
    survey: Survey

    @property
    def known_items(self) -> dict[int, Item]:
        """Items of unchanged and invalid documents, by position."""
        refused = {
            place: Item(error.source, reason=error.reason, detail=error.detail)
            for place, error in enumerate(self.found)
            if isinstance(error, SourceError)
        }
        return self.survey.unchanged | refused


async def _seen_to_by_others(database: Database, opened: _Opened) -> dict[int, Item]:
    """Return by place what other processes did for a job of ours."""
    places = opened.job.documents.places
    items: dict[int, Item] = {}
    after: tuple[int, str] | tuple[()] = ()
    seen_to = (TaskState.DONE, TaskState.FAILED, TaskState.QUARANTINED)
    while tasks := await jobs.tasks_of(database, opened.job.id, states=seen_to, after=after, limit=TASKS_AT_ONCE):
        items |= {places[task.source]: Item.of(task.source, task) for task in tasks if task.source in places}
        after = tasks[-1].place
    return items


def _absolute(spec: str) -> str:
    """Return an existing path as an absolute one, for other processes; other names unchanged."""
    return os.path.abspath(spec) if os.path.lexists(spec) else spec  # noqa: PTH100 resolve() would follow links
