"""PDFs read by a service of one's own: docling, marker or GROBID, at an address that the operator has set."""

from collections.abc import Callable

from ingest.parse.document import Document
from ingest.parse.services import docling, grobid, marker
from ingest.parse.services.client import Client
from ingest.sources import PdfService, SourceFile

PARSERS: dict[str, Callable[[SourceFile, Client], Document]] = {
    "docling": docling.parse,
    "marker": marker.parse,
    "grobid": grobid.parse,
}


def parse(file: SourceFile, service: PdfService) -> Document:
    """Have a PDF read by a service.

    Raises:
        SourceError: It cannot be reached, refuses the file, takes too long, or answers what cannot be used.
    """
    return PARSERS[service.name](file, Client(service, file))
