"""Glyphs, fonts and ruled lines of a page of a PDF."""

import ctypes
import math
import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from statistics import median
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from papergraph.ingest.parsers.document import normalised
from papergraph.ingest.parsers.pdf.bidi import (
    are_of_two_scripts,
    is_backwards,
    is_mark,
    is_right_to_left,
    logical_order,
    plain,
    with_brackets,
)
from papergraph.ingest.parsers.pdf.clipping import visible_boxes
from papergraph.ingest.parsers.pdf.encodings import CODE_OF_DINGBAT, LIGATURES_OF_OT1, LIGATURES_OF_T1, Encoding, decode

# The fonts of a PDF: their names, what their codes stand for where the file does not say it, and which are monospaced.
#
# PDFium gives the code itself for a character that the file maps to no letter. A font without a name, such as
# TeX's bitmap fonts, tells its encoding by the codes that it uses; one with a name of TeX's fonts by its name.


SUBSET = re.compile(r"^[A-Z]{6}\+")
BY_NAME = (
    (re.compile(r"cmex|lmmathex|mathext|esint|txex|pxex", re.IGNORECASE), Encoding.OMX),
    (re.compile(r"cmb?sy|lmmathsym", re.IGNORECASE), Encoding.OMS),
    (re.compile(r"cmmi|lmmathit", re.IGNORECASE), Encoding.OML),
    (re.compile(r"(?:sf|ec|lm|tc)[a-z]{2,4}\d|cm-super", re.IGNORECASE), Encoding.T1),
    (re.compile(r"cm(?:r|b|bx|ti|sl|ss|tt|csc|u)[a-z]{0,6}\d", re.IGNORECASE), Encoding.OT1),
)
"""Names of TeX's fonts with their encodings."""

MONOSPACED = re.compile(
    r"courier|mono|typewriter|teletype|cmtt|cmsltt|sftt|ectt|lmtt|txtt|inconsol|consol|menlo|fira.?code|zi4|nimbusmon|"
    r"cmvtt|pcr[rb]|sourcecode|letter.?gothic",
    re.IGNORECASE,
)
FEWEST_WIDTHS = 6
"""Letters of different shapes that have to be as wide as each other in a monospaced font."""

NARROW, WIDE = frozenset("ijlft.,;:'|!1I"), frozenset("mwMWABDGHNOQ")
MOST_KEPT = 64
"""Pages that stay open for the fonts without names that they brought."""

SIGNS = re.compile(r"dingbat|zapf|pifont|awesome|wingding|symbol|icon", re.IGNORECASE)
MOST_DINGBATS = 0.3
FEWEST_DINGBATS = 5
"""Different signs of a font whose letters are named as dingbats; a font of bullets or arrows has fewer."""

CYRILLIC_SHARE = 0.3
CONTROL_SHARE = 0.4
MOST_MATHS = 0.35
"""Share of a font's letters that may stand beside another one of it, for a font of formulas."""

FEWEST_LETTERS = 12


