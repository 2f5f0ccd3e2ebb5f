"""Scanned pages of a PDF, read by the extra ``ocr`` (RapidOCR, whose models are in its package)."""

import ctypes
import importlib.util
import math
import statistics
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from papergraph.errors import Reason, install_command
from papergraph.ingest.parsers.pdf.glyphs import PageGlyphs, Run, Segment, Style
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits

EXTRA = "ocr"
LIMITS = SandboxLimits(seconds=3600.0, wall_seconds=4 * 3600.0, memory_bytes=4 << 30)
"""Limits of a child that reads scans."""

MOST_PAGES = 200
"""Scanned pages of a document; each takes 5 to 15 s of a processor."""

SCALE = 200 / 72
"""Pixels per point."""

MOST_PIXELS = 12_000_000
DETECTED_PIXELS = 960
"""Longer side of the image in which lines are found; they are read in the whole one."""

SMALLEST_IMAGE = 0.5
"""Share of a page's area that its scan covers."""

MOST_CHARACTERS = 300
"""Characters on a scanned page that are no text of it, such as a stamp of the library."""

LETTER, BELOW = 0.8, 0.2
"""Size of letters and depth below the baseline, in heights of a line's box."""

SAME_SIZE = (0.7, 1.18)
"""Heights of lines of the usual size of letters, in usual heights; one without ascenders is lower."""

STEP = 1.25
"""Ratio of other sizes of letters."""


class ReadLine(NamedTuple):
    """A line as the engine found it: corners in pixels from the upper left on, text, and confidence in [0, 1]."""

    corners: Sequence[tuple[float, float]]
    text: str
    confidence: float


def is_installed() -> bool:
    """Say whether scans can be read."""
    return importlib.util.find_spec("rapidocr") is not None


def advice() -> str:
    """Return what helps with a scan that was refused."""
    return "OCR found no text on them" if is_installed() else f"for OCR: {install_command(EXTRA)}, or run ocrmypdf"


class Scans:
    """Reads the scanned pages of one document; ``on_page`` is called with the number of each, from 1, and of all."""

    def __init__(self, on_page: Callable[[int, int], None] | None = None) -> None:
        self._n_pages, self._on_page = 0, on_page

    def read(self, page: pdfium.PdfPage, found: PageGlyphs, number: int, n_pages: int) -> PageGlyphs:
        """Return the text of page ``number`` of ``n_pages`` if it is a scan; others are returned as they are.

        Raises:
            RefusedError: The document has too many scanned pages.
        """
        if found.n_characters > MOST_CHARACTERS or not _is_scan(page, found):
            return found
        self._n_pages += 1
        if self._n_pages > MOST_PAGES:
            raise RefusedError(Reason.TOO_LARGE, f"has more than {MOST_PAGES} scanned pages; split it")
        if self._on_page:
            self._on_page(number, n_pages)
        scale = min(SCALE, math.sqrt(MOST_PIXELS / (found.width * found.height)))
        lines = read_image(page.render(scale=scale).to_numpy())
        segments = segments_of(lines, scale, found.width, found.height)
        n_characters = sum(len("".join(segment.text.split())) for segment in segments)
        if not n_characters:
            return found
        weights = [len(line.text) for line in lines]
        confidence = sum(line.confidence * n for line, n in zip(lines, weights, strict=True)) / sum(weights)
        return replace(found, segments=segments, turned={}, n_characters=n_characters, confidence=confidence)


def _is_scan(page: pdfium.PdfPage, found: PageGlyphs) -> bool:
    """Say whether an image covers most of a page."""
    bounds = [ctypes.c_float() for _ in range(4)]
    least = SMALLEST_IMAGE * found.width * found.height
    for index in range(pdfium_c.FPDFPage_CountObjects(page)):
        item = pdfium_c.FPDFPage_GetObject(page, index)
        if pdfium_c.FPDFPageObj_GetType(item) == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            pdfium_c.FPDFPageObj_GetBounds(item, *bounds)
            x0, y0, x1, y1 = (bound.value for bound in bounds)
            if (x1 - x0) * (y1 - y0) >= least:
                return True
    return False


def read_image(image: Any) -> list[ReadLine]:
    """Return the lines of an image, an array of rows of pixels."""
    found = _engine()(image, use_cls=False)
    if found.boxes is None:
        return []
    lines = zip(found.boxes.tolist(), found.txts, found.scores, strict=True)
    return [ReadLine([(x, y) for x, y in box], text, float(score)) for box, text, score in lines if text.strip()]


@cache
def _engine() -> Any:
    from rapidocr import RapidOCR

    one = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    found = {"Det.limit_type": "max", "Det.limit_side_len": DETECTED_PIXELS, "Rec.rec_batch_num": 1}  # half the time
    return RapidOCR(params={"Global.log_level": "critical", **one, **found})


def segments_of(lines: Sequence[ReadLine], scale: float, width: float, height: float) -> list[Segment]:
    """Return lines in points on a page of this size, upright: a page that was scanned askew is turned."""
    if not lines:
        return []
    slopes = [math.atan2(y1 - y0, x1 - x0) for (x0, y0), (x1, y1), *_ in (line.corners for line in lines)]
    turn = -statistics.median(slopes)
    centre = width / 2, height / 2
    boxes = [[_turned(x / scale, y / scale, turn, centre) for x, y in line.corners] for line in lines]
    heights = [boxes[n][3][1] - boxes[n][0][1] for n in range(len(boxes))]
    usual = statistics.median(heights)
    segments = []
    for line, box, high in zip(lines, boxes, heights, strict=True):
        style = Style("scan", _size(high / usual) * LETTER * usual, False, False, False)
        text = " ".join(line.text.split())
        x0, x1 = min(x for x, _ in box), max(x for x, _ in box)
        y = max(y for _, y in box) - BELOW * high
        step = (x1 - x0) / len(text)
        edges = array("f", [x0 + step * place for n in range(len(text)) for place in (n, n + 1)])
        segments.append(Segment(text, x0, x1, y, {style: len(text)}, [Run(0, style, raised=False)], edges))
    return segments


def _size(height: float) -> float:
    """Return the size of a line's letters in usual sizes: heights of lines of one size differ."""
    if SAME_SIZE[0] < height < SAME_SIZE[1]:
        return 1.0
    steps = round(math.log(max(height, 0.01), STEP))
    return float(STEP ** (max(1, steps) if height > 1 else min(-1, steps)))


def _turned(x: float, y: float, angle: float, centre: tuple[float, float]) -> tuple[float, float]:
    wide, high = x - centre[0], y - centre[1]
    cosine, sine = math.cos(angle), math.sin(angle)
    return centre[0] + wide * cosine - high * sine, centre[1] + wide * sine + high * cosine
