"""Paragraphs of a composed text, each with its place in the text and its lines on the pages."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.parsers.line_boxes import LineBox, Word
from ingest.parsers.pdf.blocks import Block, PlacedBlock
from ingest.parsers.pdf.glyphs import HYPHENS, Style
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
                begin, end = self.start + start, self.start + last
                words = tuple(_words(line, self.text[start:last], begin))
                boxes.append(LineBox(begin, end, line.page + 1, line.x0, line.x1, line.y, _size(line), words))
        return boxes


def _size(line: Line) -> float:
    return max(line.segments, key=lambda segment: len(segment.text)).size


def _words(line: Line, text: str, start: int) -> Iterator[Word]:
    """Yield the words of a line's text, which begins at character ``start``, with their edges on the page.

    The text may have blanks and marks of tables that the page has not, and lack the end of the line.
    """
    letters = _letters(line)
    letter, x0, x1 = next(letters, NO_LETTER)
    for word in re.finditer(r"\S+", text):
        edges: list[tuple[int, float, float]] = []
        for at, character in enumerate(word[0], start + word.start()):
            if character == letter:
                edges.append((at, x0, x1))
                letter, x0, x1 = next(letters, NO_LETTER)
        if edges:
            left, right = min(x0 for _, x0, _ in edges), max(x1 for _, _, x1 in edges)
            yield Word(edges[0][0], edges[-1][0] + 1, left, right)


NO_LETTER = ("", 0.0, 0.0)


def _letters(line: Line) -> Iterator[tuple[str, float, float]]:
    """Yield the characters of a line that are no blanks, as the text has them, with their left and right edges."""
    for segment in line.segments:
        for character, x0, x1 in zip(segment.text, segment.edges[::2], segment.edges[1::2], strict=False):
            if not character.isspace():
                yield "-" if character in HYPHENS else character, x0, x1


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
