"""Places of highlights that another program made: by their words, and by their rectangles on the pages of the PDF."""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from papergraph.ingest.fetch.zotero_marks import Mark
from papergraph.ingest.parsers.line_boxes import LineBoxes, Word
from papergraph.ingest.parsers.pdf.page_image import PageFrame
from papergraph.text.alignment import PiecedText, squeezed

MIDDLE = 0.27
"""Height of the middle of a line above its baseline, as a share of its size."""
LEAST_AGREEMENT, LEAST_HEADING, MOST_SPREAD = 80.0, 0.9, 1.6
"""Least agreement of letters in percent, least share of a heading, and longest place in lengths of its words."""
END = 2**62
SLACK = 0.004
"""Share of a page by which the middle of a line may lie outside the rectangle that marks it."""


Range = tuple[int, int]
Rect = tuple[float, float, float, float]


@dataclass(frozen=True)
class HighlightPlace:
    """Place of a highlight.

    Attributes:
        chars: Characters of the text; None if the words are not there.
        boxes: Rectangles on the pages: page, left, upper, right and lower edge as shares, one after the other.
        is_exact: Whether the text has the very words, so that they can be found again.
    """

    chars: Range | None
    boxes: tuple[float, ...] = ()
    is_exact: bool = False


def place_of(
    mark: Mark, text: PiecedText, titles: Sequence[str], lines: LineBoxes, frames: Sequence[PageFrame]
) -> HighlightPlace:
    """Return the place of a highlight in the text and on the pages of its paper.

    It is where its words are; of several such places the one in its rectangles counts, or none without rectangles. If
    the words differ, as letters and formulas do that another program read otherwise, it is what the rectangles hold,
    provided that most letters are the same. Otherwise the characters are unknown.

    Args:
        mark: The highlight.
        text: Text of the paper.
        titles: Title and headings of the paper, which the text lacks.
        lines: Lines of the paper's pages; empty if the highlight is in another file.
        frames: Frames of the pages of the highlight's file; empty if unknown.
    """
    frame = frames[mark.page - 1] if 1 <= mark.page <= len(frames) else None
    rects = [] if frame is None else [_seen(frame, rect) for rect in mark.rects]
    boxes = tuple(edge for rect in rects for edge in (float(mark.page), *rect))
    words = _marked(lines, mark.page, rects)
    span = (words[0][0], max(end for _, end in words)) if words else None
    found = text.find(mark.quote, near=span[0] if span else None)
    is_elsewhere = span is None and bool(rects) and any(line.page == mark.page for line in lines.boxes)
    if is_elsewhere:  # such as a running title, which the text lacks there
        return HighlightPlace(None, boxes)
    if span is None:  # without a page, words that occur once
        is_there = found is not None and found == text.find(mark.quote, near=END)
    else:
        is_there = found is not None and found[0] < span[1] and span[0] < found[1]
    if is_there:
        return HighlightPlace(found, boxes, is_exact=True)
    if span is not None and _agrees(mark.quote, text, titles, words, span):
        return HighlightPlace(span, boxes)
    return HighlightPlace(None, boxes)


def _agrees(quote: str, text: PiecedText, titles: Sequence[str], words: Sequence[Range], span: Range) -> bool:
    """Say whether the letters of a highlight are those of words, or of a heading that stands there."""
    stored, said = [text.letters(*one) for one in words], [squeezed(one) for one in quote.split()]
    letters, quote = "".join(stored), "".join(said)
    n_marked = sum(end - start for start, end in words)
    if span[1] - span[0] > MOST_SPREAD * n_marked:
        return False  # words of two columns, with others between them
    agreement = fuzz.ratio(quote, letters), fuzz.ratio("".join(sorted(said)), "".join(sorted(stored)))
    if max(agreement) >= LEAST_AGREEMENT:  # programs differ in the order of lines that stand beside each other
        return True
    if len(letters) > (1 - LEAST_HEADING) * n_marked:
        return False  # the text has other words there
    return any(
        fuzz.partial_ratio(quote, one) >= LEAST_HEADING * 100 and len(one) >= LEAST_HEADING * len(quote)
        for one in titles
    )


def _seen(frame: PageFrame, rect: Sequence[float]) -> Rect:
    """Return a rectangle in points as left, upper, right and lower edge in shares of the page, cut at its edges."""
    corners = (frame.seen(rect[0], rect[1]), frame.seen(rect[2], rect[3]))
    (x0, x1), (y0, y1) = (sorted(min(1.0, max(0.0, one)) for one in edges) for edges in zip(*corners, strict=True))
    return x0, y0, x1, y1


def _marked(lines: LineBoxes, page: int, rects: Sequence[Rect]) -> list[Range]:
    """Return the characters of each word whose middle lies in a rectangle of a page, in the order of the text."""
    if not rects or not 1 <= page <= len(lines.pages):
        return []
    wide, high = lines.pages[page - 1]
    found = []
    for line in lines.boxes:
        y = (line.baseline - MIDDLE * line.size) / high
        across = [one for one in rects if one[1] - SLACK <= y <= one[3] + SLACK] if line.page == page else []
        for word in line.words or (Word(line.start, line.end, line.x0, line.x1),):
            x = (word.x0 + word.x1) / 2 / wide
            if any(one[0] - SLACK <= x <= one[2] + SLACK for one in across):
                found.append((word.start, word.end))
    return found
