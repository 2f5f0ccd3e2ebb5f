"""Operations between Zotero and the store of this machine."""

from dataclasses import dataclass

from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.fetch.zotero import Changes, LibraryFolder
from papergraph.ingest.pipeline.work import IngestReport
from papergraph.progress import Progress
from papergraph.server.local.store_operations import IngestCommand, ingest_papers
from papergraph.server.operations.zotero import MarksReport, bring_marks
from papergraph.settings import Settings
from papergraph.store import Address


@dataclass(frozen=True)
class SyncReport:
    """What a sync brought into the collection; None for what had not changed."""

    papers: IngestReport | None
    marks: MarksReport


def is_needed(changes: Changes, *, prune: bool) -> bool:
    """Say whether a library has anything to bring."""
    return changes.is_new or changes.has_new_marks or prune


async def bring(
    settings: Settings,
    address: Address,
    folder: LibraryFolder,
    changes: Changes,
    *,
    prune: bool = False,
    accept_deletions: int = 0,
    progress: Progress,
) -> SyncReport:
    """Bring an updated folder into a collection: its papers, then their tags, notes and highlights.

    Raises:
        InputError: More annotations are deleted than may be without being asked.
        DatabaseError: Neo4j failed.
    """
    report, collection = None, folder.collection
    if changes.is_new or prune:
        options = ChunkOptions.choose("default")
        wanted = IngestCommand(folder.sources, collection, options, prune=prune, pruned=folder.pruned)
        report = await ingest_papers(settings, address, wanted, dask=None, budget=None, progress=progress)
        if not (report.failed or report.stopped):
            folder.note_ingested()
    async with await address.connect() as database:
        marks = await bring_marks(database, folder, accept_deletions=accept_deletions, progress=progress)
    return SyncReport(report, marks)
