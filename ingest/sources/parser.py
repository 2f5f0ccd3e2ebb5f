"""Parsers by kind of file, and files on this machine."""

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from papergraph.errors import Reason, SourceError
from papergraph.ingest.sources.source import DocumentRef, RawDocument
from papergraph.registry import parts

if TYPE_CHECKING:
    from papergraph.ingest.sources.source import RawDocument


# Parsers, one for each format of documents: the file types that they accept, and how they read them.
#
# A module of ``papergraph.ingest.parsers`` defines one as its ``PARSER``. The registry stands below the parsers,
# because the
# sources ask it for file types; a parser itself is imported when the first of them is asked for.


RECORDS = (".bib", ".csv", ".enw", ".json", ".jsonl", ".nbib", ".ris")
"""Endings of files that hold many papers' metadata."""
LIBRARIES = (*(ending for ending in RECORDS if ending != ".jsonl"), ".zip")
"""Endings of uploads that hold many papers: bibliographies, and archives with their files."""


@dataclass(frozen=True)
class Parser:
    """A parser of one format.

    Attributes:
        format: The format's name, such as ``html``.
        endings: File extensions; empty for a format without files.
        media_types: File extension by media type, for files without an extension.
        magic: First bytes of a file by extension; files with other extensions of the format are text.
        sandboxed: True to parse documents from the network in a limited child process; a parser may also use one by
            itself.
        runs_program: True if the parser runs a program, with limits of its own within those of the child.
        version: Part of the hash of a configuration: a change parses the papers of this format again.
        parse: The parser; it returns a :class:`papergraph.ingest.parsers.document.Document` or raises ``SourceError``.
        quick: True to parse in this process without caching the result.
        markup: True if its text begins with a tag.
        check: Function that raises ``InputError`` for an uploaded file with content of another format.
        order: Position in lists of parsers.
    """

    format: str
    endings: tuple[str, ...]
    media_types: Mapping[str, str]
    magic: Mapping[str, bytes]
    sandboxed: bool
    version: str
    parse: Callable[["RawDocument"], Any] = field(repr=False)
    quick: bool = False
    runs_program: bool = False
    markup: bool = False
    check: Callable[[Path], None] | None = field(default=None, repr=False)
    order: int = 0

    @property
    def name(self) -> str:
        """The format, by which the registry knows a parser."""
        return str(self.format)


@cache
def parsers() -> Mapping[str, Parser]:
    """Return all parsers by format."""
    return parts("papergraph.ingest.parsers", "PARSER", Parser)


@cache
def endings() -> Mapping[str, str]:
    """Return the formats of documents by the endings of their names."""
    return {ending: one.format for one in parsers().values() for ending in one.endings}


@cache
def media_types() -> Mapping[str, str]:
    """Return the endings of documents by their media types."""
    return {type: ending for one in parsers().values() for type, ending in one.media_types.items()}


def format_of(name: str) -> str | None:
    """Return the format of a file extension; None if it is unsupported."""
    return endings().get(PurePath(name).suffix.lower())


def supported() -> str:
    """Return the endings of all files that can be ingested, in words."""
    return ", ".join(sorted((*endings(), *RECORDS)))


# Files, each of them a document


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
    """Return the absolute path of a file named by a user, without following links; '' for a blank name."""
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
