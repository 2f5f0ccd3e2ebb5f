"""Papers of which only metadata is known: the text is the abstract."""

from papergraph.ingest.parsers.document import Document, HeadingSource, ParsedSection, n_solid
from papergraph.ingest.sources import Format, Metadata, Parser, RawDocument


def parse(file: RawDocument) -> Document:
    """Return a document made of a record's metadata; its text is the abstract, which may be empty."""
    metadata = file.metadata or Metadata()
    text = metadata.abstract or ""
    return Document(
        key=file.key,
        title=metadata.title or "",
        abstract=text,
        authors=(),
        year=None,
        doi=None,
        arxiv_id=None,
        categories=(),
        license=None,
        text=text,
        format=file.format,
        sections=(ParsedSection("Abstract", 1, "abstract", None, 0, len(text)),) if text else (),
        heading_source=HeadingSource.MARKUP if text else HeadingSource.NONE,
        n_body_chars=n_solid(text),
    )


PARSER = Parser(
    format=Format.RECORD,
    endings=(),
    media_types={},
    magic={},
    sandboxed=False,
    version="10",
    parse=parse,
    quick=True,
    order=7,
)
