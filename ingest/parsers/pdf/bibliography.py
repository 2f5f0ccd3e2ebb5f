"""Lines of a PDF's reference lists, recognised by labels, hanging indents, gaps, or first lines.

A list begins below a heading such as References, in several languages, or at lines with labels ``[1]``, ``[2]`` … that
describe works. Columns and pages have margins of their own.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from papergraph.ingest.parsers.common.entries import ARXIV_IN_TEXT, DOI_IN_TEXT, YEAR_IN_TEXT, fields_of
from papergraph.ingest.parsers.document import kind_of
from papergraph.ingest.parsers.pdf.headings import FoundHeading, Lines
from papergraph.ingest.parsers.pdf.layout import Block, BlockKind, Line, is_page_number

LABEL = re.compile(
    r"(?:\[(?P<bracket>\d{1,4}|[^\W\d_][\w+*.:-]{0,11}\d{2}[a-z]?|"
    r"[^\W\d_][^\[\]]{0,50}[, (](?:1[5-9]|20)\d\d[a-z]?\)?)\]"
    r"|\((?P<round>\d{1,3})\)|(?P<number>\d{1,3})[.)]?(?=\s|$))[.:]?\s*"
)
"""Label of an entry: ``[12]``, ``[Knu97]``, ``[Knuth, 1997]``, ``(12)``, ``12.`` or ``12``."""

LONGEST_HEADING = 60
AUTHOR_BEGINS = re.compile(
    r"(?:[^\W\d_a-z]\.[-\s]?){1,5}[^\W\d_a-z]|[—–_-]{2,}|—|"
    r"[^\W\d_a-z][\w'’-]+(?:\s[^\W\d_a-z][\w'’-]+)?,?\s(?:[^\W\d_a-z]\.|[A-Z]{1,3}\b)"
)
MOST_LINES = 60
"""Lines of an entry."""

FEWEST_WITHOUT_HEADING = 3
MOST_BEGINS = 3
"""Lines that begin with ``[1]`` that are tried, from the last one."""

MOST_SILENT = 25
"""Lines in a row without a year or an identifier: an entry of many authors has as many."""

WORDS = re.compile(r"[^\W\d_]{2,}")
BULLETS = "•◦▪* "
FEWEST_WORDS = 3
"""Of an entry; less is the text of a figure."""

BACK_MATTER = re.compile(
    r"(?:affiliations?|(?:corresponding )?authors?[’']?s?[’']? (?:address|affiliation|information|biograph)\w*|"
    r"received|submitted|about the authors?)\b",
    re.IGNORECASE,
)
BIOGRAPHY = re.compile(
    r"\W{0,3}(?:[^\W\d_a-z][\w.’'-]*\s(?:(?:van|von|de|der|di|da|del|la)\s){0,2}){1,5}(?:\([^()]{1,60}\)\s)?"
    r"(?:[^\W\d_a-z][\w’'-]*\s){0,2}(?:is|was|received|joined|holds|has|earned|obtained|graduated|works|serves|currently)"
    r"\s.{0,300}?(?i:\b(?:professor|scientist|student|degrees?|ph\.?\s?d|research|interests?|engineer|university|institute|"
    r"lecturer|fellow|doctorate|b\.?\s?sc?|m\.?\s?sc?|postdoc\w*|manager|director)\b)"
)
"""Biography of an author after the list."""

PAGE_NUMBERS = re.compile(r"\W{0,3}(?:\d{1,3}\s){6}")
"""Page numbers of a table of contents that names the list."""

SILENT = re.compile(r"(?:e-?mail|url|fax|tel(?:ephone)?)\s*:", re.IGNORECASE)


CONTINUES = re.compile(r"doi:\s?10|https?://|arxiv:\d", re.IGNORECASE)


def find_entries(lines: Lines, headings: Sequence[FoundHeading], taken: set[int]) -> list[Block]:
    """Return the entries of all lists of references as blocks, in order.

    Args:
        lines: The document's lines.
        headings: Its headings.
        taken: Numbers of lines that are captions or tables.
    """
    found: list[Block] = []
    for first, after in _ranges(lines, headings):
        numbers = _of_list(lines, [number for number in range(first, after) if number not in taken])
        starts = _starts(lines, numbers)
        if starts:
            found += _as_works(lines, _blocks(lines, starts, numbers))
    return found or _without_heading(lines, headings, taken)


def _ranges(lines: Lines, headings: Sequence[FoundHeading]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each list and the one after it."""
    bounds = [*(heading.first for heading in headings), len(lines.lines)]
    covered: set[int] = set()
    for number, heading in enumerate(headings):
        covered |= set(range(heading.first, heading.last + 1))
        if heading.n_chars is None and kind_of(heading.title) == "references":
            yield heading.last + 1, bounds[number + 1]
    alone = [
        number
        for number, text in enumerate(lines.texts)
        if number not in covered
        and len(text) < LONGEST_HEADING
        and kind_of(text) == "references"
        and lines.gap_after(number) > 0.9
    ]
    bounds = sorted({*bounds, *alone})
    for number in alone:
        yield number + 1, bounds[bisect_right(bounds, number)]