@dataclass
class Font:
    """Statistics of a font over the pages read so far.

    Attributes:
        name: Name in the file without the prefix of its subset; generated if it is missing.
        is_named: False for a generated name.
        codes: Frequencies of codes that the file does not map to letters.
        n_pairs: Number of letters that directly follow another letter of this font.
        n_characters: Number of characters in this font.
        n_dingbats: Number of those that the file maps to dingbats.
        dingbats: The dingbats.
        widths: Width of each character in letter heights.
    """

    name: str
    is_named: bool
    codes: Counter[int] = field(default_factory=Counter)
    n_pairs: int = 0
    n_characters: int = 0
    n_dingbats: int = 0
    dingbats: set[int] = field(default_factory=set)
    widths: dict[str, float] = field(default_factory=dict)
    _before: int = 0

    def note(self, code: int) -> None:
        """Count a code that the file maps to no letter; 0 for a blank between words."""
        if code:
            self.codes[code] += 1
            self.n_pairs += _is_letter(code) and _is_letter(self._before)
        self._before = code

    @property
    def is_monospaced(self) -> bool:
        """True if narrow and wide letters have equal widths, or the font's name says so."""
        if self.is_named and MONOSPACED.search(self.name):
            return True
        widths = self.widths
        if len(widths) < FEWEST_WIDTHS or not (NARROW & widths.keys() and WIDE & widths.keys()):
            return False
        return max(widths.values()) - min(widths.values()) < 0.02 * max(widths.values())

    def encoding(self) -> Encoding | None:
        """Return the TeX encoding of the codes that the file does not map, where anything tells it."""
        if self.is_named:
            return next((encoding for pattern, encoding in BY_NAME if pattern.search(self.name)), None)
        total = sum(self.codes.values())
        letters = sum(count for code, count in self.codes.items() if _is_letter(code))
        high = sum(count for code, count in self.codes.items() if code >= 0xC0)
        if high > CYRILLIC_SHARE * total:
            return Encoding.T2A
        control = sum(count for code, count in self.codes.items() if code < 0x20)
        ligatures = sum(self.codes[code] for code in (*LIGATURES_OF_OT1, *LIGATURES_OF_T1))
        if control - ligatures > CONTROL_SHARE * total:
            return Encoding.OMS if letters < 0.2 * total else Encoding.OML
        if letters >= FEWEST_LETTERS and self.n_pairs < MOST_MATHS * letters:
            return Encoding.OML
        of_ot1 = sum(self.codes[code] for code in LIGATURES_OF_OT1)
        return Encoding.OT1 if of_ot1 > sum(self.codes[code] for code in LIGATURES_OF_T1) else Encoding.T1

    def decoder(self) -> Callable[[int], str | None]:
        """Return the decoder of this font's codes.

        The decoder returns the characters of a code, '' to skip it, None if it is unknown.
        """
        encoding, plain = self.encoding(), self.is_monospaced

        def decoded(code: int) -> str | None:
            if encoding is None or code > 0xFF:
                return None
            return chr(code) if plain and 0x20 < code < 0x7F else decode(code, encoding)

        return decoded

    @property
    def names_letters_as_dingbats(self) -> bool:
        """True if its dingbats are letters whose glyphs are named after their codes."""
        return (
            self.n_dingbats > MOST_DINGBATS * self.n_characters
            and len(self.dingbats) >= FEWEST_DINGBATS
            and not SIGNS.search(self.name)
        )


class Fonts:
    """The fonts of a document, by the objects that PDFium has for them."""

    def __init__(self) -> None:
        self._by_address: dict[int, Font] = {}
        self._by_name: dict[str, Font] = {}
        self.n_nameless = 0
        self._blanks: dict[str, Counter[float]] = {}

    def of(self, text_object: Any) -> Font:
        """Return the font of a text object.

        A font without a name is known by its address alone, so a page that brought one has to stay open.
        """
        handle = pdfium_c.FPDFTextObj_GetFont(text_object)
        address = ctypes.addressof(handle.contents) if handle else 0
        name = _base_name(handle) if handle else ""
        if name:
            return self._by_name.setdefault(name, Font(name, is_named=True))
        if address not in self._by_address:
            self.n_nameless += 1
            self._by_address[address] = Font(f"nameless{_letters(self.n_nameless)}", is_named=False)
        return self._by_address[address]

    def note_blank(self, name: str, width: float) -> None:
        """Note the width of a blank of the file, in letter heights."""
        self._blanks.setdefault(name, Counter())[round(width, 1)] += 1

    @property
    def n_false_blanks(self) -> int:
        """Number of blanks whose width is another than that of their font's usual blank."""
        return sum(_n_of_other_widths(widths) for widths in self._blanks.values())

    @property
    def monospaced(self) -> frozenset[str]:
        """Names of the monospaced fonts."""
        fonts = (*self._by_name.values(), *self._by_address.values())
        return frozenset(font.name for font in fonts if font.is_monospaced)


def undo_dingbat(character: str) -> str | None:
    """Return the letter whose code a dingbat's name tells, or None."""
    code = CODE_OF_DINGBAT.get(character)
    return None if code is None else decode(code, Encoding.T1)


