"""Uploads and attachments, and documents of strangers."""

import hashlib
import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

from papergraph.errors import Reason, SourceError
from papergraph.ingest.sources.parser import LIBRARIES, file_hash, format_of
from papergraph.ingest.sources.source import DocumentRef, Format, RawDocument
from papergraph.ingest.sources.tex import TooMuchTexError, decoded, whole_text
from papergraph.ingest.sources.web import is_outside

# Files that entries of a bibliography name, as Zotero, Better BibTeX, JabRef and Mendeley write them


BETWEEN_FILES = re.compile(r"(?<!\\);")
BETWEEN_PARTS = re.compile(r"(?<!\\):")
ESCAPED = re.compile(r"\\([:;\\{}_&%#$ ])")
MEDIA_TYPE = re.compile(r":(?:application|text|image)/[\w.+-]+$")
PREFERRED = (".pdf",)


COMMA = re.compile(r"(?:(?<!\s)\s+)?,\s*(?=\S)")
MOST_PARTS = 4
"""Parts at the end of a path of another machine that are looked for."""


def paths_in(field: str) -> list[str]:
    """Return the paths of a ``file`` field, parted by semicolons: ``title:path:type``, ``path:type`` or a path."""
    found = []
    for one in BETWEEN_FILES.split(field.replace("$\\backslash$", "\\")):
        parts = BETWEEN_PARTS.split(one.strip())
        path = ":".join(parts[1:-1]) if len(parts) > 2 else MEDIA_TYPE.sub("", one.strip())
        if path := ESCAPED.sub(r"\1", path).strip():
            found.append(path)
    return found


def attached_file(paths: Iterable[str], folder: Path) -> str | None:
    """Return the absolute path of the text of a bibliography's entry in ``folder``.

    Existing files take precedence over missing ones, and of these PDFs. Commas may part paths. Names are compared after
    Unicode normalisation. A path of another machine, such as one of Windows, is looked for by its end below the folder.
    """
    named = stated_paths(paths)
    absolute = [_absolute(one, folder) for one in named]
    found = [existing(Path(path)) or _by_its_end(path, folder) or Path(path) for path in absolute]
    readable = [str(path) for path in found if format_of(path.name) is not None]
    ranked = sorted(readable, key=lambda path: (not Path(path).is_file(), not path.lower().endswith(PREFERRED)))
    return next(iter(ranked), None)


def stated_paths(paths: Iterable[str]) -> list[str]:
    """Return the paths that an entry may mean, each once: as written, parted by commas, and without percent escapes."""
    named = [one for path in paths if "\0" not in path for one in (path, *COMMA.split(path))]
    named += [unquote(one) for one in named if "%" in one]
    return list(dict.fromkeys(named))


def ends_of(path: str) -> list[str]:
    """Return the last parts of a path after Unicode normalisation, the longest first."""
    parts = [part for part in re.split(r"[/\\]+", unicodedata.normalize("NFC", path)) if part not in ("", ".", "..")]
    return ["/".join(parts[-n:]) for n in range(min(len(parts), MOST_PARTS), 0, -1)]


def existing(path: Path) -> Path | None:
    """Return the file of a path, or one beside it whose name is the same after Unicode normalisation, if any."""
    with suppress(OSError, ValueError):
        if path.is_file():
            return path
        beside = _by_name(path.parent, path.parent.stat().st_mtime_ns)
        return beside.get(unicodedata.normalize("NFC", path.name))
    return None


@lru_cache(maxsize=64)
def _by_name(folder: Path, modified_ns: int) -> dict[str, Path]:
    """Return what a folder holds by normalised names; listed once for all entries of a bibliography."""
    return {unicodedata.normalize("NFC", one.name): one for one in folder.iterdir()}


def _by_its_end(path: str, folder: Path) -> Path | None:
    """Return the file below a folder that the last parts of a path name, as many as possible."""
    return next((found for end in ends_of(path) if (found := existing(folder / end))), None)


