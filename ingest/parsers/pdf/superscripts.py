"""Raised numbers after words: citations of a numbered list of references, or marks of notes."""

import re

from ingest.parsers.pdf.compose import SUPERSCRIPT_AFTER
from ingest.parsers.pdf.glyphs import Segment
from ingest.parsers.pdf.heading_lines import Lines

NUMBERS = re.compile(r"\d{1,3}(?:\s?[,–—−-]\s?\d{1,3}){0,30}")
AFTER = re.compile(r"(?:[^\W\d_]{2}|[)\]”%])[.,;:)]?\s?\Z")
MOST = 20_000


def find_superscripts(lines: Lines) -> list[str]:
    """Return each raised number with the word before it, as they stand in the composed text."""
    found = (
        raised
        for line in lines.lines
        for segment in line.segments
        if any(run.raised for run in segment.runs)
        for raised in _of(segment)
    )
    return list(dict.fromkeys(found))[:MOST]


def _of(segment: Segment) -> list[str]:
    found = []
    for run, after in zip(segment.runs, [*segment.runs[1:], None], strict=True):
        end = after.start if after is not None else len(segment.text)
        text = segment.text[run.start : end].strip()
        before = segment.text[max(0, run.start - 60) : run.start]
        if run.raised and NUMBERS.fullmatch(text) and AFTER.search(before):
            word = before.rstrip().rpartition(" ")[2]
            blank = " " if SUPERSCRIPT_AFTER.search(before) or before.endswith(" ") else ""
            found.append(f"{word}{blank}{text}")
    return found
