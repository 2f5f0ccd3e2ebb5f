"""Checks of formats that are zip archives, and documents that pandoc reads without further help."""

import io
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lxml import etree

from papergraph.errors import InputError, Reason, SourceError
from papergraph.ingest.parsers.common.composer import FrontMatter
from papergraph.ingest.parsers.common.entries import year_of
from papergraph.ingest.parsers.document import LONGEST_TITLE, Document
from papergraph.ingest.parsers.pandoc.program import PandocError, PandocLimits, read_tree
from papergraph.ingest.parsers.pandoc.writer import Writer, text_of
from papergraph.ingest.sources import RawDocument
from papergraph.ingest.sources.file_types import unsupported
from papergraph.ingest.sources.names import names_of_fields
from papergraph.safe_xml import read_xml

MOST_UNPACKED = 200_000_000
MOST_PARTS = 10_000
BEFORE_2007 = b"\xd0\xcf\x11\xe0"
"""First bytes of files of Office before 2007, and of newer ones with a password."""


def opened(file: RawDocument, part: str) -> zipfile.ZipFile:
    """Return the archive that a document of a packed format is.

    Args:
        file: The document.
        part: A file that the format has, or the beginning of its name.

    Raises:
        SourceError: It is no archive or of another format, or unpacks to more than a paper may.
    """
    form = file.format
    try:
        archive = zipfile.ZipFile(io.BytesIO(file.data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        if file.data.startswith(BEFORE_2007):
            told = f"is the older .{form[:3]}, or asks for a password; save it as .{form} again, without a password"
        else:
            told = f"is no {form}, or damaged; save it as .{form} again"
        raise SourceError(file.name, Reason.DAMAGED, told) from error
    parts = archive.infolist()
    if not any(one.filename.startswith(part) for one in parts):
        raise SourceError(file.name, Reason.DAMAGED, f"is no {form}: it holds no {part}")
    if len(parts) > MOST_PARTS or sum(one.file_size for one in parts) > MOST_UNPACKED:
        raise SourceError(file.name, Reason.TOO_LARGE, f"unpacks to more than {MOST_UNPACKED:,} bytes")
    return archive


def xml_of(file: RawDocument, archive: zipfile.ZipFile, name: str) -> etree._Element | None:
    """Return the root of an XML part of a packed document; None if it has no part of this name.

    Raises:
        SourceError: The part is damaged.
    """
    if not (data := part_of(file, archive, name)):
        return None
    try:
        return read_xml(data)
    except ValueError as error:
        raise SourceError(file.name, Reason.DAMAGED, f"is damaged: {name} {error}") from error


def part_of(file: RawDocument, archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a part of a packed document; empty if it has none of this name.

    Raises:
        SourceError: The part is damaged, or encrypted.
    """
    try:
        return archive.read(name)
    except KeyError:
        return b""
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise SourceError(file.name, Reason.DAMAGED, f"is damaged: {name} cannot be unpacked") from error


def check_archive(path: Path, form: str, parts: Collection[str]) -> None:
    """Refuse an upload that has not the parts of its format.

    Raises:
        InputError: It is damaged, or has other parts.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(
            f"The file is a damaged zip archive, not of the format {form}.", field="file", reason=Reason.DAMAGED
        ) from error
    if not names >= set(parts):
        raise unsupported(f"It is a zip archive, not of the format {form}.")


def read_document(file: RawDocument, limits: PandocLimits, front: FrontMatter) -> Document:
    """Read a document by pandoc's reader of its format.

    Leading paragraphs that repeat the title, an author or the year of ``front`` are not text. Without a title, a first
    paragraph in bold is the title.

    Raises:
        SourceError: Pandoc is missing, or the file is damaged, exceeds ``limits`` or is empty.
    """
    try:
        blocks = read_tree(file.data, file.format, limits)["blocks"]
        if not front.title and blocks and _is_bold(blocks[0]):
            front = replace(front, title=_line(blocks[0]))
        told = {front.title, *front.authors, str(front.year or "")}
        start = next((number for number, block in enumerate(blocks) if _line(block) not in told), len(blocks))
        writer = Writer()
        writer.blocks(blocks[start:])
    except PandocError as error:
        raise SourceError(file.name, error.reason, error.detail) from error
    except RecursionError as error:
        raise SourceError(file.name, Reason.DAMAGED, "is nested too deeply to be a paper") from error
    return writer.composer.document(file, file.format, front)


def _line(block: dict[str, Any]) -> str:
    """Return the text of a paragraph or heading; empty for other blocks, and for images alone."""
    if block["t"] in ("Para", "Plain"):
        return text_of(block["c"])
    return text_of(block["c"][2]) if block["t"] == "Header" else "-"


def _is_bold(block: dict[str, Any]) -> bool:
    inlines = block["c"] if block["t"] == "Para" else []
    return [one["t"] for one in inlines] == ["Strong"] and len(_line(block)) <= LONGEST_TITLE


def front_of(meta: dict[str, Any]) -> FrontMatter:
    """Return the front matter in the metadata of a syntax tree."""
    title, authors, date = (values(meta[name]) if name in meta else "" for name in ("title", "author", "date"))
    return FrontMatter(
        title=str(title),
        authors=names_of_fields(str(one) for one in (authors if isinstance(authors, list) else [authors]) if one),
        year=year_of(str(date)),
    )


def values(meta: dict[str, Any]) -> Any:
    """Return what a field of a tree's metadata holds: text, a list, or names with values."""
    content: Any = meta.get("c")
    match meta["t"]:
        case "MetaInlines":
            return text_of(content)
        case "MetaBlocks":
            return " ".join(text_of(inlines) for inlines in _paragraphs(content))
        case "MetaList":
            return [values(part) for part in content]
        case "MetaMap":
            return {name: values(part) for name, part in content.items()}
    return content


def _paragraphs(blocks: Sequence[dict[str, Any]]) -> list[Any]:
    return [block["c"] for block in blocks if block["t"] in ("Para", "Plain")]
