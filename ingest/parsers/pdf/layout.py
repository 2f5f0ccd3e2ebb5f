"""Layout of a page of a PDF: lines and columns, and the blocks of a document."""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from statistics import median

from papergraph.ingest.parsers.pdf.bidi import is_right_to_left, runs_from_right
from papergraph.ingest.parsers.pdf.glyphs import PageGlyphs, Segment, Style

# Segments of pages to lines in reading order: columns, what repeats at the edges of pages, sideways text.
#
# Columns are found by a vertical strip that few segments cross while full lines end before it and begin after it; what
# crosses it (a title, a wide figure) parts the page into bands; in each band the left column is read before the right.


EDGE = 0.12
"""Share of a page's height, at the top and at the bottom, where running heads and feet stand."""

SAME_PLACE = 3.0
"""Points by which the same running head may stand higher or lower on another page."""

FEWEST_TITLE_LETTERS, SAME_SIZE = 12, 0.5
"""Letters of a title that its repetition at the top of a page has at least; points by which its lines may differ."""

NEAR = 1.5
"""In letter heights: what is nearer to the next line than this is part of the text, no running head."""

PAGE_NUMBER = re.compile(
    r"(?:page\s*)?[-–—|\s]*(?:\d{1,5}|[ivxlc]{1,7})(?:\s*(?:/|of)\s*\d{1,5})?[-–—|\s]*", re.IGNORECASE
)
STAMP = re.compile(r"arXiv:\s*(\S+)", re.IGNORECASE)
FULL = 0.75
"""A segment that fills so much of its column is a line of running text, not a cell of a table."""

COVER = re.compile(
    r"hal is a multi-?disciplinary|hal id\b|archive ouverte pluridisciplinaire|to cite this version|jstor|"
    r"author[- ]produced version|cite the published version|published version|white rose|citation for published|"
    r"link to publication|general rights|take ?down\b|research portal|research repository|institutional repository|"
    r"open research|stats, and author profiles|researchgate|version of record|accepted manuscript|"
    r"is the (?:accepted|author|peer[- ]reviewed|submitted)|downloaded from|deposited in|made available|"
    r"the following full text|additional works|digital ?commons|escholarship|permalink|open repository|"
    r"research explorer|publisher.s pdf|document version|eprints?\b|terms of use|copyright owner|"
    r"technical editing|has been accepted for publication|"
    r"all rights reserved unless|users may download|rights reserved|doi to the publisher",
    re.IGNORECASE,
)
"""Words of a repository's cover page."""

FEWEST_COVER_WORDS, MOST_COVER_LINES = 2, 80
FRONT_GUTTER = 0.35
"""Share of the text's width that each of two columns has at least below a front across the page."""

FRONT_ENDS = re.compile(
    r"\W{0,3}(?:(?:1|I)\.?\s+)?(?:abstract|summary|introduction|key ?words|index terms|resumo|resumen|r[ée]sum[ée]|"
    r"zusammenfassung|a b s t r a c t)\b",
    re.IGNORECASE,
)
SHORT_LINE, FULL_LINE = 0.55, 0.85
FRONT_STEP, MOST_FRONT_LINES = 1.3, 12
"""Lines by which the text of one column may begin below that of the other."""

MOST_HEADING_LINES = 4
FEWEST_FULL = 4
NARROWEST_GUTTER = 5.0
"""Points."""

SAME_GUTTER = 12.0
"""Points by which gutters of the same columns may differ."""

FEWEST_IN_BAND, SHORTEST_LINE = 3, 25
"""Full lines of each column below an abstract, and characters of such a line."""

FEWEST_IN_MARGIN, MARGIN_SMALLER = 4, 0.9
"""Lines in a margin that are notes, and the points by which their letters are smaller than the text's."""

LABEL_ALONE = re.compile(r"\[?\d{1,3}[\].)]{0,2}")
FEWEST_LABELS, WIDEST_LABEL = 3, 30.0
"""Labels of a list of references in one column, and the points in which they stand."""

