"""PDFs read by a service of one's own: docling, marker or GROBID, at an address that the operator has set."""

from collections.abc import Callable

from papergraph.ingest.parsers.document import Document
from papergraph.ingest.parsers.services import docling, grobid, marker
from papergraph.ingest.parsers.services.client import Client
from papergraph.ingest.sources import PdfService, RawDocument

PARSERS: dict[str, Callable[[RawDocument, Client], Document]] = {
    "docling": docling.parse,
    "marker": marker.parse,
    "grobid": grobid.parse,
}


def parse(file: RawDocument, service: PdfService) -> Document:
    """Have a PDF read by a service.

    Raises:
        SourceError: It cannot be reached, refuses the file, takes too long, or answers what cannot be used.
    """
    return PARSERS[service.name](file, Client(service, file))
