"""Composer of a document's text from blocks, with the offsets of headings, elements and citations.

Parsers of markup walk their source in reading order and pass each block on; offsets are of the composed text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.common.entries import with_own_labels
from papergraph.ingest.parsers.document import (
    LONGEST_NAME,
    LONGEST_TITLE,
    MOST_AUTHORS,
    CitedAt,
    Document,
    Element,
    ElementKind,
    Heading,
    HeadingSource,
    Reference,
    abstract_section,
    first_words,
    n_solid,
    normalised,
    section_tree,
)
from papergraph.ingest.sources import RawDocument

BLOCK_END = "\n\n"
MOST_CATEGORIES = 100
MOST_CELLS = 200_000
MOST_COLUMNS = 500
LABEL_OF_CAPTION = re.compile(
    r"(?:Supplementary )?(?:Fig(?:ure|\.)?|Table|Scheme|Box|Listing|Algorithm)\s*[A-Z]?\.?\d+(?:\.\d+)*[a-z]?"
)
UNESCAPED_BAR = re.compile(r"(?<!\\)\|")


class Inline:
    """A line of text that grows from left to right, with blanks joined and citations noted."""

    def __init__(self, *, in_table: bool = False) -> None:
        self._parts: list[str] = []
        self._blank = False
        self._in_table = in_table
        self.length = 0
        self.citations: list[tuple[int, int, int]] = []
        """Start, end and the number of the reference."""

    @property
    def text(self) -> str:
        """Text added so far."""
        return "".join(self._parts)

    def add(self, text: str | None) -> None:
        """Add characters; any run of blanks becomes one, at the beginning and end none."""
        if not text:
            return
        text = normalised(text)
        words = text.split()
        if not words or text[0].isspace():
            self._blank = True
        if not words:
            return
        self.open()
        joined = " ".join(words)
        self._append(UNESCAPED_BAR.sub(r"\\|", joined) if self._in_table else joined)
        self._blank = text[-1].isspace()

    def open(self) -> int:
        """Return where the next word will start."""
        if self._blank and self.length:
            self._append(" ")
        self._blank = False
        return self.length

    def cite(self, start: int, references: Sequence[int]) -> None:
        """Note that what was added since ``start`` cites ``references``."""
        if self.length > start:
            self.citations += [(start, self.length, reference) for reference in references]

    def include(self, other: "Inline") -> None:
        """Add another line with its citations, to the letter."""
        if other.length:
            start = self.open()
            self._append(other.text)
            self.citations += [(start + first, start + end, number) for first, end, number in other.citations]

    def literal(self, text: str) -> None:
        """Add characters as they are, blanks too."""
        self._blank = False
        self._append(text)

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self.length += len(text)


@dataclass(frozen=True)
class Cell:
    """A cell of a table, ``columns`` wide and ``rows`` high."""

    content: Inline
    columns: int = 1
    rows: int = 1


def table(rows: Sequence[Sequence[Cell]]) -> Inline:
    """Return rows of cells as a Markdown table whose head is the first row; a cell that spans others leaves them empty.

    Tables with no text, or of more cells than 200,000, give an empty line.
    """
    grid: dict[tuple[int, int], Inline] = {}
    taken: set[tuple[int, int]] = set()
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            while (number, column) in taken:
                column += 1
            grid[number, column] = cell.content
            wide, high = min(max(1, cell.columns), MOST_COLUMNS), min(max(1, cell.rows), len(rows) - number)
            if len(taken) + wide * high > MOST_CELLS:
                return Inline()
            taken |= {(number + down, column + right) for down in range(high) for right in range(wide)}
            column += wide
    n_columns = 1 + max((column for _, column in taken), default=-1)
    whole = Inline()
    if not any(content.length for content in grid.values()) or n_columns * len(rows) > MOST_CELLS:
        return whole
    for number in range(len(rows)):
        whole.literal("\n|" if number else "|")
        for column in range(n_columns):
            whole.literal(" ")
            whole.include(grid.get((number, column), Inline()))
            whole.literal(" |")
        if number == 0:
            whole.literal("\n|" + " --- |" * n_columns)
    return whole


@dataclass(frozen=True)
class FrontMatter:
    """Metadata in a document's front matter, without impossible values."""

    title: str = ""
    authors: Sequence[str] = ()
    year: int | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    categories: Sequence[str] = ()
    license: str | None = None


