"""Positions of lines and words on the pages of a PDF, in a compact string that is stored with the paper.

A line is eight whole numbers: characters since the end of the line before, its length, pages since the line before, in
tenths of a point the left edge, width, baseline and size, each less that of the line before, and its number of words. A
word is four: characters since the end of the word before, its length, and in halves of a point the gap before it and
its width, less that of as many letters of the line. The first word of a line counts from the line's start and left
edge. The lines are preceded by zero, the numbers of pages and lines, and the width and height of each page, less those
of the page before. All are packed as variable-length integers, by columns, compressed by zlib, and written in base 85.
Decision 0145 has the measured size. Strings of an earlier form have no words: they lack the zero, the number of lines
and those of words.
"""

import base64
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from typing import NamedTuple

TENTHS = 10
HALVES = 2
LINE_COLUMNS, WORD_COLUMNS = 8, 4
MOST_BYTES = 64_000_000


class Word(NamedTuple):
    """A word of a line: characters ``start`` to ``end`` of the text, and its left and right edge in points."""

    start: int
    end: int
    x0: float
    x1: float


class LineBox(NamedTuple):
    """A line of the text: characters ``start`` to ``end``, page from 1, and place in points, y down from the top.

    ``words`` are those whose edges are known, in the order of the text.
    """

    start: int
    end: int
    page: int
    x0: float
    x1: float
    baseline: float
    size: float
    words: tuple[Word, ...] = ()


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
    rows, words = [], []
    end = page = x0 = width = baseline = size = 0
    for box in boxes:
        now = [round(TENTHS * value) for value in (box.x0, box.x1 - box.x0, box.baseline, box.size)]
        rows.append(
            (box.start - end, box.end - box.start, box.page - page,
             now[0] - x0, now[1] - width, now[2] - baseline, now[3] - size, len(box.words))
        )  # fmt: skip
        end, page, (x0, width, baseline, size) = box.end, box.page, now
        at, right = box.start, _halves(x0)
        for word in box.words:
            left, stop, length = round(HALVES * word.x0), round(HALVES * word.x1), word.end - word.start
            usual = _halves(length * width // (box.end - box.start))
            words.append((word.start - at, length, left - right, stop - left - usual))
            at, right = word.end, stop
    if not rows:
        return ""
    sizes = [[round(TENTHS * value) for value in page_size] for page_size in pages]
    packed = bytearray()
    for number in (0, len(sizes), len(rows)):
        _write(packed, number)
    for column in zip(*sizes, strict=True):
        for before, value in zip((0, *column[:-1]), column, strict=True):
            _write(packed, value - before)
    for column in (*zip(*rows, strict=True), *zip(*words, strict=True)):
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
    has_words = values[:1] == [0]
    n_pages = next(iter(values[1:2] if has_words else values), 0)
    head = 3 if has_words else 1
    of_lines = values[head + 2 * n_pages :]
    n_columns = LINE_COLUMNS if has_words else LINE_COLUMNS - 1
    n_rows = values[2] if has_words and len(values) > 2 else len(of_lines) // n_columns
    n_words, rest = divmod(len(of_lines) - n_rows * n_columns, WORD_COLUMNS)
    if rest or n_words < 0 or n_rows < 0 or n_pages < 1:
        raise ValueError(f"{len(values)} numbers are no line boxes")
    widths, heights = accumulate(values[head : head + n_pages]), accumulate(values[head + n_pages : head + 2 * n_pages])
    pages = [PageSize(width / TENTHS, height / TENTHS) for width, height in zip(widths, heights, strict=True)]
    rows = _columns(of_lines[: n_rows * n_columns], n_columns)
    words = _columns(of_lines[n_rows * n_columns :], WORD_COLUMNS)
    return LineBoxes(tuple(pages), tuple(_boxes(rows, words)))


def _columns(values: Sequence[int], n_columns: int) -> Iterator[tuple[int, ...]]:
    """Yield the rows of numbers that are stored by columns."""
    n_rows = len(values) // n_columns
    yield from zip(*(values[column * n_rows : (column + 1) * n_rows] for column in range(n_columns)), strict=True)


def _boxes(rows: Iterator[tuple[int, ...]], words: Iterator[tuple[int, ...]]) -> Iterator[LineBox]:
    end = page = x0 = width = baseline = size = 0
    for row in rows:
        start = end + row[0]
        end, page = start + row[1], page + row[2]
        x0, width, baseline, size = x0 + row[3], width + row[4], baseline + row[5], size + row[6]
        found, at, right = [], start, _halves(x0)
        for skipped, length, gap, wider in islice(words, sum(row[LINE_COLUMNS - 1 :])):
            first, left = at + skipped, right + gap
            at, right = first + length, left + wider + _halves(length * width // max(1, row[1]))
            found.append(Word(first, at, left / HALVES, right / HALVES))
        place = (x0 / TENTHS, (x0 + width) / TENTHS, baseline / TENTHS, size / TENTHS)
        yield LineBox(start, end, page, *place, tuple(found))


def _halves(tenths: int) -> int:
    return tenths * HALVES // TENTHS


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