def _of_list(lines: Lines, numbers: list[int]) -> list[int]:
    """Return the lines of a list, which ends before a larger heading or the first text that is not a reference."""
    if not numbers:
        return []
    first = numbers[0]
    size = lines.styles[first].size
    kept: list[int] = []
    for number in numbers:
        larger = lines.styles[number].size > max(size + 1.4, lines.body.size + 0.9)
        if number > first and larger and lines.gap_before(number) > 1.4:
            break
        if is_page_number(lines.texts[number]) and not lines.follows(number):
            continue
        kept.append(number)
    told = 0
    for place, number in enumerate(kept):
        if _tells_a_work(lines.texts[number]):
            told = place
        elif place - told > MOST_SILENT:
            return kept[: told + 4]
    return kept


def _without_heading(lines: Lines, headings: Sequence[FoundHeading], taken: set[int]) -> list[Block]:
    """Find a list that no heading is above of: labels in brackets from 1 on, each with a work, up to the text's end."""
    begins = [
        number
        for number, text in enumerate(lines.texts)
        if text.startswith("[1]") and number not in taken and number > len(lines.lines) // 3
    ]
    for first in reversed(begins[-MOST_BEGINS:]):
        after = next((heading.first for heading in headings if heading.first > first), len(lines.lines))
        numbers = [number for number in range(first, after) if number not in taken]
        starts = _labelled(lines, numbers)
        blocks = _as_works(lines, _blocks(lines, starts, numbers)) if starts else []
        if len(blocks) >= FEWEST_WITHOUT_HEADING and len(blocks) >= 0.7 * len(starts):
            return blocks
    return []


def _blocks(lines: Lines, starts: Sequence[int], numbers: Sequence[int]) -> list[Block]:
    chosen = set(starts)
    found: list[Block] = []
    open_first: int | None = None
    before = -1
    for number in numbers:
        if number in chosen or (open_first is not None and number != before + 1):
            if open_first is not None:
                found.append(Block(BlockKind.ENTRY, open_first, before))
            open_first = number if number in chosen else None
        before = number
    if open_first is not None:
        found.append(Block(BlockKind.ENTRY, open_first, before))
    return [_ended(lines, block) for block in found]


def _ended(lines: Lines, block: Block) -> Block:
    """Return an entry without what stands below it after a wide gap, or in a larger size."""
    last = block.first
    size = lines.styles[block.first].size
    for number in range(block.first + 1, min(block.last, block.first + MOST_LINES) + 1):
        step = lines.lines[number].y - lines.lines[number - 1].y
        if lines.follows(number) and step > 2.6 * max(size, lines.leading):
            break
        if lines.styles[number].size > size + 2.6:
            break
        last = number
    return Block(block.kind, block.first, last)


def _as_works(lines: Lines, blocks: Sequence[Block]) -> list[Block]:
    """Return the entries before the first that is not a reference; empty if most of them are not references."""
    texts = {block.first: " ".join(lines.texts[block.first : block.last + 1]) for block in blocks}
    labels = {first: match for first, text in texts.items() if (match := LABEL.match(text))}
    labelled = len(labels) > 0.6 * len(blocks)
    told: list[tuple[Block, bool]] = []
    for block in blocks:
        text = texts[block.first]
        if BACK_MATTER.match(text) or BIOGRAPHY.match(text):
            break
        if PAGE_NUMBERS.match(text):
            continue
        is_labelled = labelled and block.first in labels
        tells = _tells_a_work(text) and len(WORDS.findall(text)) > 1
        if tells or is_labelled or (len(WORDS.findall(text)) >= FEWEST_WORDS and not lines.looks[block.first][1]):
            label = labels[block.first][0] if is_labelled else ""
            told.append((replace(block, label=label), tells))
    kept = [
        block
        for number, (block, tells) in enumerate(told)
        if tells or block.label or (0 < number < len(told) - 1 and told[number - 1][1] and told[number + 1][1])
    ]
    while kept and not _tells_a_work(texts[kept[-1].first]):
        kept.pop()
    n_authored = sum(_begins_with_authors(texts[block.first].lstrip(BULLETS)) for block in kept)
    if not labelled and 3 * n_authored < len(kept):
        return []
    return kept if len(kept) > 0.6 * len(told) - 1 and 2 * sum(tells for _, tells in told) > len(kept) else []


