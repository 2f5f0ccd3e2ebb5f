"""Pages of papers: regions of passages, and pictures."""

import asyncio
import base64
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, Self

from papergraph.disk_cache import DiskCache, key_of
from papergraph.errors import NotFoundError
from papergraph.ingest.originals import Originals
from papergraph.ingest.parsers.line_boxes import LineBox, PageSize, Word, unpack
from papergraph.ingest.parsers.pdf.page_image import WHOLE, Part, draw_in_child
from papergraph.ingest.parsers.sandbox import RefusedError
from papergraph.schema.records import Chunk, Paper
from papergraph.settings import Settings

# Characters of a PDF's text to the rectangles of its pages where they stand


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
    """Return the positions of characters ``start`` to ``end`` of a paper on its pages, one rectangle per line.

    A rectangle begins and ends with the words of its characters. Letters of a word count as equally wide, as do those
    of a line without edges of words.

    Args:
        line_boxes: Property ``lineBoxes`` of the paper; empty for other formats than PDF, which have no rectangles.
        start: First character, as the ``startChar`` of chunks counts.
        end: Character after the last one.

    Raises:
        ValueError: ``line_boxes`` is malformed.
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


# Pages of kept PDFs as images, drawn when they are asked for and kept on disk


FOLDER, CACHE_BYTES = "pages", 500_000_000
DRAWN_AT_ONCE = 2
VERSION = 1
"""Raise it when the same page gives another image."""


class PageWidth(IntEnum):
    """Width of an image, in pixels: a closed list, so that few images of a page are kept."""

    THUMBNAIL = 160
    SMALL = 400
    MEDIUM = 800
    LARGE = 1200
    PRINT = 1600


MODEL_WIDTHS, MOST_MODEL_BYTES = (PageWidth.MEDIUM, PageWidth.SMALL), 1_000_000
"""Widths of a picture for a language model, in pixels, of which the first within so many bytes is sent."""


@dataclass(frozen=True)
class PageImages:
    """Draws pages of the originals; ``cache`` keeps what was drawn."""

    originals: Originals
    cache: DiskCache
    _turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(DRAWN_AT_ONCE), repr=False)

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """Return the renderer of the stored originals, or None if originals are discarded."""
        originals = Originals.of(settings)
        return None if originals is None else cls(originals, DiskCache(settings.cache / FOLDER, max_bytes=CACHE_BYTES))

    async def figure(self, paper: Paper, chunk: Chunk, width: PageWidth) -> bytes:
        """Return the picture of a caption as PNG.

        Raises:
            NotFoundError: The chunk has no picture, or it cannot be drawn.
        """
        if not chunk.figure:
            raise NotFoundError("figure of chunk", chunk.id, field="id")
        page, x0, y0, x1, y1 = chunk.figure
        return await self.image(paper, int(page), width, (x0, y0, x1, y1))

    async def for_model(self, paper: Paper, chunk: Chunk) -> bytes | None:
        """Return the picture of a caption for a language model, or None if it cannot be drawn or is too large."""
        for width in MODEL_WIDTHS:
            try:
                drawn = await self.figure(paper, chunk, width)
            except NotFoundError:
                return None
            if len(drawn) <= MOST_MODEL_BYTES:
                return drawn
        return None

    async def image(self, paper: Paper, page: int, width: PageWidth, part: Part = WHOLE) -> bytes:
        """Return a page of a paper's PDF, or a part of it, as PNG.

        Args:
            paper: The paper, which the principal may read.
            page: From 1.
            width: Of the image, in pixels; a small part becomes narrower.
            part: Left, upper, right and lower edge as shares of the page.

        Raises:
            NotFoundError: The paper has no PDF that is kept, no such page, or one that cannot be drawn.
        """
        place = self.originals.find(paper.content_hash) if paper.format == "pdf" else None
        if place is None:
            raise NotFoundError("PDF of paper", paper.id, field="id")
        key = key_of(
            {"content": paper.content_hash, "page": page, "width": int(width), "part": part, "version": VERSION}
        )
        if (kept := await asyncio.to_thread(self.cache.get, key)) is not None:
            return base64.b64decode(kept["png"])
        async with self._turns:
            try:
                drawn = await asyncio.to_thread(
                    lambda: draw_in_child(place.read_bytes(), page=page, width=int(width), part=part)
                )
            except RefusedError as error:
                told = f"Page {page} of the PDF cannot be shown: the PDF {error}."
                raise NotFoundError("page", str(page), field="n", message=told) from error
        await asyncio.to_thread(self.cache.put, key, {"png": base64.b64encode(drawn).decode()})
        return drawn
