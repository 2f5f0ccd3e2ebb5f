"""Operations of commands on the store."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from papergraph.database import Database
from papergraph.embedding import Embedder, ModelCard, open_model
from papergraph.errors import SchemaError
from papergraph.ingest import doctor as examining
from papergraph.ingest import reembed as reembedding
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.ingestor import Ingestor, IngestReport, JobSettings
from papergraph.ingest.jobs.model import Job, JobKind
from papergraph.ingest.jobs.worker import Budget
from papergraph.ingest.originals import Originals
from papergraph.ingest.parsers.cache import ParsedDocuments
from papergraph.ingest.pipeline.dask_executor import DaskExecutor
from papergraph.ingest.pipeline.estimate import IngestionEstimate
from papergraph.ingest.pipeline.executor import Executor, ThreadExecutor
from papergraph.ingest.reembed import Pace, model_lease
from papergraph.ingest.sources import PdfService, Spec, Web
from papergraph.local_neo4j import index_memory
from papergraph.progress import Progress, silent
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.schema.embedding_models import State, cards_of, stored_models
from papergraph.schema.fulltext import AnalyzerStatus
from papergraph.schema.fulltext import switch_analyzer as change_analyzer
from papergraph.schema.migrate import analyzer_of, prepare
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.auth.usage_budget import UsageBudget
from papergraph.server.operations.service import Service
from papergraph.server.process.metrics_server import telling_metrics
from papergraph.server.retrieval import saved_run as saving
from papergraph.server.retrieval.saved_run import SavedRun
from papergraph.server.startup import configured_checksum, equipping, language_model, load_stored, open_service
from papergraph.server.tables.worker import work_on
from papergraph.settings import Settings
from papergraph.store import Address

PARSED_BYTES = 1_000_000_000
"""Room for parsed documents in the cache."""

LOW_PRIORITY = 10
"""Niceness of a process that makes vectors beside searches."""


@dataclass(frozen=True)
class IngestCommand:
    """Papers to ingest.

    Attributes:
        specs: Files, folders, URLs and ``arxiv:ID``.
        collection: The collection of their papers.
        options: How documents are cut.
        pdf_by: The service that reads PDFs, or None.
        prune: Whether sources that are gone are deleted once all documents are written.
        pruned: Where they are looked for, if not in ``specs``.
    """

    specs: Sequence[Spec]
    collection: str
    options: ChunkOptions
    pdf_by: PdfService | None = None
    prune: bool = False
    pruned: Sequence[Spec] = ()

    def job_settings(self, settings: Settings) -> JobSettings:
        """Return what is kept with the job."""
        return JobSettings(self.options, settings.ingest.max_file_bytes, self.pdf_by, settings.ingest.partial_share)


async def ingest_papers(
    settings: Settings,
    address: Address,
    wanted: IngestCommand,
    *,
    dask: str | None,
    budget: Budget | None,
    progress: Progress,
) -> IngestReport:
    """Bring papers into a collection; see :meth:`papergraph.ingest.ingestor.Ingestor.ingest`."""
    opening = open_service(settings, address, progress=progress)
    async with opening as service, _crew(settings, dask) as crew:
        ours = ingestor(settings, service, crew)
        report = await ours.ingest(
            wanted.specs,
            collection=wanted.collection,
            settings=wanted.job_settings(settings),
            budget=budget,
            progress=progress,
        )
        if not wanted.prune or report.stopped:
            return report
        return replace(
            report, pruned=tuple(await ours.prune(wanted.pruned or wanted.specs, collection=wanted.collection))
        )


async def plan(settings: Settings, address: Address, wanted: IngestCommand, *, progress: Progress) -> IngestionEstimate:
    """Say what bringing papers into a collection would take; see :func:`papergraph.ingest.pipeline.estimate.plan`."""
    async with open_service(settings, address, progress=progress, unchanged=True) as service:
        return await ingestor(settings, service).estimate(
            wanted.specs, collection=wanted.collection, settings=wanted.job_settings(settings), progress=progress
        )


async def enqueue(settings: Settings, address: Address, wanted: IngestCommand) -> Job:
    """Open a job for ``papergraph worker``; see :meth:`papergraph.ingest.ingestor.Ingestor.enqueue`."""
    async with open_service(settings, address, progress=silent) as service:
        return await ingestor(settings, service).enqueue(
            wanted.specs, collection=wanted.collection, settings=wanted.job_settings(settings)
        )


async def work(settings: Settings, address: Address, *, once: bool, dask: str | None, progress: Progress) -> int:
    """Work off queued jobs; see :func:`papergraph.ingest.worker.work`."""
    opening = open_service(settings, address, progress=progress)
    telling = telling_metrics(settings)
    async with telling, language_model(settings) as model, opening as service, _crew(settings, dask) as crew:
        if (originals := Originals.of(settings)) is not None:
            await originals.sweep(service.database)
        spending = UsageBudget(service.database, ServerLimits.of(settings))
        return await ingestor(settings, service, crew).work(
            once=once,
            model=model,
            budget_of=spending.of_account,
            runners={JobKind.TABLES: partial(work_on, service.database, model=model, budget_of=spending.of_account)},
            progress=progress,
        )


def ingestor(settings: Settings, service: Service, crew: Executor | None = None) -> Ingestor:
    """Return what ingests papers by the settings into the store of a service."""
    return Ingestor(
        service.database,
        service.embedder,
        Web.opened(settings),
        crew,
        parsed_documents(settings),
        Originals.of(settings),
    )


def parsed_documents(settings: Settings) -> ParsedDocuments:
    """Return the store of documents that were parsed before."""
    return ParsedDocuments(settings.cache / "parsed", PARSED_BYTES)


@asynccontextmanager
async def _crew(settings: Settings, dask: str | None) -> AsyncIterator[Executor | None]:
    if dask is None and settings.ingest.processes == 0:
        yield None
        return
    crew: Executor = ThreadExecutor(settings.ingest.processes) if dask is None else await DaskExecutor.connect(dask)
    try:
        yield crew
    finally:
        await crew.close()


async def replay(settings: Settings, address: Address, run: SavedRun, *, progress: Progress) -> list[str]:
    """Run a saved search again and return what is different; see :func:`replay`."""
    opening = open_service(settings, address, progress=progress)
    async with opening as service, equipping(service, settings) as equipped:
        _, differences = await saving.replay(equipped.resources, run)
        return differences


async def fulltext_status(address: Address) -> AnalyzerStatus:
    """Return the analyzer of the store's full-text indexes of texts and titles."""
    async with await address.connect() as database:
        return AnalyzerStatus(await analyzer_of(database))


