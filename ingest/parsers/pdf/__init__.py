"""PDFs to documents: the file is read in a child process with limits, whatever it does there."""

from ingest.parsers.document import Document, HeadingSource, abstract_section, first_words, section_tree
from ingest.parsers.pdf.child_process import read_in_child
from ingest.parsers.pdf.reading import PdfReading
from ingest.parsers.sandbox.limits import RefusedError, SandboxLimits
from ingest.sources import Format, Parser, RawDocument
from ingest.sources.file_types import PDF
from papergraph.errors import Reason, SourceError

LIMITS = SandboxLimits()
ABSTRACT_CHARS = range(200, 5_000)
"""Length of a first paragraph that is taken for the abstract where no heading names one."""


def parse(file: RawDocument, *, limits: SandboxLimits = LIMITS) -> Document:
    """Parse a PDF.

    Raises:
        SourceError: It is encrypted, damaged, cut off, only images, empty, or takes more than ``limits``.
    """
    try:
        return document_of(file, read_in_child(file.data, limits))
    except RefusedError as refusal:
        raise SourceError(file.name, refusal.reason, refusal.detail) from refusal


def document_of(file: RawDocument, reading: PdfReading) -> Document:
    """Make a document of what was read from a PDF."""
    text = reading.text
    title = reading.title or first_words(text)
    sections = tuple(section_tree(text, reading.headings, title, reading.title_end))
    if not sections:
        raise SourceError(file.name, Reason.EMPTY, "holds no text but its title")
    abstract = abstract_section(text, sections)
    if abstract is None:
        front = text[sections[0].start : sections[0].end] if sections[0].kind == "front" else ""
        abstract = next((part.strip() for part in front.split("\n\n") if len(part) in ABSTRACT_CHARS), "")
    doi, arxiv_id = reading.doi, reading.arxiv_id
    return Document(
        key=(doi and f"doi:{doi}") or (arxiv_id and f"arxiv:{arxiv_id}") or file.key,
        title=title,
        abstract=abstract,
        authors=tuple(reading.authors),
        year=None,
        doi=doi,
        arxiv_id=arxiv_id,
        categories=(),
        license=None,
        text=text,
        format=file.format,
        sections=sections,
        headings_by=reading.headings_by if reading.headings else HeadingSource.NONE,
        n_body_chars=reading.n_body_chars,
        page_marks=tuple((offset, page) for offset, page in reading.page_marks),
        n_pages=reading.n_pages,
        n_pages_without_text=reading.n_pages_without_text,
    )


PARSER = Parser(
    format=Format.PDF,
    endings=(".pdf",),
    media_types={"application/pdf": ".pdf", "application/x-pdf": ".pdf"},
    magic={".pdf": PDF},
    sandboxed=False,
    version="8",
    parse=parse,
    order=2,
)
