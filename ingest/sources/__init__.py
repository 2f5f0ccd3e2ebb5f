"""Find the documents that a user names, and read each one's bytes, or say why not."""

from ingest.sources.files import LocalFile
from ingest.sources.find import Spec, find_documents
from ingest.sources.source import FORMATS, SUPPORTED, Format, Found, Metadata, SourceFile
from ingest.sources.web import Web

__all__ = [
    "FORMATS",
    "SUPPORTED",
    "Format",
    "Found",
    "LocalFile",
    "Metadata",
    "SourceFile",
    "Spec",
    "Web",
    "find_documents",
]
