"""Papers brought in over the network: jobs for ``papergraph worker``, of what is outside or was uploaded.

Files of the server are brought in on its own command line.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from ingest.chunkers import ChunkOptions
from ingest.ingestor import Ingestor, JobSettings
from ingest.jobs.model import Job
from ingest.pipeline.estimate import IngestionEstimate
from ingest.sources import PdfService, Web, chosen_service
from ingest.sources.source import OWN
from ingest.sources.web import is_outside
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, UnknownCollectionError
from papergraph.settings import Settings
from schema.ids import check_collection
from server.operations.uploads import Upload, Uploads
from server.retrieval.scope import AllowedCollections

MOST_SOURCES, MOST_SOURCE_CHARS = 100, 2000
MOST_KEY_CHARS = 200


@dataclass(frozen=True)
class IngestRequest:
    """Documents to ingest.

    Attributes:
        sources: URLs and ``arxiv:ID``.
        collection: The collection of their papers.
        uploads: Ids of the asker's uploads; together with ``sources`` 1 to 100.
        key: A name for the request, so that it can be sent again without opening a second job.
        chunking: How chunks are cut.
        parser: Parser of PDF files: ``builtin`` or the service of the settings; the settings' own if None.
    """

    sources: Sequence[str]
    collection: str
    uploads: Sequence[str] = ()
    key: str | None = None
    chunking: ChunkOptions = field(default_factory=ChunkOptions)
    parser: str | None = None


@dataclass(frozen=True)
class IngestService:
    """What documents are brought in by.

    Attributes:
        web: The way to what lies outside.
        max_bytes: Largest document that is read.
        pdf_by: The service that reads PDFs, or None where papergraph does.
        uploads: Files that were brought over the network, or None where none are taken.
    """

    web: Web = field(repr=False)
    max_bytes: int
    pdf_by: PdfService | None = None
    uploads: Uploads | None = field(default=None, repr=False)

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return what an operator's settings allow.

        Raises:
            InputError: A service is named and has no address.
        """
        return cls(Web.opened(settings), settings.ingest.max_file_bytes, chosen_service(settings), Uploads.of(settings))

    async def open_job(
        self,
        database: Database,
        embedder: Embedder,
        wanted: IngestRequest,
        *,
        collections: AllowedCollections = None,
        asker: str = "",
    ) -> Job:
        """Open a job that brings documents into a collection; it is durable when this returns.

        Args:
            database: A prepared store.
            embedder: The store's embedding model.
            wanted: The documents, and where they go.
            collections: The collections that the asker reaches; None for all.
            asker: Whose uploads and key these are.

        Raises:
            InputError: A source is a file of this machine, or an argument is out of its range.
            UnknownCollectionError: The asker does not reach the collection.
            NotFoundError: An upload is not there, or not the asker's.
            ConflictError: Something else was asked for with this key.
            DatabaseError: The job is not known to be there; the same call again goes on.
        """
        key = wanted.key
        if key is not None and not 1 <= len(key) <= MOST_KEY_CHARS:
            raise InputError(f"The idempotency key must have 1 to {MOST_KEY_CHARS} characters.", field="idempotencyKey")
        sources, settings, uploads = await self._checked(wanted, collections, asker)
        if self.uploads and uploads:
            await self.uploads.note_use(uploads)
        return await Ingestor(database, embedder, self.web).enqueue(
            sources,
            collection=wanted.collection,
            settings=settings,
            key=None if key is None else f"{asker}:{key}",
        )

    async def estimate(
        self,
        database: Database,
        embedder: Embedder,
        wanted: IngestRequest,
        *,
        collections: AllowedCollections = None,
        asker: str = "",
    ) -> IngestionEstimate:
        """Return what the job of :meth:`open_job` would take; nothing is written.

        Raises:
            InputError: A source is a file of this machine, or an argument is out of its range.
            UnknownCollectionError: The asker does not reach the collection.
            NotFoundError: An upload is not there, or not the asker's.
            DatabaseError: Neo4j failed.
        """
        sources, settings, _ = await self._checked(wanted, collections, asker)
        ingestor = Ingestor(database, embedder, self.web)
        return await ingestor.estimate(sources, collection=wanted.collection, settings=settings)

    async def _checked(
        self, wanted: IngestRequest, collections: AllowedCollections, asker: str
    ) -> tuple[list[str], JobSettings, list[Upload]]:
        """Return all documents, how they are read, and the uploads among them."""
        sources, uploads, collection = wanted.sources, wanted.uploads, wanted.collection
        check_collection(collection)
        if collections is not None and collection not in collections:
            raise UnknownCollectionError(collection)
        if not 1 <= (n := len(sources) + len(uploads)) <= MOST_SOURCES:
            raise InputError(f"There are {n} sources and uploads; 1 to {MOST_SOURCES} are required.", field="sources")
        for source in sources:
            if len(source) > MOST_SOURCE_CHARS:
                raise InputError(f"A source must have at most {MOST_SOURCE_CHARS} characters.", field="sources")
            if not is_outside(source):
                told = "is neither a URL nor arxiv:ID. Upload files with POST /v1/uploads."
                raise InputError(f"{source[:80]!r} {told}", field="sources")
        found = await self.uploads.find(asker, uploads) if self.uploads else []
        if len(found) < len(set(uploads)):
            raise InputError("This server accepts no uploads.", field="uploads")
        settings = JobSettings(wanted.chunking, self.max_bytes, self._service(wanted.parser))
        return [*sources, *(upload.source for upload in found)], settings, found

    def _service(self, parser: str | None) -> PdfService | None:
        """Return the service that parses PDFs, None for our own parser."""
        offered = {OWN: None} | ({self.pdf_by.name: self.pdf_by} if self.pdf_by else {})
        if parser is None:
            return self.pdf_by
        if parser not in offered:
            names = " or ".join(offered)
            raise InputError(f"Parser {parser[:40]!r} is not available here. Choose {names}.", field="parser")
        return offered[parser]
