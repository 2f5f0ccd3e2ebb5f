"""Captions and tables of a PDF."""

import ctypes
import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from papergraph.ingest.parsers.document import TABLE_NAME
from papergraph.ingest.parsers.pdf.glyphs import PageGlyphs, Segment
from papergraph.ingest.parsers.pdf.headings import Lines
from papergraph.ingest.parsers.pdf.layout import Block, BlockKind, Line, TableLine, gutter_of, side_of

# Lines that are drawn on a page: rules above, within and below tables


MOST_OBJECTS = 20_000
"""Of a page; one with more holds a drawing."""

MOST_RULES = 200
THICKEST, SHORTEST = 2.5, 12.0
"""Points."""


@dataclass(frozen=True)
class Rule:
    """A horizontal rule; coordinates as a reader sees the page, y down."""

    x0: float
    x1: float
    y: float


def find_rules(page: pdfium.PdfPage) -> list[Rule]:
    """Return the horizontal rules of an upright page, from top to bottom, those on one line joined."""
    if page.get_rotation() != 0:
        return []
    left, bottom, _, top = page.get_bbox()
    height = top - bottom
    bounds = [ctypes.c_float() for _ in range(4)]
    found: list[Rule] = []
    for index in range(min(pdfium_c.FPDFPage_CountObjects(page), MOST_OBJECTS)):
        item = pdfium_c.FPDFPage_GetObject(page, index)
        if pdfium_c.FPDFPageObj_GetType(item) != pdfium_c.FPDF_PAGEOBJ_PATH:
            continue
        if not pdfium_c.FPDFPageObj_GetBounds(item, *bounds):
            continue
        x0, y0, x1, y1 = (bound.value for bound in bounds)
        if y1 - y0 <= THICKEST and x1 - x0 >= SHORTEST:
            found.append(Rule(x0 - left, x1 - left, height - (y0 + y1) / 2 + bottom))
    return _joined(found)


def _joined(rules: list[Rule]) -> list[Rule]:
    joined: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.y), rule.x0)):
        before = joined[-1] if joined else None
        if before is not None and abs(before.y - rule.y) < 1 and rule.x0 <= before.x1 + 2:
            joined[-1] = Rule(before.x0, max(before.x1, rule.x1), before.y)
        else:
            joined.append(rule)
    return sorted(joined, key=lambda rule: rule.y)[:MOST_RULES]


# Captions: paragraphs that stand at a figure, table or the like and begin with what it is called and its number.
#
# ``Figure 3: …``, ``Table 2`` on a line of its own and ``Fig. 3. …`` are captions; a sentence such as "Figure 3 shows
# …" is none, nor a line within a paragraph that happens to begin with such words.


NAMES = (
    r"supplement(?:ary|al) (?:fig(?:ure|\.)|table)|extended data (?:fig(?:ure|\.)|table)|figures?|figs?\.?|tables?|"
    r"tab\.|algorithms?|listings?|schemes?|box|chart|plate|exhibit|figura|tabela|tabla|cuadro|quadro|gr[áa]fico|"
    r"ilustra[çc][ãa]o|abbildung|abb\.|tabelle|tableau|tab|tabella|algoritmo|algorithmus|algorithme|figuur|tabel|obr\.|"
    r"rys\.|rysunek|图|表"
)
LABEL = re.compile(
    rf"(?P<name>{NAMES})\s?"
    r"(?P<number>(?:[A-Z]{1,2}[.-]?)?\d{1,3}(?:[.-]\d{1,3})*[a-z]?|[IVXL]{1,6}|[A-Z]\.?\d*)"
    r"(?![\w-])(?P<stop>\s*[.:|)–—]|\s+-(?=\s))?\s*",
    re.IGNORECASE,
)
VERB = re.compile(
    r"(?:(?:also|then|now|only|clearly|thus)\s)?(?:shows?|gives?|lists?|presents?|illustrates?|depicts?|summari[sz]es?|contains?|compares?|displays?|"
    r"is|are|was|were|has|have|can|may|and|in|of|for|to|we|where|which|that|provides?|reports?|plots?|demonstrates?|"
    r"describes?|indicates?|reveals?|suggests?|on|with|as|at|from|by|or|below|above|does|do|includes?|zeigt|mostra)\b"
)
ENDED = re.compile(r"[.!?:][\"'”’)\]\d]*$")
MOST_LINES = 40


