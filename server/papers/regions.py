"""Characters of a PDF's text to the rectangles of its pages where they stand."""

from bisect import bisect_right
from typing import NamedTuple

from ingest.parsers.line_boxes import LineBox, PageSize, unpack

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

    Within a line the letters are taken to be equally wide.

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
        if left < right:
            found.append(_region(box, pages[box.page - 1], left, right))
    return found


def _region(box: LineBox, page: PageSize, start: int, end: int) -> Region:
    width = (box.x1 - box.x0) / (box.end - box.start)
    x0, x1 = box.x0 + width * (start - box.start), box.x0 + width * (end - box.start)
    y0, y1 = box.baseline - ABOVE * box.size, box.baseline + BELOW * box.size
    return Region(
        box.page, _share(x0, page.width), _share(y0, page.height), _share(x1, page.width), _share(y1, page.height)
    )


def _share(points: float, of: float) -> float:
    return round(min(1.0, max(0.0, points / of)), N_DIGITS)
