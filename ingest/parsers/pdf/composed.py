"""Paragraphs of a composed text, each with its place in the text and its lines on the pages."""

from collections import Counter
from dataclasses import dataclass

from ingest.parsers.line_boxes import LineBox
from ingest.parsers.pdf.blocks import Block, PlacedBlock
from ingest.parsers.pdf.glyphs import Style
from ingest.parsers.pdf.heading_lines import FoundHeading
from ingest.parsers.pdf.layout import Line

NARROWER_BY = 8.0
"""Points on either side by which a paragraph is set in."""


@dataclass(frozen=True)
class PlacedParagraph:
    """A paragraph of the text.

    Attributes:
        start: Its first character in the text.
        text: Its characters.
        lines: Its lines on the pages.
        line_starts: First character of each line, counted in ``text``.
        heading: The heading that it is, or None.
        size: Size of most of its characters, in points; 0 for a table.
        block: The entry, caption or table that it is, or None.
    """

    start: int
    text: str
    lines: tuple[Line, ...]
    line_starts: tuple[int, ...]
    heading: FoundHeading | None
    size: float
    block: Block | None = None

    @property
    def is_heading(self) -> bool:
        return self.heading is not None

    @property
    def title(self) -> str:
        return self.heading.title if self.heading else ""

    @property
    def level(self) -> int:
        return self.heading.level if self.heading else 0

    @property
    def page(self) -> int:
        """Page of its first line, from 0."""
        return self.lines[0].page

    @property
    def style(self) -> Style:
        """The style of most of its characters."""
        count: Counter[Style] = Counter()
        for line in self.lines:
            count.update(line.styles)
        return max(count, key=lambda style: count[style])

    @property
    def is_narrow(self) -> bool:
        """Whether its lines are set in on both sides of their column."""
        full = self.lines[1:-1] or self.lines
        return all(line.x0 > line.left + NARROWER_BY and line.x1 < line.right - NARROWER_BY for line in full)

    @property
    def line_boxes(self) -> list[LineBox]:
        """Where its lines stand on the pages, and in the document's text; sideways lines are left out."""
        ends = [*self.line_starts[1:], len(self.text)]
        boxes = []
        for line, start, end in zip(self.lines, self.line_starts, ends, strict=True):
            last = len(self.text[:end].rstrip())
            if line.angle == 0 and last > start:
                boxes.append(
                    LineBox(self.start + start, self.start + last, line.page + 1, line.x0, line.x1, line.y, _size(line))
                )
        return boxes


def _size(line: Line) -> float:
    return max(line.segments, key=lambda segment: len(segment.text)).size


@dataclass(frozen=True)
class Composed:
    """A text with the places of its paragraphs.

    Attributes:
        text: Paragraphs, parted by an empty line; the lines of a paragraph are joined.
        paragraphs: In the order of the text.
        n_joined: Hyphens that were dropped where a word was put together again.
    """

    text: str
    paragraphs: tuple[PlacedParagraph, ...]
    n_joined: int

    @property
    def headings(self) -> list[tuple[FoundHeading, int, int]]:
        """Each heading with its first character and the one after its line end."""
        return [(one.heading, one.start, one.start + len(one.text) + 2) for one in self.paragraphs if one.heading]

    @property
    def blocks(self) -> list[PlacedBlock]:
        """Entries of lists of references, captions and tables, in order."""
        return [
            PlacedBlock(one.block.kind, one.start, one.start + len(one.text), one.block.label)
            for one in self.paragraphs
            if one.block
        ]

    @property
    def page_marks(self) -> list[tuple[int, int]]:
        """(offset, page from 1): from there on the text stands on this page."""
        marks: list[tuple[int, int]] = []
        for one in self.paragraphs:
            for start, line in zip(one.line_starts, one.lines, strict=True):
                if not marks or marks[-1][1] != line.page + 1:
                    marks.append((one.start + start, line.page + 1))
        return marks

    @property
    def line_boxes(self) -> list[LineBox]:
        """Where the lines of the text stand on the pages, in the order of the text."""
        return [box for one in self.paragraphs for box in one.line_boxes]