def _begins_with_authors(text: str) -> bool:
    return AUTHOR_BEGINS.match(text) is not None or bool(fields_of(text).authors)


def _tells_a_work(text: str) -> bool:
    if len(text) < 15 or SILENT.match(text):
        return False
    return any(pattern.search(text) for pattern in (YEAR_IN_TEXT, DOI_IN_TEXT, ARXIV_IN_TEXT)) or bool(
        re.search(r"\bin press\b|\bto appear\b|\bsubmitted\b|\bforthcoming\b|n\. ?d\.|https?://", text, re.IGNORECASE)
    )


def _starts(lines: Lines, numbers: list[int]) -> list[int]:
    """Return the lines that entries begin with."""
    if not numbers:
        return []
    if starts := _labelled(lines, numbers):
        return starts
    for way in (_outdented, _after_gaps, _indented, _by_authors):
        if starts := way(lines, numbers):
            return [number for number in starts if number == numbers[0] or not _goes_on(lines, number)]
    return numbers[:1]


def _goes_on(lines: Lines, number: int) -> bool:
    """Say whether a line continues an entry: it is a link, or the line before ends with a comma."""
    return lines.texts[number - 1].endswith(",") or CONTINUES.match(lines.texts[number]) is not None


def _labelled(lines: Lines, numbers: list[int]) -> list[int]:
    """Return the lines whose labels count on, or are words in brackets."""
    labels = [(number, match) for number in numbers if (match := LABEL.match(lines.texts[number]))]
    if not labels or labels[0][0] - numbers[0] > 2:
        return []
    by_word = [number for number, match in labels if match["bracket"] and not match["bracket"].isdigit()]
    kinds: dict[str, list[int]] = {}
    for kind in ("bracket", "number", "round"):
        counted = _counted(lines, [(n, int(m[kind])) for n, m in labels if m[kind] and m[kind].isdigit()], kind)
        if counted:
            kinds[kind] = counted
    best = max(kinds.values(), key=len, default=[])
    if len(by_word) > len(best):
        return by_word if by_word[0] == numbers[0] or by_word[0] - numbers[0] <= 2 else []
    if not best or best[0] - numbers[0] > 2 or (len(best) < 2 and len(numbers) > 6):
        return []
    return best


def _counted(lines: Lines, labels: list[tuple[int, int]], kind: str) -> list[int]:
    """Return the lines of labels that count on from the first; a number without brackets begins at a margin."""
    found: list[int] = []
    value = None
    for number, label in labels:
        if value is None:
            if label > 1 and kind != "bracket":
                return []
        elif not value < label <= value + (3 if kind == "bracket" else 1):
            continue
        found.append(number)
        value = label
    return found


def _groups(lines: Lines, numbers: Sequence[int]) -> dict[int, float]:
    """Return for each line how far it stands to the right of its column's margin, in points.

    A column that holds nothing but lines further in is measured by the columns of the other pages.
    """
    columns: list[list[int]] = []
    for number in numbers:
        line = lines.lines[number]
        column = next((one for one in columns[:-5:-1] if _is_below(line, lines.lines[one[-1]])), None)
        if column is None:
            columns.append([number])
        else:
            column.append(number)
    margins = [min(lines.lines[number].x0 for number in column) for column in columns]
    usual = _usual_indent(lines, columns, margins)
    parted = {
        round(margin)
        for column, margin in zip(columns, margins, strict=True)
        if any(lines.lines[number].x0 - margin > 0.6 * usual for number in column)
    }
    shift: dict[int, float] = {}
    for column, margin in zip(columns, margins, strict=True):
        further_in = usual > 0 and all(lines.lines[number].x0 - margin < 0.35 * usual for number in column)
        if further_in and not _near(margin, parted) and _near(margin - usual, parted):
            margin -= usual
        shift.update({number: lines.lines[number].x0 - margin for number in column})
    return shift