async def switch_analyzer(address: Address, analyzer: str, *, progress: Progress) -> None:
    """Change the analyzer of the full-text indexes.

    Raises:
        SchemaError: Another process changes the vectors in use or the analyzer.
        PapergraphError: As there.
    """
    async with await address.connect() as database, model_lease(database):
        await change_analyzer(database, analyzer, progress=progress)


async def reembed_status(address: Address) -> reembedding.Status:
    """Return which embedding models the store has vectors of."""
    async with await address.connect() as database:
        return await reembedding.status(database)


async def reembed(
    settings: Settings, address: Address, *, model: str | None, pace: Pace, switch: bool, progress: Progress
) -> reembedding.ReembedReport:
    """Make vectors of a model and take them into use; without a ``model``, go back to the vectors that are kept."""
    async with _prepared_store(address) as database:
        if model is None:
            kept = (await stored_models(database)).other
            if kept is None or kept.state is not State.KEPT:
                raise SchemaError("no vectors are kept that one could go back to; see papergraph embeddings switch")
            progress.step(f"loading the embedding model {kept.name}")
            embedder = await asyncio.to_thread(load_stored, settings, kept)
        else:
            progress.step(f"loading the embedding model {model}")
            known = cards_of(await stored_models(database))
            embedder = await asyncio.to_thread(_opened, settings, _findable(model), known)
        _step_back()
        return await reembedding.reembed(database, embedder, pace=pace, switch=switch, progress=progress)


async def drop_old(address: Address, *, pace: Pace, progress: Progress) -> reembedding.ReembedReport:
    """Delete the vectors that are not in use; see :func:`papergraph.ingest.reembed.drop_old`."""
    async with _prepared_store(address) as database:
        return await reembedding.drop_old(database, pace=pace, progress=progress)


@asynccontextmanager
async def _prepared_store(address: Address) -> AsyncIterator[Database]:
    """Open a store and bring it to this version's schema with the model that it has."""
    async with await address.connect() as database:
        await prepare(database, reembedding.active_model(await stored_models(database)).card)
        yield database


def _opened(settings: Settings, name: str, known: list[ModelCard]) -> Embedder:
    """Return a model that the store may go over to; a name says by itself whether it is that of a served one."""
    return open_model(settings.embedding, name, [card for card in known if card.probes])


def _findable(model: str) -> str:
    """Return a model's name as other processes find it: a folder by its whole path."""
    folder = Path(model).expanduser()
    return str(folder.resolve()) if folder.is_dir() else model


def _step_back() -> None:
    """Lower the priority of this process below searches."""
    os.nice(LOW_PRIORITY)


async def checksum(address: Address) -> GraphChecksum:
    """Return the checksum of the whole graph, without its vectors."""
    database: Database
    async with await address.connect() as database:
        return await graph_checksum(database, keep_vectors=False)


async def doctor(settings: Settings, address: Address, *, fix: bool, progress: Progress) -> examining.DoctorReport:
    """Examine a store, and repair it if ``fix``; see :mod:`papergraph.ingest.doctor`."""
    async with await address.connect() as database:
        return await examination(settings, database, fix=fix, progress=progress)


async def examination(
    settings: Settings, database: Database, *, fix: bool, progress: Progress = silent
) -> examining.DoctorReport:
    """Look an open store over by the settings, and mend it if ``fix``; see :func:`doctor`."""
    sha256 = await configured_checksum(settings, database)
    progress.step("looking the store over")
    backups, memory = settings.backup.dir, index_memory(settings)
    if fix:
        return await examining.repair(database, model_sha256=sha256, progress=progress, backups=backups, memory=memory)
    return await examining.examine(database, model_sha256=sha256, backups=backups, memory=memory)
