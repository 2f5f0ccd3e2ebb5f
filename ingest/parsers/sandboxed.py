"""Documents of strangers, parsed in a child process with limits, in formats that are else parsed here.

PDFs, docx and LaTeX are read by limited processes whoever brought them. HTML and XML are parsed in the process that
asks, which is much faster for a crawled site; of what was uploaded nobody knows what it is made to do to a parser.
"""

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from ingest.parse import html, xml
from ingest.parse.document import Document
from ingest.parse.metadata import with_metadata
from ingest.parse.pdf.limits import Limits, RefusedError
from ingest.parse.pdf.sandbox import run_child
from ingest.sources import Format, SourceFile
from papergraph.errors import SourceError

CHILD = "ingest.parse.apart_child"
PARSERS = {Format.HTML: html.parse, Format.XML: xml.parse}


def parse_apart(file: SourceFile, limits: Limits | None = None) -> Document:
    """Parse HTML or XML in a process of its own.

    Raises:
        SourceError: It cannot become a paper, or takes more than ``limits``.
    """
    try:
        made = run_child(CHILD, limits or Limits(), file.data, file.name, file.format.value, file.content_hash)
    except RefusedError as refusal:
        raise SourceError(file.name, refusal.reason, refusal.detail) from refusal
    document = adapter().validate_python(made, strict=False)
    return with_metadata(document, file) if file.metadata else document


def read_here(data: bytes, name: str, format: str, content_hash: str) -> Any:
    """Parse a document in this process, which is the child, and return it as JSON can hold it.

    Raises:
        RefusedError: It cannot become a paper.
    """
    file = SourceFile(name, data, Format(format), content_hash)
    try:
        return adapter().dump_python(PARSERS[file.format](file), mode="json")
    except SourceError as error:
        raise RefusedError(error.reason, error.detail) from error


@cache
def adapter() -> TypeAdapter[Document]:
    """Return what makes documents of JSON."""
    return TypeAdapter(Document)
