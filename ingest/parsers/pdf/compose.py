"""Lines in reading order to a text: paragraphs, words that were broken at line ends, and where each page begins."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ingest.parsers.pdf.abstract import KEYWORDS
from ingest.parsers.pdf.blocks import Block, BlockKind
from ingest.parsers.pdf.composed import Composed, PlacedParagraph
from ingest.parsers.pdf.glyphs import HYPHENS, Segment
from ingest.parsers.pdf.heading_lines import FoundHeading, Lines
from ingest.parsers.pdf.layout import Line, TableLine

SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]\d]*$")
CAPTION = re.compile(r"(?:fig(?:ure|\.)?|table|algorithm|listing)\s*\d", re.IGNORECASE)
ENTRY = re.compile(r"\[\w{1,12}\]|\d{1,3}\.\s")
LAST_WORD = re.compile(r"[^\W\d_]+$")
FIRST_WORD = re.compile(r"[^\W\d_]+")
COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")
WORD = re.compile(r"[^\W\d_]{2,}")
PREFIXES = frozenset({"all", "cross", "ex", "half", "high", "low", "non", "quasi", "self", "well"})
"""What a hyphen stays after where the document itself does not tell."""

MOST_FLOATS = 40
"""Captions, notes and the like that may stand between the halves of a paragraph."""

LINK = re.compile(r"https?:|www\.|doi|\b10\.\d", re.IGNORECASE)
SUPERSCRIPT_AFTER = re.compile(r"[a-z]{3,}[.,;:)]?$")


@dataclass
class Paragraph:
    """Lines that belong together; ``heading`` or ``block`` if they are one."""

    lines: list[Line]
    text: str
    heading: FoundHeading | None = None
    starts: list[int] = field(default_factory=list)  # first character of each line
    size: float = 0.0
    block: Block | None = None


class Vocabulary:
    """The words of a document, to tell which hyphens at line ends belong to the word."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: Counter[str] = Counter()
        self._compounds: Counter[str] = Counter()
        for text in texts:
            inside = text.partition(" ")[2].rpartition(" ")[0].casefold()  # first and last word may be halves
            self._words.update(WORD.findall(inside))
            self._compounds.update(COMPOUND.findall(inside))

    def keeps_hyphen(self, left: str, right: str) -> bool:
        """Say whether a hyphen between two halves belongs to the word."""
        left, right = left.casefold(), right.casefold()
        joined, compound = self._words[left + right], self._compounds[f"{left}-{right}"]
        if joined or compound:
            return compound > joined
        return left in PREFIXES


def join(before: str, after: str, vocabulary: Vocabulary) -> str:
    """Join the text of a line to what comes before it, without the hyphen if that broke a word."""
    if not before or not after:
        return before or after
    if before[-1] not in HYPHENS:
        return f"{before} {after}"
    stem = before[:-1]
    left, right = LAST_WORD.search(stem), FIRST_WORD.match(after)
    if not stem or stem[-1].isspace():
        return f"{stem}- {after}"
    if not left or not right or not right[0][0].islower() or vocabulary.keeps_hyphen(left[0], right[0]):
        return f"{stem}-{after}"
    return stem + after


def breaks_link(before: str, after: str) -> bool:
    """Say whether a link or DOI that a line ends in goes on in the next line."""
    last, first = before.rpartition(" ")[2], after.partition(" ")[0]
    link = LINK.search(last)
    if link is None or not first:
        return False
    if last[-1] in "/-_=&?%#:~" or first[0] in "/_=&?%#~" or re.fullmatch(r"(?:.*[:/])?10\.\d*", last):
        return True
    return last[-1] == "." and (first[0].isdigit() or first[0].islower()) and not re.fullmatch(r"\d{4}[.)].*", first)