MOST_DEPTH = 4
NUMBER_ONLY = re.compile(r"\d{1,4}")


@dataclass
class Line:
    """A line of a column.

    Attributes:
        page: From 0.
        segments: From left to right.
        left: Left edge of its column.
        right: Right edge of its column.
        angle: 0, or that of sideways text, whose coordinates are those of the page turned upright.
    """

    page: int
    segments: list[Segment]
    left: float
    right: float
    angle: int = 0

    @property
    def text(self) -> str:
        return " ".join(segment.text for segment in self.segments)

    @property
    def x0(self) -> float:
        return min(segment.x0 for segment in self.segments)

    @property
    def x1(self) -> float:
        return max(segment.x1 for segment in self.segments)

    @property
    def y(self) -> float:
        return max(self.segments, key=lambda segment: len(segment.text)).y

    @property
    def styles(self) -> Counter[Style]:
        found: Counter[Style] = Counter()
        for segment in self.segments:
            found.update(segment.styles)
        return found


@dataclass
class TableLine(Line):
    """A table, as one line: its segments in the order of the file, those of each row, and its cells as Markdown.

    ``row_pages`` has for each row the number of pages after the table's; empty if all stand on one.
    """

    markdown: str = ""
    rows: list[list[Segment]] = field(default_factory=list)
    row_pages: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, page: int, rows: list[list[Segment]], markdown: str, angle: int = 0) -> "TableLine":
        """Make a line of the segments of a table's rows, one row for each of the Markdown's but the rule."""
        segments = [segment for row in rows for segment in row]
        left, right = min(segment.x0 for segment in segments), max(segment.x1 for segment in segments)
        return cls(page, segments, left, right, angle, markdown=markdown, rows=rows)

    @property
    def row_lines(self) -> list[Line]:
        """Its rows, as lines."""
        pages = [self.page + after for after in self.row_pages or [0] * len(self.rows)]
        rows = (sorted(row, key=lambda one: one.x0) for row in self.rows)
        return [Line(at, row, self.left, self.right, self.angle) for at, row in zip(pages, rows, strict=True)]

    @property
    def y(self) -> float:
        return max(segment.y for segment in self.segments)


@dataclass(frozen=True)
class Reading:
    """The pages in reading order.

    Attributes:
        lines: All that is kept.
        running: What was left out, because it repeats at the edge of pages, numbers them or their lines, or is a stamp
            in the margin; with its page.
    """

    lines: list[Line]
    running: list[tuple[int, Segment]]


def read(pages: Sequence[PageGlyphs], in_tables: frozenset[int] = frozenset()) -> Reading:
    """Put the pages' segments into reading order, without those whose ids are ``in_tables``."""
    left_out = running_of(pages) - in_tables
    lines: list[Line] = []
    running = [
        (number, segment) for number, page in enumerate(pages) for segment in page.segments if id(segment) in left_out
    ]
    left_out |= in_tables
    usual = _usual_gutter(pages, left_out)
    first = n_covers(pages)
    for number, page in enumerate(pages):
        kept = [segment for segment in page.segments if id(segment) not in left_out]
        lines += _ordered(kept, number, usual, first=first)
        for angle, segments in page.turned.items():
            stamps = [segment for segment in segments if number == 0 and STAMP.search(segment.text)]
            running += [(number, segment) for segment in stamps]
            kept = [segment for segment in segments if segment not in stamps and id(segment) not in in_tables]
            for line in _ordered(kept, number, None):
                line.angle = angle
                lines.append(line)
    return Reading(lines, running)


def n_covers(pages: Sequence[PageGlyphs]) -> int:
    """Return the number of pages that a repository put before the paper: 0 or 1."""
    if len(pages) < 2 or not pages[1].segments or len(pages[0].segments) > MOST_COVER_LINES:
        return 0
    text = " ".join(segment.text for segment in pages[0].segments)
    said = {match[0].casefold() for match in COVER.finditer(text)}
    return int(len(said) >= FEWEST_COVER_WORDS and not any(FRONT_ENDS.match(one.text) for one in pages[0].segments))


