"""Documents of any format to text, metadata and a section tree: a file of this folder adds a parser."""

from dataclasses import replace

from papergraph.ingest.parsers.document import Document, HeadingSource, ParsedSection, notes_on
from papergraph.ingest.parsers.metadata import with_metadata
from papergraph.ingest.sources import Parser, RawDocument, parsers

__all__ = ["Document", "HeadingSource", "ParsedSection", "Parser", "parse", "parsers", "version_of"]


def version_of(format: str | None = None) -> str:
    """Return the version of a format's parser; where the format is not known yet, the versions of all of them."""
    if format is not None and format in parsers():
        return parsers()[format].version
    return " ".join(sorted({one.version for one in parsers().values()}))


def parse(file: RawDocument) -> Document:
    """Parse a document.

    Raises:
        SourceError: It cannot be read or holds no text, or says something of itself that cannot be so.
    """
    document: Document
    if file.read_by:
        from papergraph.ingest.parsers import services

        document = services.parse(file, file.read_by)
    else:
        document = parsers()[file.format].parse(file)
    document = replace(document, notes=(*document.notes, *notes_on(document)))
    return with_metadata(document, file) if file.metadata else document