def _base_name(handle: Any) -> str:
    length = pdfium_c.FPDFFont_GetBaseFontName(handle, None, 0)
    name = ctypes.create_string_buffer(max(1, length))
    pdfium_c.FPDFFont_GetBaseFontName(handle, name, length)
    return SUBSET.sub("", name.value.decode("utf-8", errors="replace")).strip()


def _letters(number: int) -> str:
    """Return a number in letters, since digits in a font's name are sizes."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def _is_letter(code: int) -> bool:
    return 0x41 <= code <= 0x5A or 0x61 <= code <= 0x7A or code >= 0xC0 or code in LIGATURES_OF_T1


# The characters of a page, as PDFium gives them, to segments: runs of text on one baseline without a wide gap.
#
# Coordinates are in points as a reader sees the page: x to the right, y down, the page's own rotation applied.


BOLD = re.compile(r"bold|black|heavy|demi|medi(?:um)?\b|-medi|cmbx|sfbx|cmb\d|-b$|\.b$", re.IGNORECASE)
REGULAR = re.compile(r"regu|roman\b|book|light|-r$", re.IGNORECASE)
"""Names that say that a font is not bold, whatever its flags are."""

ITALIC = re.compile(r"ital|obli|cmti|sfti|cmsl|cmmi|slant|-it$|-i$", re.IGNORECASE)
SMALL_CAPS = re.compile(r"csc|smallcaps|small-caps|-sc$|caps", re.IGNORECASE)
ITALIC_FLAG, FORCE_BOLD_FLAG = 1 << 6, 1 << 18
BOLD_WEIGHT = 600
WIDEST_GAP = 0.95
"""In letter heights: a wider gap between two characters ends a segment."""

SOFT_HYPHEN = "\u00ad"
HYPHENS = frozenset("-\u00ad\u2010\ufffe\x02")
ACCENTS = dict(
    zip("´`¨ˆ˜ˇ¸˚¯˘˙˝˛", map(chr, (769, 768, 776, 770, 771, 780, 807, 778, 772, 774, 775, 779, 808)), strict=True)
)
"""Accents as characters of their own, as TeX sets them, with the ones that combine with a letter."""

FEWEST_FALSE_BLANKS = 3
FEWEST_GAPS = 20
"""Generated blanks of a page from which their usual width is known."""

NARROWEST = 0.6
"""Share of the usual width below which a blank after a capital is no blank."""

ROW = 6.0
"""Points: an accent is looked for at letters of its own row and the rows beside it."""

SAME_BASELINE, WORD_GAP, NARROW_GAP = 0.35, 0.12, 0.02
"""In letter heights: how far glyphs of one line stand apart in height, and words of it in width; if PDFium has a blank
between them, how far at least."""

UNREADABLE = "\ufffd"


@dataclass(frozen=True)
class Style:
    """Typeface of characters; ``size`` in points, rounded to halves."""

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
GENERATED = NOTHING._replace(character=" ")
"""A blank that PDFium put between two characters, as it judges their distance."""


@dataclass(frozen=True)
class PageGlyphs:
    """Text of a page.

    Attributes:
        width: In points.
        height: In points.
        segments: Upright text in the order of the file.
        turned: Segments of sideways text by their angle; coordinates are those of the page turned upright.
        n_characters: Number of characters except blanks in ``segments`` and ``turned``.
        n_unreadable: Number of characters that were left out because their letter is unknown.
        has_marks: False for a blank page.
        n_false_blanks: Number of letters that their font names blanks.
        pictures: On a page with a caption of a figure, left, upper, right and lower edge in points, y down from the
            top, of each drawn object.
        confidence: Mean confidence of OCR in [0, 1]; 0 for a page that is no scan.
    """

    width: float
    height: float
    segments: list[Segment]
    turned: dict[int, list[Segment]]
    n_characters: int
    n_unreadable: int
    has_marks: bool
    n_false_blanks: int = 0
    pictures: Sequence[tuple[float, float, float, float]] = ()
    confidence: float = 0.0


def read_page(page: pdfium.PdfPage, fonts: Fonts) -> PageGlyphs:
    """Read all text of a page; ``fonts`` are those of the document as far as it is read.

    Raises:
        pypdfium2.PdfiumError: PDFium cannot read it.
    """
    width, height = page.get_size()
    n_before = fonts.n_false_blanks
    by_angle: dict[int, list[Glyph | None]] = {}
    n_characters = n_unreadable = 0
    angle = 0
    for glyph in _without_made_up(_composed(_without_soft_hyphens(list(_glyphs(page, fonts))))):
        if glyph is not None and glyph.character == UNREADABLE:
            n_unreadable += 1
            continue
        if glyph is not None:
            n_characters += len(glyph.character)
            angle = glyph.angle
        by_angle.setdefault(angle, []).append(glyph)
    segments = {angle: _read_segments(glyphs) for angle, glyphs in by_angle.items()}
    return PageGlyphs(
        width=width,
        height=height,
        segments=segments.pop(0, []),
        turned={angle: found for angle, found in sorted(segments.items()) if found},
        n_characters=n_characters,
        n_unreadable=n_unreadable,
        has_marks=pdfium_c.FPDFPage_CountObjects(page) > 0,
        n_false_blanks=fonts.n_false_blanks - n_before,
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
    """Yield the page's characters in the order of the file, None or GENERATED for a blank or the end of a line."""
    found = list(_characters(page, fonts))  # fonts are known by all of the page before its codes are decoded
    used = {id(one.font): one.font for one in found if isinstance(one, _Character)}
    decoders = {address: font.decoder() for address, font in used.items()}
    dingbats = {address for address, font in used.items() if font.names_letters_as_dingbats}
    for one in found:
        if one is None or isinstance(one, Glyph):
            yield one
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


