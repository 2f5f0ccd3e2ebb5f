"""Parser of RTF by pandoc."""

from papergraph.ingest.parsers.common.composer import FrontMatter
from papergraph.ingest.parsers.document import Document
from papergraph.ingest.parsers.pandoc import PandocLimits, read_document
from papergraph.ingest.sources import Format, Parser, RawDocument

LIMITS = PandocLimits()


def parse(file: RawDocument, *, limits: PandocLimits = LIMITS) -> Document:
    """Parse an RTF file; its information names the last editor, so nothing is taken from there.

    Raises:
        SourceError: Pandoc is missing, or the file is damaged, exceeds ``limits`` or is empty.
    """
    return read_document(file, limits, FrontMatter())


PARSER = Parser(
    format=Format.RTF,
    endings=(".rtf",),
    media_types={"application/rtf": ".rtf", "text/rtf": ".rtf"},
    magic={".rtf": b"{\\rtf"},
    sandboxed=True,
    runs_program=True,
    version="2",
    parse=parse,
    order=13,
)
