"""A page of a PDF, or a part of it, as an image, drawn in a child process, since PDFium reads what anybody wrote.

The same process tells how the coordinates of pages are placed.
"""

import base64
import io
from typing import NamedTuple

from papergraph.errors import Reason
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits, run_child

LIMITS = SandboxLimits(seconds=15.0, wall_seconds=60.0, output_bytes=20_000_000)
MOST_PIXELS = 12_000_000
"""Pixels of an image; a page that is very much higher than wide has more at a common width."""


MOST_SCALE = 4.0
"""Pixels per point; a small part is drawn no larger."""

WHOLE = (0.0, 0.0, 1.0, 1.0)
"""Left, upper, right and lower edge of a whole page, as shares of its width and height."""

Part = tuple[float, float, float, float]


def draw_in_child(data: bytes, *, page: int, width: int, part: Part = WHOLE, limits: SandboxLimits = LIMITS) -> bytes:
    """Draw a page of a PDF, or a part of it, in a process of its own and return it as PNG.

    Args:
        data: The PDF.
        page: From 1.
        width: Of the image, in pixels, at least 1; a small part becomes narrower.
        part: What of the page is drawn.
        limits: What drawing may take.

    Raises:
        RefusedError: It has no such page (``NOT_FOUND``), cannot be drawn within ``limits``, or made the process crash.
    """
    return base64.b64decode(run_child("page", limits, data, str(page), str(width), *map(str, part)))


class PageFrame(NamedTuple):
    """The part of a page that is shown, in the PDF's own points, and its rotation in degrees."""

    left: float
    bottom: float
    width: float
    height: float
    rotation: int

    def seen(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point is seen, as shares of the width and height from the upper left."""
        x, y = (x - self.left) / self.width, (y - self.bottom) / self.height
        match self.rotation:
            case 90:
                return y, x
            case 180:
                return 1 - x, y
            case 270:
                return 1 - y, 1 - x
        return x, 1 - y

    def points(self, x: float, y: float) -> tuple[float, float]:
        """Return the point that is seen at shares of the width and height from the upper left."""
        match self.rotation:
            case 90:
                x, y = y, x
            case 180:
                x = 1 - x
            case 270:
                x, y = 1 - y, 1 - x
            case _:
                y = 1 - y
        return self.left + x * self.width, self.bottom + y * self.height


def frames_in_child(data: bytes, *, limits: SandboxLimits = LIMITS) -> list[PageFrame]:
    """Return the frames of a PDF's pages, read in a process of its own.

    Raises:
        RefusedError: The PDF cannot be opened within ``limits``.
    """
    return [PageFrame(*one) for one in run_child("frames", limits, data)]


def frames(data: bytes) -> list[PageFrame]:
    """Return the frames of a PDF's pages, as :func:`frames_in_child` does, in this process."""
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        raise RefusedError(Reason.DAMAGED, "cannot be opened") from error
    found = []
    for page in document:
        left, bottom, right, top = page.get_bbox()
        found.append(PageFrame(left, bottom, max(1.0, right - left), max(1.0, top - bottom), page.get_rotation()))
    return found


def draw(data: bytes, *, page: int, width: int, part: Part = WHOLE) -> bytes:
    """Draw a page of a PDF, or a part of it, as :func:`draw_in_child` does, in this process."""
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        raise RefusedError(Reason.DAMAGED, "cannot be opened") from error
    if not 1 <= page <= len(document):
        raise RefusedError(Reason.NOT_FOUND, f"has {len(document)} pages")
    sheet = document[page - 1]
    wide, high = sheet.get_size()
    x0, y0, x1, y1 = part
    part_wide, part_high = (x1 - x0) * wide, (y1 - y0) * high
    if min(part_wide, part_high) <= 0 or width * width * part_high / part_wide > MOST_PIXELS:
        raise RefusedError(Reason.TOO_LARGE, f"has a page of {wide:g} x {high:g} points")
    scale = width / part_wide if part == WHOLE else min(MOST_SCALE, width / part_wide)
    cut = (x0 * wide, (1 - y1) * high, (1 - x1) * wide, y0 * high)  # from left, bottom, right and top
    written = io.BytesIO()
    sheet.render(scale=scale, crop=cut).to_pil().save(written, "PNG")
    return written.getvalue()
