"""Accuracy of the regions of sentences in PDFs: PDFium reads back the text in the rectangles of each one.

Usage: python -m benchmarks.regions FOLDER [--papers 10] [--sentences 60] [--worst 0]

Papers and their sentences are drawn with a fixed seed, papers from those of the folder that have enough sentences of
running text. PDFium is asked for the characters that begin in the rectangles of a sentence. The sentence is inside when
these hold its letters and digits in order, at most :data:`MISSING` of them aside. Characters that only begin in a
rectangle are read with it, so a letter of the sentence beside it may be.
"""

import argparse
import ctypes
import random
import re
import statistics
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium_c

from benchmarks.common import write_result
from papergraph.ingest.parsers.document import Document
from papergraph.ingest.parsers.pdf import document_of
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.ingest.parsers.sandbox import RefusedError, SandboxLimits
from papergraph.ingest.sources import Format, RawDocument
from papergraph.server.papers.regions import Region, regions_of
from papergraph.text.sentences import sentence_starts

GATE = 0.97
"""Share of sentences that must be inside."""

MISSING = 0.05
"""Share of a sentence's letters that may be missing, which is less than its first and its last word."""

SEED = 20261124
SHORTEST, LONGEST = 40, 600
"""Characters of a sentence."""

DEVICE = 100
"""Device units per point, for PDFium's own way from a page as it is shown to the file's coordinates."""


class Found(NamedTuple):
    """A sentence with what PDFium reads in its regions: shares of its letters in [0, 1]."""

    text: str
    read: str
    held: float
    beside: float


def letters(text: str) -> str:
    """Return the letters and digits of a text in small letters, without accents and ligatures."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKD", text)).casefold()


def sentences_of(document: Document) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a document's running text, without captions, tables and entries of references."""
    outside = [(element.start, element.end) for element in document.elements]
    for section in document.sections:
        if section.kind not in ("body", "abstract"):
            continue
        text = document.text[section.start : section.end]
        starts = sentence_starts(text) or [len(text)]
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            first, last = section.start + start, section.start + len(text[:end].rstrip())
            inside = any(first < stop and last > begin for begin, stop in outside)
            if SHORTEST <= last - first <= LONGEST and not inside:
                yield first, last


def read_back(file: pypdfium2.PdfDocument, regions: Sequence[Region]) -> str:
    """Return the characters that begin in the rectangles, as PDFium orders them."""
    return "".join(_text_in(file[region.page - 1], region) for region in regions)


def _text_in(page: pypdfium2.PdfPage, region: Region) -> str:
    width, height = (round(DEVICE * size) for size in page.get_size())
    corners = []
    for x, y in ((region.x0, region.y0), (region.x1, region.y1)):
        page_x, page_y = ctypes.c_double(), ctypes.c_double()
        pdfium_c.FPDF_DeviceToPage(
            page, 0, 0, width, height, 0, round(x * width), round(y * height), page_x, page_y
        )  # fmt: skip
        corners.append((page_x.value, page_y.value))
    (x0, x1), (y0, y1) = (sorted(values) for values in zip(*corners, strict=True))
    return str(page.get_textpage().get_text_bounded(x0, y0, x1, y1))


def measure(path: Path, n_sentences: int, draw: random.Random) -> list[Found]:
    """Return sentences of a PDF with the text in their regions; empty if it has fewer sentences or cannot be read."""
    data = path.read_bytes()
    try:
        document = document_of(RawDocument(str(path), data, Format.PDF, "0" * 64), read_pdf(data, SandboxLimits()))
    except RefusedError:
        return []
    places = list(sentences_of(document))
    if len(places) < n_sentences:
        return []
    file, found = pypdfium2.PdfDocument(data), []
    for start, end in sorted(draw.sample(places, n_sentences)):
        text = document.text[start:end]
        read = read_back(file, regions_of(document.line_boxes, start, end))
        blocks = SequenceMatcher(None, letters(text), letters(read), autojunk=False).get_matching_blocks()
        n_held, n_letters = sum(block.size for block in blocks), max(1, len(letters(text)))
        found.append(Found(text, read, n_held / n_letters, (len(letters(read)) - n_held) / n_letters))
    return found


def main() -> None:
    """Draw papers and sentences, and write the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--papers", type=int, default=10)
    parser.add_argument("--sentences", type=int, default=60)
    parser.add_argument("--worst", type=int, default=0, help="show so many sentences with the most missing letters")
    asked = parser.parse_args()
    draw = random.Random(SEED)  # noqa: S311 the same sentences in every run
    paths = sorted(asked.folder.glob("*.pdf"))
    draw.shuffle(paths)
    by_paper: dict[str, list[Found]] = {}
    for path in paths:
        if len(by_paper) == asked.papers:
            break
        if found := measure(path, asked.sentences, draw):
            by_paper[path.name] = found
    every = [one for found in by_paper.values() for one in found]
    if not every:
        sys.exit("no PDF of the folder has enough sentences")
    for one in sorted(every, key=lambda one: one.held)[: asked.worst]:
        print(f"{one.held:.2f} {one.text!r}\n     {one.read!r}")
    inside = sum(one.held >= 1 - MISSING for one in every) / len(every)
    write_result("regions", figures(by_paper, inside))
    sys.exit(inside < GATE)


def figures(by_paper: dict[str, list[Found]], inside: float) -> dict[str, Any]:
    """Return what the result's file says."""
    every = [one for found in by_paper.values() for one in found]
    return {
        "sentences": len(every),
        "inside": round(inside, 4),
        "gate": GATE,
        "lettersHeld": round(statistics.mean(one.held for one in every), 4),
        "whole": round(sum(one.held == 1 for one in every) / len(every), 4),
        "lettersBeside": round(statistics.mean(one.beside for one in every), 4),
        "papers": {
            name: round(sum(one.held >= 1 - MISSING for one in found) / len(found), 4)
            for name, found in by_paper.items()
        },
    }


if __name__ == "__main__":
    main()
