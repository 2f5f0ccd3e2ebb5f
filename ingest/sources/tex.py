"""LaTeX sources: files, included files, and archives of them."""

import hashlib
import io
import json
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from papergraph.errors import Reason, SourceError
from papergraph.ingest.sources.parser import read_bytes
from papergraph.ingest.sources.source import DocumentRef, Format, RawDocument, hash_by_reading

# LaTeX sources: files on disk or an archive of them to the one text that TeX would read.
#
# Parts are found beside the main file and below it, nowhere else; nothing is ever run or written.


MOST_PARTS = 2000
DEEPEST_PART = 20
TOKEN = re.compile(
    r"\\begin\{(?P<verbatim>verbatim\*?|Verbatim|lstlisting|minted|alltt)\}"
    r"|\\verb\*?(?P<delimiter>[^\w\s*])"
    r"|\\(?:url|href|path)\s*\{[^{}\n]*\}"
    r"|\\."
    r"|(?P<comment>%[^\n]*(?:\n[ \t]*(?=\S))?)",
    re.DOTALL,
)
"""Tokens that decide where a comment begins; ends of verbatim text are searched separately, in linear time."""

LEFT_OUT = re.compile(r"\\begin\{comment\}|\\iffalse\b")
FI = re.compile(r"\\fi\b")
END_COMMENT = re.compile(r"\\end\{comment\}")
PART = re.compile(
    r"\\(?:input|include|subfile|subfileinclude)(?![A-Za-z])"
    r"(?:\s*+\{\s*+(?P<braced>[^{}\s]++(?:\s++[^{}\s]++)*+)\s*+\}|\s+(?P<bare>[^\s{}\\]+))"
    r"|\\(?:sub)?(?:import|inputfrom|includefrom)\*?\s*\{(?P<folder>[^{}]*)\}\s*\{(?P<name>[^{}]+)\}"
    r"|\\bibliography\s*\{(?P<bib>[^{}]*)\}|(?P<printed>\\printbibliography\b(?:\[[^\]]{0,500}\])?)"
)
MAIN = re.compile(
    r"\\document(?:class|style)\b\s*+(?:\[[^\]]{0,2000}\]\s*+)?"
    r"\{\s*+(?P<name>(?:[^{}\s]++(?:\s++[^{}\s]++)*+)?)\s*+\}"
)
PARTS_ONLY = frozenset({"subfiles", "standalone"})
BODY = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)

OWN_BIB = "papergraph.bib"
"""Name of a bibliography file inserted into the text."""

Read = Callable[[str], str | None]
"""From a name, relative to the main file's folder and with ``/``, to the text of that file, if there is one."""


class TooMuchTexError(Exception):
    """The parts of a LaTeX source are too many or too long."""


@dataclass(frozen=True)
class LatexFile(DocumentRef):
    """A LaTeX file with what it takes in from its folder; ``name`` is its absolute path."""

    name: str

    @property
    def known_format(self) -> str | None:
        """LaTeX."""
        return Format.LATEX

    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return the sha-256 hex of the whole text, parts and bibliography included."""
        return hash_by_reading(self, max_bytes=max_bytes)

    def read(self, *, max_bytes: int) -> RawDocument:
        """Read the file with its parts.

        Raises:
            SourceError: It is gone, unreadable or empty, or it is larger than ``max_bytes`` with its parts.
        """
        path = Path(self.name)
        main = decoded(read_bytes(self.name, max_bytes=max_bytes))
        folder = path.parent.resolve()

        def read(name: str) -> str | None:
            part = (folder / name).resolve()
            if not part.is_relative_to(folder) or not part.is_file() or part.stat().st_size > max_bytes:
                return None
            return decoded(part.read_bytes())

        try:
            text = whole_text(path.stem, main, read, max_chars=max_bytes)
        except TooMuchTexError as error:
            raise SourceError(self.name, Reason.TOO_LARGE, str(error)) from error
        except OSError as error:
            raise SourceError(self.name, Reason.UNREADABLE, f"a part of it cannot be read: {error}") from error
        data = text.encode()
        return RawDocument(self.name, data, Format.LATEX, hashlib.sha256(data).hexdigest())


def is_main(text: str) -> bool:
    """Say whether a LaTeX file is a document of its own, not a part of another."""
    found = MAIN.search(without_comments(text))
    return found is not None and found["name"] not in PARTS_ONLY


def decoded(data: bytes) -> str:
    """Return the text of a LaTeX file: UTF-8, else Latin-1, which older ones are in."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def without_comments(text: str) -> str:
    """Return a LaTeX text without comments; verbatim text keeps its percent signs.

    A missing end is searched once, so the time is linear in the text.
    """
    return _without_blocks("".join(_read_by_tex(text)))


def _read_by_tex(text: str) -> Iterator[str]:
    """Yield a LaTeX text without the comments that begin with a percent sign."""
    reached = at = 0
    no_end: set[str] = set()
    last: dict[str, int] | None = None
    while token := TOKEN.search(text, at):
        at = token.end()
        if token["comment"] is not None:
            yield text[reached : token.start()]
            reached = at
            continue
        delimiter = token["delimiter"]
        if token["verbatim"] is None and delimiter is None:
            continue
        closing = delimiter or f"\\end{{{token['verbatim']}}}"
        known = last is None or delimiter is None or last[delimiter] >= at
        end = text.find(closing, at) if known and closing not in no_end else -1
        if end >= 0:
            at = end + len(closing)
            continue
        at = token.start() + 2
        if delimiter is None:
            no_end.add(closing)
        elif last is None:  # characters are too many to look for each
            last = {character: place for place, character in enumerate(text)}
    yield text[reached:]


