"""GROBID's REST service: TEI, which is read as any (https://grobid.readthedocs.io/en/latest/Grobid-service/)."""

from dataclasses import replace

from papergraph.errors import SourceError
from papergraph.ingest.parsers import tei, xml
from papergraph.ingest.parsers.document import Document, HeadingSource
from papergraph.ingest.parsers.services.client import Client
from papergraph.ingest.sources import RawDocument

PATH = "/api/processFulltextDocument"
FORM = {"consolidateHeader": "0", "consolidateCitations": "0", "includeRawCitations": "1"}
"""No look-ups elsewhere, and each entry of the references as it is printed too."""


def parse(file: RawDocument, client: Client) -> Document:
    """Have a PDF read by GROBID.

    Raises:
        SourceError: The service failed, or its TEI holds no text.
    """
    body = client.post(PATH, field="input", form=FORM, accept="application/xml")
    if not body.strip():
        raise client.failed("found nothing in it")
    try:
        document = tei.parse(file, xml.read(replace(file, data=body)))
    except SourceError as error:
        raise client.failed(f"answers what cannot be read ({error.detail})") from error
    except RecursionError as error:
        raise client.failed("answers what is nested too deeply") from error
    return replace(document, format=file.format, heading_source=HeadingSource.GROBID)