def _characters(page: pdfium.PdfPage, fonts: Fonts) -> Iterator[_Character | Glyph | None]:
    """Yield what PDFium has of each character, None for a blank, GENERATED for one that PDFium put there.

    What a font sets is noted.
    """
    text_page = page.get_textpage()
    width, height = page.get_size()
    rotation = page.get_rotation()
    left, bottom, right, top = page.get_bbox()
    box = (left, bottom, right - left, top - bottom)
    of_objects: dict[int, tuple[Style, int, Font]] = {}
    visible = visible_boxes(page)
    x, y = ctypes.c_double(), ctypes.c_double()
    rect = pdfium_c.FS_RECTF()
    raw = text_page.raw
    for index in range(pdfium_c.FPDFText_CountChars(raw)):
        code = _code(raw, index)
        if code is None:
            continue
        is_mapped = pdfium_c.FPDFText_HasUnicodeMapError(raw, index) != 1
        if is_mapped and pdfium_c.FPDFText_IsGenerated(raw, index) == 1 and chr(code) not in HYPHENS:
            yield GENERATED if code == 0x20 else None
            continue
        if is_mapped and _is_blank(code):
            if code == 0x20 and (blank := of_objects.get(_address(raw, index))):
                pdfium_c.FPDFText_GetLooseCharBox(raw, index, rect)
                fonts.note_blank(blank[2].name, (rect.right - rect.left) / max(blank[0].size, 1.0))
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
        if address in visible and not visible[address].holds(rect):
            continue
        if rotation == 0 and angle == 0:
            x0, x1, baseline = rect.left - left, rect.right - left, box[3] - (y.value - bottom)
        else:
            corners = (_place(rect.left, rect.bottom, box, rotation), _place(rect.right, rect.top, box, rotation))
            origin = _place(x.value, y.value, box, rotation)
            (x0, _), (x1, _) = sorted(_turned(corner, angle, width, height) for corner in corners)
            baseline = _turned(origin, angle, width, height)[1]
        _note(font, code, is_mapped, (x1 - x0) / max(style.size, 1.0))
        yield _Character(code, is_mapped, x0, x1, baseline, angle, style, font)


