"""Parsers, one for each format of documents: the file types that they accept, and how they read them.

A module of ``ingest.parsers`` defines one as its ``PARSER``. The registry stands below the parsers, because the sources
ask it for file types; a parser itself is imported when the first of them is asked for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from papergraph.registry import parts

if TYPE_CHECKING:
    from ingest.sources.source import RawDocument

RECORDS = (".bib", ".json", ".jsonl", ".ris")
"""Endings of files that hold many papers' metadata."""


@dataclass(frozen=True)
class Parser:
    """A parser of one format.

    Attributes:
        format: The format's name, such as ``html``.
        endings: Endings of the names of its files; none for a format that only sources make.
        media_types: Ending of a file by its media type, for files whose name does not tell.
        magic: First bytes of a file, by the ending of its name; a file with another ending of the format is text.
        sandboxed: Whether documents that came over the network are parsed in a child process with limits; a parser may
            also use one by itself.
        runs_program: Whether its parser runs a program, which has limits of its own within those of the child.
        version: Part of the hash of a configuration: a change parses the papers of this format again.
        parse: The parser; it returns a :class:`ingest.parsers.document.Document` or raises ``SourceError``.
        quick: Whether parsing takes no time, so that its result is neither kept nor made by another process.
        markup: Whether its text begins with a tag.
        check: Raises ``UploadError`` for an uploaded file whose content is of another format.
        order: Place among the parsers.
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
    return parts("ingest.parsers", "PARSER", Parser)


@cache
def endings() -> Mapping[str, str]:
    """Return the formats of documents by the endings of their names."""
    return {ending: one.format for one in parsers().values() for ending in one.endings}


@cache
def media_types() -> Mapping[str, str]:
    """Return the endings of documents by their media types."""
    return {type: ending for one in parsers().values() for type, ending in one.media_types.items()}


def format_of(name: str) -> str | None:
    """Return the format that the ending of a name tells; None where no parser accepts it."""
    return endings().get(PurePath(name).suffix.lower())


def supported() -> str:
    """Return the endings of all files that can be ingested, in words."""
    return ", ".join(sorted((*endings(), *RECORDS)))
