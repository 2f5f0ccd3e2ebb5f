"""Untrusted documents of formats without a sandbox of their own, parsed in a limited child process.

All PDFs are read in a sandbox. Local files in other formats are parsed in the calling process, which is faster; files
from the network may be crafted to attack a parser.
"""

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from papergraph.errors import SourceError
from papergraph.ingest.parsers import parse, parsers
from papergraph.ingest.parsers.document import Document
from papergraph.ingest.parsers.metadata import with_metadata
from papergraph.ingest.parsers.pandoc import PandocLimits
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits, run_child
from papergraph.ingest.sources import RawDocument

PANDOC = PandocLimits()
WITH_PROGRAM = SandboxLimits(
    seconds=PANDOC.seconds + 15.0,
    program_memory_bytes=2 * PANDOC.memory_bytes,
    program_output_bytes=PANDOC.output_bytes,
)
"""Limits of a child that runs pandoc, whose own limits must not be above them."""


def parse_sandboxed(file: RawDocument, limits: SandboxLimits | None = None) -> Document:
    """Parse a document in a process of its own.

    Raises:
        SourceError: It cannot become a paper, or takes more than ``limits``.
    """
    try:
        default = WITH_PROGRAM if parsers()[file.format].runs_program else SandboxLimits()
        made = run_child("document", limits or default, file.data, file.name, file.format, file.content_hash)
    except RefusedError as refusal:
        raise SourceError(file.name, refusal.reason, refusal.detail) from refusal
    document = adapter().validate_python(made, strict=False)
    return with_metadata(document, file) if file.metadata else document


def read_here(data: bytes, name: str, format: str, content_hash: str) -> Any:
    """Parse a document in this process, which is the child, and return it as JSON can hold it.

    Raises:
        RefusedError: It cannot become a paper.
    """
    file = RawDocument(name, data, format, content_hash)
    try:
        return adapter().dump_python(parse(file), mode="json")
    except SourceError as error:
        raise RefusedError(error.reason, error.detail) from error


@cache
def adapter() -> TypeAdapter[Document]:
    """Return the adapter that turns documents into JSON values and back."""
    return TypeAdapter(Document)
