"""Find the documents that a user names, and read each one's bytes, or say why not."""

from papergraph.ingest.sources.find import Spec, find_documents, sources
from papergraph.ingest.sources.parser import LocalFile, Parser, format_of, parsers, supported
from papergraph.ingest.sources.source import (
    DocumentRef,
    Format,
    Metadata,
    PdfService,
    RawDocument,
    Source,
    chosen_service,
)
from papergraph.ingest.sources.web import Web

__all__ = [
    "DocumentRef",
    "Format",
    "LocalFile",
    "Metadata",
    "Parser",
    "PdfService",
    "RawDocument",
    "Source",
    "Spec",
    "Web",
    "chosen_service",
    "find_documents",
    "format_of",
    "parsers",
    "sources",
    "supported",
]
