"""Figures of a PDF: the place of the picture that stands at a caption.

Images, paths, shadings and forms of a page draw its pictures. Those above a caption and nearest to it are its figure,
up to running text, another caption, or a wide gap; without any above, those below.
"""

import ctypes
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from papergraph.ingest.parsers.document import TEXT_NAME
from papergraph.ingest.parsers.pdf.glyphs import PageGlyphs
from papergraph.ingest.parsers.pdf.headings import Lines
from papergraph.ingest.parsers.pdf.layout import Block, BlockKind, Line
from papergraph.ingest.parsers.pdf.tables import MOST_OBJECTS, caption_label

DRAWN = frozenset(
    {
        pdfium_c.FPDF_PAGEOBJ_PATH,
        pdfium_c.FPDF_PAGEOBJ_IMAGE,
        pdfium_c.FPDF_PAGEOBJ_SHADING,
        pdfium_c.FPDF_PAGEOBJ_FORM,
    }
)
BACKGROUND = 0.9
"""Share of a page's area from which an object is its background."""

WIDEST_GAP = 30.0
"""Points between parts of a picture, one above the other."""

FARTHEST = 90.0
"""Points between a picture and its caption, such as labels below an axis."""

SMALLEST = (40.0, 24.0)
"""Width and height of a picture in points."""

MARGIN, LABEL_GAP = 2.0, 6.0
"""Points around a picture, and between it and its labels."""

WIDE, SAME_SIZE = 0.55, 0.4
"""Share of its column that a line of running text fills, and points by which its letters may differ."""

MOST_SEGMENTS = 2
"""Segments of a line of running text; a row of labels has more."""

ABOVE, BELOW = 0.8, 0.25
"""Share of its size by which a line reaches above and below its baseline."""

N_DIGITS = 5


class Box(NamedTuple):
    """Rectangle of a page in points, y down from the top."""

    x0: float
    y0: float
    x1: float
    y1: float


TURNED = 36.0
"""Points at either side of a picture for sideways labels, if the page has sideways text."""


def has_figure(page: PageGlyphs) -> bool:
    """Say whether a caption of a figure may stand on a page."""
    return any(_names_figure(segment.text) for segment in page.segments)


def _names_figure(text: str) -> bool:
    label = caption_label(text)
    return label is not None and not TEXT_NAME.match(label.text)


def find_pictures(page: pdfium.PdfPage) -> list[Box]:
    """Return the places of what an upright page draws beside text."""
    if page.get_rotation() != 0:
        return []
    left, bottom, right, top = page.get_bbox()
    bounds = [ctypes.c_float() for _ in range(4)]
    found = []
    for index in range(min(pdfium_c.FPDFPage_CountObjects(page), MOST_OBJECTS)):
        item = pdfium_c.FPDFPage_GetObject(page, index)
        if pdfium_c.FPDFPageObj_GetType(item) not in DRAWN or not pdfium_c.FPDFPageObj_GetBounds(item, *bounds):
            continue
        x0, y0, x1, y1 = (bound.value for bound in bounds)
        x0, x1, y0, y1 = max(x0, left), min(x1, right), max(y0, bottom), min(y1, top)
        if x0 <= x1 and y0 <= y1 and (x1 - x0) * (y1 - y0) < BACKGROUND * (right - left) * (top - bottom):
            found.append(Box(x0 - left, top - y1, x1 - left, top - y0))
    return found


def with_figures(blocks: Sequence[Block], lines: Lines, pages: Sequence[PageGlyphs]) -> list[Block]:
    """Return the captions, tables and entries of a document, captions of figures with the place of their picture."""
    captions = {number for one in blocks if one.kind is BlockKind.CAPTION for number in range(one.first, one.last + 1)}
    return [
        replace(block, figure=_figure(block, lines, captions, pages))
        if block.kind is BlockKind.CAPTION and _names_figure(lines.texts[block.first])
        else block
        for block in blocks
    ]


