"""The characters of a page, as PDFium gives them, to segments: runs of text on one baseline without a wide gap.

Coordinates are in points as a reader sees the page: x to the right, y down, the page's own rotation applied.
"""

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

BOLD = re.compile(r"bold|black|heavy|demi|medi(?:um)?\b|-medi|cmbx|sfbx|cmb\d|-b$|\.b$", re.IGNORECASE)
ITALIC = re.compile(r"ital|obli|cmti|sfti|cmsl|cmmi|slant|-it$|-i$", re.IGNORECASE)
SMALL_CAPS = re.compile(r"csc|smallcaps|small-caps|-sc$|caps", re.IGNORECASE)
ITALIC_FLAG, FORCE_BOLD_FLAG = 1 << 6, 1 << 18
BOLD_WEIGHT = 600
SUBSET = re.compile(r"^[A-Z]{6}\+")
WIDEST_GAP = 0.95
"""In letter heights: a wider gap between two characters ends a segment."""

LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
HYPHENS = frozenset("-\u00ad\u2010\ufffe\x02")
ACCENTS = dict(zip("´`¨ˆ˜ˇ¸˚¯˘˙˝", map(chr, (769, 768, 776, 770, 771, 780, 807, 778, 772, 774, 775, 779)), strict=True))
"""Accents as characters of their own, as TeX sets them, with the ones that combine with a letter."""

MOST_ACCENTS = 1000
"""On a page; with more of them they stay as they are."""

UNREADABLE = "\ufffd"


@dataclass(frozen=True)
class Style:
    """How characters look: ``size`` in points, rounded to halves."""

    font: str
    size: float
    bold: bool
    italic: bool
    small_caps: bool


@dataclass(frozen=True)
class Run:
    """From character ``start`` of a segment on the text has this style; ``raised`` is a superscript."""

    start: int
    style: Style
    raised: bool


@dataclass
class Segment:
    """A run of text on one baseline.

    Attributes:
        text: Its characters, words parted by one blank.
        x0: Left edge.
        x1: Right edge.
        y: Baseline.
        styles: Each style with its number of characters.
        runs: Where styles change.
    """

    text: str
    x0: float
    x1: float
    y: float
    styles: dict[Style, int] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)

    @property
    def style(self) -> Style:
        """The style of most of its characters."""
        return max(self.styles, key=lambda style: self.styles[style])

    @property
    def size(self) -> float:
        """Size of most of its characters, in points."""
        return self.style.size


@dataclass(frozen=True)
class Glyph:
    """A character with its place: ``angle`` is 0 for upright, else 90, 180 or 270 degrees counter-clockwise."""

    character: str
    x0: float
    x1: float
    y: float
    angle: int
    style: Style


NOTHING = Glyph("", 0, 0, 0, 0, Style("", 0, False, False, False))


@dataclass(frozen=True)
class PageGlyphs:
    """What stands on a page.

    Attributes:
        width: In points.
        height: In points.
        segments: Upright text in the order of the file.
        turned: Segments of sideways text by their angle; coordinates are those of the page turned upright.
        n_characters: Characters that are no blanks, all of ``segments`` and ``turned``.
        n_unreadable: How many of them have no letter in the font.
        has_marks: Whether anything, text or not, is on the page.
    """

    width: float
    height: float
    segments: list[Segment]
    turned: dict[int, list[Segment]]
    n_characters: int
    n_unreadable: int
    has_marks: bool


def read_page(page: pdfium.PdfPage) -> PageGlyphs:
    """Read all text of a page.

    Raises:
        pypdfium2.PdfiumError: PDFium cannot read it.
    """
    width, height = page.get_size()
    by_angle: dict[int, list[Glyph | None]] = {}
    n_characters = n_unreadable = 0
    angle = 0
    for glyph in _composed(list(_glyphs(page, width, height))):
        if glyph is not None:
            n_characters += len(glyph.character)
            n_unreadable += glyph.character == UNREADABLE
            angle = glyph.angle
        by_angle.setdefault(angle, []).append(glyph)
    segments = {angle: list(_segments(glyphs)) for angle, glyphs in by_angle.items()}
    return PageGlyphs(
        width=width,
        height=height,
        segments=segments.pop(0, []),
        turned={angle: found for angle, found in sorted(segments.items()) if found},
        n_characters=n_characters,
        n_unreadable=n_unreadable,
        has_marks=pdfium_c.FPDFPage_CountObjects(page) > 0,
    )


def _glyphs(page: pdfium.PdfPage, width: float, height: float) -> Iterator[Glyph | None]:
    """Yield the page's characters in the order of the file, None for a blank or the end of a line."""
    text_page = page.get_textpage()
    rotation = page.get_rotation()
    left, bottom, right, top = page.get_bbox()
    box = (left, bottom, right - left, top - bottom)
    styles: dict[int, tuple[Style, int]] = {}
    x, y = ctypes.c_double(), ctypes.c_double()
    rect = pdfium_c.FS_RECTF()
    for index in range(pdfium_c.FPDFText_CountChars(text_page)):
        code = pdfium_c.FPDFText_GetUnicode(text_page, index)
        character = _character(code)
        if not character.strip() or (character not in HYPHENS and pdfium_c.FPDFText_IsGenerated(text_page, index) == 1):
            yield None
            continue
        pdfium_c.FPDFText_GetCharOrigin(text_page, index, x, y)
        pdfium_c.FPDFText_GetLooseCharBox(text_page, index, rect)
        address = ctypes.addressof(pdfium_c.FPDFText_GetTextObject(text_page, index).contents)
        if address not in styles:
            styles[address] = _style(text_page, index), _angle(text_page, index, rotation)
        style, angle = styles[address]
        if pdfium_c.FPDFText_HasUnicodeMapError(text_page, index) == 1:
            character = UNREADABLE
        corners = (_place(rect.left, rect.bottom, box, rotation), _place(rect.right, rect.top, box, rotation))
        origin = _place(x.value, y.value, box, rotation)
        (x0, _), (x1, _) = sorted(_turned(corner, angle, width, height) for corner in corners)
        yield Glyph(character, x0, x1, _turned(origin, angle, width, height)[1], angle, style)


