"""Records of an inbox or a screening that a command ingests itself."""

from collections.abc import Sequence

from papergraph.ingest.chunkers import ChunkOptions
from papergraph.progress import Progress
from papergraph.server.auth.access import everything
from papergraph.server.local.store_operations import IngestCommand, ingest_papers
from papergraph.server.operations.inbox import find_ids, finish_acceptance, prepare_acceptance
from papergraph.server.operations.ingest import Uploads
from papergraph.server.operations.screening_files import prepare_papers
from papergraph.server.screening.decisions import ScreeningStage
from papergraph.settings import Settings
from papergraph.store import Address


async def accept_items(
    settings: Settings, address: Address, ids: Sequence[str], *, collection: str, with_text: bool, progress: Progress
) -> tuple[tuple[str, ...], list[str]]:
    """Ingest items of an inbox as papers; return their ids, and the documents that failed.

    Raises:
        NotFoundError: There is no such item; nothing was accepted.
        PapergraphError: The ingestion failed as a whole; the items stay undecided.
    """
    async with await address.connect() as database:
        found = await find_ids(database, collection, ids)
        accepted = await prepare_acceptance(database, Uploads.of(settings), everything(), found, with_text=with_text)
        names = [accepted.upload.source, *accepted.texts]
        wanted = IngestCommand(names, collection, ChunkOptions())
        report = await ingest_papers(settings, address, wanted, dask=None, budget=None, progress=progress)
        decided = await finish_acceptance(database, accepted, job_id=None)
    failures = [f"{item.source}: {item.reason} {item.detail}" for item in report.items if item.reason is not None]
    return decided.ids, failures


async def ingest_screened(
    settings: Settings, address: Address, screening: str, *, stage: ScreeningStage, collection: str, progress: Progress
) -> tuple[int, list[str]]:
    """Ingest the included records of a screening as papers; return their number, and the documents that failed.

    Raises:
        InputError: No record is included.
        NotFoundError: There is no such screening.
        PapergraphError: The ingestion failed as a whole.
    """
    async with await address.connect() as database:
        upload, n, _ = await prepare_papers(
            database, Uploads.of(settings), everything(), screening, stage=stage, collection=collection
        )
    wanted = IngestCommand([upload.source], collection, ChunkOptions())
    report = await ingest_papers(settings, address, wanted, dask=None, budget=None, progress=progress)
    return n, [f"{item.source}: {item.reason} {item.detail}" for item in report.items if item.reason is not None]