def running_of(pages: Sequence[PageGlyphs]) -> set[int]:
    """Return the ids of the segments that repeat at the edges of pages, or number the pages or their lines."""
    places: dict[str, list[tuple[int, float, Segment]]] = {}
    for number, page in enumerate(pages):
        for segment in page.segments:
            if not EDGE * page.height < segment.y < (1 - EDGE) * page.height:
                places.setdefault(_pattern(segment.text), []).append((number, segment.y, segment))
    needed = 2 if len(pages) < 5 else 3
    found = set()
    for pattern, entries in places.items():
        is_number = pattern == "#"
        has_letters = re.search(r"[^\W\d#]", pattern) is not None
        for number, y, segment in entries:
            beside = {
                other
                for other, other_y, one in entries
                if abs(other_y - y) <= SAME_PLACE and (is_number or has_letters or one.text == segment.text)
            }
            if not is_number and not has_letters and 2 * len(beside) <= len(pages):
                continue  # such as the date of a print
            if is_number and not (_outermost(segment, pages[number]) or 2 * len(beside) > len(pages)):
                continue
            if len(beside) >= (min(2, len(pages)) if is_number else needed):
                found.add(id(segment))
    found |= _titles(pages)
    for page in pages:
        while within := _within_text(page, found):
            found -= within
    for page in pages:
        found |= _line_numbers(page)
    return found


def _titles(pages: Sequence[PageGlyphs]) -> set[int]:
    """Return the ids of the segments at the top of later pages that repeat the paper's title, and of what is beside."""
    own = pages[n_covers(pages)].segments if pages else []
    largest = max((segment.size for segment in own), default=0.0)
    title = _letters(" ".join(segment.text for segment in own if segment.size > largest - SAME_SIZE))
    found = set()
    for page in pages[1:]:
        top = [segment for segment in page.segments if segment.y <= EDGE * page.height and segment.size < largest - 2]
        heads = [one.y for one in top if len(words := _letters(one.text)) >= FEWEST_TITLE_LETTERS and words in title]
        found |= {id(one) for one in top if any(abs(one.y - y) <= SAME_PLACE for y in heads)}
    return found


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _within_text(page: PageGlyphs, found: set[int]) -> set[int]:
    """Return the ids of those found that stand as near to the text as its own lines do."""
    middle = page.height / 2
    others = [segment for segment in page.segments if id(segment) not in found]
    return {
        id(segment)
        for segment in page.segments
        if id(segment) in found
        and any(
            0.3 * segment.size < abs(other.y - segment.y) < NEAR * segment.size
            and abs(other.y - middle) < abs(segment.y - middle)
            for other in others
        )
    }


def _pattern(text: str) -> str:
    return "#" if PAGE_NUMBER.fullmatch(text) else re.sub(r"\d+", "#", text.casefold())


def is_page_number(text: str) -> bool:
    """Say whether a line is nothing but a page's number."""
    return PAGE_NUMBER.fullmatch(text) is not None


def _outermost(segment: Segment, page: PageGlyphs) -> bool:
    ys = [other.y for other in page.segments if other is not segment]
    return not ys or segment.y <= min(ys) + SAME_PLACE or segment.y >= max(ys) - SAME_PLACE


FEWEST_LINE_NUMBERS = 10
SAME_EDGE = 3


def _line_numbers(page: PageGlyphs) -> set[int]:
    """Return the ids of the numbers that stand beside the lines of a manuscript, in a column of their own."""
    numbers = [segment for segment in page.segments if NUMBER_ONLY.fullmatch(segment.text)]
    others = [segment for segment in page.segments if not NUMBER_ONLY.fullmatch(segment.text)]
    if len(numbers) < FEWEST_LINE_NUMBERS or not others:
        return set()
    left, right = min(segment.x0 for segment in others), max(segment.x1 for segment in others)
    found: set[int] = set()
    ends: set[int] = set()
    for column in _aligned(numbers):
        values = [int(segment.text) for segment in column]
        outside = column[0].x1 < left + 2 or column[0].x0 > right - 2
        if (outside or values[0] - 1 in ends) and all(0 < b - a <= 5 for a, b in pairwise(values)):
            found |= {id(segment) for segment in column}
            ends.add(values[-1])
    return found


