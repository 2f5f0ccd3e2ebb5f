"""Checks of a PDF before it is read, and of the words that it gives."""

import base64
import html
import io
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pikepdf

from papergraph.errors import Reason
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits

# Check that a PDF is complete: PDFium reads the readable part of a damaged file without a warning.
#
# qpdf reads every object, and every packed stream but images is unpacked here: its checksum tells whether a byte of it
# is another than was written.


HEADER_WITHIN = 1024
LOCKED = "needs a password; remove it with `qpdf --password=PASSWORD --decrypt IN.pdf OUT.pdf`"
PIECE = 1 << 20
REFERENCE = re.compile(rb"\b(\d{1,8}) \d{1,5} R\b")
FILTERS = frozenset(
    {
        "/ASCIIHexDecode", "/ASCII85Decode", "/LZWDecode", "/FlateDecode", "/RunLengthDecode", "/CCITTFaxDecode",
        "/JBIG2Decode", "/DCTDecode", "/JPXDecode", "/Crypt", "/AHx", "/A85", "/LZW", "/Fl", "/RL", "/CCF", "/DCT",
    }
)  # fmt: skip
SERIOUS = re.compile(
    r"object stream|decod|loop|expected endstream|unexpected EOF|invalid (?:object|stream)|kids|page", re.IGNORECASE
)
"""Warnings of qpdf after which something may be missing."""

MENDED = {
    "streams with a wrong length": re.compile(
        r"expected endstream|recover\w* stream length|attempting to recover|extraneous whitespace", re.IGNORECASE
    ),
    "odd objects": re.compile(
        r"duplicated key|expected endobj|invalid; repairing|is undefined; setting|attempting to correct|"
        r"reported number of objects",
        re.IGNORECASE,
    ),
    "the table of objects": re.compile("reconstruct", re.IGNORECASE),
}
"""Warnings about what qpdf mends without loss, by what it mends.

The end of a stream tells its length, and its checksum whether it is right; a table that is rebuilt is checked too.
"""

OBJECT_AFTER_END = re.compile(rb"\b\d+ \d+ obj\b|\bstream\b|\bxref\b")
TABLE_ONLY = re.compile(
    r"file is damaged|xref|startxref|cross-reference|trailer|reconstruct|expected (?:n n|\d+ \d+) obj", re.IGNORECASE
)
"""Warnings about the table of objects only."""


@dataclass(frozen=True)
class FileInfo:
    """Metadata of the file; each may be empty."""

    title: str = ""
    authors: tuple[str, ...] = ()
    doi: str = ""


@dataclass(frozen=True)
class Checked:
    """Result of the check.

    Attributes:
        n_pages: Number of pages.
        info: Metadata.
        data: The file as qpdf mended it, or as it is.
        mended: What was mended; may be empty.
    """

    n_pages: int
    info: FileInfo
    data: bytes
    mended: str = ""


def check(data: bytes, limits: SandboxLimits) -> Checked:
    """Read a whole PDF and return what it says of itself.

    Raises:
        RefusedError: It is no PDF, or encrypted, damaged, cut off, or larger than ``limits`` once unpacked.
    """
    if not data.strip():
        raise RefusedError(Reason.EMPTY, "is empty")
    if b"%PDF-" not in data[:HEADER_WITHIN]:
        kind = (
            "an HTML page" if re.search(rb"<html|<!doctype", data[:HEADER_WITHIN], re.IGNORECASE) else "something else"
        )
        raise RefusedError(Reason.DAMAGED, f"is {kind} with the name of a PDF; download it again")
    cut_off = _is_cut_off(data)
    try:
        with pikepdf.open(io.BytesIO(data), suppress_warnings=True) as pdf:
            if pdf.is_encrypted and not pdf.user_password_matched:
                raise RefusedError(Reason.ENCRYPTED, LOCKED)
            n_pages = len(pdf.pages)
            if n_pages > limits.pages:
                raise RefusedError(Reason.TOO_LARGE, f"has {n_pages:,} pages, more than {limits.pages:,}; split it")
            _check_streams(pdf, limits)
            said = pdf.Root.Pages.get("/Count", 0)
            if int(said) > n_pages:
                raise RefusedError(Reason.PARTIAL, f"says it has {said} pages, but holds {n_pages}; download it again")
            warnings = [str(warning) for warning in pdf.get_warnings()]
            if any("reconstruct" in warning for warning in warnings):
                _check_rebuilt(pdf, warnings)
            info = _info(pdf)
            mended = [what for what, sign in MENDED.items() if any(map(sign.search, warnings))]
            read = _mended(pdf) if mended else data
    except pikepdf.PasswordError as error:
        raise RefusedError(Reason.ENCRYPTED, LOCKED) from error
    except RefusedError as refusal:
        if cut_off and refusal.reason is Reason.DAMAGED:
            raise _cut_off() from refusal
        raise
    except (
        pikepdf.PdfError,
        pikepdf.DataDecodingError,
        RuntimeError,
        ValueError,
        TypeError,
        AttributeError,
        KeyError,
    ) as error:
        if cut_off:
            raise _cut_off() from error
        raise RefusedError(Reason.DAMAGED, f"cannot be read: {_short(error)}") from error
    if cut_off:
        raise _cut_off()
    if serious := [warning for warning in warnings if SERIOUS.search(warning) and not _is_mended(warning)]:
        raise RefusedError(Reason.DAMAGED, f"is damaged: {_short(serious[0])}")
    if not n_pages:
        raise RefusedError(Reason.DAMAGED, "has no pages")
    return Checked(n_pages, info, read, " and ".join(mended))


