"""A PDF's bytes to its text, headings and front matter: all that happens in the child process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import pypdfium2 as pdfium

from papergraph.errors import Reason
from papergraph.ingest.parsers.document import Heading, HeadingSource, counted, n_solid
from papergraph.ingest.parsers.line_boxes import PageSize, pack
from papergraph.ingest.parsers.pdf.authors import Authors, find_authors, find_thesis, is_list_of_people, is_of_authors
from papergraph.ingest.parsers.pdf.bibliography import find_entries
from papergraph.ingest.parsers.pdf.check import LOCKED, FileInfo, check, count_words
from papergraph.ingest.parsers.pdf.composition import Composed, compose, find_abstract, find_superscripts
from papergraph.ingest.parsers.pdf.figures import find_pictures, has_figure, with_figures
from papergraph.ingest.parsers.pdf.glyphs import MOST_KEPT, Fonts, PageGlyphs, read_page
from papergraph.ingest.parsers.pdf.headings import FoundHeading, Lines, OutlineEntry, find_headings
from papergraph.ingest.parsers.pdf.layout import Block, BlockKind, PlacedBlock, Reading, n_covers, read, running_of
from papergraph.ingest.parsers.pdf.ocr import Scans, advice
from papergraph.ingest.parsers.pdf.tables import (
    Table,
    find_captions,
    find_rules,
    find_tables,
    has_table,
    markdown,
    with_continued,
    with_tables,
)
from papergraph.ingest.parsers.pdf.title_page import (
    find_arxiv_id,
    find_doi,
    find_title,
    find_year,
    fold,
    title_text,
)
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits

MOST_UNREADABLE = 0.3
"""Share of characters that may have no letter in their font."""

FEWEST_PAGES_WITH_TEXT = 0.5
MOST_ENTRIES = 5_000


@dataclass(frozen=True)
class PdfReading:
    """Content of a PDF, in plain values that can be sent between processes.

    Attributes:
        text: Paragraphs in reading order; the title's lines come first.
        title: Title as the first page shows it, or empty.
        title_end: Character after the title in ``text``; 0 without a title.
        authors: Names.
        affiliations: Institutions and addresses of the authors.
        orcids: ORCIDs of the first page, in its order.
        abstract: The abstract, or empty.
        abstract_heading: Offset of its heading, or -1.
        keywords: As printed.
        year: Year that the first page prints, or None.
        doi: DOI, or None.
        arxiv_id: arXiv id, or None.
        headings: In reading order.
        heading_source: Method that found them.
        page_marks: (offset, page from 1) where each page's text begins.
        line_boxes: Positions of the lines on the pages, see :mod:`papergraph.ingest.parsers.line_boxes`.
        n_pages: Number of pages.
        n_pages_without_text: Number of pages that are blank or an image.
        n_body_chars: Number of characters on the pages, except blanks, headings, the title, page headers and footers,
            and hyphens of broken words.
        blocks: Entries of lists of references, captions and tables, by offset.
        notes: What was lost or mended, with numbers.
        lost: Share of pages or letters that could not be read.
        n_scanned: Number of pages that hold images without text.
        superscripts: Raised numbers with the word before them, in reading order.
    """

    text: str
    title: str
    title_end: int
    authors: list[str]
    affiliations: list[str]
    orcids: list[str]
    abstract: str
    abstract_heading: int
    keywords: list[str]
    year: int | None
    doi: str | None
    arxiv_id: str | None
    headings: list[Heading]
    heading_source: HeadingSource
    page_marks: list[tuple[int, int]]
    line_boxes: str
    n_pages: int
    n_pages_without_text: int
    n_body_chars: int
    blocks: list[PlacedBlock]
    superscripts: list[str]
    notes: list[str]
    lost: float
    n_scanned: int

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Make a reading of its plain values."""
        return cls(
            **{
                **values,
                "headings": [Heading(**heading) for heading in values["headings"]],
                "heading_source": HeadingSource(values["heading_source"]),
                "blocks": [
                    PlacedBlock(**{**block, "kind": BlockKind(block["kind"]), "figure": tuple(block["figure"])})
                    for block in values["blocks"]
                ],
                "page_marks": [(offset, page) for offset, page in values["page_marks"]],
            }
        )


