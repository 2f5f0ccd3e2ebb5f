"""Find the documents that a user names, and read each one's bytes, or say why not."""

from ingest.sources.files import LocalFile
from ingest.sources.find import Spec, find_documents, sources
from ingest.sources.parser import Parser, format_of, parsers, supported
from ingest.sources.pdf_service import PdfService, chosen_service
from ingest.sources.source import DocumentRef, Format, Metadata, RawDocument, Source
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