def _is_cut_off(data: bytes) -> bool:
    """Say whether the file's end is missing: comments and blanks may stand after it, other objects not."""
    end = data.rfind(b"%%EOF")
    return end < 0 or OBJECT_AFTER_END.search(data, end) is not None


def _is_mended(warning: str) -> bool:
    return any(sign.search(warning) for sign in MENDED.values())


def _mended(pdf: pikepdf.Pdf) -> bytes:
    """Return the file as qpdf writes it, with what it mended."""
    file = io.BytesIO()
    pdf.save(file)
    return file.getvalue()


def _cut_off() -> RefusedError:
    return RefusedError(Reason.PARTIAL, "ends too early: the end of the file is missing; download it again")


def _check_rebuilt(pdf: pikepdf.Pdf, warnings: list[str]) -> None:
    """Refuse a file whose table of objects was rebuilt if other parts are damaged too."""
    if others := [one for one in warnings if not TABLE_ONLY.search(one) and not _is_mended(one)]:
        raise RefusedError(Reason.DAMAGED, f"is damaged: {_short(others[0])}")
    if n_missing := _count_missing(pdf):
        raise RefusedError(Reason.PARTIAL, f"is damaged: {n_missing} of its objects are missing; download it again")


def _count_missing(pdf: pikepdf.Pdf) -> int:
    """Return how many objects others refer to that are not there; qpdf takes them for null without a word."""
    there: set[int] = set()
    wanted: set[int] = set()
    for item in pdf.objects:
        if isinstance(item, pikepdf.Object):
            there.add(item.objgen[0])
            body = item.stream_dict if isinstance(item, pikepdf.Stream) else item
            wanted |= {int(number) for number in REFERENCE.findall(body.unparse())}
    return len(wanted - there)


def _check_streams(pdf: pikepdf.Pdf, limits: SandboxLimits) -> None:
    for item in pdf.objects:
        if not isinstance(item, pikepdf.Stream) or item.get("/Subtype") == "/Image":
            continue
        filters: Any = item.get("/Filter", [])
        names = [str(name) for name in ([filters] if isinstance(filters, pikepdf.Name) else list(filters))]
        number = item.objgen[0]
        if unknown := [name for name in names if name not in FILTERS]:
            raise RefusedError(
                Reason.DAMAGED, f"is damaged: stream {number} is packed by {unknown[0][:40]}, which does not exist"
            )
        _check_packed(item.read_raw_bytes(), names, number, limits)


def _check_packed(packed: bytes, names: list[str], number: int, limits: SandboxLimits) -> None:
    """Check the first Flate stream of a chain of filters, below the ones that write bytes as letters."""
    for name in names:
        try:
            if name in ("/ASCII85Decode", "/A85"):
                packed = base64.a85decode(packed.strip().removeprefix(b"<~").partition(b"~")[0])
            elif name in ("/ASCIIHexDecode", "/AHx"):
                packed = bytes.fromhex(packed.partition(b">")[0].decode("ascii"))
            else:
                if name in ("/FlateDecode", "/Fl"):
                    _unpack(packed, number, limits)
                return
        except ValueError as error:
            raise RefusedError(
                Reason.DAMAGED, f"is damaged: stream {number} cannot be unpacked ({error}); download it again"
            ) from error


