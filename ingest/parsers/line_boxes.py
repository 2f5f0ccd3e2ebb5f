"""Where each line of a PDF's text stands on its page, in a compact form that the graph keeps with the paper.

A line is seven whole numbers: characters since the end of the line before, its length, pages since the line before, and
in tenths of a point the left edge, width, baseline and size, each less that of the line before. They are packed as
variable-length integers, by columns, compressed by zlib, and written in base 85. Decision 0051 has the measured size.
"""

import base64
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

PROPERTY = "lineBoxes"
TENTHS = 10
ABOVE, BELOW = 0.78, 0.24
"""Share of its size by which a line reaches above and below its baseline."""

N_COLUMNS = 7
MOST_BYTES = 64_000_000


class LineBox(NamedTuple):
    """A line of the text: characters ``start`` to ``end``, page from 1, and place in points, y down from the top."""

    start: int
    end: int
    page: int
    x0: float
    x1: float
    baseline: float
    size: float


@dataclass(frozen=True)
class Region:
    """A rectangle of a page that holds a stretch of the text.

    Attributes:
        page: From 1.
        x0: Left edge, in points from the left of the page as it is shown.
        y0: Upper edge, in points from its top.
        x1: Right edge.
        y1: Lower edge.
        start: First character of the document's text in it.
        end: Character after the last one.
    """

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    start: int
    end: int


def regions(paper: Mapping[str, Any], start: int, end: int) -> list[Region]:
    """Return where characters ``start`` to ``end`` of a paper's text stand on its pages, a rectangle per line.

    Within a line the letters are taken to be equally wide. A paper without line boxes, such as one that was no PDF, has
    no regions.

    Args:
        paper: Properties of the paper as the graph has them.
        start: First character, as the ``startChar`` of chunks counts.
        end: Character after the last one.
    """
    boxes = unpack(str(paper.get(PROPERTY) or ""))
    first = max(0, bisect_right(boxes, start, key=lambda box: box.start) - 1)
    found = []
    for box in boxes[first:]:
        if box.start >= end:
            break
        left, right = max(start, box.start), min(end, box.end)
        if left < right:
            found.append(_region(box, left, right))
    return found


def _region(box: LineBox, start: int, end: int) -> Region:
    width = (box.x1 - box.x0) / (box.end - box.start)
    x0, x1 = box.x0 + width * (start - box.start), box.x0 + width * (end - box.start)
    y0, y1 = box.baseline - ABOVE * box.size, box.baseline + BELOW * box.size
    x0, y0, x1, y1 = (round(value, 1) for value in (x0, y0, x1, y1))
    return Region(box.page, x0, y0, x1, y1, start, end)


def pack(boxes: Iterable[LineBox]) -> str:
    """Return boxes, in the order of the text, as a string for :func:`unpack`; empty for none."""
    rows = []
    end = page = x0 = width = baseline = size = 0
    for box in boxes:
        now = [round(TENTHS * value) for value in (box.x0, box.x1 - box.x0, box.baseline, box.size)]
        rows.append(
            (box.start - end, box.end - box.start, box.page - page,
             now[0] - x0, now[1] - width, now[2] - baseline, now[3] - size)
        )  # fmt: skip
        end, page, (x0, width, baseline, size) = box.end, box.page, now
    if not rows:
        return ""
    packed = bytearray()
    for column in zip(*rows, strict=True):
        for value in column:
            _write(packed, value)
    return base64.b85encode(zlib.compress(bytes(packed), 9)).decode("ascii")


@lru_cache(maxsize=64)
def unpack(packed: str) -> Sequence[LineBox]:
    """Return the boxes of a string that :func:`pack` made.

    Raises:
        ValueError: It is no such string.
    """
    if not packed:
        return ()
    try:
        unpacker = zlib.decompressobj()
        values = list(_read(unpacker.decompress(base64.b85decode(packed), MOST_BYTES)))
    except zlib.error as error:
        raise ValueError(f"line boxes cannot be unpacked: {error}") from error
    n_rows, rest = divmod(len(values), N_COLUMNS)
    if rest:
        raise ValueError(f"{len(values)} numbers are no line boxes")
    boxes = []
    end = page = x0 = width = baseline = size = 0
    for row in zip(*(values[column * n_rows : (column + 1) * n_rows] for column in range(N_COLUMNS)), strict=True):
        start = end + row[0]
        end, page = start + row[1], page + row[2]
        x0, width, baseline, size = x0 + row[3], width + row[4], baseline + row[5], size + row[6]
        boxes.append(LineBox(start, end, page, x0 / TENTHS, (x0 + width) / TENTHS, baseline / TENTHS, size / TENTHS))
    return tuple(boxes)


def _write(packed: bytearray, value: int) -> None:
    """Append a whole number: its sign in the lowest bit, seven bits a byte, lowest first."""
    left = value << 1 if value >= 0 else (-value << 1) - 1
    while left > 0x7F:
        packed.append(left & 0x7F | 0x80)
        left >>= 7
    packed.append(left)


def _read(packed: bytes) -> Iterable[int]:
    value = shift = 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            yield value >> 1 if not value & 1 else -((value + 1) >> 1)
            value = shift = 0
