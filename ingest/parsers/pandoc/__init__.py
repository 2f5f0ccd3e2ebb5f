"""LaTeX and office formats by way of pandoc, a process of its own; here its syntax tree is walked."""

from papergraph.ingest.parsers.pandoc.packed import front_of, opened, read_document, values
from papergraph.ingest.parsers.pandoc.program import PandocError, PandocLimits, read_tree
from papergraph.ingest.parsers.pandoc.writer import CitedWork, Writer, numbers_of, text_of

__all__ = [
    "CitedWork", "PandocError", "PandocLimits", "Writer", "front_of", "numbers_of", "opened", "read_document",
    "read_tree", "text_of", "values",
]  # fmt: skip