def _unpack(packed: bytes, number: int, limits: SandboxLimits) -> None:
    """Unpack a stream piece by piece without keeping it."""
    unpacker = zlib.decompressobj()
    length = 0
    rest = packed
    try:
        while rest and not unpacker.eof:
            length += len(unpacker.decompress(rest, PIECE))
            rest = unpacker.unconsumed_tail
            if length > limits.stream_bytes:
                raise RefusedError(
                    Reason.TOO_LARGE, f"stream {number} unpacks to more than {limits.stream_bytes:,} bytes: not a paper"
                )
    except zlib.error as error:
        raise RefusedError(
            Reason.DAMAGED, f"is damaged: stream {number} cannot be unpacked ({error}); download it again"
        ) from error
    if packed and not unpacker.eof:
        raise RefusedError(Reason.DAMAGED, f"is damaged: stream {number} ends too early; download it again")


def _info(pdf: pikepdf.Pdf) -> FileInfo:
    said: dict[str, str] = {}
    for name in ("/Title", "/Author", "/doi", "/DOI"):
        try:
            said[name] = " ".join(str(pdf.docinfo.get(name, "")).split())
        except (ValueError, TypeError, RuntimeError, AttributeError):
            continue
    authors: list[str] = []
    title, doi = said.get("/Title", ""), said.get("/doi", "") or said.get("/DOI", "")
    try:
        with pdf.open_metadata() as metadata:
            title = title or _string(metadata.get("dc:title"))
            creators = metadata.get("dc:creator") or []
            authors = [creators] if isinstance(creators, str) else [_string(name) for name in creators]
            doi = doi or _string(metadata.get("prism:doi"))
    except Exception:
        authors = []
    if len(authors) < 2 and said.get("/Author"):
        authors = re.split(r"\s*(?:;|,|\band\b)\s*", said["/Author"])
    return FileInfo(
        html.unescape(title), tuple(name for name in (" ".join(name.split()) for name in authors) if name), doi
    )


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _short(error: object) -> str:
    """Return a message of qpdf without the name that it has for bytes in memory."""
    return " ".join(re.sub(r"stream <[^>]*>:?\s*", "", str(error)).split())[:200]


# Check that the characters of a PDF are language: fonts can map letters to others, which makes the text unreadable.
#
# Counted are words of four Latin letters and more, since shorter ones pass by chance. A word can be pronounced if it
# has a vowel, no long run of consonants, and no letter three times in a row. Texts in other scripts have no such words
# and pass, unless signs stand among the letters of their words.


WORD = re.compile(r"(?<![\w.])[A-Za-zÀ-ÖØ-öø-ž]{4,40}(?![\w.(])")
VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿāăąēĕėęěīĭįıōŏőūŭůűų]", re.IGNORECASE)
CONSONANTS = re.compile(r"[b-df-hj-np-tv-xzßçñ]{6}", re.IGNORECASE)
THRICE = re.compile(r"(.)\1\1", re.IGNORECASE)
SIGN_IN_WORD = re.compile(r"[^\W\d_][\u2600-\u27bf\ue000-\uf8ff]|[\u2600-\u27bf\ue000-\uf8ff][^\W\d_]")
FEWEST_WORDS = 40
"""With fewer words nothing is judged."""

FEWEST_PRONOUNCED = 0.6
MOST_SIGNS = 0.2
"""Signs beside letters for each word."""


@dataclass(frozen=True)
class WordCount:
    """Words of a text, those that can be pronounced, and the signs that stand right beside letters."""

    n_words: int
    n_pronounced: int
    n_signs: int

    @property
    def share(self) -> float:
        """Share of the words that can be pronounced, in [0, 1]; 1 for none."""
        return self.n_pronounced / self.n_words if self.n_words else 1.0

    @property
    def is_language(self) -> bool:
        """True if the words are of a language, or are too few to decide."""
        if self.n_signs > FEWEST_WORDS and self.n_signs > MOST_SIGNS * self.n_words:
            return False
        return self.n_words < FEWEST_WORDS or self.share >= FEWEST_PRONOUNCED


def count_words(texts: Iterable[str]) -> WordCount:
    """Count the words of texts."""
    n_words = n_pronounced = n_signs = 0
    for text in texts:
        n_signs += len(SIGN_IN_WORD.findall(text))
        for word in WORD.findall(text):
            if word.isupper():
                continue
            n_words += 1
            n_pronounced += is_pronounceable(word)
    return WordCount(n_words, n_pronounced, n_signs)


def is_pronounceable(word: str) -> bool:
    """Say whether a word has a vowel, at most five consonants in a row, and no letter three times in a row."""
    return VOWEL.search(word) is not None and not CONSONANTS.search(word) and not THRICE.search(word)