def read_pdf(data: bytes, limits: SandboxLimits, *, outline: bool = True, scans: Scans | None = None) -> PdfReading:
    """Read a PDF.

    Args:
        data: The file.
        limits: Pages, characters and unpacked bytes count here; time and memory are the process's.
        outline: Whether to look at the file's outline; off to measure what fonts alone tell.
        scans: Reader of scanned pages; None to leave them out.

    Raises:
        RefusedError: It cannot become a paper.
    """
    checked = check(data, limits)
    pages, fonts, entries, tables = _pages(checked.data, checked.n_pages, limits, scans)
    reading = read_pages(pages, checked.info, entries if outline else (), fonts.monospaced, tables)
    return replace(reading, notes=[*reading.notes, f"mended: {checked.mended}"]) if checked.mended else reading


def read_pages(
    pages: Sequence[PageGlyphs],
    info: FileInfo,
    outline: Sequence[OutlineEntry],
    monospaced: frozenset[str],
    tables: Sequence[tuple[int, Table]] = (),
) -> PdfReading:
    """Put together what stands on the pages of a PDF.

    Args:
        pages: Their characters.
        info: What the file says of itself.
        outline: Its entries.
        monospaced: Names of the monospaced fonts.
        tables: Tables, each with its page, from 0.

    Raises:
        RefusedError: The pages hold no text that can be read.
    """
    tables, go_on = with_continued(pages, tables, running_of(pages))
    reading = read(pages, frozenset(id(segment) for _, table in tables for segment in table.segments))
    with_text = {line.page for line in reading.lines}
    _refuse_without_text(pages, with_text)
    lines = Lines(with_tables(reading.lines, tables), monospaced)
    found, source = find_headings(lines, outline)
    front = _read_front(lines, reading, info, n_covers(pages), found)
    title, headings = front.title, front.headings
    blocks = with_figures(find_blocks(lines, headings, title), lines, pages)
    composed = compose(lines, headings, title, blocks)
    places = [Heading(heading.title, heading.level, start, end) for heading, start, end in composed.headings]
    title_end = composed.text.index("\n\n") + 2 if title else 0
    abstract = find_abstract(composed.paragraphs, lines.body, title_end)
    left_out = sum(n_solid(segment.text) for _, segment in reading.running) + _n_left_out(composed, title_end, tables)
    return PdfReading(
        text=composed.text,
        title=title_text(lines.lines[title.start : title.stop]),
        title_end=title_end,
        authors=list(front.authors.names),
        affiliations=list(front.authors.affiliations),
        orcids=list(front.authors.orcids),
        abstract=abstract.text,
        abstract_heading=abstract.heading,
        keywords=list(abstract.keywords),
        year=front.year,
        doi=front.doi,
        arxiv_id=front.arxiv_id,
        headings=places,
        heading_source=source if headings else HeadingSource.NONE,
        page_marks=composed.page_marks,
        line_boxes=pack([PageSize(page.width, page.height) for page in pages], composed.line_boxes),
        n_pages=len(pages),
        n_pages_without_text=len(pages) - len(with_text),
        n_body_chars=sum(page.n_characters for page in pages) - left_out,
        blocks=composed.blocks,
        superscripts=find_superscripts(lines),
        notes=[*_notes(pages, with_text), *go_on],
        lost=_lost(pages, with_text),
        n_scanned=_n_unread_pages(pages, with_text),
    )


@dataclass(frozen=True)
class _Front:
    """Front matter of the first page, and the headings after it."""

    title: range
    authors: Authors
    year: int | None
    doi: str | None
    arxiv_id: str | None
    headings: list[FoundHeading]