def compose(lines: Lines, headings: Sequence[FoundHeading], title: range, blocks: Sequence[Block] = ()) -> Composed:
    """Put the text together; the lines of ``title`` come first."""
    vocabulary = Vocabulary(lines.texts)
    paragraphs = list(_paragraphs(lines, headings, title, vocabulary, {block.first: block for block in blocks}))
    paragraphs = _around_floats(paragraphs, lines.body.size, vocabulary)
    placed: list[PlacedParagraph] = []
    length = 0
    n_on_pages = sum(n_hyphens(line.markdown if isinstance(line, TableLine) else line.text) for line in lines.lines)
    for one in paragraphs:
        if one.text:
            starts = tuple(min(start, len(one.text)) for start in one.starts)
            placed.append(PlacedParagraph(length, one.text, tuple(one.lines), starts, one.heading, one.size, one.block))
            length += len(one.text) + 2
    whole = "".join(f"{one.text}\n\n" for one in placed)
    return Composed(whole, tuple(placed), n_on_pages - n_hyphens(whole))


def n_hyphens(text: str) -> int:
    """Return the number of hyphens of any kind."""
    return sum(text.count(hyphen) for hyphen in HYPHENS)


def shown(line: Line) -> str:
    """Return a line's text with a blank before superscripts that follow a word: marks of notes and citations."""
    return " ".join(_shown(segment) for segment in line.segments)


def _shown(segment: Segment) -> str:
    text, cut = "", 0
    for run in segment.runs:
        if run.raised:
            text += segment.text[cut : run.start]
            cut = run.start
            if SUPERSCRIPT_AFTER.search(text):
                text += " "
    return text + segment.text[cut:]


def _paragraphs(
    lines: Lines,
    headings: Sequence[FoundHeading],
    title: range,
    vocabulary: Vocabulary,
    blocks: Mapping[int, Block],
) -> Iterable[Paragraph]:
    by_line = {heading.first: heading for heading in headings}
    if title:
        yield _made([lines.lines[number] for number in title], vocabulary)
    open_lines: list[Line] = []
    number = 0
    after_heading = True
    while number < len(lines.lines):
        if number in title:
            number += 1
            continue
        heading = by_line.get(number)
        if heading is not None:
            if open_lines:
                yield _made(open_lines, vocabulary)
                open_lines = []
            if heading.n_chars is None:
                paragraph = _made(lines.lines[heading.first : heading.last + 1], vocabulary)
                paragraph.heading = heading
                yield paragraph
                number = heading.last + 1
            else:
                line = lines.lines[number]
                whole = shown(line)
                yield Paragraph([line], whole[: heading.n_chars].strip(), heading, [0], lines.body.size)
                open_lines = [_rest(line, heading.n_chars)]
                number += 1
            after_heading = True
            continue
        if (block := blocks.get(number)) is not None:
            if open_lines:
                yield _made(open_lines, vocabulary)
                open_lines = []
            yield _block(lines.lines[block.first : block.last + 1], block, vocabulary)
            number = block.last + 1
            continue
        line = lines.lines[number]
        if open_lines and not after_heading and _begins(lines, number):
            yield _made(open_lines, vocabulary)
            open_lines = []
        open_lines.append(line)
        after_heading = False
        number += 1
    if open_lines:
        yield _made(open_lines, vocabulary)


def _block(lines: Sequence[Line], block: Block, vocabulary: Vocabulary) -> Paragraph:
    first = lines[0]
    if isinstance(first, TableLine):
        text = _clean(first.markdown)
        row_starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
        return Paragraph(first.row_lines, text, None, row_starts[:1] + row_starts[2:], block=block)
    paragraph = _made(lines, vocabulary, links=block.kind is BlockKind.ENTRY)
    paragraph.block = block
    return paragraph


def _rest(line: Line, n_chars: int) -> Line:
    """Return a line without its first characters."""
    first, *others = line.segments
    edges = first.edges[2 * n_chars :]
    x0 = edges[0] if edges else first.x0
    cut = Segment(first.text[n_chars:], x0, first.x1, first.y, first.styles, [], edges)
    return Line(line.page, [cut, *others], line.left, line.right, line.angle)


