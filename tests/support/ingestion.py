"""Papers to ingest, and what became of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.graph.writer import WriteOutcome
from papergraph.ingest.ingestor import Ingestor, IngestReport, JobSettings
from papergraph.ingest.jobs.model import Job
from papergraph.ingest.pipeline.estimate import IngestionEstimate
from papergraph.ingest.sources import Spec
from papergraph.schema.checksum import GraphChecksum, graph_checksum
from papergraph.schema.records import Paper
from papergraph.server.papers.find import PaperQuery, find_papers
from tests.pytest_neo4j import wipe
from tests.support.files import write

KEPT = ["SchemaVersion", "EmbeddingModel"]


METHOD_AND_RESULT = "## Method\n\nWe look at it.\n\n### Detail\n\nClosely.\n\n## Result\n\nIt is."


def paper(title: str, *, authors: str = "", extra: str = "", body: str = "") -> str:
    """Return a small paper in Markdown."""
    body = body or f"We study {title.lower()}.\n\n{METHOD_AND_RESULT}"
    return f"---\ntitle: {title}\nauthors: [{authors}]\n{extra}---\n\n# {title}\n\n{body}\n"


PARTS = {"web": "web", "crew": "executor", "parsed": "cache"}
SETTINGS = ("options", "max_bytes", "pdf_by")


async def ingest(database: Database, embedder: Embedder, specs: Sequence[Spec], **given: Any) -> IngestReport:
    """Ingest with parts of an Ingestor and fields of JobSettings given by name."""
    ingestor, settings, others = _with(database, embedder, given)
    return await ingestor.ingest(specs, settings=settings, **others)


async def enqueue(database: Database, embedder: Embedder, specs: Sequence[Spec], **given: Any) -> Job:
    """Open a job as :func:`ingest` does."""
    ingestor, settings, others = _with(database, embedder, given)
    return await ingestor.enqueue(specs, settings=settings, **others)


async def plan(database: Database, embedder: Embedder, specs: Sequence[Spec], **given: Any) -> IngestionEstimate:
    """Estimate what :func:`ingest` would take."""
    ingestor, settings, others = _with(database, embedder, given)
    return await ingestor.estimate(specs, settings=settings, **others)


async def work(database: Database, embedder: Embedder, **given: Any) -> int:
    """Work off queued jobs."""
    ingestor, _, others = _with(database, embedder, given)
    return await ingestor.work(**others)


def _with(
    database: Database, embedder: Embedder, given: dict[str, Any]
) -> tuple[Ingestor, JobSettings, dict[str, Any]]:
    settings = {name: given[name] for name in SETTINGS if given.get(name) is not None}
    parts = {PARTS[name]: value for name, value in given.items() if name in PARTS}
    others = {name: value for name, value in given.items() if name not in PARTS and name not in SETTINGS}
    return Ingestor(database, embedder, **parts), JobSettings(**settings), others


async def clean(
    database: Database, embedder: Embedder, paths: Sequence[Path], *, options: ChunkOptions | None = None
) -> GraphChecksum:
    """Return the checksum of a graph that has seen nothing but ``paths`` as they are now, and leave no graph behind."""
    await empty(database)
    await ingest(database, embedder, paths, options=options)
    checksum = await graph_checksum(database)
    await empty(database)
    return checksum


async def empty(database: Database) -> None:
    await wipe(database.driver, database=database.name, keep=KEPT)


async def papers_of(database: Database, *, collection: str = "main", limit: int = 20) -> list[Paper]:
    """Return the first papers of a collection by title."""
    return [one.record for one in await find_papers(database, PaperQuery(collection), limit=limit)]


def outcomes(report: IngestReport) -> list[WriteOutcome | None]:
    return [item.outcome for item in report.items]


def many(folder: Path, n: int, *, shared_doi: tuple[int, ...] = ()) -> list[Path]:
    """Write ``n`` papers; those with the numbers ``shared_doi`` say that they are the same, with different content."""
    return [
        write(
            folder / f"{number:03}.md",
            paper(f"Paper {number}", extra="doi: 10.1000/shared\n" if number in shared_doi else ""),
        )
        for number in range(n)
    ]
