r"""LaTeX sources: files on disk or an archive of them to the one text that TeX would read.

Parts are found beside the main file and below it, nowhere else; nothing is ever run or written.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ingest.sources.files import read_bytes
from ingest.sources.source import DocumentRef, Format, RawDocument
from papergraph.errors import Reason, SourceError

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
"""What decides where a comment begins; the ends of verbatim text are looked for apart, in linear time."""

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
"""What a bibliography file is called once it is put into the text."""

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
        try:
            return self.read(max_bytes=max_bytes).content_hash
        except SourceError:
            return None

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
            raise SourceError(self.name, Reason.TOO_LARGE, f"{error} (PAPERGRAPH_INGEST_MAX_FILE_BYTES)") from error
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
    """Return a LaTeX text without what TeX does not read; verbatim text keeps its percent signs.

    An end that was not found once is not looked for again, so the time is linear in the text.
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


class _Whole:
    def __init__(self, stem: str, read: Read, max_chars: int) -> None:
        self._stem, self._read, self._left = stem, read, max_chars
        self._n_parts = 0

    def expanded(self, text: str, above: tuple[str, ...]) -> str:
        text = without_comments(text)
        self._left -= len(text)
        if self._left < 0:
            raise TooMuchTexError("its parts together are too long")
        return PART.sub(lambda match: self._part(match, above), text)

    def _part(self, match: re.Match[str], above: tuple[str, ...]) -> str:
        self._n_parts += 1
        if self._n_parts > MOST_PARTS:
            raise TooMuchTexError(f"it takes in more than {MOST_PARTS:,} files")
        if match["bib"] is not None or match["printed"]:
            return self._bibliography((match["bib"] or "").split(","))
        name = match["braced"] or match["bare"] or f"{match['folder']}/{match['name']}"
        for candidate in (f"{name}.tex", name):
            normal = str(PurePosixPath(candidate.strip().strip('"')))
            if normal in above or len(above) >= DEEPEST_PART:
                continue
            if (text := self._read(normal)) is not None:
                whole = BODY.search(text) if MAIN.search(text) else None
                return self.expanded(whole[1] if whole else text, (*above, normal)) + "\n"
        return ""

    def _bibliography(self, names: list[str]) -> str:
        if (text := self._read(f"{self._stem}.bbl")) is not None:
            self._left -= len(text)
            return text
        stems = [name.strip().removesuffix(".bib") for name in names if name.strip()]
        texts = [text for stem in stems if (text := self._read(f"{stem}.bib")) is not None]
        self._left -= sum(map(len, texts))
        if self._left < 0:
            raise TooMuchTexError("its parts together are too long")
        return "".join(f"\\begin{{filecontents}}{{{OWN_BIB}}}\n{text}\n\\end{{filecontents}}\n" for text in texts)
