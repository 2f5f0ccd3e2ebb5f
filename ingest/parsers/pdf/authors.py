"""Authors, affiliations and ORCIDs on the first page, between the title and the abstract.

Names stand in lines of one look. An affiliation is told by its words, a number, or the raised mark that begins it; a
raised mark after a name refers to it. In a grid of names the next row of names follows a wider gap or an e-mail.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.parsers.document import LONGEST_NAME
from ingest.parsers.pdf.glyphs import Segment, Style
from ingest.parsers.pdf.heading_lines import Lines
from ingest.parsers.pdf.layout import Line
from ingest.parsers.pdf.names import DEGREE, LONG_NUMBER, MAIL, PLACE_OR_INSTITUTION, in_mixed_case, is_name, names_in
from ingest.parsers.pdf.title import fold

MOST_AUTHORS = 500
MOST_LINES = 60
MARK = "\x1f"
ORCID = re.compile(r"\b(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\b")
MARK_ONLY = re.compile(r"[\W\d_]{0,6}|[\W\d_]{0,3}[a-z](?:[\W\d_]{1,3}[a-z]){0,4}[\W\d_]{0,3}")
STARTS_WITH_MARK = re.compile(r"(?:\d{1,2}|[∗*†‡§¶#]|\([a-z\d]\))\s*(?=[^\W\d_])")
END_OF_FRONT = re.compile(
    r"(?:abstract|summary|key ?words|index terms|contents|introduction|resumo|r[ée]sum[ée]|zusammenfassung)\b",
    re.IGNORECASE,
)
NEW_ROW_GAP = 1.35
"""In leadings: what is further below the line before begins another row of names."""

MOST_AFFILIATIONS = 100
LONGEST_AFFILIATION = 400


@dataclass(frozen=True)
class Authors:
    """What the first page says of its authors.

    Attributes:
        names: In order.
        affiliations: Institutions and addresses as printed, in order.
        orcids: ORCIDs in the order of the page.
    """

    names: tuple[str, ...] = ()
    affiliations: tuple[str, ...] = ()
    orcids: tuple[str, ...] = ()


def find_authors(lines: Lines, named: Sequence[str], title: range, before: int) -> Authors:
    """Return the authors between the title and line ``before``.

    Args:
        lines: All lines.
        named: The names in the file's metadata; believed where the page spells all of them.
        title: Lines of the title.
        before: First line that belongs to the text.
    """
    printed, affiliations, region = _printed(lines, title, before)
    text = " ".join(line.text for line in lines.lines if line.page <= 1)
    folded = fold(text)
    of_file = tuple(dict.fromkeys(name for name in map(_bare, named) if name and fold(name) in folded))
    complete = len(of_file) == len({_bare(name) for name in named if _bare(name)})
    names = printed
    if (
        of_file
        and complete
        and len(of_file) >= len(printed)
        and (not printed or set(map(fold, printed)) <= _folds(of_file))
    ):
        names = of_file
    orcids = tuple(dict.fromkeys(match for line in region for match in ORCID.findall(line.text)))
    return Authors(names[:MOST_AUTHORS], affiliations, orcids)


def _folds(names: Sequence[str]) -> set[str]:
    return {fold(name) for name in names}


def _bare(name: str) -> str:
    """Return a name of the metadata without e-mail and degrees; empty if it is no name."""
    bare = " ".join(DEGREE.sub(" ", MAIL.sub(" ", name)).split()).strip(" ,;")
    return in_mixed_case(bare) if len(bare) <= LONGEST_NAME and is_name(bare.split()) else ""


def _printed(lines: Lines, title: range, before: int) -> tuple[tuple[str, ...], tuple[str, ...], list[Line]]:
    """Return the names, the affiliations, and the lines that hold them."""
    start = title.stop if title else 0
    names: dict[str, None] = {}
    affiliations: list[str] = []
    region: list[Line] = []
    look: Style | None = None
    in_affiliation = False
    for number in range(start, min(before, start + MOST_LINES, len(lines.lines))):
        line, text = lines.lines[number], lines.texts[number]
        if line.page != lines.lines[start].page or END_OF_FRONT.match(text) or (names and _is_prose(lines, number)):
            break
        region.append(line)
        if number > start and lines.gap_before(number) > NEW_ROW_GAP:
            in_affiliation = False
        found = [name for segment in line.segments for name in _names_of(segment, look)]
        says_place = _says_place(line)
        if found and not in_affiliation and not _begins_with_mark(line) and not (says_place and not _names_first(line)):
            names.update(dict.fromkeys(found))
            look = look or _look_of(line)
            in_affiliation = _ends_in_place(line)
            continue
        in_affiliation = in_affiliation or says_place or _begins_with_mark(line)
        if "@" in text:
            in_affiliation = False
        elif in_affiliation and names and len(affiliations) < MOST_AFFILIATIONS:
            _add_affiliation(affiliations, line, lines, number)
    return tuple(names), tuple(affiliation[:LONGEST_AFFILIATION] for affiliation in affiliations), region


def _names_of(segment: Segment, look: Style | None) -> list[str]:
    """Return the names of a segment; none where it does not look as the first line of names does."""
    style = segment.style
    if look is not None and (
        abs(style.size - look.size) > 0.6 or style.italic != look.italic or style.bold != look.bold
    ):
        return []
    text = _with_marks(segment)
    return list(names_in(text)) if not LONG_NUMBER.search(MAIL.sub("", ORCID.sub("", text))) else []


def _look_of(line: Line) -> Style:
    return max((segment for segment in line.segments if len(segment.text) > 3), key=lambda s: len(s.text)).style


def _with_marks(segment: Segment) -> str:
    """Return a segment's text with each raised run replaced by a mark."""
    parts = []
    for position, run in enumerate(segment.runs):
        end = segment.runs[position + 1].start if position + 1 < len(segment.runs) else len(segment.text)
        parts.append(MARK if run.raised else segment.text[run.start : end])
    return "".join(parts) if parts else segment.text


