"""What a file is by its content, where its name cannot be trusted."""

import re
import zipfile
from pathlib import Path, PurePosixPath

from ingest.sources.archives import GZIP
from ingest.sources.source import FORMATS, Format
from ingest.sources.web import ENDINGS
from papergraph.errors import Reason, UploadError

HEAD_BYTES = 1024
PIECE_BYTES = 1 << 20
PDF, ZIP = b"%PDF-", b"PK\x03\x04"
DOCX_PARTS = frozenset({"[Content_Types].xml", "word/document.xml"})
MARKUP = re.compile(rb"\s*<[!?a-zA-Z]")
MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
KINDS = {Format.PDF: "a PDF", Format.DOCX: "a zip archive", Format.LATEX: "gzip"}
TAKEN = ", ".join(sorted(FORMATS))


def format_named(name: str) -> Format:
    """Return the format that a file's name tells.

    Raises:
        UploadError: It is of none that is taken.
    """
    ending = PurePosixPath(name).suffix.lower()
    if ending not in FORMATS:
        told = f"{ending[:20]} is not taken" if ending else "a name needs an ending"
        raise UploadError(Reason.UNSUPPORTED_TYPE, f"{told}; there are {TAKEN}")
    return FORMATS[ending]


def check_content(path: Path, name: str, media_type: str = "") -> Format:
    """Return the format of a file whose content, name and declared media type agree.

    Raises:
        UploadError: They do not, or the content is two things at once.
    """
    format = format_named(name)
    declared = ENDINGS.get(media_type)
    if declared is not None and FORMATS[declared] is not format:
        raise _unsupported(f"is declared as {media_type}, and its name says {format.value}")
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if not head:
        raise UploadError(Reason.EMPTY, "the file is empty")
    packed = PurePosixPath(name).suffix.lower() in (".gz", ".tgz")
    wanted = "text" if format is Format.LATEX and not packed else KINDS.get(format, "text")
    found = _kind(head)
    if found != wanted:
        raise _unsupported(f"its name says {format.value}, and its content is {found}")
    if found == "a PDF" and zipfile.is_zipfile(path):
        raise _unsupported("it is a PDF and a zip archive at once")
    if found == "a zip archive":
        _check_docx(path)
    if found == "text":
        _check_text(path, head, format)
    return format


def _kind(head: bytes) -> str:
    """Return what a file is by how it begins."""
    if head.startswith(PDF):
        return KINDS[Format.PDF]
    if head.startswith(ZIP):
        return KINDS[Format.DOCX]
    return KINDS[Format.LATEX] if head.startswith(GZIP) else "text"


def _check_docx(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UploadError(Reason.DAMAGED, "the file is a damaged zip archive, and no docx") from error
    if not names >= DOCX_PARTS:
        raise _unsupported("it is a zip archive, and no docx")


def _check_text(path: Path, head: bytes, format: Format) -> None:
    """Refuse what is no text, or, where markup is wanted, none of that.

    Raises:
        UploadError: It is so.
    """
    mark = next((mark for mark in MARKS if head.startswith(mark)), b"")
    is_wide = MARKS.get(mark, "").startswith("utf-16")
    if not is_wide:
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                if b"\0" in piece:
                    raise UploadError(Reason.NOT_TEXT, "the file holds bytes that no text has")
    if format in (Format.XML, Format.HTML):
        text = head[len(mark) :]
        if is_wide:
            text = text.decode(MARKS[mark], errors="replace").encode()
        if MARKUP.match(text) is None:
            raise _unsupported(f"its name says {format.value}, and its content is no markup")
        if PDF in text:
            raise _unsupported("it is markup and a PDF at once")


def _unsupported(what: str) -> UploadError:
    return UploadError(Reason.UNSUPPORTED_TYPE, f"the file is not taken: {what}")