@dataclass(frozen=True)
class CaptionLabel:
    """Label of a caption: ``is_table``, ``text`` such as "Table 2", and the offset of the caption's words."""

    is_table: bool
    text: str
    end: int


def caption_label(text: str) -> CaptionLabel | None:
    """Return the label that a text begins with, if its words alone could be a caption's; None otherwise."""
    match = LABEL.match(text)
    if match is None or text[0].islower():
        return None
    number = match["number"]
    if number.isalpha() and not (number.isupper() and (match["stop"] or match.end() == len(text))):
        return None
    rest = text[match.end() :]
    if (
        match["stop"] is None
        and rest
        and (VERB.match(rest) or not (rest[0].isupper() or rest[0].isdigit() or rest[0] in '“"('))
    ):
        return None
    if match["stop"] is None and rest[:1] in ("(", ")", ","):
        return None
    if match["stop"] and match["stop"].strip() == ")":
        return None
    label = text[: match.end("number")]
    return CaptionLabel(TABLE_NAME.match(match["name"]) is not None, " ".join(label.split()), match.end())


def find_captions(lines: Lines, headings: set[int]) -> list[Block]:
    """Return the captions and tables of a document as blocks, in order; ``headings`` are numbers of lines."""
    found: list[Block] = []
    number = 0
    label = ""
    while number < len(lines.lines):
        if isinstance(lines.lines[number], TableLine):
            found.append(Block(BlockKind.TABLE, number, number, label))
        elif number not in headings and (caption := caption_label(lines.texts[number])) and _begins(lines, number):
            last = caption_end(lines.lines, number)
            found.append(Block(BlockKind.CAPTION, number, last, caption.text))
            label = caption.text
            number = last
        number += 1
    return found


def _begins(lines: Lines, number: int) -> bool:
    """Say whether a line that reads like a caption's first one begins a paragraph of its own."""
    if number == 0:
        return True
    before, line = lines.lines[number - 1], lines.lines[number]
    if isinstance(before, TableLine):
        return True
    style, other = lines.styles[number], lines.styles[number - 1]
    runs = line.segments[0].runs
    stands_out = (
        bool(runs) and (runs[0].style.bold or runs[0].style.small_caps) and not lines.body.bold and not other.bold
    )
    differs = abs(style.size - other.size) > 0.4 or stands_out
    if lines.follows(number):
        if differs or lines.gap_before(number) > 1.35 * max(1.0, style.size / max(lines.body.size, 1)):
            return True
        return (
            ENDED.search(lines.texts[number - 1]) is not None
            and before.x1 < before.right - 0.2 * (before.right - before.left)
            and lines.gap_before(number) > 1.1
        )
    open_before = ENDED.search(lines.texts[number - 1]) is None and len(lines.texts[number - 1]) > 30
    same_as_body = abs(style.size - lines.body.size) < 0.4 and not stands_out
    if open_before and same_as_body and caption_label(lines.texts[number - 1]) is None and not differs:
        return lines.gap_after(caption_end(lines.lines, number)) > 1.3
    return True


