"""The list of references of a PDF, and where its text cites it."""

import re
from collections.abc import Sequence

from papergraph.ingest.parsers.common.citations import cited_numbers, find_citations
from papergraph.ingest.parsers.common.entries import fields_of, reference, with_own_labels
from papergraph.ingest.parsers.common.markdown import covers
from papergraph.ingest.parsers.document import CitedAt, ParsedSection, Reference
from papergraph.ingest.parsers.pdf.bibliography import split_label
from papergraph.ingest.parsers.pdf.composition import NUMBERS
from papergraph.ingest.parsers.pdf.layout import BlockKind, PlacedBlock
from papergraph.ingest.parsers.pdf.reading import PdfReading

DASHES = re.compile(r"(?:[\u2014\u2013_-]\s?){2,}[.,]?\s*|\u2014[.,]?\s+|,\s")
"""Dashes that repeat the authors of the previous entry."""

FEWEST_SUPERSCRIPTS = 3


def listed_entries(text: str, blocks: Sequence[PlacedBlock]) -> tuple[Reference, ...]:
    """Return the entries of the lists of references, in order."""
    entries: list[Reference] = []
    authors: tuple[str, ...] = ()
    for block in blocks:
        if block.kind is not BlockKind.ENTRY:
            continue
        label, words = split_label(text[block.start : block.end], block.label)
        dashes = DASHES.match(words)
        fields = fields_of((", ".join(authors) + ". " if authors else "") + words[dashes.end() :] if dashes else words)
        authors = authors if dashes else fields.authors
        entries.append(reference(label=label, text=words, title=fields.title, authors=authors, year=fields.year))
    return with_own_labels([entry for entry in entries if entry.text])


def cited_places(
    reading: PdfReading, sections: Sequence[ParsedSection], references: Sequence[Reference]
) -> tuple[CitedAt, ...]:
    """Return where the text cites its entries, by offset: marks in brackets, names with years, or raised numbers."""
    inside = [(block.start, block.end) for block in reading.blocks if block.kind is BlockKind.ENTRY]
    found = list(find_citations(reading.text, sections, references, code=inside))
    if not found:
        raised = _raised(reading, sections, references, inside)
        if len(raised) >= FEWEST_SUPERSCRIPTS:
            found = raised
    return tuple(found)


def _raised(
    reading: PdfReading,
    sections: Sequence[ParsedSection],
    references: Sequence[Reference],
    inside: Sequence[tuple[int, int]],
) -> list[CitedAt]:
    """Return the raised numbers that are labels of entries; the front of a paper has marks of affiliations."""
    numbers = {entry.label: number for number, entry in enumerate(references)}
    if not references or not all(label.isdigit() for label in numbers):
        return []
    raised = frozenset(reading.superscripts)
    found: set[tuple[int, int, int]] = set()
    for section in sections:
        if section.kind in ("front", "references"):
            continue
        for match in NUMBERS.finditer(reading.text, section.start, section.end):
            before = reading.text[max(section.start, match.start() - 60) : match.start()]
            word = before.rstrip().rpartition(" ")[2].rpartition("\n")[2]
            blank = " " if before[-1:].isspace() else ""
            if f"{word}{blank}{match[0]}" in raised and not covers(inside, match.start()):
                plain = re.sub(r"(?<=\d)e(?=\d)", "–", match[0])
                plain = re.sub(r"(?<=\d)\s(?=\d)", ",", plain)
                found |= {(*match.span(), number) for number in cited_numbers(plain, numbers)}
    return [CitedAt(*place) for place in sorted(found)]