def _is_below(line: Line, above: Line) -> bool:
    return line.page == above.page and line.y > above.y and above.x0 - 60 < line.x0 < above.x1


def _near(margin: float, others: set[int]) -> bool:
    return any(round(margin) + step in others for step in (-1, 0, 1))


def _usual_indent(lines: Lines, columns: Sequence[list[int]], margins: Sequence[float]) -> float:
    steps = Counter(
        round(lines.lines[number].x0 - margin)
        for column, margin in zip(columns, margins, strict=True)
        for number in column
        if lines.lines[number].x0 - margin > 3
    )
    return float(steps.most_common(1)[0][0]) if steps else 0.0


def _outdented(lines: Lines, numbers: list[int]) -> list[int]:
    """Return the lines at the margin where the others stand further in."""
    shift = _groups(lines, numbers)
    size = median(lines.styles[number].size for number in numbers)
    inner = [number for number in numbers if shift[number] > 0.45 * size]
    outer = [number for number in numbers if shift[number] <= 0.45 * size]
    if not inner or not outer or shift[numbers[0]] > 0.45 * size:
        return []
    if len(outer) > 1 and len(inner) < 0.12 * len(numbers):
        return []
    inside = {round(shift[number] / 3) for number in inner}
    if len(inside) > max(4, len(inner) // 2):
        return []
    good = sum(_looks_like_start(lines.texts[number]) for number in outer)
    return outer if 2 * good >= len(outer) else []


def _looks_like_start(text: str) -> bool:
    return (
        text[:1].isupper()
        or not text[:1].isalnum()
        or bool(re.match(r"(?:van|von|de|der|den|di|da|d'|d’|le|la|al|ten|ter)\b", text))
        or text[:1].isdigit()
    )


def _after_gaps(lines: Lines, numbers: list[int]) -> list[int]:
    """Return the lines after gaps that are wider than those within entries."""
    steps = {
        number: lines.lines[number].y - lines.lines[number - 1].y for number in numbers[1:] if lines.follows(number)
    }
    if len(steps) < 2:
        return numbers[:1] if len(numbers) <= 3 else []
    narrow = sorted(steps.values())[len(steps) // 10]
    wide = [number for number, step in steps.items() if step > 1.18 * narrow]
    if not 0.08 * len(steps) <= len(wide) or sum(_looks_like_start(lines.texts[n]) for n in wide) < 0.7 * len(wide):
        return []
    tops = [
        number
        for number in numbers[1:]
        if number not in steps and _ends(lines, number - 1) and _looks_like_start(lines.texts[number])
    ]
    return sorted({numbers[0], *wide, *tops})


def _ends(lines: Lines, number: int) -> bool:
    line = lines.lines[number]
    return lines.texts[number].rstrip().endswith((".", ")", "]")) or line.x1 < line.right - 0.25 * (
        line.right - line.left
    )


def _indented(lines: Lines, numbers: list[int]) -> list[int]:
    """Return the lines that stand further in where most stand at the margin."""
    shift = _groups(lines, numbers)
    size = median(lines.styles[number].size for number in numbers)
    inner = [number for number in numbers if 0.6 * size < shift[number] < 5 * size]
    if not inner or inner[0] != numbers[0] or len(inner) > 0.7 * len(numbers):
        return []
    return inner if sum(_looks_like_start(lines.texts[number]) for number in inner) > 0.7 * len(inner) else []


def _by_authors(lines: Lines, numbers: list[int]) -> list[int]:
    """Return the lines that begin with a name after a line that ends an entry."""
    return [
        number
        for place, number in enumerate(numbers)
        if place == 0
        or (
            AUTHOR_BEGINS.match(lines.texts[number])
            and (
                _ends(lines, numbers[place - 1])
                or (YEAR_IN_TEXT.search(lines.texts[number]) and YEAR_IN_TEXT.search(lines.texts[numbers[place - 1]]))
            )
        )
    ]


def split_label(text: str, label: str) -> tuple[str, str]:
    """Return an entry's label without brackets, and the rest of its text; ``label`` is its printed label, or ''."""
    match = LABEL.match(text) if label else None
    if match is None:
        return "", text.lstrip(BULLETS)
    return match["bracket"] or match["round"] or match["number"], text[match.end() :]
