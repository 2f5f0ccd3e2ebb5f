"""Detection of file types by content."""

import re
import zipfile
from pathlib import Path, PurePosixPath

from papergraph.errors import InputError, Reason
from papergraph.ingest.sources.parser import LIBRARIES, endings, media_types, parsers
from papergraph.ingest.sources.tex import GZIP

HEAD_BYTES = 1024
PIECE_BYTES = 1 << 20
PDF, ZIP = b"%PDF-", b"PK\x03\x04"
MARKUP = re.compile(rb"<[!?a-zA-Z]")
MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
KINDS = {PDF: "a PDF", ZIP: "a zip archive", GZIP: "gzip"}


def format_named(name: str) -> str:
    """Return the format that a file's name tells.

    Raises:
        InputError: It is of none that is taken.
    """
    ending = PurePosixPath(name).suffix.lower()
    if ending in LIBRARIES:
        return ending[1:]
    if ending not in endings():
        fault = f"unsupported extension {ending[:20]!r}" if ending else "no extension"
        supported = ", ".join(uploaded())
        raise InputError(
            f"File name {name[:80]!r} has {fault}. Supported: {supported}.",
            field="file",
            reason=Reason.UNSUPPORTED_TYPE,
        )
    return endings()[ending]


def check_content(path: Path, name: str, media_type: str = "") -> str:
    """Return the format of a file whose content, name and declared media type agree.

    Raises:
        InputError: They do not, or the content is two things at once.
    """
    format = format_named(name)
    if f".{format}" in LIBRARIES:
        return _check_library(path, format)
    parser = parsers()[format]
    declared = media_types().get(media_type)
    if declared is not None and endings()[declared] != format:
        raise unsupported(f"It is declared as {media_type}, but its name says {format}.")
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if not head:
        raise InputError("The file is empty.", field="file", reason=Reason.EMPTY)
    begins = _beginning(head)
    if begins != parser.magic.get(PurePosixPath(name).suffix.lower(), b""):
        raise unsupported(f"Its name says {format}, but its content is {_in_words(begins)}.")
    if begins == PDF and zipfile.is_zipfile(path):
        raise unsupported("It is a PDF and a zip archive at once.")
    if not begins:
        _check_text(path, head, markup=parser.markup, format=format)
    if parser.check is not None:
        parser.check(path)
    return format


def _check_library(path: Path, format: str) -> str:
    with path.open("rb") as file:
        begins = _beginning(file.read(HEAD_BYTES))
    if format == "zip" and not zipfile.is_zipfile(path):
        raise unsupported("Its name says zip, but its content is no zip archive.")
    if format != "zip" and begins:
        raise unsupported(f"Its name says {format}, but its content is {_in_words(begins)}.")
    if format != "zip":
        _check_text(path, b"", markup=False, format=format)
    return format


def uploaded() -> list[str]:
    """Return the endings of files that can be uploaded."""
    return sorted((*endings(), *LIBRARIES))


def _beginning(head: bytes) -> bytes:
    """Return the first bytes that tell what a file is; none where it may be text."""
    known = [*KINDS, *(magic for parser in parsers().values() for magic in parser.magic.values())]
    return next((magic for magic in known if head.startswith(magic)), b"")


def _in_words(begins: bytes) -> str:
    if begins in KINDS:
        return KINDS[begins]
    return next((one.name for one in parsers().values() if begins and begins in one.magic.values()), "text")


def _check_text(path: Path, head: bytes, *, markup: bool, format: str) -> None:
    """Check that a file is text and, if ``markup``, begins with a tag.

    Raises:
        InputError: The file has another type.
    """
    mark = next((mark for mark in MARKS if head.startswith(mark)), b"")
    is_wide = MARKS.get(mark, "").startswith("utf-16")
    if not is_wide:
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                if b"\0" in piece:
                    raise InputError("The file has bytes that no text has.", field="file", reason=Reason.NOT_TEXT)
    if markup:
        text = head[len(mark) :]
        if is_wide:
            text = text.decode(MARKS[mark], errors="replace").encode()
        if MARKUP.match(text.lstrip()) is None:
            raise unsupported(f"Its name says {format}, but its content is not markup.")
        if PDF in text:
            raise unsupported("It is markup and a PDF at once.")


def unsupported(what: str) -> InputError:
    """Return that a file is refused because of its type."""
    return InputError(f"The file is not supported. {what}", field="file", reason=Reason.UNSUPPORTED_TYPE)