def _code(raw: Any, index: int) -> int | None:
    """Return the code of a character, None for the second half of a pair of surrogates."""
    code: int = pdfium_c.FPDFText_GetUnicode(raw, index)
    low: int = pdfium_c.FPDFText_GetUnicode(raw, index + 1) if 0xD800 <= code <= 0xDBFF else 0
    if 0xDC00 <= low <= 0xDFFF:
        return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
    second = 0xDC00 <= code <= 0xDFFF and index and 0xD800 <= pdfium_c.FPDFText_GetUnicode(raw, index - 1) <= 0xDBFF
    return None if second else code


def _address(raw: Any, index: int) -> int:
    text_object = pdfium_c.FPDFText_GetTextObject(raw, index)
    return ctypes.addressof(text_object.contents) if text_object else 0


def _n_of_other_widths(widths: Counter[float]) -> int:
    """Return the number of blanks that are half as wide again as the usual one: letters such as ligatures."""
    usual = widths.most_common(1)[0][0]
    others = sum(count for width, count in widths.items() if usual > 0 and width > 1.5 * usual)
    return others if others >= FEWEST_FALSE_BLANKS else 0


def _is_blank(code: int) -> bool:
    return code < 0x110000 and not _character(code).strip()


def _note(font: Font, code: int, is_mapped: bool, width: float) -> None:
    font.n_characters += 1
    if not is_mapped:
        font.note(code)
    elif chr(code) in CODE_OF_DINGBAT:
        font.n_dingbats += 1
        font.dingbats.add(code)
    if 0x20 < code < 0x7F:
        font.widths.setdefault(chr(code), width)


def _composed(glyphs: list[Glyph | None]) -> list[Glyph | None]:
    """Return the glyphs with each accent that stands over or under a letter made one with it."""
    accents = [index for index, glyph in enumerate(glyphs) if glyph is not None and glyph.character in ACCENTS]
    rows: dict[int, list[int]] = {}
    for index, glyph in enumerate(glyphs):
        if glyph is not None and glyph is not GENERATED:
            rows.setdefault(round(glyph.y / ROW), []).append(index)
    for index in accents:
        accent = glyphs[index]
        assert accent is not None  # noqa: S101 chosen above
        if accent.character not in ACCENTS:
            continue  # another accent was set on it
        middle, row = (accent.x0 + accent.x1) / 2, round(accent.y / ROW)
        for other in (*rows.get(row, ()), *rows.get(row - 1, ()), *rows.get(row + 1, ())):
            glyph = glyphs[other]
            if glyph is None or glyph is NOTHING or other == index or not glyph.x0 < middle < glyph.x1:
                continue
            composed = unicodedata.normalize("NFC", glyph.character.replace("ı", "i") + ACCENTS[accent.character])
            if abs(glyph.y - accent.y) < 0.3 * glyph.style.size and len(composed) == 1:
                glyphs[other] = glyph._replace(character=composed)
                glyphs[index] = NOTHING
                _drop_generated(glyphs, index)
                _drop_generated(glyphs, other)
                break
    return [glyph for glyph in glyphs if glyph is not NOTHING]


def _drop_generated(glyphs: list[Glyph | None], index: int) -> None:
    """Drop the blanks that PDFium put beside an accent; :func:`_segments` judges the letters' own distance."""
    for beside in (index - 1, index + 1):
        if 0 <= beside < len(glyphs) and glyphs[beside] is GENERATED:
            glyphs[beside] = NOTHING


def _without_made_up(glyphs: list[Glyph | None]) -> list[Glyph | None]:
    """Return the glyphs with None for generated blanks, without those that part a capital from the rest of its word.

    Such a blank is far narrower than the other generated ones of the page.
    """
    gaps: dict[int, float] = {}
    for index in range(1, len(glyphs) - 1):
        before, after = glyphs[index - 1], glyphs[index + 1]
        if glyphs[index] is GENERATED and before is not None and after is not None and GENERATED not in (before, after):
            gaps[index] = (after.x0 - before.x1) / max(after.style.size, 1.0)
    usual = median(gaps.values()) if len(gaps) >= FEWEST_GAPS else 0.0
    made_up = {index for index, gap in gaps.items() if -0.5 < gap < NARROWEST * usual and _is_one_word(glyphs, index)}
    return [None if glyph is GENERATED else glyph for index, glyph in enumerate(glyphs) if index not in made_up]