def _aligned(numbers: Sequence[Segment]) -> list[list[Segment]]:
    """Return the columns of ten numbers or more that end at one place, from the left, each from top to bottom."""
    columns: dict[int, list[Segment]] = {}
    for segment in sorted(numbers, key=lambda segment: segment.y):
        near = next((edge for edge in columns if abs(edge - segment.x1) <= SAME_EDGE), round(segment.x1))
        columns.setdefault(near, []).append(segment)
    return [column for _, column in sorted(columns.items()) if len(column) >= FEWEST_LINE_NUMBERS]


def _usual_gutter(pages: Sequence[PageGlyphs], left_out: set[int]) -> float | None:
    """Return where the gutter of most pages is, so that a page with few lines can be read as the others are."""
    found = [
        gutter
        for page in pages
        if (gutter := gutter_of([segment for segment in page.segments if id(segment) not in left_out])) is not None
    ]
    return median(found) if 2 * len(found) >= len(pages) and found else None


def _ordered(
    segments: list[Segment], page: int, usual: float | None, depth: int = 0, *, first: int = 0
) -> Iterator[Line]:
    """Yield the lines of a region in reading order; page ``first`` is the paper's first."""
    if not segments:
        return
    gutter = gutter_of(segments) if depth < MOST_DEPTH else None
    if gutter is None and usual is not None and depth == 0:
        sides = [side_of(segment, usual) for segment in segments]
        gutter = usual if {-1, 1} <= set(sides) and 2 * sides.count(0) <= len(sides) else None
    if gutter is None:
        beside = _in_margin(segments) if depth == 0 else set()
        for part in (
            [one for one in segments if id(one) not in beside],
            [one for one in segments if id(one) in beside],
        ):
            if part:
                yield from _lines(part, page)
        return
    if depth == 0 and usual is not None and abs(gutter - usual) > SAME_GUTTER:
        top, bottom = _of_usual_columns(segments, usual)
        if top < bottom:
            above = [one for one in segments if one.y <= top]
            yield from _ordered(above, page, None, depth + 1)
            band = [one for one in segments if top < one.y < bottom]
            for side in (-1, 1):
                yield from _lines([one for one in band if side_of(one, usual) == side], page)
            yield from _ordered([one for one in segments if one.y >= bottom], page, None, depth + 1)
            return
    if page == first and depth == 0 and (front := _front(segments, gutter)):
        yield from _lines(front, page)
        inside = set(map(id, front))
        segments = [segment for segment in segments if id(segment) not in inside]
    for kind, band in _bands(segments, gutter):
        if kind == 0:
            yield from _lines(band, page)
        else:
            yield from _ordered(band, page, None, depth + 1)


def _of_usual_columns(segments: Sequence[Segment], usual: float) -> tuple[float, float]:
    """Return the baselines between which a page's text is in the document's usual columns.

    The page has another gutter, as of an abstract beside its keywords. Both are equal if no band of text has the usual.
    """
    across = [-math.inf, *sorted(one.y for one in segments if side_of(one, usual) == 0), math.inf]
    best, most = (0.0, 0.0), FEWEST_IN_BAND - 1
    for top, bottom in pairwise(across):
        band = [one for one in segments if top < one.y < bottom]
        columns = [[one for one in band if side_of(one, usual) == side] for side in (-1, 1)]
        widths = [max((one.x1 - one.x0 for one in column), default=0.0) for column in columns]
        full = [
            sum(one.x1 - one.x0 > FULL * width and len(one.text) > SHORTEST_LINE for one in column)
            for column, width in zip(columns, widths, strict=True)
        ]
        if min(full) > most and min(widths) > FULL * max(widths):
            best, most = (top, bottom), min(full)
    return best


