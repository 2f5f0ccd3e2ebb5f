"""Find the documents that a user names, and read each one's bytes, or say why not."""

from ingest.sources.files import LocalFile
from ingest.sources.find import Spec, find_documents
from ingest.sources.service import PdfService, chosen_service
from ingest.sources.source import FORMATS, SUPPORTED, Format, Found, Metadata, SourceFile
from ingest.sources.web import Web

__all__ = [
    "FORMATS",
    "SUPPORTED",
    "Format",
    "Found",
    "LocalFile",
    "Metadata",
    "PdfService",
    "SourceFile",
    "Spec",
    "Web",
    "chosen_service",
    "find_documents",
]
