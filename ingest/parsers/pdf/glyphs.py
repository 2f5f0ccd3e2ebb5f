"""The characters of a page, as PDFium gives them, to segments: runs of text on one baseline without a wide gap.

Coordinates are in points as a reader sees the page: x to the right, y down, the page's own rotation applied.
"""

import ctypes
import math
import re
import unicodedata
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from ingest.parsers.pdf.fonts import Font, Fonts, undo_dingbat
from ingest.parsers.pdf.tex_encodings import CODE_OF_DINGBAT

BOLD = re.compile(r"bold|black|heavy|demi|medi(?:um)?\b|-medi|cmbx|sfbx|cmb\d|-b$|\.b$", re.IGNORECASE)
REGULAR = re.compile(r"regu|roman\b|book|light|-r$", re.IGNORECASE)
"""Names that say that a font is not bold, whatever its flags are."""

ITALIC = re.compile(r"ital|obli|cmti|sfti|cmsl|cmmi|slant|-it$|-i$", re.IGNORECASE)
SMALL_CAPS = re.compile(r"csc|smallcaps|small-caps|-sc$|caps", re.IGNORECASE)
ITALIC_FLAG, FORCE_BOLD_FLAG = 1 << 6, 1 << 18
BOLD_WEIGHT = 600
WIDEST_GAP = 0.95
"""In letter heights: a wider gap between two characters ends a segment."""

LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
HYPHENS = frozenset("-\u00ad\u2010\ufffe\x02")
ACCENTS = dict(zip("´`¨ˆ˜ˇ¸˚¯˘˙˝", map(chr, (769, 768, 776, 770, 771, 780, 807, 778, 772, 774, 775, 779)), strict=True))
"""Accents as characters of their own, as TeX sets them, with the ones that combine with a letter."""

ROW = 6.0
"""Points: an accent is looked for at letters of its own row and the rows beside it."""

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
        edges: Left and right edge of each character, in turn.
    """

    text: str
    x0: float
    x1: float
    y: float
    styles: dict[Style, int] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    edges: "array[float]" = field(default_factory=lambda: array("f"))

    @property
    def style(self) -> Style:
        """The style of most of its characters."""
        return max(self.styles, key=lambda style: self.styles[style])

    @property
    def size(self) -> float:
        """Size of most of its characters, in points."""
        return self.style.size


class Glyph(NamedTuple):
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
        n_unreadable: Characters beside them that stand for no letter; they are left out.
        has_marks: Whether anything, text or not, is on the page.
    """

    width: float
    height: float
    segments: list[Segment]
    turned: dict[int, list[Segment]]
    n_characters: int
    n_unreadable: int
    has_marks: bool


def read_page(page: pdfium.PdfPage, fonts: Fonts) -> PageGlyphs:
    """Read all text of a page; ``fonts`` are those of the document as far as it is read.

    Raises:
        pypdfium2.PdfiumError: PDFium cannot read it.
    """
    width, height = page.get_size()
    by_angle: dict[int, list[Glyph | None]] = {}
    n_characters = n_unreadable = 0
    angle = 0
    for glyph in _composed(list(_glyphs(page, fonts))):
        if glyph is not None and glyph.character == UNREADABLE:
            n_unreadable += 1
            continue
        if glyph is not None:
            n_characters += len(glyph.character)
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


class _Character(NamedTuple):
    """A character as PDFium has it; ``is_mapped`` says whether the file tells its letter."""

    code: int
    is_mapped: bool
    x0: float
    x1: float
    y: float
    angle: int
    style: Style
    font: Font


def _glyphs(page: pdfium.PdfPage, fonts: Fonts) -> Iterator[Glyph | None]:
    """Yield the page's characters in the order of the file, None for a blank or the end of a line."""
    found = list(_characters(page, fonts))  # fonts are known by all of the page before its codes are decoded
    used = {id(one.font): one.font for one in found if one is not None}
    decoders = {address: font.decoder() for address, font in used.items()}
    dingbats = {address for address, font in used.items() if font.names_letters_as_dingbats}
    for one in found:
        if one is None:
            yield None
            continue
        character = _character_of(one, decoders[id(one.font)], id(one.font) in dingbats)
        if character:
            yield Glyph(character, one.x0, one.x1, one.y, one.angle, one.style)


def _character_of(one: _Character, decode: Callable[[int], str | None], are_letters: bool) -> str:
    """Return the letters of a character; :data:`UNREADABLE` where nothing tells them."""
    if not one.is_mapped:
        decoded = decode(one.code)
        return UNREADABLE if decoded is None else decoded
    character = _character(one.code)
    if are_letters and (letter := undo_dingbat(character)) is not None:
        return letter
    return character


