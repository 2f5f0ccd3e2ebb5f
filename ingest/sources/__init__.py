"""Find the documents that a user names, and read each one's bytes, or say why not."""

from ingest.sources.find import Spec, find_documents, sources
from ingest.sources.parser import LocalFile, Parser, format_of, parsers, supported
from ingest.sources.source import DocumentRef, Format, Metadata, PdfService, RawDocument, Source, chosen_service
from ingest.sources.web import Web

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
