"""Pages of kept PDFs as images, drawn when they are asked for and kept on disk."""

import asyncio
import base64
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Self

from ingest.originals import Originals
from ingest.parsers.pdf.page_image import draw_in_child
from ingest.parsers.sandbox import RefusedError
from papergraph.disk_cache import DiskCache, key_of
from papergraph.errors import NotFoundError
from papergraph.settings import Settings
from schema.records import Paper

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


@dataclass(frozen=True)
class PageImages:
    """Draws pages of the originals; ``cache`` keeps what was drawn."""

    originals: Originals
    cache: DiskCache
    _turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(DRAWN_AT_ONCE), repr=False)

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """Return what draws the originals that the settings name, or None where none are kept."""
        originals = Originals.of(settings)
        return None if originals is None else cls(originals, DiskCache(settings.cache / FOLDER, max_bytes=CACHE_BYTES))

    async def image(self, paper: Paper, page: int, width: PageWidth) -> bytes:
        """Return a page of a paper's PDF as PNG.

        Args:
            paper: The paper, which the asker may read.
            page: From 1.
            width: Of the image, in pixels.

        Raises:
            NotFoundError: The paper has no PDF that is kept, no such page, or one that cannot be drawn.
        """
        place = self.originals.find(paper.content_hash) if paper.format == "pdf" else None
        if place is None:
            raise NotFoundError("PDF of paper", paper.id, field="id")
        key = key_of({"content": paper.content_hash, "page": page, "width": int(width), "version": VERSION})
        if (kept := await asyncio.to_thread(self.cache.get, key)) is not None:
            return base64.b64decode(kept["png"])
        async with self._turns:
            try:
                drawn = await asyncio.to_thread(lambda: draw_in_child(place.read_bytes(), page=page, width=int(width)))
            except RefusedError as error:
                told = f"Page {page} of the PDF cannot be shown: the PDF {error}."
                raise NotFoundError("page", str(page), field="n", message=told) from error
        await asyncio.to_thread(self.cache.put, key, {"png": base64.b64encode(drawn).decode()})
        return drawn