def _is_one_word(glyphs: list[Glyph | None], index: int) -> bool:
    """Say whether a blank stands between a capital at the beginning of a word and a small letter, or before a stop."""
    glyph, after = glyphs[index - 1], glyphs[index + 1]
    if glyph is None or after is None:
        return False
    if after.character in ".,;:":
        return glyph.character.isalnum()
    before = glyphs[index - 2] if index > 1 else None
    begins = before is None or before is GENERATED or not before.character.isalnum()
    small = after.character[:1].islower() or after.character in HYPHENS
    return begins and small and len(glyph.character) == 1 and glyph.character.isupper()


def _without_soft_hyphens(glyphs: list[Glyph | None]) -> list[Glyph | None]:
    """Return the glyphs without soft hyphens inside a line, if the page has ordinary hyphens beside them."""
    hyphens = {glyph.character for glyph in glyphs if glyph is not None} & {"-", "\u2010"}
    if not hyphens:
        return glyphs
    kept: list[Glyph | None] = []
    for glyph, after in zip(glyphs, [*glyphs[1:], None], strict=True):
        within = glyph is not None and glyph.character == SOFT_HYPHEN and after is not None and after is not GENERATED
        if not within or glyph is None or after is None or abs(after.y - glyph.y) > glyph.style.size:
            kept.append(glyph)
        elif kept and (before := kept[-1]) is not None and before is not GENERATED:
            kept[-1] = before._replace(x1=glyph.x1)
    return kept


@cache
def _character(code: int) -> str:
    if code in (0, 0xFFFD) or 0xE000 <= code <= 0xF8FF or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        return UNREADABLE
    character = normalised(chr(code))
    if character in HYPHENS or not unicodedata.category(character).startswith("C"):
        return plain(character)
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
    nearest = round(degrees / 90) * 90
    if nearest % 360 == 0 and abs(degrees - nearest) > MOST_ASKEW:  # letters around a seal are no part of a line
        nearest += 90 if degrees > nearest else -90
    return nearest % 360


MOST_ASKEW = 12
"""Degrees by which the letters of a line of a page that was scanned askew are turned at most."""

SMALLEST = 1.0
"""Points below which a size is not that of letters."""


def _style(text_page: pdfium.PdfTextPage, index: int, font: Font) -> Style:
    flags = ctypes.c_int()
    pdfium_c.FPDFText_GetFontInfo(text_page, index, None, 0, flags)
    name = font.name
    matrix = pdfium_c.FS_MATRIX()
    pdfium_c.FPDFText_GetMatrix(text_page, index, matrix)
    size = pdfium_c.FPDFText_GetFontSize(text_page, index) * math.hypot(matrix.c, matrix.d)
    if size < SMALLEST:  # the glyphs of some bitmap fonts are drawn in dots: the box has their number
        box = pdfium_c.FS_RECTF()
        pdfium_c.FPDFText_GetLooseCharBox(text_page, index, box)
        size *= max(1.0, box.top - box.bottom)
    weight = pdfium_c.FPDFText_GetFontWeight(text_page, index)
    return Style(
        font=name,
        size=round(2 * size) / 2,
        bold=BOLD.search(name) is not None
        or (not REGULAR.search(name) and (weight >= BOLD_WEIGHT or bool(flags.value & FORCE_BOLD_FLAG))),
        italic=bool(flags.value & ITALIC_FLAG) or ITALIC.search(name) is not None,
        small_caps=SMALL_CAPS.search(name) is not None,
    )


def _read_segments(glyphs: list[Glyph | None]) -> list[Segment]:
    """Return the segments of glyphs of one angle, those of lines with right-to-left letters by their places."""
    rows = {round(one.y / ROW) for one in glyphs if one is not None and is_right_to_left(one.character)}
    if not rows:
        return list(_segments(glyphs))
    near = {row + step for row in rows for step in (-1, 0, 1)}
    placed = [one for one in glyphs if one is not None and round(one.y / ROW) in near]
    lines = [line for line in rows_of(placed) if any(is_right_to_left(one.character) for one in line)]
    taken = {id(one) for line in lines for one in line}
    others = list(_segments([one for one in glyphs if one is None or id(one) not in taken]))
    parts = [part for line in lines for part in parts_of(line)]
    blanks = _parted(glyphs)
    found = [segment_of(part, blanks) for part in parts]
    if is_backwards([segment.text for segment in found]):
        found = [segment_of(part, blanks, as_drawn=True) for part in parts]
    return others + found


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