def caption_end(lines: Sequence[Line], first: int) -> int:
    """Return the last line of the caption that begins at ``first``."""
    size = _size(lines[first])
    usual: float | None = None
    last = first
    while last + 1 < len(lines) and last - first < MOST_LINES:
        before, line = lines[last], lines[last + 1]
        step = line.y - before.y
        if (
            isinstance(line, TableLine)
            or line.page != before.page
            or step <= 0
            or line.x0 > before.right
            or line.x1 < before.left
        ):
            break
        if abs(_size(line) - size) > 0.7 or caption_label(line.text) is not None:
            break
        label = caption_label(before.text) if last == first else None
        alone = label is not None and label.end >= len(before.text)
        widest = (2.4 if alone else 1.62) * size
        if step > (min(1.25 * usual, widest) if usual is not None else widest):
            break
        if (
            not alone
            and usual is None
            and before.x1 < lines[first].right - 0.3 * (before.right - before.left)
            and step > 1.3 * size
        ):
            break
        if not alone and ENDED.search(before.text) and before.x1 < before.right - 0.35 * (before.right - before.left):
            break
        if len(line.segments) > 2 and len(before.segments) <= 1:
            break
        usual = step if not alone else None
        last += 1
    return last


def _size(line: Line) -> float:
    return max(line.segments, key=lambda segment: len(segment.text)).size


# Tables of a page: between their rules, else as rows below or above a caption, with cells parted by gaps.
#
# A table is found at its caption. The rules that are drawn above and below it bound it; without rules, it is the run
# of rows with gaps between cells that stands next to the caption. Columns are the strips that no cell of most rows
# crosses.


SAME_ROW = 0.5
"""In letter heights: baselines that differ by less are one row."""

FARTHEST = 60.0
"""Points between a caption and its table's nearest rule or row."""

NARROWEST = 2.5
"""Points between two columns."""

MOST_TABLES = 20
"""On a page."""

FEWEST_CELLS, LONGEST_CELL, ALIGNED = 3, 50, 3.0
"""Bounds of a table of words without rules: fewest rows and cells of a row, most characters of a cell, and most points
between aligned edges."""

LONGEST_CELL_BESIDE = 30
"""Characters; in the column beside a caption's, what is longer is a line of text."""

MOST_COMPARED = 60
MOST_ROWS, MOST_COLUMNS = 300, 40
NUMERIC = re.compile(r"[-−–+±<>≤≥~]?\s?[\d.,:/%()\s·×^*†‡e−–-]+[%*†‡]*")


@dataclass(frozen=True)
class Table:
    """A table: the segment that its caption begins with, its cells by row, and the segments of each row.

    ``row_pages`` has for each row the number of pages after the caption's; empty if all stand on the caption's page.
    """

    caption: Segment
    rows: list[list[str]]
    row_segments: list[list[Segment]]
    row_pages: list[int] = field(default_factory=list)

    @property
    def segments(self) -> list[Segment]:
        return [segment for row in self.row_segments for segment in row]


def has_table(page: PageGlyphs) -> bool:
    """Say whether a caption of a table may stand on a page."""
    return any(_is_caption(one) for segments in (page.segments, *page.turned.values()) for one in segments)


def find_tables(page: PageGlyphs, rules: Sequence[Rule]) -> list[Table]:
    """Return the tables of a page whose captions stand on it; sideways ones by their rows alone."""
    upright = _tables(page.segments, rules)
    return [*upright, *(table for segments in page.turned.values() for table in _tables(segments, []))]


def _tables(every: Sequence[Segment], rules: Sequence[Rule]) -> list[Table]:
    captions = sorted(filter(_is_caption, every), key=lambda s: (s.y, s.x0))[:MOST_TABLES]
    gutter = gutter_of(every) if captions else None
    taken: set[int] = {id(segment) for segment in captions}
    found: list[Table] = []
    for caption in captions:
        free = [segment for segment in every if id(segment) not in taken]
        region = _ruled(caption, free, rules, captions) or _unruled(caption, free, captions, gutter)
        rows = cells_of(region, rules) if region else []
        if rows:
            found.append(Table(caption, [cells for cells, _ in rows], [segments for _, segments in rows]))
            taken |= {id(segment) for segment in region}
    return found


def _is_caption(segment: Segment) -> bool:
    label = caption_label(segment.text)
    return label is not None and label.is_table


