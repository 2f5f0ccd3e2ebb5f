"""Files, each of them a document."""

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from ingest.sources.parser import endings, format_of
from ingest.sources.source import DocumentRef, RawDocument
from papergraph.errors import Reason, SourceError


@dataclass(frozen=True)
class LocalFile(DocumentRef):
    """A file; ``name`` is its absolute path."""

    name: str

    @property
    def known_format(self) -> str | None:
        """The format that the file's name tells."""
        return format_of(self.name)

    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return the sha-256 hex of the file's bytes; None where :meth:`read` would refuse to read them."""
        return file_hash(self.name, max_bytes=max_bytes)

    def read(self, *, max_bytes: int) -> RawDocument:
        """Read the file.

        Raises:
            SourceError: It is gone, unreadable, larger than ``max_bytes``, or empty.
        """
        data = read_bytes(self.name, max_bytes=max_bytes)
        return RawDocument(self.name, data, endings()[Path(self.name).suffix.lower()], hashlib.sha256(data).hexdigest())


def path_named(name: str) -> str:
    """Return the path that a user's name stands for, absolute, as files are named; '' for what is none."""
    return os.path.abspath(name) if name.strip() else ""  # noqa: PTH100 resolve() would follow links


def file_hash(name: str, *, max_bytes: int) -> str | None:
    """Return the sha-256 hex of a file's bytes; None where :func:`read_bytes` would refuse to read them."""
    path = Path(name)
    try:
        if not stat.S_ISREG(path.stat().st_mode) or path.stat().st_size > max_bytes:
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def read_bytes(name: str, *, max_bytes: int) -> bytes:
    """Return a file's bytes.

    Raises:
        SourceError: It is gone, unreadable, larger than ``max_bytes``, or empty.
    """
    path = Path(name)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SourceError(name, Reason.UNREADABLE, "is not a file")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except FileNotFoundError as error:
        raise SourceError(name, Reason.NOT_FOUND, "there is no such file") from error
    except OSError as error:
        raise SourceError(name, Reason.UNREADABLE, f"cannot be read: {error.strerror}") from error
    if len(data) > max_bytes:
        raise SourceError(
            name, Reason.TOO_LARGE, f"is larger than {max_bytes:,} bytes (PAPERGRAPH_INGEST_MAX_FILE_BYTES)"
        )
    if not data:
        raise SourceError(name, Reason.EMPTY, "is empty")
    return data