def _in_margin(segments: Sequence[Segment]) -> set[int]:
    """Return the ids of the notes in small letters that stand beside a single column, outside its edges."""
    width = max(one.x1 for one in segments) - min(one.x0 for one in segments)
    full = [one for one in segments if one.x1 - one.x0 > SHORT_LINE * width and len(one.text) > SHORTEST_LINE]
    if len(full) < 2 * FEWEST_FULL:
        return set()
    left, right = median(one.x0 for one in full), median(one.x1 for one in full)
    size = median(one.size for one in full)
    notes = [
        one
        for one in segments
        if (one.x1 < left - NARROWEST_GUTTER or one.x0 > right + NARROWEST_GUTTER)
        and one.size < size - MARGIN_SMALLER
        and any(map(str.isalpha, one.text))
    ]
    return set(map(id, notes)) if len(notes) >= FEWEST_IN_MARGIN else set()


def _front(segments: list[Segment], gutter: float) -> list[Segment]:
    """Return what stands on the first page above both columns: title and authors, read across the page."""
    x0, x1 = min(segment.x0 for segment in segments), max(segment.x1 for segment in segments)
    if not FRONT_GUTTER * (x1 - x0) < gutter - x0 < (1 - FRONT_GUTTER) * (x1 - x0):
        return []
    in_order = sorted(segments, key=lambda segment: (segment.y, segment.x0))
    columns = {side: [one for one in in_order if side_of(one, gutter) == side] for side in (-1, 0, 1)}
    tops = {side: _top_of_text(column) for side, column in columns.items()}
    if tops[0] < max(tops[-1], tops[1]) or max(tops[-1], tops[1]) == math.inf:
        return []  # the text begins across the columns
    if abs(tops[-1] - tops[1]) > FRONT_STEP * in_order[0].size * MOST_FRONT_LINES:
        return []
    top = min(tops.values())
    both = {side_of(segment, gutter) for segment in in_order if segment.y < tops[side_of(segment, gutter)] - 1}
    if not {-1, 1} <= both:
        return []
    return [one for one in in_order if one.y < (top if side_of(one, gutter) == 0 else tops[side_of(one, gutter)]) - 1]


def _top_of_text(column: Sequence[Segment]) -> float:
    """Return the baseline of the abstract's heading, or of the first three full lines of running text."""
    width = max((segment.x1 - segment.x0 for segment in column), default=0.0)
    for number, segment in enumerate(column):
        if FRONT_ENDS.match(segment.text):
            return segment.y
        lines = column[number : number + 3]
        words = " ".join(line.text for line in lines).split()
        widths = [line.x1 - line.x0 for line in lines]
        full = len(lines) == 3 and min(widths) > SHORT_LINE * width and max(widths) > FULL_LINE * width
        if full and _is_even(lines) and 2 * sum(word[:1].islower() for word in words) > len(words):
            return segment.y
    return math.inf


def _is_even(lines: Sequence[Segment]) -> bool:
    """Say whether lines stand one below the other at one distance and one edge, indents of a first line aside."""
    steps = [after.y - before.y for before, after in pairwise(lines)]
    return max(steps) < 1.7 * lines[0].size and max(steps) - min(steps) < 0.3 * lines[0].size and (
        abs(lines[1].x0 - lines[2].x0) < 0.3 * lines[0].size
    )  # fmt: skip


def _bands(segments: list[Segment], gutter: float) -> Iterator[tuple[int, list[Segment]]]:
    """Yield groups in reading order: 0 for what crosses the gutter, -1 for left of it, 1 for right of it."""
    left: list[Segment] = []
    right: list[Segment] = []
    crossing: list[Segment] = []
    across = sorted(segment.y for segment in segments if side_of(segment, gutter) == 0)
    for segment in sorted(segments, key=lambda segment: segment.y):
        side = 0 if _beside(segment, across) else side_of(segment, gutter)
        if side == 0:
            yield from _columns(left, right)
            left, right = [], []
            crossing.append(segment)
            continue
        if crossing:
            yield 0, crossing
            crossing = []
        (left if side < 0 else right).append(segment)
    yield from _columns(left, right)
    if crossing:
        yield 0, crossing


