"""LaTeX and docx by way of pandoc, which reads them in a process of its own; here its syntax tree is walked."""

from papergraph.ingest.parsers.pandoc.program import PandocError, PandocLimits, read_tree
from papergraph.ingest.parsers.pandoc.writer import CitedWork, Writer, numbers_of, text_of

__all__ = ["CitedWork", "PandocError", "PandocLimits", "Writer", "numbers_of", "read_tree", "text_of"]