def is_below(path: str, folder: Path) -> bool:
    """Return whether a file exists below a folder, following links."""
    file = Path(path)
    return file.is_file() and file.resolve().is_relative_to(folder.resolve())


def _absolute(path: str, folder: Path) -> str:
    if path.lower().startswith("file:"):
        path = unquote(urlsplit(path).path)
    return os.path.abspath(folder / path)  # noqa: PTH100 resolve() would follow links


# Files that others brought over the network: called ``upload:ID/NAME``, and where they lie decided by us alone.
#
# A name is what its owner called the file, and is shown; no path is ever made of it. What lies there is one document:
# a LaTeX file is read without what it takes in from beside it.


UPLOAD = re.compile(r"upload:(?P<owner>[0-9a-f]{32})(?P<file>[0-9a-f]{32})/(?P<name>[^/\\]+?(?:#.*)?)", re.DOTALL)
GONE = "was uploaded and is not kept any more; upload it again"


def find_upload(spec: str, folder: Path | None) -> "Upload | SourceError":
    """Return the document of ``upload:ID/NAME``.

    Without a ``folder`` all uploads are missing.
    """
    match = UPLOAD.fullmatch(spec)
    ending = PurePath(spec).suffix.lower()
    format = ending[1:] if ending in LIBRARIES else format_of(spec)
    if match is None or format is None or folder is None:
        return SourceError(spec, Reason.NOT_FOUND, GONE)
    return Upload(spec, place_of(folder, match["owner"], match["file"]), format)


def is_upload(spec: str) -> bool:
    """Return whether a name is that of an upload."""
    return UPLOAD.fullmatch(spec) is not None


def place_of(folder: Path, owner: str, file: str) -> Path:
    """Return where the bytes of an upload lie; both names are hexadecimal digits of our own."""
    return folder / owner / file


@dataclass(frozen=True)
class Upload(DocumentRef):
    """A file that was brought; ``name`` is ``upload:ID/NAME``."""

    name: str
    path: Path = field(repr=False)
    format: str

    @property
    def known_format(self) -> str | None:
        """The format that it was accepted as."""
        return self.format

    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return the sha-256 hex of the file's bytes; None for a deleted file and for LaTeX.

        The hash of LaTeX is of its text without comments, computed by the worker; a server only hashes bytes.
        """
        if self._is_tex or self.path.is_symlink():
            return None
        return file_hash(str(self.path), max_bytes=2**63)

    @property
    def _is_tex(self) -> bool:
        return self.format == Format.LATEX and not self.name.lower().endswith((".gz", ".tgz"))

    def read(self, *, max_bytes: int) -> RawDocument:
        """Read the file; uploads have a size limit of their own.

        Raises:
            SourceError: The file is deleted or unreadable.
        """
        data = self._bytes()
        if not data:
            raise SourceError(self.name, Reason.EMPTY, "is empty")
        if self._is_tex:
            try:
                data = whole_text("upload", decoded(data), lambda _: None, max_chars=len(data) + 1).encode()
            except TooMuchTexError as error:
                raise SourceError(self.name, Reason.TOO_LARGE, str(error)) from error
        return RawDocument(self.name, data, self.format, hashlib.sha256(data).hexdigest())

    def _bytes(self) -> bytes:
        try:
            with open(os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:  # noqa: PTH123
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise SourceError(self.name, Reason.UNREADABLE, "is not a file")
                return file.read()
        except FileNotFoundError as error:
            raise SourceError(self.name, Reason.NOT_FOUND, GONE) from error
        except OSError as error:
            raise SourceError(self.name, Reason.UNREADABLE, f"cannot be read: {error.strerror}") from error


# Untrusted documents: all that came over the network


def is_foreign(source: RawDocument) -> bool:
    """Say whether a document was uploaded, is from a URL or from arXiv, or was fetched into a folder before.

    What was fetched into a folder is described by a record beside it, and so has metadata.
    """
    return is_upload(source.name) or is_outside(source.name) or source.metadata is not None
