"""Markdown; it is parsed as plain text is, but for its marks."""

from papergraph.ingest.parsers.text import parse
from papergraph.ingest.sources import Format, Parser

PARSER = Parser(
    format=Format.MARKDOWN,
    endings=(".md", ".markdown"),
    media_types={"text/markdown": ".md", "text/x-markdown": ".md"},
    magic={},
    sandboxed=True,
    version="12",
    parse=parse,
    quick=True,
)
