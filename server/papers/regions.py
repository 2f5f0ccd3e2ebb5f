"""Characters of a PDF's text to the rectangles of its pages where they stand."""

from bisect import bisect_right
from typing import NamedTuple

from ingest.parsers.line_boxes import LineBox, PageSize, Word, unpack

ABOVE, BELOW = 0.78, 0.24
"""Share of its size by which a line reaches above and below its baseline."""

N_DIGITS = 5


class Region(NamedTuple):
    """A rectangle of a page: ``page`` from 1, the rest in [0, 1] of the page's width or height from its upper left."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


def regions_of(line_boxes: str, start: int, end: int) -> list[Region]:
    """Return where characters ``start`` to ``end`` of a paper's text stand on its pages, a rectangle per line.

    A rectangle begins and ends with the words of its characters. Within a word the letters are taken to be equally
    wide, and within a line whose words have no known edges.

    Args:
        line_boxes: Property ``lineBoxes`` of the paper; empty for one that was no PDF, which gives no rectangle.
        start: First character, as the ``startChar`` of chunks counts.
        end: Character after the last one.

    Raises:
        ValueError: ``line_boxes`` is no packed string of lines.
    """
    pages, boxes = unpack(line_boxes)
    first = max(0, bisect_right(boxes, start, key=lambda box: box.start) - 1)
    found = []
    for box in boxes[first:]:
        if box.start >= end:
            break
        left, right = max(start, box.start), min(end, box.end)
        parts = [
            (max(left, word.start), min(right, word.end), word)
            for word in box.words or (Word(box.start, box.end, box.x0, box.x1),)
            if word.start < right and word.end > left
        ]
        if left < right and parts:
            edges = [_x(word, at) for start_of, end_of, word in parts for at in (start_of, end_of)]
            found.append(_region(box, pages[box.page - 1], min(edges), max(edges)))
    return found


def _x(word: Word, at: int) -> float:
    """Return where a character of a word begins."""
    return word.x0 + (word.x1 - word.x0) * (at - word.start) / (word.end - word.start)


def _region(box: LineBox, page: PageSize, x0: float, x1: float) -> Region:
    y0, y1 = box.baseline - ABOVE * box.size, box.baseline + BELOW * box.size
    return Region(
        box.page, _share(x0, page.width), _share(y0, page.height), _share(x1, page.width), _share(y1, page.height)
    )


def _share(points: float, of: float) -> float:
    return round(min(1.0, max(0.0, points / of)), N_DIGITS)
