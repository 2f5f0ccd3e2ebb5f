"""Documents of PDFs that are typeset and read in this process."""

from papergraph.ingest.parsers import Document
from papergraph.ingest.parsers.pdf import document_of
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.ingest.parsers.sandbox import SandboxLimits
from papergraph.ingest.sources import Format, RawDocument
from tests.support.typeset import pdf

PATH = "/papers/a.pdf"
LIMITS = SandboxLimits()
FRONT = """#align(center)[#text(16pt, weight: "bold")[On the Tides of Small Seas]

Ada Lovelace#super[1], Kurt Gödel#super[1,2] and Grace B. Hopper

Department of Seas, University of Somewhere

ada\\@example.org]
"""


def source(data: bytes) -> RawDocument:
    return RawDocument(PATH, data, Format.PDF, "0" * 64)


def document(markup: str) -> Document:
    """Parse a PDF of this markup in this process."""
    return document_of(source(pdf(markup)), read_pdf(pdf(markup), LIMITS))
