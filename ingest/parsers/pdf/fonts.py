"""The fonts of a PDF: their names, what their codes stand for where the file does not say it, and which are monospaced.

PDFium gives the code itself for a character that the file maps to no letter. A font without a name, as TeX's bitmap
fonts, tells its encoding by the codes that it uses; one with a name of TeX's fonts by its name.
"""

import ctypes
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium_c

from ingest.parsers.pdf.tex_encodings import (
    CODE_OF_DINGBAT,
    LIGATURES_OF_OT1,
    LIGATURES_OF_T1,
    Encoding,
    decode,
)

SUBSET = re.compile(r"^[A-Z]{6}\+")
BY_NAME = (
    (re.compile(r"cmex|lmmathex|mathext|esint|txex|pxex", re.IGNORECASE), Encoding.OMX),
    (re.compile(r"cmb?sy|lmmathsym", re.IGNORECASE), Encoding.OMS),
    (re.compile(r"cmmi|lmmathit", re.IGNORECASE), Encoding.OML),
    (re.compile(r"(?:sf|ec|lm|tc)[a-z]{2,4}\d|cm-super", re.IGNORECASE), Encoding.T1),
    (re.compile(r"cm(?:r|b|bx|ti|sl|ss|tt|csc|u)[a-z]*\d", re.IGNORECASE), Encoding.OT1),
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
CYRILLIC_SHARE = 0.3
CONTROL_SHARE = 0.4
MOST_MATHS = 0.35
"""Share of a font's letters that may stand beside another one of it, for a font of formulas."""

FEWEST_LETTERS = 12


@dataclass
class Font:
    """A font as far as its pages are read.

    Attributes:
        name: The name in the file without its subset's letters; one of our own where there is none.
        is_named: Whether the file names it.
        codes: How often each code that the file maps to no letter occurs.
        n_pairs: How many letters stood right after another of this font.
        n_characters: How many characters it set.
        n_dingbats: How many of them are dingbats, as the file says.
        widths: Width of each character in letter heights.
    """

    name: str
    is_named: bool
    codes: Counter[int] = field(default_factory=Counter)
    n_pairs: int = 0
    n_characters: int = 0
    n_dingbats: int = 0
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
        """Whether narrow and wide letters are equally wide, or its name says so."""
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
        """Return what decodes a code of this font, as far as the font is known now.

        It gives the characters, empty for none; None where nothing tells what the code stands for.
        """
        encoding, plain = self.encoding(), self.is_monospaced

        def decoded(code: int) -> str | None:
            if encoding is None or code > 0xFF:
                return None
            return chr(code) if plain and 0x20 < code < 0x7F else decode(code, encoding)

        return decoded

    @property
    def names_letters_as_dingbats(self) -> bool:
        """Whether its dingbats are letters, whose glyphs are named after their codes."""
        return self.n_dingbats > MOST_DINGBATS * self.n_characters and not SIGNS.search(self.name)


class Fonts:
    """The fonts of a document, by the objects that PDFium has for them."""

    def __init__(self) -> None:
        self._by_address: dict[int, Font] = {}
        self._by_name: dict[str, Font] = {}
        self.n_nameless = 0

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