def _characters(page: pdfium.PdfPage, fonts: Fonts) -> Iterator[_Character | None]:
    """Yield what PDFium has of each character, None for a blank or the end of a line; what a font sets is noted."""
    text_page = page.get_textpage()
    width, height = page.get_size()
    rotation = page.get_rotation()
    left, bottom, right, top = page.get_bbox()
    box = (left, bottom, right - left, top - bottom)
    of_objects: dict[int, tuple[Style, int, Font]] = {}
    x, y = ctypes.c_double(), ctypes.c_double()
    rect = pdfium_c.FS_RECTF()
    raw = text_page.raw
    for index in range(pdfium_c.FPDFText_CountChars(raw)):
        code = pdfium_c.FPDFText_GetUnicode(raw, index)
        is_mapped = pdfium_c.FPDFText_HasUnicodeMapError(raw, index) != 1
        if is_mapped and (
            _is_blank(code) or (chr(code) not in HYPHENS and pdfium_c.FPDFText_IsGenerated(raw, index) == 1)
        ):
            yield None
            continue
        text_object = pdfium_c.FPDFText_GetTextObject(raw, index)
        address = ctypes.addressof(text_object.contents)
        if address not in of_objects:
            font = fonts.of(text_object)
            of_objects[address] = _style(text_page, index, font), _angle(text_page, index, rotation), font
        style, angle, font = of_objects[address]
        pdfium_c.FPDFText_GetCharOrigin(raw, index, x, y)
        pdfium_c.FPDFText_GetLooseCharBox(raw, index, rect)
        if rotation == 0 and angle == 0:
            x0, x1, baseline = rect.left - left, rect.right - left, box[3] - (y.value - bottom)
        else:
            corners = (_place(rect.left, rect.bottom, box, rotation), _place(rect.right, rect.top, box, rotation))
            origin = _place(x.value, y.value, box, rotation)
            (x0, _), (x1, _) = sorted(_turned(corner, angle, width, height) for corner in corners)
            baseline = _turned(origin, angle, width, height)[1]
        _note(font, code, is_mapped, (x1 - x0) / max(style.size, 1.0))
        yield _Character(code, is_mapped, x0, x1, baseline, angle, style, font)


def _is_blank(code: int) -> bool:
    return code < 0x110000 and not _character(code).strip()


def _note(font: Font, code: int, is_mapped: bool, width: float) -> None:
    font.n_characters += 1
    if not is_mapped:
        font.note(code)
    elif chr(code) in CODE_OF_DINGBAT:
        font.n_dingbats += 1
    if 0x20 < code < 0x7F:
        font.widths.setdefault(chr(code), width)


def _composed(glyphs: list[Glyph | None]) -> list[Glyph | None]:
    """Return the glyphs with each accent that stands over or under a letter made one with it."""
    accents = [index for index, glyph in enumerate(glyphs) if glyph is not None and glyph.character in ACCENTS]
    rows: dict[int, list[int]] = {}
    for index, glyph in enumerate(glyphs):
        if glyph is not None:
            rows.setdefault(round(glyph.y / ROW), []).append(index)
    for index in accents:
        accent = glyphs[index]
        assert accent is not None  # noqa: S101 chosen above
        middle, row = (accent.x0 + accent.x1) / 2, round(accent.y / ROW)
        for other in (*rows.get(row, ()), *rows.get(row - 1, ()), *rows.get(row + 1, ())):
            glyph = glyphs[other]
            if glyph is None or other == index or not glyph.x0 < middle < glyph.x1:
                continue
            composed = unicodedata.normalize("NFC", glyph.character.replace("ı", "i") + ACCENTS[accent.character])
            if abs(glyph.y - accent.y) < 0.3 * glyph.style.size and len(composed) == 1:
                glyphs[other] = glyph._replace(character=composed)
                glyphs[index] = NOTHING
                break
    return [glyph for glyph in glyphs if glyph is not NOTHING]


@cache
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


def _style(text_page: pdfium.PdfTextPage, index: int, font: Font) -> Style:
    flags = ctypes.c_int()
    pdfium_c.FPDFText_GetFontInfo(text_page, index, None, 0, flags)
    name = font.name
    matrix = pdfium_c.FS_MATRIX()
    pdfium_c.FPDFText_GetMatrix(text_page, index, matrix)
    size = pdfium_c.FPDFText_GetFontSize(text_page, index) * math.hypot(matrix.c, matrix.d)
    weight = pdfium_c.FPDFText_GetFontWeight(text_page, index)
    return Style(
        font=name,
        size=round(2 * size) / 2,
        bold=BOLD.search(name) is not None
        or (not REGULAR.search(name) and (weight >= BOLD_WEIGHT or bool(flags.value & FORCE_BOLD_FLAG))),
        italic=bool(flags.value & ITALIC_FLAG) or ITALIC.search(name) is not None,
        small_caps=SMALL_CAPS.search(name) is not None,
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
                    if drop > 0.15 * height:
                        segment.runs = [Run(run.start, run.style, raised=True) for run in segment.runs]
                blank = blank or gap > 0.22 * size
        if segment is None:
            segment, height, blank = Segment("", glyph.x0, glyph.x1, glyph.y), size, False
        if blank:
            segment.text += " "
            segment.edges.extend((segment.x1, glyph.x0))
            blank = False
        start = len(segment.text)
        segment.text += glyph.character
        step = (glyph.x1 - glyph.x0) / len(glyph.character)  # a ligature has letters of equal width
        for number in range(len(glyph.character)):
            segment.edges.extend((glyph.x0 + number * step, glyph.x0 + (number + 1) * step))
        if not segment.runs or segment.runs[-1].style != glyph.style or segment.runs[-1].raised != raised:
            segment.runs.append(Run(start, glyph.style, raised))
        segment.styles[glyph.style] = segment.styles.get(glyph.style, 0) + len(glyph.character)
        segment.x0, segment.x1 = min(segment.x0, glyph.x0), max(segment.x1, glyph.x1)
        before = glyph
    if segment is not None:
        yield segment
