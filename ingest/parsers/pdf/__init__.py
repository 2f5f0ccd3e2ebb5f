"""PDFs to documents: the file is read in a child process with limits, whatever it does there."""

from dataclasses import replace

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.document import (
    Document,
    Element,
    ElementKind,
    HeadingSource,
    ParsedSection,
    first_words,
    section_tree,
)
from papergraph.ingest.parsers.pdf import ocr
from papergraph.ingest.parsers.pdf.cited import cited_places, listed_entries
from papergraph.ingest.parsers.pdf.layout import BlockKind
from papergraph.ingest.parsers.pdf.reading import PdfReading
from papergraph.ingest.parsers.pdf.title_page import below_masthead
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits, run_child
from papergraph.ingest.sources import Format, Parser, RawDocument
from papergraph.ingest.sources.file_types import PDF

LIMITS = SandboxLimits()
VERSION = "20"
MOST_SCANNED = 0.1
"""Share of scanned pages from which they are read by OCR; fewer are figures that fill a page."""


def parse(file: RawDocument, *, limits: SandboxLimits = LIMITS) -> Document:
    """Parse a PDF.

    Raises:
        SourceError: It is encrypted, damaged, cut off, only images, empty, or takes more than ``limits``.
    """
    try:
        return document_of(file, read_in_child(file.data, limits))
    except RefusedError as refusal:
        raise SourceError(file.name, refusal.reason, refusal.detail) from refusal


def read_in_child(data: bytes, limits: SandboxLimits) -> PdfReading:
    """Read a PDF in a child process; one with many scanned pages again by OCR if that is installed.

    Raises:
        RefusedError: It cannot become a paper, took longer or more memory than ``limits``, or made the process crash.
    """
    try:
        reading = PdfReading.of(run_child("pdf", limits, data))
        if not ocr.is_installed() or reading.n_scanned < MOST_SCANNED * reading.n_pages:
            return reading
    except RefusedError as refusal:
        if refusal.reason is not Reason.SCANNED or not ocr.is_installed():
            raise
    return PdfReading.of(run_child("scan", ocr.LIMITS, data))


def document_of(file: RawDocument, reading: PdfReading) -> Document:
    """Make a document of what was read from a PDF."""
    text = reading.text
    title = reading.title or first_words(below_masthead(text))
    sections = _with_abstract(tuple(section_tree(text, reading.headings, title, reading.title_end)), reading)
    if not sections:
        raise SourceError(file.name, Reason.EMPTY, "holds no text but its title")
    references = listed_entries(text, reading.blocks)
    doi, arxiv_id = reading.doi, reading.arxiv_id
    return Document(
        key=(doi and f"doi:{doi}") or (arxiv_id and f"arxiv:{arxiv_id}") or file.key,
        title=title,
        abstract=reading.abstract,
        authors=tuple(reading.authors),
        year=reading.year,
        doi=doi,
        arxiv_id=arxiv_id,
        categories=(),
        license=None,
        text=text,
        format=file.format,
        sections=sections,
        heading_source=reading.heading_source if reading.headings else HeadingSource.NONE,
        n_body_chars=reading.n_body_chars,
        page_marks=tuple((offset, page) for offset, page in reading.page_marks),
        n_pages=reading.n_pages,
        n_pages_without_text=reading.n_pages_without_text,
        elements=tuple(
            Element(ElementKind(block.kind), block.start, block.end, block.label, block.figure)
            for block in reading.blocks
            if block.kind is not BlockKind.ENTRY
        ),
        references=references,
        cited_at=cited_places(reading, sections, references),
        keywords=tuple(reading.keywords),
        affiliations=tuple(reading.affiliations),
        orcids=tuple(reading.orcids),
        line_boxes=reading.line_boxes,
        notes=tuple(reading.notes),
        lost=reading.lost,
    )


def _with_abstract(sections: tuple[ParsedSection, ...], reading: PdfReading) -> tuple[ParsedSection, ...]:
    """Return the sections with one abstract; a closing summary or a translated abstract becomes a plain section."""
    end = next((heading.end for heading in reading.headings if heading.start == reading.abstract_heading), None)
    chosen = next((number for number, section in enumerate(sections) if section.start == end), None)
    return tuple(
        replace(section, kind="abstract" if number == chosen else "body")
        if (section.kind == "abstract" and (chosen is None or section.parent != chosen)) or number == chosen
        else section
        for number, section in enumerate(sections)
    )


def version() -> str:
    """Return the version of the parser; it changes when OCR is installed, which reads scanned pages again."""
    return f"{VERSION} ocr" if ocr.is_installed() else VERSION


PARSER = Parser(
    format=Format.PDF,
    endings=(".pdf",),
    media_types={"application/pdf": ".pdf", "application/x-pdf": ".pdf"},
    magic={".pdf": PDF},
    sandboxed=False,
    version=version(),
    parse=parse,
    order=2,
)
