"""Where each line of a PDF's text stands on its page, in a compact form that the graph keeps with the paper.

A line is seven whole numbers: characters since the end of the line before, its length, pages since the line before, and
in tenths of a point the left edge, width, baseline and size, each less that of the line before. Before the lines stand
the number of pages and the width and height of each, less those of the page before. All are packed as variable-length
integers, by columns, compressed by zlib, and written in base 85. Decision 0051 has the measured size.
"""

import base64
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

TENTHS = 10
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


class PageSize(NamedTuple):
    """Width and height of a page as it is shown, in points."""

    width: float
    height: float


class LineBoxes(NamedTuple):
    """Sizes of all pages, in order, and the boxes of lines in the order of the text."""

    pages: Sequence[PageSize]
    boxes: Sequence[LineBox]


def pack(pages: Iterable[PageSize], boxes: Iterable[LineBox]) -> str:
    """Return the sizes of pages, and boxes in the order of the text, as a string for :func:`unpack`.

    Without boxes the string is empty.
    """
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
    sizes = [[round(TENTHS * value) for value in page_size] for page_size in pages]
    packed = bytearray()
    _write(packed, len(sizes))
    for column in zip(*sizes, strict=True):
        for before, value in zip((0, *column[:-1]), column, strict=True):
            _write(packed, value - before)
    for column in zip(*rows, strict=True):
        for value in column:
            _write(packed, value)
    return base64.b85encode(zlib.compress(bytes(packed), 9)).decode("ascii")


@lru_cache(maxsize=64)
def unpack(packed: str) -> LineBoxes:
    """Return what :func:`pack` made a string of.

    Raises:
        ValueError: It is no such string.
    """
    if not packed:
        return LineBoxes((), ())
    try:
        unpacker = zlib.decompressobj()
        values = list(_read(unpacker.decompress(base64.b85decode(packed), MOST_BYTES)))
    except zlib.error as error:
        raise ValueError(f"line boxes cannot be unpacked: {error}") from error
    if not unpacker.eof:
        raise ValueError("line boxes are cut short, or longer than a paper's can be")
    n_pages = values[0] if values else 0
    of_lines = values[1 + 2 * n_pages :]
    n_rows, rest = divmod(len(of_lines), N_COLUMNS)
    if rest or n_pages < 1:
        raise ValueError(f"{len(values)} numbers are no line boxes")
    widths, heights = accumulate(values[1 : 1 + n_pages]), accumulate(values[1 + n_pages : 1 + 2 * n_pages])
    pages = [PageSize(width / TENTHS, height / TENTHS) for width, height in zip(widths, heights, strict=True)]
    columns = (of_lines[column * n_rows : (column + 1) * n_rows] for column in range(N_COLUMNS))
    boxes = []
    end = page = x0 = width = baseline = size = 0
    for row in zip(*columns, strict=True):
        start = end + row[0]
        end, page = start + row[1], page + row[2]
        x0, width, baseline, size = x0 + row[3], width + row[4], baseline + row[5], size + row[6]
        boxes.append(LineBox(start, end, page, x0 / TENTHS, (x0 + width) / TENTHS, baseline / TENTHS, size / TENTHS))
    return LineBoxes(tuple(pages), tuple(boxes))


def _write(packed: bytearray, value: int) -> None:
    """Append a whole number: its sign in the lowest bit, seven bits a byte, lowest first."""
    left = value << 1 if value >= 0 else (-value << 1) - 1
    while left > 0x7F:
        packed.append(left & 0x7F | 0x80)
        left >>= 7
    packed.append(left)


def _read(packed: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            yield value >> 1 if not value & 1 else -((value + 1) >> 1)
            value = shift = 0
