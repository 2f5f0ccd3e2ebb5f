"""Org mode: headings marked by stars."""

import re

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.document import Document, HeadingSource, ParsedSection
from papergraph.ingest.sources import Parser, RawDocument


def parse(file: RawDocument) -> Document:
    """Parse an Org file with at least one heading."""
    text = file.data.decode("utf-8", errors="replace")
    headings = list(re.finditer(r"^\*+ (.+)\n", text, re.MULTILINE))
    if not headings:
        raise SourceError(file.name, Reason.DAMAGED, "has no heading")
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    pairs = zip(headings, ends, strict=True)
    sections = tuple(ParsedSection(heading[1], 1, "body", None, heading.end(), end) for heading, end in pairs)
    known = {"authors": (), "year": None, "doi": None, "arxiv_id": None, "categories": (), "license": None}
    n_chars = sum(len("".join(text[one.start : one.end].split())) for one in sections)
    return Document(
        key=file.key,
        title=headings[0][1],
        abstract="",
        text=text,
        format=file.format,
        sections=sections,
        heading_source=HeadingSource.MARKUP,
        n_body_chars=n_chars,
        **known,
    )


PARSER = Parser("org", (".org",), {"text/org": ".org"}, {}, False, "1", parse)