def _composed(glyphs: list[Glyph | None]) -> list[Glyph | None]:
    """Return the glyphs with each accent that stands over or under a letter made one with it."""
    accents = [index for index, glyph in enumerate(glyphs) if glyph is not None and glyph.character in ACCENTS]
    if not accents or len(accents) > MOST_ACCENTS:
        return glyphs
    for index in accents:
        accent = glyphs[index]
        assert accent is not None  # noqa: S101 chosen above
        middle = (accent.x0 + accent.x1) / 2
        for other, glyph in enumerate(glyphs):
            if glyph is None or other == index or not glyph.x0 < middle < glyph.x1:
                continue
            composed = unicodedata.normalize("NFC", glyph.character.replace("ı", "i") + ACCENTS[accent.character])
            if abs(glyph.y - accent.y) < 0.3 * glyph.style.size and len(composed) == 1:
                glyphs[other] = replace(glyph, character=composed)
                glyphs[index] = NOTHING
                break
    return [glyph for glyph in glyphs if glyph is not NOTHING]


def _character(code: int) -> str:
    if code in LIGATURES:
        return LIGATURES[code]
    if code in (0, 0xFFFD) or 0xE000 <= code <= 0xF8FF or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return UNREADABLE
    character = chr(code)
    if character in HYPHENS or not unicodedata.category(character).startswith("C"):
        return character
    return " " if character in "\r\n\t" else UNREADABLE if code < 32 else ""


def _place(x: float, y: float, box: tuple[float, float, float, float], rotation: int) -> tuple[float, float]:
    """Return where a point of the page's own coordinates is seen, y down."""
    left, bottom, width, height = box
    x, y = x - left, y - bottom
    match rotation:
        case 90:
            return y, x
        case 180:
            return width - x, y
        case 270:
            return height - y, width - x
    return x, height - y


def _turned(point: tuple[float, float], angle: int, width: float, height: float) -> tuple[float, float]:
    """Return where a point is when the page is turned so that text of this angle is upright."""
    x, y = point
    match angle:
        case 90:
            return height - y, x
        case 180:
            return width - x, height - y
        case 270:
            return y, width - x
    return x, y


def _angle(text_page: pdfium.PdfTextPage, index: int, rotation: int) -> int:
    degrees = -math.degrees(pdfium_c.FPDFText_GetCharAngle(text_page, index)) - rotation  # PDFium counts clockwise
    return round(degrees / 90) * 90 % 360


def _style(text_page: pdfium.PdfTextPage, index: int) -> Style:
    flags = ctypes.c_int()
    length = pdfium_c.FPDFText_GetFontInfo(text_page, index, None, 0, flags)
    name = ctypes.create_string_buffer(max(1, length))
    pdfium_c.FPDFText_GetFontInfo(text_page, index, name, length, flags)
    font = SUBSET.sub("", name.value.decode("utf-8", errors="replace"))
    matrix = pdfium_c.FS_MATRIX()
    pdfium_c.FPDFText_GetMatrix(text_page, index, matrix)
    size = pdfium_c.FPDFText_GetFontSize(text_page, index) * math.hypot(matrix.c, matrix.d)
    weight = pdfium_c.FPDFText_GetFontWeight(text_page, index)
    return Style(
        font=font,
        size=round(2 * size) / 2,
        bold=weight >= BOLD_WEIGHT or bool(flags.value & FORCE_BOLD_FLAG) or BOLD.search(font) is not None,
        italic=bool(flags.value & ITALIC_FLAG) or ITALIC.search(font) is not None,
        small_caps=SMALL_CAPS.search(font) is not None,
    )


def _segments(glyphs: list[Glyph | None]) -> Iterator[Segment]:
    segment: Segment | None = None
    before: Glyph | None = None
    blank = False
    height = 0.0
    for glyph in glyphs:
        if glyph is None:
            blank = True
            continue
        size = max(glyph.style.size, 1.0)
        raised = False
        if segment is not None and before is not None:
            gap, drop = glyph.x0 - segment.x1, glyph.y - segment.y
            height = max(height, size)
            small = abs(size - height) > 0.1 * height
            on_line = abs(drop) < (0.65 if small else 0.3) * height
            backwards = glyph.x0 < before.x0 - 0.2 * height and gap < -0.8 * height
            if not on_line or gap > WIDEST_GAP * height or backwards:
                yield segment
                segment, before = None, None
            else:
                raised = drop < -0.15 * height and size < 0.9 * height
                if size > 1.2 * segment.size:  # what came before were superscripts
                    segment.y = glyph.y
                blank = blank or gap > 0.22 * size
        if segment is None:
            segment, height, blank = Segment("", glyph.x0, glyph.x1, glyph.y), size, False
        if blank:
            segment.text += " "
            blank = False
        start = len(segment.text)
        segment.text += glyph.character
        if not segment.runs or segment.runs[-1].style != glyph.style or segment.runs[-1].raised != raised:
            segment.runs.append(Run(start, glyph.style, raised))
        segment.styles[glyph.style] = segment.styles.get(glyph.style, 0) + len(glyph.character)
        segment.x0, segment.x1 = min(segment.x0, glyph.x0), max(segment.x1, glyph.x1)
        before = glyph
    if segment is not None:
        yield segment
