"""Captions: paragraphs that stand at a figure, table or the like and begin with what it is called and its number.

``Figure 3: …``, ``Table 2`` on a line of its own and ``Fig. 3. …`` are captions; a sentence such as "Figure 3 shows …"
is none, nor a line within a paragraph that happens to begin with such words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.parsers.pdf.blocks import Block, BlockKind
from ingest.parsers.pdf.heading_lines import Lines
from ingest.parsers.pdf.layout import Line, TableLine

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
TABLE = re.compile(r"(?:\w+ )*(?:tab|cuadro|quadro|表)", re.IGNORECASE)
VERB = re.compile(
    r"(?:(?:also|then|now|only|clearly|thus)\s)?(?:shows?|gives?|lists?|presents?|illustrates?|depicts?|summari[sz]es?|contains?|compares?|displays?|"
    r"is|are|was|were|has|have|can|may|and|in|of|for|to|we|where|which|that|provides?|reports?|plots?|demonstrates?|"
    r"describes?|indicates?|reveals?|suggests?|on|with|as|at|from|by|or|below|above|does|do|includes?|zeigt|mostra)\b"
)
ENDED = re.compile(r"[.!?:][\"'”’)\]\d]*$")
MOST_LINES = 40


@dataclass(frozen=True)
class CaptionLabel:
    """What a caption calls its figure or table: ``is_table``, ``text`` such as "Table 2", and where its words begin."""

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
    return CaptionLabel(TABLE.match(match["name"]) is not None, " ".join(label.split()), match.end())


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