def _read_front(
    lines: Lines, reading: Reading, info: FileInfo, n_covers: int, headings: Sequence[FoundHeading]
) -> _Front:
    """Read the first page after a repository's cover pages; year and DOI may stand on these alone."""
    start = next((number for number, line in enumerate(lines.lines) if line.page >= n_covers), 0)
    own = Lines(lines.lines[start:], lines.monospaced) if start else lines
    edges = [segment for page, segment in reading.running if page == n_covers]
    of_cover = [segment for page, segment in reading.running if page < n_covers]
    thesis = find_thesis(own)
    of_own = thesis.title if thesis else find_title(own, info.title, [segment for _, segment in reading.running])
    title = range(of_own.start + start, of_own.stop + start) if of_own else of_own
    first = start + thesis.after if thesis else start
    kept = [one for one in headings if one.first >= first and (one.last < title.start or one.first >= title.stop)]
    kept = [one for one in kept if not is_of_authors(lines, one.first, title)]
    end = next((one.first for one in kept if one.first >= title.stop), len(lines.lines)) - start
    authors = Authors((thesis.author,)) if thesis else find_authors(own, info.authors, of_own, end)
    year = (thesis.year if thesis else None) or find_year(own, of_own, end, edges)
    doi = find_doi(info.doi, own, edges, end)
    if start:
        cover = Lines(lines.lines[:start], lines.monospaced)
        year = year or find_year(cover, range(0), start, of_cover)
        doi = doi or find_doi("", cover, of_cover, start)
    people = set(map(fold, authors.names))
    kept = [one for one in kept if fold(one.title) not in people and not is_list_of_people(one.title)]
    return _Front(title, authors, year, doi, find_arxiv_id([*edges, *of_cover]), kept)


def _n_unread_pages(pages: Sequence[PageGlyphs], with_text: set[int]) -> int:
    return sum(page.has_marks for number, page in enumerate(pages) if number not in with_text)


def _lost(pages: Sequence[PageGlyphs], with_text: set[int]) -> float:
    """Return the share of pages that are images, or of letters that are left out, whichever is larger."""
    unreadable = sum(page.n_unreadable + page.n_false_blanks for page in pages)
    total = unreadable + sum(page.n_characters for page in pages)
    return max(_n_unread_pages(pages, with_text) / max(1, len(pages)), unreadable / max(1, total))


def _notes(pages: Sequence[PageGlyphs], with_text: set[int]) -> list[str]:
    """Return what could not be read of the pages."""
    notes = []
    if read := [page for page in pages if page.confidence]:
        mean = sum(page.confidence * page.n_characters for page in read) / sum(page.n_characters for page in read)
        notes.append(
            f"{len(read):,} of {counted(len(pages), 'page')} read by OCR, with a mean confidence of {mean:.2f}"
        )
    if n_pages := _n_unread_pages(pages, with_text):
        notes.append(f"{n_pages:,} of {counted(len(pages), 'page')} hold images without text")
    if n_letters := sum(page.n_unreadable for page in pages):
        notes.append(f"{counted(n_letters, 'letter')} left out, for which the fonts name no character")
    if n_blanks := sum(page.n_false_blanks for page in pages):
        notes.append(f"{counted(n_blanks, 'letter')} left out, which the fonts name blanks, such as ligatures")
    return notes


def _n_left_out(composed: Composed, title_end: int, tables: Sequence[tuple[int, Table]]) -> int:
    """Return the characters of headings, title and broken words' hyphens, less those that Markdown adds to tables."""
    added = sum(n_solid(markdown(table.rows)) - sum(n_solid(one.text) for one in table.segments) for _, table in tables)
    headings = sum(n_solid(composed.text[start:end]) for _, start, end in composed.headings)
    return headings + n_solid(composed.text[:title_end]) + composed.n_joined - added


