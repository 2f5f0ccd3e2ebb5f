"""Documents of any format to text, metadata and a section tree."""

from ingest.parse import docx, html, latex, pdf, record, text, xml
from ingest.parse.document import Document, HeadingSource, ParsedSection
from ingest.parse.metadata import with_metadata
from ingest.sources import Format, SourceFile

__all__ = ["QUICK_FORMATS", "VERSION", "Document", "HeadingSource", "ParsedSection", "parse"]

VERSION = "8"
"""Part of the recipe: a change makes papers be parsed again."""

QUICK_FORMATS = frozenset({Format.MARKDOWN, Format.TEXT, Format.RECORD})
"""What is parsed in no time: it is neither kept nor sent to another process."""

PARSERS = {
    Format.MARKDOWN: text.parse,
    Format.TEXT: text.parse,
    Format.PDF: pdf.parse,
    Format.XML: xml.parse,
    Format.LATEX: latex.parse,
    Format.DOCX: docx.parse,
    Format.HTML: html.parse,
    Format.RECORD: record.parse,
}


def parse(file: SourceFile) -> Document:
    """Parse a document.

    Raises:
        SourceError: It cannot be read or holds no text, or says something of itself that cannot be so.
    """
    if file.read_by:
        from ingest.parse import services

        document = services.parse(file, file.read_by)
    else:
        document = PARSERS[file.format](file)
    return with_metadata(document, file) if file.metadata else document
