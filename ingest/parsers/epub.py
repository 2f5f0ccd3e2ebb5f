"""Parser of EPUB by pandoc; chapters are sections, title and authors those of the package."""

from pathlib import Path

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.common.composer import FrontMatter
from papergraph.ingest.parsers.common.entries import year_of
from papergraph.ingest.parsers.document import Document
from papergraph.ingest.parsers.pandoc import PandocLimits, opened, read_document
from papergraph.ingest.parsers.pandoc.packed import check_archive, part_of, xml_of
from papergraph.ingest.sources import Format, Parser, RawDocument
from papergraph.ingest.sources.file_types import ZIP

LIMITS = PandocLimits()
CONTAINER = "META-INF/container.xml"
DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
ROLE = "{http://www.idpf.org/2007/opf}role"


def parse(file: RawDocument, *, limits: PandocLimits = LIMITS) -> Document:
    """Parse an EPUB.

    Raises:
        SourceError: Pandoc is missing, or the file is locked, damaged, exceeds ``limits`` or is empty.
    """
    with opened(file, CONTAINER) as archive:
        if b"html" in part_of(file, archive, "META-INF/encryption.xml").lower():  # fonts alone may be encrypted
            raise SourceError(file.name, Reason.ENCRYPTED, "is locked by its shop; get a copy without DRM")
        container = xml_of(file, archive, CONTAINER)
        paths = [] if container is None else [one.get("full-path", "") for one in container.iter("{*}rootfile")]
        package = xml_of(file, archive, paths[0]) if paths else None
    if package is None:
        raise SourceError(file.name, Reason.DAMAGED, "is damaged: it holds no list of its chapters")
    said = {
        name: [
            (one.get(ROLE, "aut"), " ".join("".join(one.itertext()).split()))
            for one in package.iter(f"{DUBLIN_CORE}{name}")
        ]
        for name in ("title", "creator", "date")
    }
    front = FrontMatter(
        title=next((text for _, text in said["title"]), ""),
        authors=[text for role, text in said["creator"] if role == "aut"],
        year=next((year_of(text) for _, text in said["date"]), None),
    )
    return read_document(file, limits, front)


def check_upload(path: Path) -> None:
    """Refuse a zip archive that is no EPUB.

    Raises:
        InputError: It is damaged, or has other parts than an EPUB.
    """
    check_archive(path, Format.EPUB, (CONTAINER,))


PARSER = Parser(
    format=Format.EPUB,
    endings=(".epub",),
    media_types={"application/epub+zip": ".epub"},
    magic={".epub": ZIP},
    sandboxed=True,
    runs_program=True,
    version="2",
    parse=parse,
    check=check_upload,
    order=11,
)
