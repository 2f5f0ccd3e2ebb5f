"""What the first page says of a paper: title, authors, abstract, DOI and arXiv id.

The file's own metadata is believed where the page shows the same: many files carry the name of a template.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.parsers.document import LONGEST_NAME, LONGEST_TITLE
from ingest.parsers.pdf.glyphs import Segment
from ingest.parsers.pdf.heading_lines import KNOWN, Lines
from ingest.parsers.pdf.layout import STAMP, Line
from schema.ids import arxiv_key, doi_key

FEWEST_TITLE_LETTERS = 8
TOP = 0.6
"""Share of the first page's lines among which the title is looked for."""

DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+")
SEPARATOR = re.compile(r"\s*(?:[,;·•|&†‡§¶∗*]|\band\b|\s{3,})\s*")
MARKS = re.compile(r"[\d∗*†‡§¶#$(){}\[\]^~]+")
NAME_WORD = r"(?:[^\W\d_]\.(?:-?[^\W\d_]\.)*|(?:[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]*['’\-‐]?)+\.?)"
PARTICLE = r"(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|el|al|bin|ibn|ter|ten|zu|zur|af|y)"
NAME = re.compile(rf"{NAME_WORD}(?:\s+(?:{PARTICLE}|{NAME_WORD})){{1,5}}")
NO_NAME = re.compile(
    r"universit|institut|departe?ment|laborator|college|school|academy|center|centre|hospital|faculty|research|inc\b|ltd|gmbh|corp"
    r"|company|group|division|national|science|technolog|engineering|college|abstract|published|received|accepted|revised|"
    r"correspond|author|email|copyright|licen[cs]e|journal|proceedings|conference|volume|editor|article|version|arxiv|doi|"
    r"january|february|march|april|\bmay\b|june|july|august|september|october|november|december|street|avenue|"
    r"united|china|usa|germany|france|canada|italy|kingdom|america|japan|open access|reviewed|associates",
    re.IGNORECASE,
)
MOST_AUTHORS = 500


@dataclass(frozen=True)
class FileInfo:
    """What the file says of itself; any may be empty."""

    title: str = ""
    authors: tuple[str, ...] = ()
    doi: str = ""


def find_title(lines: Lines, info: FileInfo) -> range:
    """Return the lines of the title on the first page; none if there is no such line."""
    on_first = [number for number, line in enumerate(lines.lines) if line.page == lines.lines[0].page]
    top = on_first[: max(6, int(TOP * len(on_first)))]
    if (named := _folded(info.title)) and len(named) >= FEWEST_TITLE_LETTERS and (found := _spelled(lines, top, named)):
        return found
    later = Counter(
        lines.styles[number] for number in range(len(lines.lines)) if lines.lines[number].page > lines.lines[0].page
    )
    groups = [group for group in _groups(lines, top) if _may_be_title(lines, group)]
    larger = [
        group
        for group in groups
        if lines.styles[group[0]].size >= lines.body.size + 1 and later[lines.styles[group[0]]] <= 1
    ]
    if larger:
        return max(larger, key=lambda group: (lines.styles[group[0]].size, -group[0]))
    if groups and groups[0][0] == top[0] and lines.styles[top[0]].bold and not later[lines.styles[top[0]]]:
        return groups[0]
    return range(0)


def find_authors(lines: Lines, info: FileInfo, title: range, before: int) -> tuple[str, ...]:
    """Return the names between the title and line ``before``; those of the file's metadata if the page shows them."""
    page = _folded(" ".join(text for text, line in zip(lines.texts, lines.lines, strict=True) if line.page <= 1))
    named = [name for name in info.authors if 0 < len(name) <= LONGEST_NAME]
    if named and all(_folded(name.split()[-1]) in page for name in named if name.split()):
        return tuple(dict.fromkeys(named))
    names: dict[str, None] = {}
    start = title.stop if title else 0
    for number in range(start, min(before, start + 40)):
        if lines.lines[number].page != lines.lines[start].page:
            break
        found = list(_names(lines.lines[number]))
        if not found and names and _is_prose(lines, number):
            break
        names.update(dict.fromkeys(found))
    return tuple(names)[:MOST_AUTHORS]


def find_doi(info: FileInfo, first_lines: Sequence[Line], running: Sequence[Segment]) -> str | None:
    """Return the DOI of the metadata, else the only one beside the running text of the first page."""
    found = {
        doi
        for text in (info.doi, *(line.text for line in first_lines), *(segment.text for segment in running))
        for match in DOI.finditer(text)
        if (doi := _doi(match[0]))
    }
    of_file = _doi(info.doi)
    return of_file or (found.pop() if len(found) == 1 else None)


def find_arxiv_id(running: Sequence[Segment]) -> str | None:
    """Return the id of the stamp that arXiv prints in the margin."""
    for segment in running:
        if match := STAMP.search(segment.text):
            try:
                return arxiv_key(match[1]).partition(":")[2]
            except ValueError:
                continue
    return None


def _doi(text: str) -> str | None:
    try:
        return doi_key(text.rstrip(".,;)")).partition(":")[2] if text else None
    except ValueError:
        return None


def _spelled(lines: Lines, top: Sequence[int], folded: str) -> range | None:
    for first in top:
        text = ""
        for last in range(first, min(first + 6, len(lines.lines))):
            text += _folded(lines.texts[last])
            if text == folded:
                return range(first, last + 1)
            if not folded.startswith(text):
                break
    return None


def _groups(lines: Lines, numbers: Sequence[int]) -> list[range]:
    """Return runs of lines of one size and weight, one below the other."""
    groups: list[range] = []
    for number in numbers:
        style = lines.styles[number]
        if groups and groups[-1].stop == number and lines.follows(number):
            before = lines.styles[number - 1]
            near = lines.lines[number].y - lines.lines[number - 1].y < 2 * max(style.size, 1)
            if near and abs(before.size - style.size) < 0.6 and before.bold == style.bold:
                groups[-1] = range(groups[-1].start, number + 1)
                continue
        groups.append(range(number, number + 1))
    return groups


def _may_be_title(lines: Lines, group: range) -> bool:
    text = " ".join(lines.texts[number] for number in group)
    letters = sum(map(str.isalpha, text))
    return (
        letters >= FEWEST_TITLE_LETTERS
        and len(text) <= LONGEST_TITLE
        and len(text.split()) > 1
        and not KNOWN.fullmatch(text)
        and letters > 0.6 * len(text.replace(" ", ""))
    )


def _names(line: Line) -> list[str]:
    text = line.text
    for segment in line.segments:
        for run, after in zip(segment.runs, [*segment.runs[1:], None], strict=True):
            if run.raised:
                raised = segment.text[run.start : after.start if after else None]
                text = text.replace(raised, ",", 1) if raised.strip() else text
    if "@" in text or "http" in text:
        return []
    names = []
    for part in SEPARATOR.split(MARKS.sub(",", text)):
        bare = " ".join(part.split()).strip(" .,")
        if NAME.fullmatch(bare) and not NO_NAME.search(bare) and len(bare) <= LONGEST_NAME:
            names.append(bare)
        elif NO_NAME.search(bare):
            break
    return names


def _is_prose(lines: Lines, number: int) -> bool:
    words = lines.texts[number].split()
    return len(words) > 5 and sum(word[:1].islower() for word in words) > 0.6 * len(words)


def _folded(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
