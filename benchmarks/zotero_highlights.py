"""Alignment of Zotero's highlights with papers: words and rectangles of real PDFs as pdfminer.six reads them.

A highlight is a run of 4 to 40 words of a block of sentences (at least 12 words, four fifths letters, a full stop
after a word), drawn with a fixed seed, with a rectangle for each of its lines, in the form of Zotero's API. It is right
if its place begins in one of its rectangles and ends in one, at an edge, as the regions of papergraph tell.
``--all`` draws from all blocks of at least 4 words, also from tables, formulas and running titles. pdfminer.six (MIT)
is no dependency:

    uv pip install --target /tmp/pdfminer pdfminer.six
    PYTHONPATH=/tmp/pdfminer python -m benchmarks.zotero_highlights
"""

import json
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import RESULTS, data_folder
from papergraph.embedding import PackagedModel
from papergraph.evaluation.machine import machine
from papergraph.ingest.chunkers import Chunker, ChunkOptions
from papergraph.ingest.fetch.zotero_marks import Mark, marks_of
from papergraph.ingest.parsers import parse
from papergraph.ingest.parsers.line_boxes import unpack
from papergraph.ingest.parsers.pdf.page_image import frames_in_child
from papergraph.ingest.sources import RawDocument
from papergraph.server.papers.highlight_places import place_of
from papergraph.server.papers.regions import regions_of
from papergraph.text.alignment import Piece, PiecedText, squeezed

N, SEED = 320, 20261129
SHORTEST, LONGEST, LEAST_LETTERS = 4, 40, 30
LEAST_WORDS, LEAST_SHARE = 12, 0.8
STOP = re.compile(r"[a-z]{3}\.$")
SLACK = 0.02
"""Share of the page that an edge of a place may differ from that of the highlight."""


@dataclass(frozen=True)
class Line:
    """Words of a line with their left, lower, right and upper edges in the PDF's own points."""

    words: list[tuple[str, float, float, float, float]]


def blocks(path: Path) -> Iterator[tuple[int, list[Line]]]:
    """Yield the page, from 0, and the lines of each block of upright text."""
    try:
        from pdfminer.high_level import extract_pages
        from pdfminer.layout import LTChar, LTTextBoxHorizontal, LTTextLineHorizontal
    except ImportError:
        sys.exit(str(__doc__))
    frames = frames_in_child(path.read_bytes())
    for number, page in enumerate(extract_pages(str(path))):
        left, bottom = frames[number].left, frames[number].bottom
        for box in page:
            if not isinstance(box, LTTextBoxHorizontal) or frames[number].rotation:
                continue
            lines = []
            for line in box:
                words: list[Any] = []
                current: list[Any] = []
                for one in line if isinstance(line, LTTextLineHorizontal) else ():
                    if isinstance(one, LTChar) and not one.get_text().isspace():
                        current.append(one)
                    elif current:
                        words.append(current)
                        current = []
                words += [current] if current else []
                lines.append(Line([_word(one, left, bottom) for one in words]))
            shown = [one for one in lines if one.words]  # in the order in which a person reads them
            yield number, sorted(shown, key=lambda one: (-round(one.words[0][2] / 3), one.words[0][1]))


def _word(characters: list[Any], left: float, bottom: float) -> tuple[str, float, float, float, float]:
    text = "".join("\ufffd" if one.get_text().startswith("(cid:") else one.get_text() for one in characters)
    x0, y0 = min(one.x0 for one in characters), min(one.y0 for one in characters)
    x1, y1 = max(one.x1 for one in characters), max(one.y1 for one in characters)
    return text, x0 + left, y0 + bottom, x1 + left, y1 + bottom


