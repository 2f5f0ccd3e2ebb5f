"""Lines that are drawn on a page: rules above, within and below tables."""

import ctypes
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

MOST_OBJECTS = 20_000
"""Of a page; one with more holds a drawing."""

MOST_RULES = 200
THICKEST, SHORTEST = 2.5, 12.0
"""Points."""


@dataclass(frozen=True)
class Rule:
    """A horizontal rule; coordinates as a reader sees the page, y down."""

    x0: float
    x1: float
    y: float


def find_rules(page: pdfium.PdfPage) -> list[Rule]:
    """Return the horizontal rules of an upright page, from top to bottom, those on one line joined."""
    if page.get_rotation() != 0:
        return []
    left, bottom, _, top = page.get_bbox()
    height = top - bottom
    bounds = [ctypes.c_float() for _ in range(4)]
    found: list[Rule] = []
    for index in range(min(pdfium_c.FPDFPage_CountObjects(page), MOST_OBJECTS)):
        item = pdfium_c.FPDFPage_GetObject(page, index)
        if pdfium_c.FPDFPageObj_GetType(item) != pdfium_c.FPDF_PAGEOBJ_PATH:
            continue
        if not pdfium_c.FPDFPageObj_GetBounds(item, *bounds):
            continue
        x0, y0, x1, y1 = (bound.value for bound in bounds)
        if y1 - y0 <= THICKEST and x1 - x0 >= SHORTEST:
            found.append(Rule(x0 - left, x1 - left, height - (y0 + y1) / 2 + bottom))
    return _joined(found)


def _joined(rules: list[Rule]) -> list[Rule]:
    joined: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.y), rule.x0)):
        before = joined[-1] if joined else None
        if before is not None and abs(before.y - rule.y) < 1 and rule.x0 <= before.x1 + 2:
            joined[-1] = Rule(before.x0, max(before.x1, rule.x1), before.y)
        else:
            joined.append(rule)
    return sorted(joined, key=lambda rule: rule.y)[:MOST_RULES]