def _begins_with_mark(line: Line) -> bool:
    """Say whether a line begins with the mark of an affiliation or a note."""
    first, *others = line.segments
    if others and MARK_ONLY.fullmatch(first.text) and first.text.strip():
        return True
    if first.runs and first.runs[0].raised:
        rest = first.text[first.runs[1].start :] if len(first.runs) > 1 else ""
        return rest[:1].isalnum()
    return STARTS_WITH_MARK.match(first.text) is not None


def _says_place(line: Line) -> bool:
    bare = MAIL.sub("", DEGREE.sub("", line.text))
    return PLACE_OR_INSTITUTION.search(bare) is not None or LONG_NUMBER.search(ORCID.sub("", bare)) is not None


def _names_first(line: Line) -> bool:
    """Say whether a line that names a place begins with a name: "Jane Doe, University of Somewhere"."""
    first = next((s for s in line.segments if len(s.text) > 3), line.segments[0])
    return bool(list(names_in(_with_marks(first)))) and not LONG_NUMBER.search(first.text.partition(",")[0])


def _ends_in_place(line: Line) -> bool:
    return _says_place(line) and len(line.segments) == 1


def _is_prose(lines: Lines, number: int) -> bool:
    words = lines.texts[number].split()
    if number + 1 >= len(lines.lines) or len(words) < 7:
        return False
    after = lines.texts[number + 1].split()
    both = words + after if lines.follows(number + 1) else words
    return sum(word[:1].islower() for word in both) > 0.6 * len(both)


def _add_affiliation(affiliations: list[str], line: Line, lines: Lines, number: int) -> None:
    text = " ".join(_without_mark(line).split())
    if not any(map(str.isalpha, text)):
        return
    begins = _begins_with_mark(line) or not affiliations or lines.gap_before(number) > NEW_ROW_GAP
    if begins or not lines.follows(number):
        affiliations.append(text)
    else:
        affiliations[-1] = f"{affiliations[-1]} {text}"


def _without_mark(line: Line) -> str:
    texts = [segment.text for segment in line.segments]
    first = line.segments[0]
    if first.runs and first.runs[0].raised and len(first.runs) > 1:
        texts[0] = first.text[first.runs[1].start :]
    elif len(texts) > 1 and MARK_ONLY.fullmatch(texts[0]):
        texts = texts[1:]
    else:
        texts[0] = STARTS_WITH_MARK.sub("", texts[0], count=1) if STARTS_WITH_MARK.match(texts[0]) else texts[0]
    return " ".join(texts)
