"""LaTeX and docx by way of pandoc, which reads them in a process of its own; here its syntax tree is walked."""

from ingest.parse.pandoc.program import Limits, PandocError, read_tree
from ingest.parse.pandoc.writer import CitedWork, Writer, numbers_of, text_of

__all__ = ["CitedWork", "Limits", "PandocError", "Writer", "numbers_of", "read_tree", "text_of"]
