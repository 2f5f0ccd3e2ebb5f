"""Find documents below the paths that a user names, and read each one's bytes, or say why not."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from papergraph.errors import Reason, SourceError


class Format(StrEnum):
    """What kind of file a document is, by the ending of its name."""

    MARKDOWN = "markdown"
    TEXT = "text"
    PDF = "pdf"


FORMATS = {
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".txt": Format.TEXT,
    ".text": Format.TEXT,
    ".pdf": Format.PDF,
}
SUPPORTED = ", ".join(sorted(FORMATS))


@dataclass(frozen=True)
class SourceFile:
    """A document's bytes as they were read.

    Attributes:
        path: Absolute path.
        data: The whole file.
        format: What it is.
        content_hash: sha-256 hex of ``data``.
    """

    path: Path
    data: bytes = field(repr=False)
    format: Format
    content_hash: str

    @property
    def key(self) -> str:
        """The key of a paper that has neither DOI nor arXiv id."""
        return f"file:{self.path}"


def find_documents(paths: Iterable[Path]) -> Iterator[Path | SourceError]:
    """Yield the documents to read, in a stable order and each once, and an error for each path that has none.

    A folder gives its supported files at any depth, hidden ones and links to folders left out; a file that is named
    itself must be of a supported type.
    """
    seen: set[Path] = set()
    for path in paths:
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 resolve() would follow links
        found = _below(absolute) if absolute.is_dir() else [_named(absolute)]
        if not found:
            yield SourceError(
                str(path),
                Reason.EMPTY,
                f"the folder holds no file of a supported type ({SUPPORTED})",
            )
        for document in found:
            if isinstance(document, SourceError) or document not in seen:
                yield document
            if isinstance(document, Path):
                seen.add(document)


def content_hash(path: Path, *, max_bytes: int) -> str | None:
    """Return the sha-256 hex of a file's bytes; None where :func:`read_document` would refuse to read them."""
    try:
        if not stat.S_ISREG(path.stat().st_mode) or path.stat().st_size > max_bytes:
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def read_document(path: Path, *, max_bytes: int) -> SourceFile:
    """Read one document.

    Raises:
        SourceError: It is gone, unreadable, larger than ``max_bytes``, or empty.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SourceError(str(path), Reason.UNREADABLE, "is not a file")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except FileNotFoundError as error:
        raise SourceError(str(path), Reason.NOT_FOUND, "there is no such file") from error
    except OSError as error:
        raise SourceError(str(path), Reason.UNREADABLE, f"cannot be read: {error.strerror}") from error
    if len(data) > max_bytes:
        raise SourceError(
            str(path), Reason.TOO_LARGE, f"is larger than {max_bytes:,} bytes (PAPERGRAPH_MAX_FILE_BYTES)"
        )
    if not data:
        raise SourceError(str(path), Reason.EMPTY, "is empty")
    return SourceFile(path, data, FORMATS[path.suffix.lower()], hashlib.sha256(data).hexdigest())


def _named(path: Path) -> Path | SourceError:
    if not os.path.lexists(path):
        return SourceError(str(path), Reason.NOT_FOUND, "there is no such file or folder")
    if path.suffix.lower() not in FORMATS:
        return SourceError(
            str(path),
            Reason.UNSUPPORTED_TYPE,
            f"{path.suffix or 'a file without ending'} is not supported ({SUPPORTED})",
        )
    return path


def _below(folder: Path) -> list[Path | SourceError]:
    found: list[Path | SourceError] = []

    def refuse(error: OSError) -> None:
        found.append(SourceError(str(error.filename), Reason.UNREADABLE, f"cannot be read: {error.strerror}"))

    for parent, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [
            Path(parent, name)
            for name in sorted(files)
            if not name.startswith(".") and Path(name).suffix.lower() in FORMATS
        ]
    return found