def _without_blocks(text: str) -> str:
    r"""Return a LaTeX text without ``comment`` environments and what stands behind ``\iffalse``."""
    kept: list[str] = []
    reached = at = 0
    no_end: set[re.Pattern[str]] = set()
    while begin := LEFT_OUT.search(text, at):
        at = begin.end()
        closing = FI if begin[0] == "\\iffalse" else END_COMMENT
        end = None if closing in no_end else closing.search(text, at)
        if end is None:
            no_end.add(closing)
            continue
        kept.append(text[reached : begin.start()])
        reached = at = end.end()
    return "".join((*kept, text[reached:]))


def whole_text(stem: str, main: str, read: Read, *, max_chars: int) -> str:
    r"""Return a LaTeX document as one text: comments left out, ``\input`` and the bibliography in their places.

    A file that is not there is left out, as are packages. Without a ``.bbl``, the ``.bib`` files are put in as
    ``filecontents``.

    Args:
        stem: Name of the main file without its ending; its bibliography has the same.
        main: Text of the main file.
        read: Gives the other files.
        max_chars: Longest text.

    Raises:
        TooMuchTexError: There are more than 2,000 parts, or the text gets longer than ``max_chars``.
    """
    return _Whole(stem, read, max_chars).expanded(main, ())


MISSING = "papergraphmissing"
"""Command in place of a part that is not there."""

INPUT_PATH = re.compile(r"\\input@path\s*(?:\}\s*)?\{((?:\s*\{[^{}]*\}){1,50}\s*)\}")
FOLDER = re.compile(r"\{([^{}]*)\}")


class _Whole:
    def __init__(self, stem: str, read: Read, max_chars: int) -> None:
        self._stem, self._read, self._left = stem, read, max_chars
        self._n_parts = 0
        self._folders: tuple[str, ...] = ("",)

    def expanded(self, text: str, above: tuple[str, ...]) -> str:
        text = without_comments(text)
        if (paths := INPUT_PATH.search(text)) is not None:
            self._folders = ("", *(folder.strip() for folder in FOLDER.findall(paths[1]) if folder.strip()))
        self._left -= len(text)
        if self._left < 0:
            raise TooMuchTexError("its parts together are too long (PAPERGRAPH_INGEST_MAX_FILE_BYTES)")
        return PART.sub(lambda match: self._part(match, above), text)

    def _part(self, match: re.Match[str], above: tuple[str, ...]) -> str:
        self._n_parts += 1
        if self._n_parts > MOST_PARTS:
            raise TooMuchTexError(f"it includes more than {MOST_PARTS:,} files")
        if match["bib"] is not None or match["printed"]:
            return self._bibliography((match["bib"] or "").split(","))
        name = match["braced"] or match["bare"] or f"{match['folder']}/{match['name']}"
        name = name.strip().strip('"')
        for candidate in (f"{folder}{ending}" for folder in self._placed(name) for ending in (".tex", "")):
            normal = str(PurePosixPath(candidate))
            if normal in above or len(above) >= DEEPEST_PART:
                continue
            if (text := self._read(normal)) is not None:
                whole = BODY.search(text) if MAIN.search(text) else None
                return self.expanded(whole[1] if whole else text, (*above, normal)) + "\n"
        return "" if above and normal in above else f"\\{MISSING}{{{name}}}\n"

    def _placed(self, name: str) -> list[str]:
        r"""Return where a part may be: beside the main file, or in a folder of ``\input@path``."""
        return [str(PurePosixPath(folder) / name) if folder else name for folder in self._folders]

    def _bibliography(self, names: list[str]) -> str:
        if (text := self._read(f"{self._stem}.bbl")) is not None:
            self._left -= len(text)
            return text
        stems = [name.strip().removesuffix(".bib") for name in names if name.strip()]
        texts = [text for stem in stems if (text := self._read(f"{stem}.bib")) is not None]
        self._left -= sum(map(len, texts))
        if self._left < 0:
            raise TooMuchTexError("its parts together are too long (PAPERGRAPH_INGEST_MAX_FILE_BYTES)")
        return "".join(f"\\begin{{filecontents}}{{{OWN_BIB}}}\n{text}\n\\end{{filecontents}}\n" for text in texts)


# Archives of LaTeX sources, as arXiv gives them: unpacked in memory, with limits, and their main file found


GZIP = b"\x1f\x8b"
TEXTS = (".tex", ".ltx", ".latex", ".bbl", ".bib", ".txt")
MOST_MEMBERS = 20_000
UNPACKED_TIMES = 10
"""Largest size of an archive with pictures, in ``max_bytes``."""

TEXT_TIMES = 3
"""Largest size of an archive's texts, in ``max_bytes``."""

USUAL_NAMES = ("main", "ms", "paper", "article", "manuscript", "root", "arxiv")
ARXIV_NAME = re.compile(
    r"(?:arxiv[-_:]?)?(\d{4}\.\d{4,5}|[a-z][a-z-]*(?:\.[A-Z]{2})?[_-]?\d{7})(?:v\d+)?", re.IGNORECASE
)
"""arXiv's name of a paper's source, without extension."""


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
