"""Areas to which a page clips its text: a page that is included as a figure holds text that no reader sees."""

import ctypes
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

MOST_OBJECTS = 50_000
"""Objects of a page that are looked at; text of later ones counts as visible."""

MOST_DEPTH = 4
"""Forms within one another."""

TOLERANCE = 1.0
"""Points by which the middle of a character may lie outside."""


class Box(NamedTuple):
    """A rectangle in the page's own coordinates, y up."""

    x0: float = -math.inf
    y0: float = -math.inf
    x1: float = math.inf
    y1: float = math.inf

    def holds(self, rect: Any) -> bool:
        """Say whether the middle of a character's FS_RECTF lies within, or near to it."""
        x: float = (rect.left + rect.right) / 2
        y: float = (rect.bottom + rect.top) / 2
        inside_x = self.x0 - TOLERANCE <= x <= self.x1 + TOLERANCE
        return inside_x and self.y0 - TOLERANCE <= y <= self.y1 + TOLERANCE

    def within(self, other: "Box") -> "Box":
        """Return what two boxes have in common."""
        return Box(max(self.x0, other.x0), max(self.y0, other.y0), min(self.x1, other.x1), min(self.y1, other.y1))


def visible_boxes(page: pdfium.PdfPage) -> dict[int, Box]:
    """Return the visible area of each clipped text object, by the object's address."""
    found: dict[int, Box] = {}
    left = [MOST_OBJECTS]
    get = partial(pdfium_c.FPDFPage_GetObject, page)
    _collect(get, pdfium_c.FPDFPage_CountObjects(page), _Matrix(), Box(), found, left)
    return found


class _Matrix(NamedTuple):
    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def after(self, inner: "_Matrix") -> "_Matrix":
        """Return the matrix that applies ``inner`` first."""
        return _Matrix(
            inner.a * self.a + inner.b * self.c,
            inner.a * self.b + inner.b * self.d,
            inner.c * self.a + inner.d * self.c,
            inner.c * self.b + inner.d * self.d,
            inner.e * self.a + inner.f * self.c + self.e,
            inner.e * self.b + inner.f * self.d + self.f,
        )

    def of(self, x: float, y: float) -> tuple[float, float]:
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f


def _collect(
    get: Callable[[int], Any],
    count: int,
    matrix: _Matrix,
    outer: Box,
    found: dict[int, Box],
    left: list[int],
    depth: int = 0,
) -> None:
    for index in range(count):
        left[0] -= 1
        if left[0] < 0:
            return
        item = get(index)
        kind = pdfium_c.FPDFPageObj_GetType(item)
        if kind not in (pdfium_c.FPDF_PAGEOBJ_TEXT, pdfium_c.FPDF_PAGEOBJ_FORM):
            continue
        box = _clip(item, matrix).within(outer)
        if kind == pdfium_c.FPDF_PAGEOBJ_TEXT:
            if box != Box():
                found[ctypes.addressof(item.contents)] = box
        elif depth < MOST_DEPTH:
            inside = partial(pdfium_c.FPDFFormObj_GetObject, item)
            count_inside = pdfium_c.FPDFFormObj_CountObjects(item)
            _collect(inside, count_inside, matrix.after(_matrix(item)), box, found, left, depth + 1)


def _matrix(form: Any) -> _Matrix:
    values = pdfium_c.FS_MATRIX()
    pdfium_c.FPDFPageObj_GetMatrix(form, values)
    return _Matrix(values.a, values.b, values.c, values.d, values.e, values.f)


def _clip(item: Any, matrix: _Matrix) -> Box:
    """Return the bounding box of all that clips an object, in the page's coordinates."""
    clip = pdfium_c.FPDFPageObj_GetClipPath(item)
    box = Box()
    for number in range(max(0, pdfium_c.FPDFClipPath_CountPaths(clip)) if clip else 0):
        points = list(_points(clip, number))
        if points:
            placed = [matrix.of(x, y) for x, y in points]
            xs, ys = [x for x, _ in placed], [y for _, y in placed]
            box = box.within(Box(min(xs), min(ys), max(xs), max(ys)))
    return box


def _points(clip: Any, number: int) -> Iterator[tuple[float, float]]:
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(pdfium_c.FPDFClipPath_CountPathSegments(clip, number)):
        segment = pdfium_c.FPDFClipPath_GetPathSegment(clip, number, index)
        if pdfium_c.FPDFPathSegment_GetPoint(segment, x, y):
            yield x.value, y.value