def annotation(number: int, page: int, lines: list[Line], rng: random.Random, *, is_any: bool) -> dict[str, Any] | None:
    """Return a highlight of a run of words of a block as an item of Zotero, or None if the block is too short."""
    words = [(at, word) for at, line in enumerate(lines) for word in line.words]
    text = "".join(word[0] for _, word in words)
    if len(words) < SHORTEST or len(text) < LEAST_LETTERS:
        return None
    if not is_any and (
        len(words) < LEAST_WORDS
        or sum(map(str.isalpha, text)) < LEAST_SHARE * len(text)
        or not any(STOP.search(word[0]) for _, word in words)
    ):
        return None
    length = rng.randint(SHORTEST, min(LONGEST, len(words)))
    start = rng.randint(0, len(words) - length)
    chosen = words[start : start + length]
    rects = []
    for at in sorted({at for at, _ in chosen}):
        of_line = [word for line, word in chosen if line == at]
        lower = [round(min(edge), 3) for edge in zip(*((one[1], one[2]) for one in of_line), strict=True)]
        upper = [round(max(edge), 3) for edge in zip(*((one[3], one[4]) for one in of_line), strict=True)]
        rects.append([*lower, *upper])
    return {
        "key": f"H{number:04}",
        "itemType": "annotation",
        "parentItem": "FILE",
        "annotationType": "highlight",
        "annotationText": " ".join(word[0] for _, word in chosen),
        "annotationComment": "",
        "annotationColor": "#ffd400",
        "annotationPosition": json.dumps({"pageIndex": page, "rects": rects}),
    }


def is_right(mark: Mark, chars: tuple[int, int], packed: str, frames: list[Any]) -> bool:
    """Say whether a place begins in the first and ends in the last rectangle of a highlight."""
    regions = regions_of(packed, *chars)
    if not regions or {one.page for one in regions} != {mark.page}:
        return False
    frame = frames[mark.page - 1]
    seen = sorted((*frame.seen(rect[0], rect[3]), *frame.seen(rect[2], rect[1])) for rect in mark.rects)
    first, last = regions[0], regions[-1]
    begins = any(abs(first.x0 - x0) < SLACK and y0 < first.y1 and first.y0 < y1 for x0, y0, _, y1 in seen)
    ends = any(abs(last.x1 - x1) < SLACK and y0 < last.y1 and last.y0 < y1 for _, y0, x1, y1 in seen)
    return begins and ends


def main() -> None:
    """Print the shares of highlights that are right, elsewhere, and listed as unaligned."""
    rng, is_any = random.Random(SEED), "--all" in sys.argv  # noqa: S311 a fixed sample
    files = sorted((data_folder() / "real_pdfs" / "pdf").glob("*.pdf"))
    model = PackagedModel()
    chunker = Chunker(model.tokenizer, ChunkOptions(), longest_read=model.card.max_tokens)
    counts = {"right": 0, "wrong": 0, "unaligned": 0}
    examples: dict[str, list[str]] = {"wrong": [], "unaligned": []}
    for path, n in zip(files, _shares(N, len(files)), strict=True):
        document = parse(RawDocument(str(path), path.read_bytes(), "pdf", "0" * 64))
        spans = sorted((one for one in chunker.chunks(document) if one.level == 0), key=lambda one: one.start)
        text = PiecedText([Piece(one.text, one.start, one.end) for one in spans])
        titles = [squeezed(one) for one in (document.title, *(one.title for one in document.sections))]
        lines, frames = unpack(document.line_boxes), frames_in_child(path.read_bytes())
        found = [
            one for page, block in blocks(path) if (one := annotation(0, page, block, rng, is_any=is_any)) is not None
        ]
        chosen = [one | {"key": f"H{number}"} for number, one in enumerate(rng.sample(found, min(n, len(found))))]
        for mark in marks_of([{"key": "FILE", "itemType": "attachment"}, *chosen], []):
            chars = place_of(mark, text, titles, lines, frames).chars
            kind = (
                "unaligned"
                if chars is None
                else "right"
                if is_right(mark, chars, document.line_boxes, frames)
                else "wrong"
            )
            counts[kind] += 1
            if kind != "right":
                examples[kind].append(f"{path.stem}, page {mark.page}: {mark.quote}")
    n = sum(counts.values())
    share = counts["right"] / n
    print(f"{counts} of {n} highlights on {len(files)} PDFs: {share:.3f} right")
    for kind, told in examples.items():
        for example in told:
            print(f"  {kind}: {example[:200]}")
    if "--write" in sys.argv:
        result = {"n": n, "n_pdfs": len(files), "seed": SEED, **counts, "right_share": share, "machine": machine()}
        (RESULTS / "zotero_highlights.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _shares(n: int, parts: int) -> list[int]:
    return [n // parts + (one < n % parts) for one in range(parts)]


if __name__ == "__main__":
    main()