def find_blocks(lines: Lines, headings: Sequence[FoundHeading], title: range) -> list[Block]:
    """Return the captions, tables and entries of a document's lines, in order."""
    in_headings = {number for heading in headings for number in range(heading.first, heading.last + 1)} | set(title)
    captions = find_captions(lines, in_headings)
    taken = {number for block in captions for number in range(block.first, block.last + 1)}
    return sorted([*captions, *find_entries(lines, headings, taken | set(title))], key=lambda block: block.first)


def _pages(
    data: bytes, n_pages: int, limits: SandboxLimits, scans: Scans | None
) -> tuple[list[PageGlyphs], Fonts, list[OutlineEntry], list[tuple[int, Table]]]:
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).casefold():
            raise RefusedError(Reason.ENCRYPTED, LOCKED) from error
        raise RefusedError(Reason.DAMAGED, f"cannot be read: {error}") from error
    try:
        if len(document) != n_pages:
            raise RefusedError(Reason.DAMAGED, f"is damaged: only {len(document)} of its {n_pages} pages can be read")
        pages: list[PageGlyphs] = []
        fonts, kept = Fonts(), list[pdfium.PdfPage]()
        tables: list[tuple[int, Table]] = []
        n_characters = 0
        for number in range(n_pages):
            try:
                page = document[number]
                n_nameless = fonts.n_nameless
                found = read_page(page, fonts)
                found = scans.read(page, found, number + 1, n_pages) if scans else found
                if has_figure(found):
                    found = replace(found, pictures=find_pictures(page))
                if has_table(found):
                    tables += [(number, table) for table in find_tables(found, find_rules(page))]
                if fonts.n_nameless > n_nameless and len(kept) < MOST_KEPT:
                    kept.append(page)  # its fonts are known by their addresses alone
                else:
                    page.close()
            except pdfium.PdfiumError as error:
                raise RefusedError(Reason.DAMAGED, f"is damaged: page {number + 1} cannot be read ({error})") from error
            n_characters += found.n_characters
            if n_characters > limits.characters:
                raise RefusedError(Reason.TOO_LARGE, f"has more than {limits.characters:,} characters; split it")
            pages.append(found)
        return pages, fonts, _outline(document), tables
    finally:
        document.close()


def _outline(document: pdfium.PdfDocument) -> list[OutlineEntry]:
    entries = []
    for bookmark in document.get_toc(max_depth=12):
        destination = bookmark.get_dest()
        page = destination.get_index() if destination is not None else None
        title = " ".join(bookmark.get_title().split())
        if page is not None and title:
            entries.append(OutlineEntry(title, bookmark.level + 1, page))
        if len(entries) >= MOST_ENTRIES:
            break
    return entries


def _refuse_without_text(pages: Sequence[PageGlyphs], with_text: set[int]) -> None:
    """Refuse what has nothing to read; page numbers and running heads are nothing."""
    unreadable = sum(page.n_unreadable for page in pages)
    total = unreadable + sum(page.n_characters for page in pages)
    if unreadable > MOST_UNREADABLE * total:
        raise RefusedError(
            Reason.NOT_TEXT,
            f"{unreadable:,} of its {total:,} characters stand for no letter; run it through OCR, "
            "for example ocrmypdf --force-ocr",
        )
    if not with_text:
        if any(page.has_marks for page in pages):
            raise RefusedError(Reason.SCANNED, f"holds images of text, no text; {advice()}")
        raise RefusedError(Reason.EMPTY, "has only empty pages")
    without = sum(page.has_marks for number, page in enumerate(pages) if number not in with_text)
    if without > (1 - FEWEST_PAGES_WITH_TEXT) * len(pages):
        raise RefusedError(Reason.SCANNED, f"{without} of its {len(pages)} pages are images without text; {advice()}")
    counted = count_words(segment.text for page in pages for segment in page.segments)
    if not counted.is_language:
        raise RefusedError(
            Reason.NOT_TEXT,
            f"only {counted.share:.0%} of its words can be pronounced: its fonts hide which letters they show; run it "
            "through OCR, for example ocrmypdf --force-ocr",
        )