def _ruled(
    caption: Segment, free: Sequence[Segment], rules: Sequence[Rule], captions: Sequence[Segment]
) -> list[Segment]:
    """Return what stands between the rules below or above a caption."""
    best: list[Segment] = []
    for group in _groups(rules):
        x0, x1 = min(rule.x0 for rule in group), max(rule.x1 for rule in group)
        top, bottom = group[0].y, group[-1].y
        if x1 < caption.x0 - 5 or x0 > caption.x1 + 5 or bottom - top < 8:
            continue
        below, above = top - caption.y, caption.y - bottom
        if any(top < other.y < bottom and other.x0 < x1 and other.x1 > x0 for other in captions):
            continue
        distance = below if below > -2 else above
        lines_between = _between(caption, free, top if below > -2 else bottom)
        if distance < -2 or lines_between > 8 * 12 or distance > FARTHEST + 12 * 8:
            continue
        if not _nearest(caption, captions, top, bottom, x0, x1):
            continue
        inside = [s for s in free if top - 1 < s.y < bottom + 1 and s.x0 > x0 - 4 and s.x1 < x1 + 4]
        if _is_rows(inside) and (not best or len(inside) > len(best)):
            best = inside
    return best


def _between(caption: Segment, free: Sequence[Segment], y: float) -> float:
    """Return the widest blank distance between a caption and a rule, in points."""
    low, high = min(caption.y, y), max(caption.y, y)
    stops = sorted({low, high, *(s.y for s in free if low < s.y < high and s.x0 < caption.x1 and s.x1 > caption.x0)})
    return max((after - before for before, after in pairwise(stops)), default=0.0)


def _nearest(caption: Segment, captions: Sequence[Segment], top: float, bottom: float, x0: float, x1: float) -> bool:
    """Say whether no other caption is nearer to a table."""

    def distance(segment: Segment) -> float:
        return min(abs(segment.y - top), abs(segment.y - bottom))

    others = [other for other in captions if other is not caption and other.x0 < x1 and other.x1 > x0]
    return all(distance(caption) <= distance(other) for other in others)