def _figure(block: Block, lines: Lines, captions: set[int], pages: Sequence[PageGlyphs]) -> tuple[float, ...]:
    """Return the place of a caption's picture: page from 1, and edges as shares of the page; empty if none is found."""
    first = lines.lines[block.first]
    page = pages[first.page]
    near = [box for box in (Box(*picture) for picture in page.pictures) if _is_in(box, first)]
    if not near or first.angle != 0:
        return ()
    own = range(block.first, block.last + 1)
    others = [
        (_box(line), number in captions or _is_running(line, lines, number))
        for number, line in enumerate(lines.lines)
        if line.page == first.page and line.angle == 0 and number not in own
    ]
    caption = Box(first.left, _box(first).y0, first.right, _box(lines.lines[block.last]).y1)
    turned = _beside(_turned(caption), [_turned(box) for box in near], [(_turned(box), ends) for box, ends in others])
    above = None if turned is None else _turned(turned)
    for found in (above, _beside(caption, near, others)):
        if found is not None and found.x1 - found.x0 >= SMALLEST[0] and found.y1 - found.y0 >= SMALLEST[1]:
            room = TURNED if page.turned else 0.0
            x0, x1 = min(found.x0, max(first.left, found.x0 - room)), max(found.x1, min(first.right, found.x1 + room))
            edges = (x0 / page.width, found.y0 / page.height, x1 / page.width, found.y1 / page.height)
            return (first.page + 1, *(round(min(1.0, max(0.0, edge)), N_DIGITS) for edge in edges))
    return ()


def _box(line: Line) -> Box:
    size = max(line.segments, key=lambda segment: len(segment.text)).size
    return Box(line.x0, line.y - ABOVE * size, line.x1, line.y + BELOW * size)


def _is_running(line: Line, lines: Lines, number: int) -> bool:
    return (
        line.x1 - line.x0 >= WIDE * (line.right - line.left)
        and abs(lines.styles[number].size - lines.body.size) <= SAME_SIZE
        and len(line.segments) <= MOST_SEGMENTS
    )


def _is_in(box: Box, caption: Line) -> bool:
    """Say whether most of a picture is in the column of a caption, or spans it."""
    shared = min(box.x1, caption.right) - max(box.x0, caption.left)
    return shared >= 0.5 * (box.x1 - box.x0) or shared >= 0.8 * (caption.right - caption.left)


def _beside(caption: Box, pictures: Sequence[Box], others: Sequence[tuple[Box, bool]]) -> Box | None:
    """Return the picture below a caption with its labels; ``others`` are lines, and whether a picture ends there."""
    end = min(
        (box.y0 for box, ends in others if ends and box.y0 >= caption.y1 - MARGIN and _meet(box, caption)),
        default=math.inf,
    )
    bottom: float | None = None
    run: list[Box] = []
    for box in sorted(pictures, key=lambda box: box.y0):
        if box.y0 < caption.y1 - MARGIN or (box.y0 + box.y1) / 2 > end:
            continue
        if box.y0 > (caption.y1 + FARTHEST if bottom is None else bottom + WIDEST_GAP):
            break
        bottom = box.y1 if bottom is None else max(bottom, box.y1)
        run.append(box)
    if bottom is None:
        return None
    x0, x1 = min(box.x0 for box in run), max(box.x1 for box in run)
    for box, ends in sorted(others):
        if not ends and caption.y1 <= box.y0 and box.y0 - bottom < LABEL_GAP and _meet(box, caption):
            bottom = max(bottom, box.y1)
            x0, x1 = min(x0, box.x0), max(x1, box.x1)
    return Box(x0 - MARGIN, caption.y1 + 1, x1 + MARGIN, min(end, bottom + MARGIN))


def _meet(box: Box, other: Box) -> bool:
    return box.x0 < other.x1 and other.x0 < box.x1


def _turned(box: Box) -> Box:
    """Return a rectangle upside down, so that what is above is below."""
    return Box(box.x0, -box.y1, box.x1, -box.y0)
