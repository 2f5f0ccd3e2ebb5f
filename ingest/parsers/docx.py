"""Parser of docx (Word) by pandoc; equations become LaTeX in place.

Titles, authors and captions are recognised by their styles, citations by the fields of Zotero, EndNote and Mendeley. A
reference list in running text stays a section of the text.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.common.entries import arxiv_of, reference, year_of
from papergraph.ingest.parsers.document import Document, Reference
from papergraph.ingest.parsers.pandoc import (
    CitedWork,
    PandocError,
    PandocLimits,
    Writer,
    front_of,
    opened,
    read_tree,
    values,
)
from papergraph.ingest.parsers.pandoc.packed import check_archive
from papergraph.ingest.sources import Format, Parser, RawDocument
from papergraph.ingest.sources.file_types import ZIP
from papergraph.schema.ids import doi_of

LIMITS = PandocLimits()
READER = "docx+styles+citations"


def parse(file: RawDocument, *, limits: PandocLimits = LIMITS) -> Document:
    """Parse a docx.

    Raises:
        SourceError: Pandoc is missing, or the file is damaged, exceeds ``limits`` or is empty.
    """
    opened(file, "word/")
    try:
        tree = read_tree(file.data, READER, limits)
        meta, blocks = tree["meta"], tree["blocks"]
        items = [values(item) for item in meta.get("references", {}).get("c", [])]
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
    return writer.composer.document(file, Format.DOCX, front_of(meta), [_reference(item) for item in items])


def _style(block: dict[str, Any]) -> str:
    return str(dict(block["c"][0][2]).get("custom-style", "")) if block["t"] == "Div" else ""


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


def check_upload(path: Path) -> None:
    """Refuse a zip archive that is no docx.

    Raises:
        InputError: It is damaged, or has other parts than a docx.
    """
    check_archive(path, Format.DOCX, ("[Content_Types].xml", "word/document.xml"))


PARSER = Parser(
    format=Format.DOCX,
    endings=(".docx",),
    media_types={"application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx"},
    magic={".docx": ZIP},
    sandboxed=True,
    runs_program=True,
    version="12",
    parse=parse,
    check=check_upload,
    order=5,
)