def _begins(lines: Lines, number: int) -> bool:
    """Say whether a line begins a paragraph."""
    before, line = lines.lines[number - 1], lines.lines[number]
    if abs(lines.styles[number].size - lines.styles[number - 1].size) > 0.7 or CAPTION.match(lines.texts[number]):
        return True
    if line.page <= 1 and lines.follows(number) and KEYWORDS.match(lines.texts[number]):
        return True
    ended = SENTENCE_END.search(lines.texts[number - 1]) is not None
    size = max(lines.styles[number].size, 1.0)
    if not lines.follows(number):
        return ended and not lines.texts[number][:1].islower()
    gap = line.y - before.y
    if gap > 1.45 * max(lines.leading * size / max(lines.body.size, 1.0), size):
        return True
    if len(line.segments) > 1 and len(before.segments) > 1:
        return True  # rows of a table
    indented = line.x0 - before.x0 > 0.7 * size and line.x0 - line.left > 0.7 * size
    short = before.x1 < before.right - 0.2 * (before.right - before.left)
    if ENTRY.match(lines.texts[number]) and line.x0 < before.x0 + 1:
        return True
    return (ended and (indented or short)) or (line.x0 < before.x0 - 0.7 * size and ended and short)


def _made(lines: Sequence[Line], vocabulary: Vocabulary, *, links: bool = False) -> Paragraph:
    """Return lines as a paragraph; ``links`` puts links and DOIs together that are broken at line ends."""
    text = ""
    starts: list[int] = []
    for line in lines:
        added = shown(line)
        text = text + added if links and breaks_link(text, added) else join(text, added, vocabulary)
        starts.append(len(text) - len(added))
    sizes = Counter[float]()
    for line in lines:
        for style, count in line.styles.items():
            sizes[style.size] += count
    paragraph = Paragraph(list(lines), _clean(text), None, starts, sizes.most_common(1)[0][0] if sizes else 0.0)
    return paragraph


def _clean(text: str) -> str:
    """Return a text with ordinary hyphens, and without those that show only at a line's end."""
    for hyphen in HYPHENS:
        text = text.replace(hyphen, "-")
    return text


def _around_floats(paragraphs: list[Paragraph], body: float, vocabulary: Vocabulary) -> list[Paragraph]:
    """Put together paragraphs that a caption, a note or a new page parts, and these after them."""
    result: list[Paragraph] = []
    number = 0
    while number < len(paragraphs):
        paragraph = paragraphs[number]
        number += 1
        floats: list[Paragraph] = []
        while _is_open(paragraph, body):
            after = number
            while (
                after < len(paragraphs)
                and len(floats) + after - number < MOST_FLOATS
                and _is_float(paragraphs[after], body)
            ):
                after += 1
            beside = any(other.block is not None for other in paragraphs[number:after])
            if after >= len(paragraphs) or not _continues(paragraph, paragraphs[after], body, apart=beside):
                break
            floats += paragraphs[number:after]
            paragraph = _merged(paragraph, paragraphs[after], vocabulary)
            number = after + 1
        result += [paragraph, *floats]
    return result


def _is_open(paragraph: Paragraph, body: float) -> bool:
    return (
        paragraph.heading is None
        and paragraph.block is None
        and abs(paragraph.size - body) < 0.6
        and not CAPTION.match(paragraph.text)
        and SENTENCE_END.search(paragraph.text) is None
        and len(paragraph.text) > 60
    )


def _is_float(paragraph: Paragraph, body: float) -> bool:
    if paragraph.block is not None:
        return paragraph.block.kind is not BlockKind.ENTRY
    return paragraph.heading is None and (
        paragraph.size < body - 0.6 or CAPTION.match(paragraph.text) is not None or _is_table(paragraph)
    )


def _is_table(paragraph: Paragraph) -> bool:
    return 2 * sum(len(line.segments) > 1 for line in paragraph.lines) > len(paragraph.lines)


def _continues(paragraph: Paragraph, other: Paragraph, body: float, *, apart: bool) -> bool:
    apart = apart or paragraph.lines[-1].page != other.lines[0].page or other.lines[0].y < paragraph.lines[-1].y
    return (
        apart
        and other.heading is None
        and other.block is None
        and abs(other.size - body) < 0.6
        and not _is_float(other, body)
        and other.lines[0].page - paragraph.lines[-1].page <= 1
    )


def _merged(paragraph: Paragraph, other: Paragraph, vocabulary: Vocabulary) -> Paragraph:
    text = join(paragraph.text, other.text, vocabulary)
    shift = len(text) - len(other.text)
    starts = [*paragraph.starts, *(shift + start for start in other.starts)]
    return Paragraph([*paragraph.lines, *other.lines], text, None, starts, paragraph.size)