def _parted(glyphs: Sequence[Glyph | None]) -> set[tuple[float, float]]:
    """Return the left edges of each two glyphs between which the file has a blank."""
    found = set()
    for number, glyph in enumerate(glyphs[1:-1], start=1):
        before, after = glyphs[number - 1], glyphs[number + 1]
        if glyph is None and before is not None and after is not None:
            found |= {(before.x0, after.x0), (after.x0, before.x0)}
    return found


def rows_of(glyphs: Sequence[Glyph | None]) -> list[list[Glyph]]:
    """Return the glyphs of each baseline from left to right, each mark with the letter that it stands over."""
    rows: list[list[Glyph]] = []
    for glyph in sorted((one for one in glyphs if one is not None), key=lambda one: one.y):
        if rows and glyph.y - rows[-1][0].y < SAME_BASELINE * max(glyph.style.size, rows[-1][0].style.size):
            rows[-1].append(glyph)
        else:
            rows.append([glyph])
    return [_with_marks(sorted(row, key=lambda one: (one.x0 + one.x1) / 2)) for row in rows]


def _with_marks(row: list[Glyph]) -> list[Glyph]:
    letters = [glyph for glyph in row if not is_mark(glyph.character)]
    for mark in (glyph for glyph in row if is_mark(glyph.character)):
        middle = (mark.x0 + mark.x1) / 2
        if letters:
            at = min(range(len(letters)), key=lambda place: abs((letters[place].x0 + letters[place].x1) / 2 - middle))
            letters[at] = letters[at]._replace(character=letters[at].character + mark.character)
    return letters


def parts_of(row: Sequence[Glyph]) -> list[list[Glyph]]:
    """Split a line at gaps that part columns."""
    parts: list[list[Glyph]] = []
    for glyph in row:
        if parts and glyph.x0 - parts[-1][-1].x1 < WIDEST_GAP * max(glyph.style.size, 1.0):
            parts[-1].append(glyph)
        else:
            parts.append([glyph])
    return parts


def segment_of(row: Sequence[Glyph], blanks: set[tuple[float, float]], *, as_drawn: bool = False) -> Segment:
    """Return the segment of glyphs that stand from left to right, in the order in which they are read.

    ``as_drawn`` is for a page on which they stand in the wrong direction: it is that order already.
    """
    spaced: list[Glyph] = []
    for glyph in row:
        gap = (glyph.x0 - spaced[-1].x1) / max(glyph.style.size, 1.0) if spaced else 0.0
        parted = spaced and gap > NARROW_GAP and (spaced[-1].x0, glyph.x0) in blanks
        if gap > WORD_GAP or parted or (spaced and are_of_two_scripts(spaced[-1].character, glyph.character)):
            spaced.append(glyph._replace(character=" ", x0=spaced[-1].x1, x1=glyph.x0))
        spaced.append(glyph)
    places = range(len(spaced)) if as_drawn else logical_order([glyph.character for glyph in spaced])
    ordered = [spaced[place] for place in places]
    text = with_brackets("".join(glyph.character for glyph in ordered))
    segment = Segment(text, row[0].x0, max(glyph.x1 for glyph in row), row[0].y)
    at = 0
    for glyph in ordered:
        step = (glyph.x1 - glyph.x0) / len(glyph.character)
        for number in range(len(glyph.character)):
            segment.edges.extend((glyph.x0 + number * step, glyph.x0 + (number + 1) * step))
        if not segment.runs or segment.runs[-1].style != glyph.style:
            segment.runs.append(Run(at, glyph.style, raised=False))
        at += len(glyph.character)
        segment.styles[glyph.style] = segment.styles.get(glyph.style, 0) + len(glyph.character)
    return segment