def _groups(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Group horizontal rules by table: rules with equal left and right ends, and the shorter ones between them."""
    groups: list[list[Rule]] = []
    for rule in rules:
        for group in groups:
            first = group[0]
            if abs(first.x0 - rule.x0) < 4 and abs(first.x1 - rule.x1) < 4:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [part for group in groups if len(group) > 1 for part in _parted(group)]


def _parted(group: list[Rule]) -> list[list[Rule]]:
    """Return the runs of rules that may belong to one table: any from the first one on, the longest last."""
    return [
        group[start:end]
        for start in range(min(len(group), 12))
        for end in range(start + 2, min(len(group), start + 40) + 1)
    ]


def _is_rows(segments: Sequence[Segment]) -> bool:
    rows = _rows(segments)
    return len(rows) >= 2 and sum(len(row) > 1 for row in rows) >= 0.4 * len(rows)


def _unruled(
    caption: Segment, free: Sequence[Segment], captions: Sequence[Segment], gutter: float | None
) -> list[Segment]:
    """Return the run of rows next to a caption, without lines of text in the column beside its own."""
    found = _next_to(caption, free, captions)
    if gutter is None or not (side := side_of(caption, gutter)):
        return found
    beside = [one for one in found if side_of(one, gutter) == -side]
    if 2 * sum(len(one.text) > LONGEST_CELL_BESIDE for one in beside) <= len(beside):
        return found
    return _next_to(caption, [one for one in free if side_of(one, gutter) == side], captions)


def _next_to(caption: Segment, free: Sequence[Segment], captions: Sequence[Segment]) -> list[Segment]:
    rows = _rows(
        [
            segment
            for segment in free
            if segment.x0 < max(caption.x1, caption.x0 + 250) and segment.x1 > caption.x0 - 250
        ]
    )
    below = [row for row in rows if row[0].y > caption.y + 1]
    above = [row for row in reversed(rows) if row[0].y < caption.y - 1]
    for direction in (below, above):
        region = _run(caption, direction, captions)
        if region:
            return region
    return []


def _run(caption: Segment, rows: Sequence[list[Segment]], captions: Sequence[Segment]) -> list[Segment]:
    found: list[list[Segment]] = []
    before = caption.y
    n_skipped = 0
    for row in rows:
        size = max(segment.size for segment in row)
        step = abs(row[0].y - before)
        if any(segment in captions for segment in row) or (found and step > 2.6 * size) or step > FARTHEST:
            break
        if len(row) > 1:
            found.append(row)
        elif not found:
            n_skipped += 1
            if n_skipped > 8:
                break
        else:
            break
        before = row[0].y
    if len(found) < 2:
        return []
    segments = [segment for row in found for segment in row]
    numeric = sum(NUMERIC.fullmatch(segment.text) is not None for segment in segments)
    is_table = (numeric >= 0.3 * len(segments) and len(columns_of(found)) > 1) or _is_grid(found)
    return segments if is_table else []


def _is_grid(rows: Sequence[Sequence[Segment]]) -> bool:
    """Say whether rows have as many short cells each, which begin, end or are centred at the same places."""
    n = len(rows[0])
    if n < FEWEST_CELLS or len(rows) < FEWEST_CELLS or any(len(row) != n for row in rows):
        return False
    if any(len(segment.text) > LONGEST_CELL for row in rows for segment in row):
        return False
    places = ([(one.x0, one.x1, (one.x0 + one.x1) / 2) for one in column] for column in zip(*rows, strict=True))
    return all(any(max(edge) - min(edge) < ALIGNED for edge in zip(*column, strict=True)) for column in places)


def _rows(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Return segments by baseline, from top to bottom and left to right."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda segment: (segment.y, segment.x0)):
        if rows and segment.y - rows[-1][0].y <= SAME_ROW * max(segment.size, rows[-1][0].size, 4.0):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [sorted(row, key=lambda segment: segment.x0) for row in rows]


def cells_of(
    segments: Sequence[Segment], rules: Sequence[Rule], columns: Sequence[tuple[float, float]] = ()
) -> list[tuple[list[str], list[Segment]]]:
    """Return the cells and segments of a table by row; a row over several lines is one."""
    rows = _rows(segments)
    columns = columns or columns_of(rows)
    if not 1 < len(columns) <= MOST_COLUMNS or not 1 < len(rows) <= MOST_ROWS:
        return []
    cells = [[""] * len(columns) for _ in rows]
    for line, row in zip(cells, rows, strict=True):
        for segment in row:
            number = _column(segment, columns)
            line[number] = f"{line[number]} {segment.text}".strip()
    return _merged(cells, rows, rules)


def _column(segment: Segment, columns: Sequence[tuple[float, float]]) -> int:
    """Return the column that a segment begins in; one that spans several goes to the first."""
    for number, (x0, x1) in enumerate(columns):
        if segment.x0 < x1 and segment.x1 > x0:
            return number
    middle = (segment.x0 + segment.x1) / 2
    return min(range(len(columns)), key=lambda n: abs((columns[n][0] + columns[n][1]) / 2 - middle))


def columns_of(rows: Sequence[Sequence[Segment]]) -> list[tuple[float, float]]:
    """Return the columns' left and right edges: joined intervals of the cells, those that span several left out."""
    lengths = sorted(len(row) for row in rows if len(row) > 1)
    usual = lengths[len(lengths) // 2] if lengths else 0
    several = [row for row in rows if len(row) >= max(2, 0.6 * usual)]
    columns: list[tuple[float, float]] = []
    for x0, x1 in sorted((s.x0, s.x1) for row in several for s in row if not _spans(s, several)):
        if columns and x0 < columns[-1][1] + NARROWEST:
            columns[-1] = (columns[-1][0], max(columns[-1][1], x1))
        else:
            columns.append((x0, x1))
    return columns


def _spans(segment: Segment, rows: Sequence[Sequence[Segment]]) -> bool:
    """Say whether a cell stands over two others or more in many rows: a head over columns."""
    n_over = n_parted = 0
    for row in rows[:MOST_COMPARED]:
        inside = [s for s in row if s is not segment and s.x0 > segment.x0 - 3 and s.x1 < segment.x1 + 3]
        n_over += bool(inside)
        n_parted += len(inside) > 1
    return n_parted >= 2 and 2 * n_parted > n_over


def _merged(
    cells: list[list[str]], rows: Sequence[Sequence[Segment]], rules: Sequence[Rule]
) -> list[tuple[list[str], list[Segment]]]:
    """Merge rows that continue in the next line, and a table head between two lines."""
    steps = sorted(after[0].y - before[0].y for before, after in pairwise(rows))
    tight, usual = (steps[0], steps[len(steps) // 2]) if steps else (0.0, 0.0)
    parted = bool(steps) and steps[-1] > 1.3 * tight
    merged: list[tuple[list[str], list[Segment]]] = []
    for number, line in enumerate(cells):
        step = rows[number][0].y - rows[number - 1][0].y if number else 0.0
        filled = [place for place, cell in enumerate(line) if cell]
        goes_on = (
            number > 0
            and not line[0]
            and bool(filled)
            and all(len(merged[-1][0][place]) > 12 and " " in merged[-1][0][place] for place in filled)
            and not any(NUMERIC.fullmatch(line[place]) for place in filled)
            and (not parted or step < 1.15 * tight)
            and not _parts(rules, rows[number - 1], rows[number])
        )
        between = 0 < step < 0.75 * usual and not any(merged[-1][0][place] for place in filled)
        if goes_on or between:
            above, segments = merged[-1]
            joined = [f"{upper} {cell}".strip() for upper, cell in zip(above, line, strict=True)]
            merged[-1] = (joined, [*segments, *rows[number]])
        else:
            merged.append((list(line), list(rows[number])))
    return merged


def _parts(rules: Sequence[Rule], before: Sequence[Segment], after: Sequence[Segment]) -> bool:
    """Say whether a rule stands between two rows."""
    first, last = after[0], after[-1]
    return any(before[0].y < rule.y < first.y - 2 and rule.x0 <= last.x1 and rule.x1 >= first.x0 for rule in rules)


# Tables over several pages: rows at the top of the next page, without a caption, in the same columns


FOOT = 0.88
"""Share of a page's height below which a page's number, a note or a running foot stands."""

FEWEST_ROWS = 2
"""Rows at the top of a page that continue a table."""


def with_continued(
    pages: Sequence[PageGlyphs], tables: Sequence[tuple[int, Table]], running: Set[int]
) -> tuple[list[tuple[int, Table]], list[str]]:
    """Return tables with their rows of later pages, and a note for each that may continue in other columns.

    Args:
        pages: All pages.
        tables: Tables, each with its page, from 0.
        running: Ids of the segments that are heads and feet of pages.
    """
    taken = {id(segment) for _, table in tables for segment in (table.caption, *table.segments)} | running
    found: list[tuple[int, Table]] = []
    notes = []
    for page, table in tables:
        angle = next((a for a, texts in _by_angle(pages[page]).items() if any(table.caption is s for s in texts)), 0)
        last, part = page, table.segments
        while last + 1 < len(pages) and _is_at_foot(pages[last], part, angle, running):
            free = [one for one in _by_angle(pages[last + 1]).get(angle, ()) if id(one) not in taken]
            rows = _rows(free)
            columns = columns_of(_rows(table.segments if last == page else part))
            run = _continuing(rows, columns)
            if not run:
                if _may_go_on(rows, len(columns)):
                    notes.append(f"the table on page {last + 1} may go on on page {last + 2}")
                break
            last, part = last + 1, [one for row in run for one in row]
            taken |= set(map(id, part))
            table = _extended(table, cells_of(part, [], columns), last - page)
        found.append((page, table))
    return found, notes


def _by_angle(page: PageGlyphs) -> dict[int, list[Segment]]:
    return {0: page.segments, **page.turned}


def _is_at_foot(page: PageGlyphs, part: Sequence[Segment], angle: int, running: Set[int]) -> bool:
    """Say whether nothing but notes and feet of the page stands below a part of a table."""
    bottom, height = max(one.y for one in part), page.width if angle in (90, 270) else page.height
    below = [one for one in _by_angle(page)[angle] if one.y > bottom + 1 and id(one) not in running]
    return all(one.y > FOOT * height for one in below)


def _leading(rows: Sequence[list[Segment]], belongs: Callable[[list[Segment]], bool]) -> list[list[Segment]]:
    """Return the rows from the first one on that belong to a table and stand one below the other."""
    found: list[list[Segment]] = []
    for row in rows:
        step = row[0].y - found[-1][0].y if found else 0.0
        if not belongs(row) or step > 2.6 * max(one.size for one in row):
            break
        found.append(row)
    return found


def _may_go_on(rows: Sequence[list[Segment]], n: int) -> bool:
    """Say whether the first rows of a page have ``n`` cells each, enough for a table."""
    return n >= FEWEST_CELLS and len(_leading(rows, lambda row: len(row) == n)) >= FEWEST_ROWS


def _continuing(rows: Sequence[list[Segment]], columns: Sequence[tuple[float, float]]) -> list[list[Segment]]:
    """Return the rows at the top of a page that have these columns; empty if too few have."""
    run = _leading(rows, lambda row: _is_in_columns(row, columns))
    cells = [one for row in run for one in row]
    several = [row for row in run if len(row) > 1]
    numeric = sum(NUMERIC.fullmatch(one.text) is not None for one in cells)
    is_table = numeric >= 0.3 * len(cells) or len(columns) >= FEWEST_CELLS
    return run if len(several) >= FEWEST_ROWS and 2 * len(several) > len(run) and is_table else []


def _is_in_columns(row: Sequence[Segment], columns: Sequence[tuple[float, float]]) -> bool:
    """Say whether each cell of a row is in a column of its own and has its left edge, right edge or centre."""
    places = [_column(one, columns) for one in row]
    if len(set(places)) < len(places):
        return False
    for one, place in zip(row, places, strict=True):
        left, right = columns[place]
        wide = any(one.x0 < x1 and one.x1 > x0 for n, (x0, x1) in enumerate(columns) if n != place)
        apart = min(abs(one.x0 - left), abs(one.x1 - right), abs(one.x0 + one.x1 - left - right) / 2)
        if wide or (apart > ALIGNED and not left - ALIGNED < one.x0 < one.x1 < right + ALIGNED):
            return False
    return True


def _extended(table: Table, added: Sequence[tuple[list[str], list[Segment]]], page: int) -> Table:
    """Return a table with rows of a later page; a head that is repeated there is left out."""
    repeated = 0
    while repeated < min(len(added), len(table.rows)) and added[repeated][0] == table.rows[repeated]:
        repeated += 1
    rows, segments = [cells for cells, _ in added[repeated:]], [row for _, row in added[repeated:]]
    if not rows:
        return table
    segments[0] = [*(one for _, row in added[:repeated] for one in row), *segments[0]]
    pages = table.row_pages or [0] * len(table.rows)
    return replace(
        table,
        rows=[*table.rows, *rows],
        row_segments=[*table.row_segments, *segments],
        row_pages=[*pages, *[page] * len(rows)],
    )


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as a Markdown table whose head is the first row."""
    lines = ["| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def with_tables(lines: Sequence[Line], tables: Sequence[tuple[int, Table]]) -> list[Line]:
    """Return lines with each table after its caption; a table comes with its page, from 0."""
    by_caption = {id(table.caption): (page, table) for page, table in tables}
    result: list[Line] = []
    waiting: dict[int, TableLine] = {}
    for number, line in enumerate(lines):
        for segment in line.segments:
            if id(segment) in by_caption:
                page, table = by_caption.pop(id(segment))
                made = TableLine.of(page, table.row_segments, markdown(table.rows), line.angle)
                made.row_pages = table.row_pages
                waiting[caption_end(lines, number)] = made
        result.append(line)
        if number in waiting:
            result.append(waiting.pop(number))
    return result
