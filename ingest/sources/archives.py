"""Archives of LaTeX sources, as arXiv gives them: unpacked in memory, with limits, and their main file found."""

import io
import json
import re
import tarfile
import zlib
from pathlib import PurePosixPath

from ingest.sources.tex import PART, Read, TooMuchTexError, decoded, is_main, whole_text, without_comments

GZIP = b"\x1f\x8b"
TEXTS = (".tex", ".ltx", ".latex", ".bbl", ".bib", ".txt")
MOST_MEMBERS = 20_000
UNPACKED_TIMES = 10
"""How many times ``max_bytes`` an archive may hold, pictures included."""

TEXT_TIMES = 3
"""How many times ``max_bytes`` its texts may be."""

USUAL_NAMES = ("main", "ms", "paper", "article", "manuscript", "root", "arxiv")
ARXIV_NAME = re.compile(
    r"(?:arxiv[-_:]?)?(\d{4}\.\d{4,5}|[a-z][a-z-]*(?:\.[A-Z]{2})?[_-]?\d{7})(?:v\d+)?", re.IGNORECASE
)
"""How arXiv calls a paper's source, endings aside."""


class BadArchiveError(Exception):
    """An archive that holds no LaTeX document, or more than it may."""


class TooLargeArchiveError(BadArchiveError):
    """An archive that holds more than it may."""


def is_archive(data: bytes) -> bool:
    """Say whether bytes are gzip or tar."""
    return data.startswith(GZIP) or data[257:262] == b"ustar"


def latex_of(data: bytes, *, max_bytes: int) -> str:
    """Return the whole text of the LaTeX document in a ``.tar.gz``, ``.tar`` or ``.gz``.

    Links, devices and names that lead out of the archive are passed over; nothing is written to disk.

    Args:
        data: The archive.
        max_bytes: Largest file in it that is read, and longest text.

    Raises:
        BadArchiveError: It is damaged, or holds no LaTeX document.
        TooLargeArchiveError: It holds more than it may.
    """
    if data.startswith(GZIP):
        data = _gunzip(data, max_bytes * UNPACKED_TIMES)
    if data[257:262] != b"ustar":
        if data.startswith(b"%PDF"):
            raise BadArchiveError("holds a PDF, no LaTeX source; ingest the PDF itself")
        text = decoded(data)
        if len(data) > max_bytes:
            raise TooLargeArchiveError(f"holds a file of more than {max_bytes:,} bytes")
        if not is_main(text):
            raise BadArchiveError("holds no LaTeX document")
        return _whole("main", text, lambda name: None, max_bytes)
    files = _members(data, max_bytes)
    main = _main(files)
    folder = PurePosixPath(main).parent
    return _whole(PurePosixPath(main).stem, files[main], lambda name: _lookup(files, folder, name), max_bytes)


def _whole(stem: str, main: str, read: Read, max_bytes: int) -> str:
    try:
        return whole_text(stem, main, read, max_chars=max_bytes)
    except TooMuchTexError as error:
        raise TooLargeArchiveError(str(error)) from error


def _gunzip(data: bytes, most: int) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacker.decompress(data, most + 1)
    except zlib.error as error:
        raise BadArchiveError(f"is damaged: {error}") from error
    if len(unpacked) > most:
        raise TooLargeArchiveError(f"holds more than {most:,} bytes")
    if not unpacker.eof:
        raise BadArchiveError("is cut off; download it again")
    return unpacked


def _members(data: bytes, max_bytes: int) -> dict[str, str]:
    files: dict[str, str] = {}
    left = max_bytes * TEXT_TIMES
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for number, member in enumerate(archive):
                if number >= MOST_MEMBERS:
                    raise TooLargeArchiveError(f"holds more than {MOST_MEMBERS:,} files")
                name = PurePosixPath(member.name)
                readme = name.name.startswith("00README")
                if not member.isreg() or name.is_absolute() or ".." in name.parts:
                    continue
                if not readme and name.suffix.lower() not in TEXTS:
                    continue
                left -= member.size  # what a sparse one would unpack to
                if member.size > max_bytes or left < 0:
                    raise TooLargeArchiveError(f"holds more than {max_bytes:,} bytes of LaTeX ({str(name)[:80]})")
                content = archive.extractfile(member)
                if content is not None:
                    files[str(name)] = decoded(content.read())
    except (tarfile.TarError, EOFError, ValueError, OSError) as error:
        raise BadArchiveError(f"is damaged: {error}") from error
    return files


def _lookup(files: dict[str, str], folder: PurePosixPath, name: str) -> str | None:
    parts: list[str] = []
    for part in (folder / name).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    found = files.get("/".join(parts))
    bibliographies = [name for name in files if name.endswith(".bbl")]
    if found is None and name.endswith(".bbl") and len(bibliographies) == 1:
        return files[bibliographies[0]]
    return found


def _main(files: dict[str, str]) -> str:
    """Return the name of the main file: what the archive says itself, else what is taken in by no other.

    Raises:
        BadArchiveError: None is a LaTeX document.
    """
    mains = [name for name, text in files.items() if PurePosixPath(name).suffix in TEXTS[:3] and is_main(text)]
    if not mains:
        raise BadArchiveError("holds no LaTeX document")
    if named := [name for name in _named(files) if name in mains]:
        return named[0]
    taken = {
        PurePosixPath(part).stem
        for name in mains
        for match in PART.finditer(without_comments(files[name]))
        if (part := match["braced"] or match["bare"] or match["name"])
    }

    def rank(name: str) -> tuple[bool, bool, int, bool, int, str]:
        path = PurePosixPath(name)
        return (
            path.stem in taken,
            str(path.with_suffix(".bbl")) not in files,
            len(path.parts),
            path.stem.lower() not in USUAL_NAMES,
            -len(files[name]),
            name,
        )

    return min(mains, key=rank)


def _named(files: dict[str, str]) -> list[str]:
    """Return the main files that arXiv's own notes in an archive name."""
    named = []
    for name, text in files.items():
        if PurePosixPath(name).name == "00README.json":
            try:
                sources = json.loads(text).get("sources", [])
                named += [str(source["filename"]) for source in sources if source.get("usage") == "toplevel"]
            except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
                continue
        elif PurePosixPath(name).name.startswith("00README"):
            named += re.findall(r"^(\S+)\s+toplevelfile\b", text, re.MULTILINE)
    return named