class DocumentBuilder:
    """Writes a document's text, block by block."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._elements: list[Element] = []
        self._cited_at: list[CitedAt] = []
        self._page_marks: list[tuple[int, int]] = []

    def page(self, number: int) -> None:
        """Say that what follows stands on a page, from 1."""
        if self._page_marks and self._page_marks[-1][0] == self._length:
            self._page_marks.pop()  # a page without text
        if not self._page_marks or self._page_marks[-1][1] != number:
            self._page_marks.append((self._length, number))

    def heading(self, title: str, level: int) -> None:
        """Begin a section; ``level`` counts from 1."""
        start = self._length
        self._append(title + "\n")
        self._headings.append(Heading(title, level, start, self._length))
        self._append("\n")

    def paragraph(self, line: Inline | str) -> None:
        """Add running text."""
        self._block(line)

    def element(self, kind: ElementKind, line: Inline | str, label: str = "") -> None:
        """Add a table, an equation or a caption."""
        start, end = self._block(line)
        if end > start:
            self._elements.append(Element(kind, start, end, label))

    def document(
        self, file: RawDocument, form: str, front: FrontMatter, references: Sequence[Reference] = ()
    ) -> Document:
        """Return what was composed as a document.

        Raises:
            SourceError: There is no text but the title.
        """
        text = front.title + BLOCK_END if front.title else ""
        offset = len(text)
        text += "".join(self._parts)
        headings = [Heading(h.title, h.level, h.start + offset, h.end + offset) for h in self._headings]
        title = shortened(front.title) or first_words(text)
        sections = tuple(section_tree(text, headings, title, offset))
        if not text[offset:].strip():
            raise SourceError(file.name, Reason.EMPTY, "holds no text" + (" but its title" if front.title else ""))
        abstract = abstract_section(text, sections)
        return Document(
            key=(front.doi and f"doi:{front.doi}") or (front.arxiv_id and f"arxiv:{front.arxiv_id}") or file.key,
            title=title,
            abstract=abstract or "",
            authors=tuple(dict.fromkeys(name[:LONGEST_NAME] for name in front.authors if name))[:MOST_AUTHORS],
            year=front.year,
            doi=front.doi,
            arxiv_id=front.arxiv_id,
            categories=tuple(dict.fromkeys(filter(None, front.categories)))[:MOST_CATEGORIES],
            license=front.license,
            text=text,
            format=form,
            sections=sections,
            heading_source=HeadingSource.MARKUP if headings else HeadingSource.NONE,
            n_body_chars=n_solid(text[offset:]) - sum(n_solid(text[h.start : h.end]) for h in headings),
            elements=tuple(Element(e.kind, e.start + offset, e.end + offset, e.label) for e in self._elements),
            references=with_own_labels(references),
            cited_at=tuple(
                CitedAt(cited.start + offset, cited.end + offset, cited.reference) for cited in self._cited_at
            ),
            page_marks=tuple(
                (start + offset if number else 0, page) for number, (start, page) in enumerate(self._page_marks)
            ),
        )

    def _block(self, line: Inline | str) -> tuple[int, int]:
        start = self._length
        text = line.strip() if isinstance(line, str) else line.text
        if not text.strip():
            return start, start
        if isinstance(line, Inline):
            self._cited_at += [CitedAt(start + first, start + end, number) for first, end, number in line.citations]
        self._append(text)
        end = self._length
        self._append(BLOCK_END)
        return start, end

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)


def label_of_caption(text: str) -> str:
    """Return what a caption calls its figure or table, such as "Fig. 2"; '' where it does not begin with that."""
    found = LABEL_OF_CAPTION.match(text)
    return found[0] if found else ""


def shortened(title: str) -> str:
    """Return a title cut to 500 characters, at a word."""
    if len(title) <= LONGEST_TITLE:
        return title
    cut = title[: LONGEST_TITLE - 2]
    return (cut.rpartition(" ")[0] or cut) + " …"
