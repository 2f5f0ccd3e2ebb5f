"""Parser of docx (Word) by pandoc; equations become LaTeX in place.

Titles, authors and captions are recognised by their styles, citations by the fields of Zotero, EndNote and Mendeley. A
reference list in running text stays a section of the text.
"""

import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from papergraph.errors import InputError, Reason, SourceError
from papergraph.ingest.parsers.common.composer import FrontMatter
from papergraph.ingest.parsers.common.entries import arxiv_of, reference, year_of
from papergraph.ingest.parsers.document import Document, Reference
from papergraph.ingest.parsers.pandoc import CitedWork, PandocError, PandocLimits, Writer, read_tree, text_of
from papergraph.ingest.sources import Format, Parser, RawDocument
from papergraph.ingest.sources.file_types import ZIP, unsupported
from papergraph.schema.ids import doi_of

LIMITS = PandocLimits()
READER = "docx+styles+citations"
MOST_UNPACKED = 200_000_000
MOST_PARTS = 10_000
PARTS = frozenset({"[Content_Types].xml", "word/document.xml"})


def parse(file: RawDocument, *, limits: PandocLimits = LIMITS) -> Document:
    """Parse a docx.

    Raises:
        SourceError: Pandoc is missing, or the file is damaged, exceeds ``limits`` or is empty.
    """
    _check(file)
    try:
        tree = read_tree(file.data, READER, limits)
        meta, blocks = tree["meta"], tree["blocks"]
        items = [_values(item) for item in meta.get("references", {}).get("c", [])]
        works = {str(item.get("id", "")): CitedWork(number, "", str(number + 1)) for number, item in enumerate(items)}
        writer = Writer(works)
        if abstract := [block for block in blocks if _style(block) == "Abstract"]:
            writer.section("Abstract", 1)
            writer.blocks(abstract)
        writer.blocks(block for block in blocks if _style(block) != "Abstract")
    except PandocError as error:
        raise SourceError(file.name, error.reason, error.detail) from error
    except RecursionError as error:
        raise SourceError(file.name, Reason.DAMAGED, "is nested too deeply to be a paper") from error
    return writer.composer.document(file, Format.DOCX, _front(meta), [_reference(item) for item in items])


def _check(file: RawDocument) -> None:
    """Refuse what is no docx, or unpacks to more than a paper may.

    Raises:
        SourceError: It is so.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        kind = "the older .doc" if file.data.startswith(b"\xd0\xcf\x11\xe0") else "no docx, or damaged"
        raise SourceError(file.name, Reason.DAMAGED, f"is {kind}; save it as .docx again") from error
    if not any(part.filename.startswith("word/") for part in parts):
        raise SourceError(file.name, Reason.DAMAGED, "is no docx: it holds no folder word/")
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
        raise SourceError(file.name, Reason.TOO_LARGE, f"unpacks to more than {MOST_UNPACKED:,} bytes")


def _style(block: dict[str, Any]) -> str:
    return str(dict(block["c"][0][2]).get("custom-style", "")) if block["t"] == "Div" else ""


def _front(meta: dict[str, Any]) -> FrontMatter:
    title, authors, date = (_values(meta[name]) if name in meta else "" for name in ("title", "author", "date"))
    return FrontMatter(
        title=str(title),
        authors=[str(author) for author in (authors if isinstance(authors, list) else [authors]) if author],
        year=year_of(str(date)),
    )


def _reference(item: dict[str, Any]) -> Reference:
    authors = list(_people(item.get("author", [])))
    year = year_of(str(item.get("issued", "")))
    place = next((str(item[name]) for name in ("container-title", "publisher") if item.get(name)), "")
    doi = doi_of(str(item.get("doi") or item.get("DOI") or "")) or None
    url = str(item.get("url") or item.get("URL") or "")
    told = (", ".join(authors), str(year or ""), str(item.get("title", "")), place, f"doi:{doi}" if doi else "", url)
    return reference(
        label=str(item.get("id", "")),
        text=". ".join(filter(None, told)),
        title=str(item.get("title", "")) or None,
        authors=authors,
        year=year,
        doi=doi,
        arxiv_id=arxiv_of(url) if "arxiv.org/" in url else None,
    )


def _people(people: Any) -> Iterator[str]:
    for person in people if isinstance(people, list) else []:
        if isinstance(person, dict):
            parts = (person.get(part) for part in ("given", "non-dropping-particle", "family", "literal"))
            yield " ".join(str(part) for part in parts if part)


def _values(meta: dict[str, Any]) -> Any:
    """Return what a field of the tree's metadata holds: text, a list, or names with values."""
    content: Any = meta.get("c")
    match meta["t"]:
        case "MetaInlines":
            return text_of(content)
        case "MetaBlocks":
            return " ".join(text_of(inlines) for inlines in _paragraphs(content))
        case "MetaList":
            return [_values(part) for part in content]
        case "MetaMap":
            return {name: _values(part) for name, part in content.items()}
    return content


def _paragraphs(blocks: Sequence[dict[str, Any]]) -> Iterator[Any]:
    return (block["c"] for block in blocks if block["t"] in ("Para", "Plain"))


def check_upload(path: Path) -> None:
    """Refuse a zip archive that is no docx.

    Raises:
        InputError: It is damaged, or has other parts than a docx.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(
            "The file is a damaged zip archive, not a docx.", field="file", reason=Reason.DAMAGED
        ) from error
    if not names >= PARTS:
        raise unsupported("It is a zip archive, not a docx.")


PARSER = Parser(
    format=Format.DOCX,
    endings=(".docx",),
    media_types={"application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx"},
    magic={".docx": ZIP},
    sandboxed=True,
    runs_program=True,
    version="11",
    parse=parse,
    check=check_upload,
    order=5,
)
