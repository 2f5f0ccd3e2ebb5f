"""The parts that every way of ingestion shares."""

from dataclasses import dataclass, field

from ingest.originals import Originals
from ingest.parsers.cache import ParsedDocuments
from ingest.pipeline.executor import Executor
from ingest.pipeline.prepare import DocumentPreparer, JobSettings
from ingest.sources import Web
from papergraph.database import Database
from papergraph.embedding import Embedder


@dataclass(frozen=True)
class IngestContext:
    """The parts of ingestion, made once.

    Attributes:
        store: A prepared store (:func:`schema.migrate.prepare`).
        embedder: The store's embedding model.
        web: The way to what lies outside; without it only files are read.
        executor: Parses and cuts documents; by default a thread of this process.
        cache: Keeps documents that took a while to parse.
        originals: Keeps the files of papers; None where none are kept.
    """

    store: Database
    embedder: Embedder
    web: Web | None = field(default=None, repr=False)
    executor: Executor | None = field(default=None, repr=False)
    cache: ParsedDocuments | None = None
    originals: Originals | None = None

    def preparer(self, settings: JobSettings, collection: str) -> DocumentPreparer:
        """Return what prepares the documents of a job."""
        return DocumentPreparer(
            self.embedder, settings, collection=collection, parsed=self.cache, originals=self.originals
        )
