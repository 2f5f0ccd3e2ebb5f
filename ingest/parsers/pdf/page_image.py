"""A page of a PDF as an image, drawn in a child process, since PDFium reads what anybody wrote."""

import base64
import io

from papergraph.errors import Reason
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits, run_child

LIMITS = SandboxLimits(seconds=15.0, wall_seconds=60.0, output_bytes=20_000_000)
MOST_PIXELS = 12_000_000
"""Pixels of an image; a page that is very much higher than wide has more at a common width."""


def draw_in_child(data: bytes, *, page: int, width: int, limits: SandboxLimits = LIMITS) -> bytes:
    """Draw a page of a PDF in a process of its own and return it as PNG.

    Args:
        data: The PDF.
        page: From 1.
        width: Of the image, in pixels, at least 1.
        limits: What drawing may take.

    Raises:
        RefusedError: It has no such page (``NOT_FOUND``), cannot be drawn within ``limits``, or made the process crash.
    """
    return base64.b64decode(run_child("page", limits, data, str(page), str(width)))


def draw(data: bytes, *, page: int, width: int) -> bytes:
    """Draw a page of a PDF as :func:`draw_in_child` does, in this process."""
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        raise RefusedError(Reason.DAMAGED, "cannot be opened") from error
    if not 1 <= page <= len(document):
        raise RefusedError(Reason.NOT_FOUND, f"has {len(document)} pages")
    sheet = document[page - 1]
    wide, high = sheet.get_size()
    if wide <= 0 or width * width * high / wide > MOST_PIXELS:
        raise RefusedError(Reason.TOO_LARGE, f"has a page of {wide:g} x {high:g} points")
    written = io.BytesIO()
    sheet.render(scale=width / wide).to_pil().save(written, "PNG")
    return written.getvalue()