def _beside(segment: Segment, across: Sequence[float]) -> bool:
    """Say whether a segment stands on a line that crosses the gutter, whose baselines are ``across``."""
    at = bisect_left(across, segment.y - 0.2 * segment.size)
    return at < len(across) and across[at] < segment.y + 0.2 * segment.size


def _columns(left: list[Segment], right: list[Segment]) -> Iterator[tuple[int, list[Segment]]]:
    """Yield two columns; where both end at one height, a heading below them is read after them."""
    below: list[Segment] = []
    if left and right:
        end = max(segment.y for segment in right)
        for number in range(len(left) - 1, max(0, len(left) - 1 - MOST_HEADING_LINES), -1):
            gap = left[number].y - left[number - 1].y
            if left[number].y < end + left[number].size:
                break
            if gap > 1.9 * left[number].size and left[number - 1].y < end + 2 * left[number].size:
                left, below = left[:number], left[number:]
                break
    columns = ((1, right), (-1, left)) if _from_right([*left, *right]) else ((-1, left), (1, right))
    yield from ((where, band) for where, band in (*columns, (-1, below)) if band)


def side_of(segment: Segment, gutter: float) -> int:
    """Return -1 for what is left of a gutter, 1 for what is right of it, 0 for what crosses it."""
    if segment.x1 <= gutter + 1:
        return -1
    if segment.x0 >= gutter - 1:
        return 1
    return (
        0
        if gutter - segment.x0 > 3 and segment.x1 - gutter > 3
        else (-1 if segment.x1 - gutter < gutter - segment.x0 else 1)
    )


def gutter_of(segments: Sequence[Segment]) -> float | None:
    """Return the x between two columns, or None where there is one column."""
    if len(segments) < 2 * FEWEST_FULL:
        return None
    left, right = min(segment.x0 for segment in segments), max(segment.x1 for segment in segments)
    width = right - left
    starts = sorted(segment.x0 for segment in segments)
    ends = sorted(segment.x1 for segment in segments)
    candidates = []
    for x in sorted({*ends}):
        if not left + 0.15 * width < x < right - 0.15 * width:
            continue
        n_left = bisect_left(ends, x + 0.01)
        n_right = len(starts) - bisect_left(starts, x + NARROWEST_GUTTER)
        crossing = len(segments) - n_left - n_right
        next_start = starts[bisect_left(starts, x + NARROWEST_GUTTER)] if n_right else right
        candidates.append((crossing, -min(n_left, n_right), x, next_start))
    for crossing, _, x, next_start in sorted(candidates)[:12]:
        n_full_left = sum(s.x1 <= x + 0.01 and s.x1 - s.x0 > FULL * (x - left) for s in segments)
        n_full_right = sum(s.x0 >= next_start - 0.01 and s.x1 - s.x0 > FULL * (right - next_start) for s in segments)
        if min(n_full_left, n_full_right) >= FEWEST_FULL and crossing < 2 * (n_full_left + n_full_right):
            return _before_labels(segments, x, (x + next_start) / 2)
        thirds = _narrow_columns(segments, x, next_start)
        if thirds and crossing < 2 * thirds:
            return _before_labels(segments, x, (x + next_start) / 2)
    return None


def _before_labels(segments: Sequence[Segment], x: float, gutter: float) -> float:
    """Return the gutter, moved to the left of numbers that stand out before the entries of the right column."""
    labels = [one for one in segments if x - WIDEST_LABEL < one.x1 < x + 0.02 and LABEL_ALONE.fullmatch(one.text)]
    if len(labels) < FEWEST_LABELS:
        return gutter
    start, chosen = min(one.x0 for one in labels), set(map(id, labels))
    edge = max((one.x1 for one in segments if one.x1 < x + 0.02 and id(one) not in chosen), default=start)
    return (edge + start) / 2 if edge < start - NARROWEST_GUTTER / 2 else gutter


