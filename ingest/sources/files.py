"""Files, and what is below folders."""

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from ingest.sources.source import FORMATS, SUPPORTED, Found, SourceFile
from papergraph.errors import Reason, SourceError


@dataclass(frozen=True)
class LocalFile(Found):
    """A file; ``name`` is its absolute path."""

    name: str

    def content_hash(self, *, max_bytes: int) -> str | None:
        """Return the sha-256 hex of the file's bytes; None where :meth:`read` would refuse to read them."""
        path = Path(self.name)
        try:
            if not stat.S_ISREG(path.stat().st_mode) or path.stat().st_size > max_bytes:
                return None
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return None

    def read(self, *, max_bytes: int) -> SourceFile:
        """Read the file.

        Raises:
            SourceError: It is gone, unreadable, larger than ``max_bytes``, or empty.
        """
        data = read_bytes(self.name, max_bytes=max_bytes)
        return SourceFile(self.name, data, FORMATS[Path(self.name).suffix.lower()], hashlib.sha256(data).hexdigest())


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
        raise SourceError(name, Reason.TOO_LARGE, f"is larger than {max_bytes:,} bytes (PAPERGRAPH_MAX_FILE_BYTES)")
    if not data:
        raise SourceError(name, Reason.EMPTY, "is empty")
    return data


def find_files(spec: str) -> list[Found | SourceError]:
    """Return the documents that a path stands for, in a stable order."""
    path = Path(os.path.abspath(spec))  # noqa: PTH100 resolve() would follow links
    found = _below(path) if path.is_dir() else [_named(path)]
    if not found:
        return [SourceError(spec, Reason.EMPTY, f"the folder holds no file of a supported type ({SUPPORTED})")]
    return found


def _named(path: Path) -> Found | SourceError:
    if not os.path.lexists(path):
        return SourceError(str(path), Reason.NOT_FOUND, "there is no such file or folder")
    if path.suffix.lower() not in FORMATS:
        return SourceError(
            str(path),
            Reason.UNSUPPORTED_TYPE,
            f"{path.suffix or 'a file without ending'} is not supported ({SUPPORTED})",
        )
    return LocalFile(str(path))


def _below(folder: Path) -> list[Found | SourceError]:
    found: list[Found | SourceError] = []

    def refuse(error: OSError) -> None:
        found.append(SourceError(str(error.filename), Reason.UNREADABLE, f"cannot be read: {error.strerror}"))

    for parent, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [
            LocalFile(str(Path(parent, name)))
            for name in sorted(files)
            if not name.startswith(".") and Path(name).suffix.lower() in FORMATS
        ]
    return found
