"""Which lines are headings: by the PDF's own outline, else by its fonts, else by the names that sections have.

What the outline leaves out although it is there (an abstract, the references) is added by its name. Fonts: a style that
is not the running text's, whose lines are short and stand alone, and some of which are numbered or have a known name.
"""

import re
from collections.abc import Callable, Sequence

from ingest.parsers.document import HeadingSource
from ingest.parsers.pdf.heading_fonts import headings_by_fonts
from ingest.parsers.pdf.heading_lines import (
    ALWAYS,
    KNOWN,
    LONGEST,
    MOST_LINES,
    NUMBER,
    FoundHeading,
    Lines,
    OutlineEntry,
    find_candidates,
    numbered_part,
)

FEWEST_MATCHED = 0.7
"""Share of the outline's entries that must stand on the pages, for the outline to be believed."""
RUN_IN = re.compile(r"(?P<title>abstract|summary)\s*[.:—–-]+\s*(?=\S)", re.IGNORECASE)

ABSTRACT = re.compile(
    r"abstract|summary|resumo|resumen|r[ée]sum[ée]|zusammenfassung|kurzfassung|samenvatting", re.IGNORECASE
)


def find_headings(lines: Lines, outline: Sequence[OutlineEntry]) -> tuple[list[FoundHeading], HeadingSource]:
    """Return the headings in reading order, and what they were found by."""
    if not lines.lines:
        return [], HeadingSource.NONE
    ways: tuple[tuple[HeadingSource, Callable[[], list[FoundHeading]]], ...] = (
        (HeadingSource.OUTLINE, lambda: _by_outline(lines, outline)),
        (HeadingSource.FONTS, lambda: headings_by_fonts(lines)),
        (HeadingSource.KEYWORDS, lambda: _by_keywords(lines)),
    )
    for source, find in ways:
        if found := find():
            return _with_abstract(lines, found), source
    found = _with_abstract(lines, [])
    return found, HeadingSource.KEYWORDS if found else HeadingSource.NONE


def _by_outline(lines: Lines, outline: Sequence[OutlineEntry]) -> list[FoundHeading]:
    if len(outline) < 2:
        return []
    folded = [fold_text(text) for text in lines.texts]
    letters = {"A", "B"} <= {entry.title[0] for entry in outline if re.match(r"[A-Z]\s", entry.title)}
    found: list[FoundHeading] = []
    reached = 0
    for entry in outline:
        match = _place_of(entry, lines, folded, reached, letters) or _place_of(entry, lines, folded, 0, letters)
        if match is None or any(match[0] <= other.last and other.first <= match[1] for other in found):
            continue
        number = numbered_part(entry.title, letters=letters)
        title = entry.title[number.end() :] if number else entry.title
        found.append(FoundHeading(*match, " ".join(title.split()) or entry.title, entry.level))
        reached = match[1] + 1
    if len(found) < max(2, FEWEST_MATCHED * len(outline)):
        return []
    found.sort(key=lambda heading: heading.first)
    if (
        len(outline) > 1
        and found[0].level == 1
        and sum(heading.level == 1 for heading in found) == 1
        and lines.lines[found[0].first].page == 0
        and len(found) > 2
    ):
        found = found[1:]  # the paper's title, with all sections below it
    taken = {number for heading in found for number in range(heading.first, heading.last + 1)}
    top = min(heading.level for heading in found)
    looks = {lines.looks[heading.first] for heading in found if heading.level == top}
    for candidate in find_candidates(lines):
        named = ALWAYS.fullmatch(candidate.title) or (candidate.known and candidate.look in looks)
        if named and candidate.first not in taken:
            found.append(FoundHeading(candidate.first, candidate.last, candidate.title, top))
    return sorted(found, key=lambda heading: heading.first)


def _place_of(
    entry: OutlineEntry, lines: Lines, folded: list[str], start: int, letters: bool
) -> tuple[int, int] | None:
    """Return the first and last line whose text is the entry's title, with or without a number before it."""
    wanted = fold_text(entry.title)
    number = numbered_part(entry.title, letters=letters)
    bare = fold_text(entry.title[number.end() :]) if number else wanted
    if not bare:
        return None
    for first in range(start, len(lines.lines)):
        page = lines.lines[first].page
        if page > entry.page:
            return None
        if page < entry.page:
            continue
        text = ""
        for last in range(first, min(first + MOST_LINES, len(lines.lines))):
            text += folded[last]
            if text.endswith(bare) and (text in (wanted, bare) or _is_number(text[: -len(bare)])):
                return first, last
            if len(text) > len(wanted) + 12:
                break
    return None


def _is_number(folded: str) -> bool:
    return re.fullmatch(r"(?:section|chapter|appendix)?(?:\d{1,6}|[ivx]{1,5}|[a-z]\d{0,4})", folded) is not None


def _by_keywords(lines: Lines) -> list[FoundHeading]:
    found = []
    for number, text in enumerate(lines.texts):
        if len(text) > LONGEST or not (lines.gap_before(number) > 1.2 or lines.gap_after(number) > 1.2):
            continue
        match = NUMBER.match(text)
        title = (text[match.end() :] if match else text).strip().rstrip(":")
        alone = lines.lines[number].x1 < lines.lines[number].left + 0.7 * (
            lines.lines[number].right - lines.lines[number].left
        )
        if KNOWN.fullmatch(title) or (
            match
            and alone
            and title[:1].isupper()
            and not title.endswith((".", ",", ";"))
            and lines.gap_before(number) > 1.2
            and lines.gap_after(number) > 1.2
        ):
            found.append(FoundHeading(number, number, title, match["number"].count(".") + 1 if match else 1))
    return found


def _with_abstract(lines: Lines, found: list[FoundHeading]) -> list[FoundHeading]:
    """Add an abstract whose heading begins its first line, or stands alone in the body's look."""
    first = found[0].first if found else len(lines.lines)
    level = min((heading.level for heading in found), default=1)
    for number in range(first):
        if lines.lines[number].page > 1:
            break
        if match := RUN_IN.match(lines.texts[number]):
            return [FoundHeading(number, number, match["title"], level, match.end()), *found]
        if ABSTRACT.fullmatch(lines.texts[number].strip(" .:")):
            return [FoundHeading(number, number, lines.texts[number].strip(" .:"), level), *found]
    return found


def fold_text(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