def _narrow_columns(segments: Sequence[Segment], x: float, next_start: float) -> int:
    """Count the full lines beside a strip where one side holds more columns than one."""

    def full(side: list[Segment]) -> int:
        if len(side) < FEWEST_FULL:
            return 0
        usual = sorted(segment.x1 - segment.x0 for segment in side)[int(0.9 * (len(side) - 1))]
        return sum(segment.x1 - segment.x0 > FULL * usual and len(segment.text) > 20 for segment in side)

    left = full([segment for segment in segments if segment.x1 <= x + 0.01])
    right = full([segment for segment in segments if segment.x0 >= next_start - 0.01])
    return left + right if min(left, right) >= 2 * FEWEST_FULL else 0


def _lines(segments: Iterable[Segment], page: int) -> Iterator[Line]:
    """Yield the lines of one column from top to bottom."""
    in_order = sorted(segments, key=lambda segment: (segment.y, segment.x0))
    left, right = min(segment.x0 for segment in in_order), max(segment.x1 for segment in in_order)
    rows: list[list[Segment]] = []
    for segment in in_order:
        if rows and segment.y - rows[-1][0].y <= 0.45 * max(other.size for other in (*rows[-1], segment)):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    for row in _labels_last(rows):
        yield Line(page, _in_row(row), left, right)


def _labels_last(rows: list[list[Segment]]) -> list[list[Segment]]:
    """Return the rows with labels that stand beside a paragraph, between two of its lines, below the paragraph."""
    found: list[list[Segment]] = []
    labels: list[list[Segment]] = []
    for number, row in enumerate(rows):
        after = rows[number + 1] if number + 1 < len(rows) else None
        if found and after is not None and _are_neighbours(found[-1], after) and _is_beside(row, found[-1], after):
            labels.append(row)
            continue
        if labels and not _are_neighbours(found[-1], row):
            found += labels
            labels = []
        found.append(row)
    return found + labels


def _are_neighbours(above: Sequence[Segment], below: Sequence[Segment]) -> bool:
    """Say whether two rows are lines of one paragraph."""
    aligned = abs(above[0].x0 - below[0].x0) < 3 and abs(above[0].size - below[0].size) < 0.6
    return aligned and 0 < below[0].y - above[0].y < 1.5 * above[0].size


def _is_beside(row: Sequence[Segment], *others: Sequence[Segment]) -> bool:
    left, right = min(one.x0 for one in row), max(one.x1 for one in row)
    return all(left > max(one.x1 for one in other) + 3 or right < min(one.x0 for one in other) - 3 for other in others)


def _in_row(row: Sequence[Segment]) -> list[Segment]:
    """Return the segments of a line in the order in which they are read."""
    return sorted(row, key=lambda segment: segment.x0, reverse=_from_right(row))


def _from_right(segments: Sequence[Segment]) -> bool:
    """Say whether most letters of segments that hold right-to-left letters are such."""
    text = "".join(segment.text for segment in segments)
    return is_right_to_left(text) and runs_from_right(text)


# Runs of lines that are kept apart from running text: entries of a list of references, captions, and tables


class BlockKind(StrEnum):
    """Kind of a block."""

    ENTRY = "entry"
    CAPTION = "caption"
    TABLE = "table"


@dataclass(frozen=True)
class Block:
    """Lines ``first`` to ``last`` are one paragraph; ``label`` is what the document calls it, such as "Table 2".

    ``figure`` is the place of the picture of a caption: page from 1, and edges as shares of the page; may be empty.
    """

    kind: BlockKind
    first: int
    last: int
    label: str = ""
    figure: tuple[float, ...] = ()


@dataclass(frozen=True)
class PlacedBlock:
    """A block in the composed text: characters ``start`` to ``end``; see :class:`Block`."""

    kind: BlockKind
    start: int
    end: int
    label: str
    figure: tuple[float, ...] = ()
