"""Parser of ODT (LibreOffice Writer) by pandoc; title and authors are recognised by their styles."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.common.composer import FrontMatter
from papergraph.ingest.parsers.common.entries import year_of
from papergraph.ingest.parsers.document import Document
from papergraph.ingest.parsers.pandoc import PandocLimits, opened, read_document
from papergraph.ingest.parsers.pandoc.packed import check_archive, part_of, xml_of
from papergraph.ingest.sources import Format, Parser, RawDocument
from papergraph.ingest.sources.file_types import ZIP

LIMITS = PandocLimits()
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
FRONT = frozenset({"Title", "Subtitle", "Author", "Date"})
MOST_LOOKED_AT = 20
"""Paragraphs at the beginning."""


def parse(file: RawDocument, *, limits: PandocLimits = LIMITS) -> Document:
    """Parse an ODT file.

    Raises:
        SourceError: Pandoc is missing, or the file asks for a password, is damaged, exceeds ``limits`` or is empty.
    """
    with opened(file, "content.xml") as archive:
        if b"encryption-data" in part_of(file, archive, "META-INF/manifest.xml"):
            raise SourceError(file.name, Reason.ENCRYPTED, "needs a password; save it without one")
        content = xml_of(file, archive, "content.xml")
    styled = list(_styled(content)) if content is not None else []
    front = FrontMatter(
        title=next((text for style, text in styled if style == "Title"), ""),
        authors=[text for style, text in styled if style == "Author"],
        year=next((year_of(text) for style, text in styled if style == "Date"), None),
    )
    return read_document(file, limits, front)


def _styled(content: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield the first paragraphs that a style marks as front matter, each with its style."""
    parents = {
        style.get(f"{STYLE}name"): style.get(f"{STYLE}parent-style-name") for style in content.iter(f"{STYLE}style")
    }
    for number, paragraph in enumerate(content.iter(f"{TEXT}p", f"{TEXT}h")):
        if number == MOST_LOOKED_AT:
            return
        name = paragraph.get(f"{TEXT}style-name")
        name = parents.get(name) or name
        text = " ".join("".join(paragraph.itertext(with_tail=False)).split())
        if name in FRONT and text:
            yield name, text


def check_upload(path: Path) -> None:
    """Refuse a zip archive that is no ODT.

    Raises:
        InputError: It is damaged, or has other parts than an ODT.
    """
    check_archive(path, Format.ODT, ("content.xml", "META-INF/manifest.xml"))


PARSER = Parser(
    format=Format.ODT,
    endings=(".odt",),
    media_types={"application/vnd.oasis.opendocument.text": ".odt"},
    magic={".odt": ZIP},
    sandboxed=True,
    runs_program=True,
    version="2",
    parse=parse,
    check=check_upload,
    order=10,
)
