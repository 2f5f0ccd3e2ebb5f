"""What chunks leave out of a document, and what is embedded in its place; a chunk's text stays the source's own.

Source: the eight retrieval methods, whose papers lose references, acknowledgements and appendix, whose URLs become
``[URL]``, and whose chunks never start with the full stop of the sentence before.
"""

import re

BACK_MATTER = frozenset({"references", "acknowledgements", "appendix"})
"""Kinds of section that tell nothing of what a paper found, or tell it a second time."""

MASK = "[URL]"
URL = re.compile(
    r"(?:(?:https?|ftp)://|(?<![\w./@-])www\.)(?=\w)"
    r"[^\s<>\"'`{}|\\^\[\]()]*(?:\([^\s<>\"'`{}|\\^\[\]()]*\)[^\s<>\"'`{}|\\^\[\]()]*)*"
    r"(?<![.,;:!?…])",
    re.IGNORECASE,
)
"""A URL without the stop of the sentence and without a bracket that was opened before it."""

LEADING_STOPS = re.compile(r"(?:\s|\.(?!\w))*")
"""What a cut leaves of the sentence before; the stop of .5 belongs to what follows."""

BLANKS = re.compile(r"\s*")


def mask_urls(text: str) -> str:
    """Return a text with ``[URL]`` in place of each URL: its letters make many tokens and mean next to nothing."""
    return URL.sub(MASK, text)


def n_leading(piece: str, *, stops: bool) -> int:
    """Return how many characters at the beginning of a piece are blanks, or full stops too."""
    match = (LEADING_STOPS if stops else BLANKS).match(piece)
    return match.end() if match else 0
