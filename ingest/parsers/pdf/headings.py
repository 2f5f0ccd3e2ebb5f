"""Headings of a PDF: by its outline, by fonts, and by known words."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

from papergraph.ingest.parsers.document import HeadingSource
from papergraph.ingest.parsers.pdf.glyphs import Style
from papergraph.ingest.parsers.pdf.layout import Line

# Lines of a PDF that may be headings: their look, their numbers, and what sets them apart from running text


LONGEST = 160
"""Characters of a heading."""
MOST_LINES = 4
NUMBER = re.compile(
    r"(?:(?:section|chapter)\s+)?(?P<number>\d{1,2}(?:\.\d{1,2}){0,4}|[IVX]{1,5}(?=\.)|"
    r"[A-Z](?:\.\d{1,2}){1,3}|[A-Z](?=[.)\s]))"
    r"(?P<stop>[.):]?)\s+(?=\S)",
)
APPENDIX = re.compile(r"appendix\s+(?P<number>[A-Z\d])\b[.:]?\s*", re.IGNORECASE)
CAPTION = re.compile(
    r"(?:supp\w*\s+)?(?:fig(?:ure|\.)?|table|tab\.|algorithm|listing|box|scheme|chart|plate|theorem|lemma|proposition|"
    r"definition|corollary|proof|remark|example)\s*[\dA-Z]{0,3}(?:\.\d+)*\s*(?:[.:|(–—-]|$)",
    re.IGNORECASE,
)
KNOWN = re.compile(
    r"(?:abstract|(?:executive )?summary|author summary|introduction|background|motivation|overview|preliminaries|"
    r"related work|(?:materials? and |patients and |data and )?methods?|methodology|approach|experiments?|"
    r"experimental (?:setup|results)|evaluation|results|results and discussion|(?:general )?discussion|"
    r"discussion and conclusions?|conclusions?|conclusions? and future work|"
    r"concluding remarks|limitations|future work|statement of need|"
    r"acknowledge?ments?|funding|references|references cited|bibliography|literature cited|works cited|"
    r"appendix|appendices|supplement(?:ary|al)? (?:materials?|information)|supporting information|"
    r"author contributions|data availability(?: statement)?|competing interests|conflicts? of interest)",
    re.IGNORECASE,
)
CODE = re.compile(r"\A[*(\[{<=“\"][^)\]}>]*[,;]|\A\*\w|\A[A-Z\d_ ]{2,30}\s?=\s?|\w\(\)|[{};]\s*\Z|->|::|==")
CONTINUED = re.compile(r"\b(?:cont['’]?d?\.?|continued)\s(?:from|on)\spages?\b", re.IGNORECASE)
"""Note that an article continues from or on another page, often after its author."""

ALWAYS = re.compile(
    r"abstract|acknowledge?ments?|references|references cited|bibliography|literature cited|works cited", re.IGNORECASE
)
MOST_IN_A_ROW = 3
"""Headings that may follow one another without text."""

LINES_BELOW, SHORT_LABEL = 5, 25
"""Lines below a heading of which one is longer than a label of a figure, and its characters."""

SPACED = re.compile(r"(?:\w ){3,}\w")


@dataclass(frozen=True)
class FoundHeading:
    """Lines ``first`` to ``last`` are a heading; of a run-in one ``n_chars`` characters of its one line, else None."""

    first: int
    last: int
    title: str
    level: int
    n_chars: int | None = None


@dataclass(frozen=True)
class OutlineEntry:
    """An entry of the PDF's outline; ``level`` from 1, ``page`` from 0."""

    title: str
    level: int
    page: int


Look = tuple[Style, bool]
"""A style, and whether all letters are capitals."""


@dataclass
class Candidate:
    first: int
    last: int
    text: str
    look: Look
    numbered: re.Match[str] | None
    gap_after: float
    level: int = 0

    @property
    def style(self) -> Style:
        return self.look[0]

    @property
    def title(self) -> str:
        bare = self.text[self.numbered.end() :] if self.numbered else self.text
        return bare.strip().rstrip(":.").strip() or self.text

    @property
    def known(self) -> bool:
        return KNOWN.fullmatch(self.title) is not None

    @property
    def depth(self) -> int:
        return self.numbered["number"].count(".") + 1 if self.numbered else 0


class Lines:
    """The lines of a document with what is usual among them."""

    def __init__(self, lines: Sequence[Line], monospaced: frozenset[str] = frozenset()) -> None:
        self.lines = lines
        self.monospaced = monospaced
        self.texts = [_unspaced(line.text) for line in lines]
        self.styles = [_style_of(line) for line in lines]
        self.looks: list[Look] = [(style, _is_upper(text)) for style, text in zip(self.styles, self.texts, strict=True)]

    @cached_property
    def body(self) -> Style:
        """The style that most characters have."""
        count: Counter[Style] = Counter()
        for line in self.lines:
            count.update(line.styles)
        return max(count, key=lambda style: count[style])

    @cached_property
    def leading(self) -> float:
        """Usual distance of baselines in running text, in points."""
        steps = [
            round(after.y - before.y, 1)
            for number, (before, after) in enumerate(zip(self.lines, self.lines[1:], strict=False))
            if {self.styles[number].size, self.styles[number + 1].size} == {self.body.size} and self.follows(number + 1)
        ]
        return Counter(steps).most_common(1)[0][0] if steps else 1.2 * self.body.size

    def follows(self, number: int) -> bool:
        """Say whether a line stands below the one before it in the same column."""
        if number == 0:
            return False
        before, line = self.lines[number - 1], self.lines[number]
        return before.page == line.page and line.y - before.y > 0 and before.left < line.x1 and line.x0 < before.right

    def gap_before(self, number: int) -> float:
        """Distance from the line before in units of the leading; infinite at the top of a column."""
        if not self.follows(number):
            return float("inf")
        return (self.lines[number].y - self.lines[number - 1].y) / max(self.leading, 1.0)

    def gap_after(self, number: int) -> float:
        return self.gap_before(number + 1) if number + 1 < len(self.lines) else float("inf")


def numbered_part(text: str, *, letters: bool) -> re.Match[str] | None:
    """Return the number before a title; a letter without a stop is one only where ``letters`` says so."""
    match = APPENDIX.match(text) or NUMBER.match(text)
    if match is None or not re.search(r"[^\W\d_]{2}", text[match.end() :]):
        return None
    is_word = match.re is NUMBER and len(match["number"]) == 1 and match["number"].isalpha() and not match["stop"]
    return None if is_word and not letters else match


def find_candidates(lines: Lines) -> list[Candidate]:
    """Return what looks like a heading by itself: a few lines of one style, not the body's, that stand alone."""
    found = []
    number = 0
    while number < len(lines.lines):
        last = _last_of_group(lines, number)
        text = " ".join(lines.texts[number : last + 1])
        if _looks_like_heading(lines, number, last, text):
            match = numbered_part(text, letters=_wide_after(lines.lines[number]))
            found.append(Candidate(number, last, text, lines.looks[number], match, lines.gap_after(last)))
        number = last + 1
    return found


def _wide_after(line: Line) -> bool:
    return len(line.segments) > 1 and len(line.segments[0].text) == 1


def _last_of_group(lines: Lines, first: int) -> int:
    """Return the last line of a heading that may begin at ``first``."""
    last = first
    style = lines.styles[first]
    if not _differs(style, lines.body, lines.texts[first]):
        return first
    while (
        last + 1 < len(lines.lines)
        and lines.looks[last + 1] == lines.looks[first]
        and lines.follows(last + 1)
        and lines.lines[last + 1].y - lines.lines[last].y < 1.5 * max(style.size, 1.0)
        and not NUMBER.match(lines.texts[last + 1])
        and not KNOWN.fullmatch(lines.texts[last])
    ):
        last += 1
    return last


def _looks_like_heading(lines: Lines, first: int, last: int, text: str) -> bool:
    style, body = lines.styles[first], lines.body
    letters = sum(map(str.isalpha, text))
    bare = NUMBER.sub("", text, count=1)
    if not (
        last - first < MOST_LINES
        and letters >= 3
        and len(text) <= LONGEST
        and letters >= 0.6 * len(text.replace(" ", ""))
        and _differs(style, body, text)
        and style.size >= 0.9 * body.size
        and (bare[:1].isupper() or not bare[:1].isalpha() or NUMBER.match(text) or style.small_caps)
        and not CAPTION.match(text)
        and not text.rstrip().endswith((",", ";", "-", "="))
    ):
        return False
    if "@" in text or "http" in text or CONTINUED.search(text) or _is_run_in(lines, first, last) or _is_code(text):
        return False
    if text.rstrip().endswith(".") and len(bare.split()) > 6 and not style.size > body.size + 0.6:
        return False
    if any(len(line.segments) > 1 and not _is_numbered_row(line) for line in lines.lines[first : last + 1]):
        return False
    before, after = lines.gap_before(first), lines.gap_after(last)
    centred = lines.lines[first].x0 > lines.lines[first].left + 20 and NUMBER.match(text) is not None
    if (
        style == body and not min(before, after) > 1.15 and not centred
    ):  # capitals alone make no heading of a line within a text
        return False
    stronger = style.size >= body.size + 0.9
    if not (
        before > 1.08
        or stronger
        or centred
        or (first > 0 and _differs(lines.styles[first - 1], body, lines.texts[first - 1]))
    ):
        return False
    return after > 0.5 or stronger


def _is_code(text: str) -> bool:
    """Say whether a line is of a program or a figure: a name in capitals with a sign, or a bracket before a list."""
    return CODE.search(text) is not None


def _is_run_in(lines: Lines, first: int, last: int) -> bool:
    """Say whether the running text begins on the same line, or its first words stand out over more lines than one."""
    style = lines.styles[first]
    if any(begins_text(lines, number) for number in range(first, last + 1)):
        return True
    line = lines.lines[last]
    if lines.gap_after(last) < 1.15 and line.x1 > line.right - 0.15 * (line.right - line.left):
        return lines.lines[last + 1].segments[0].runs[0].style == style and lines.styles[last + 1] != style
    return False


def begins_text(lines: Lines, number: int) -> bool:
    """Say whether a part of a line, its number aside, is set in another weight or slope than the rest."""
    style, styles = lines.styles[number], lines.lines[number].styles
    others = sum(
        count
        for other, count in styles.items()
        if (other.bold, other.italic) != (style.bold, style.italic)
        and not (other.font in lines.monospaced and other.size > lines.body.size + 0.6)  # code within a heading
    )
    return others > max(6 if NUMBER.match(lines.texts[number]) else 1, 0.1 * sum(styles.values()))


def _is_numbered_row(line: Line) -> bool:
    """Say whether a line in several segments is a number, then one title."""
    first, *others = line.segments
    return (
        len(others) == 1
        and re.fullmatch(r"(?:\d{1,2}(?:\.\d{1,2})*|[IVX]+|[A-Z](?:\.\d+)*)[.)]?", first.text) is not None
    )


def _differs(style: Style, body: Style, text: str) -> bool:
    return (
        style.size >= body.size + 0.9
        or (style.bold and not body.bold)
        or (style.italic and not body.italic)
        or (style.small_caps and not body.small_caps)
        or _is_upper(text)
        or (_family(style.font) != _family(body.font) and style.size >= body.size - 0.1)
    )


def _family(font: str) -> str:
    return re.split(r"[-,\d]", font.casefold())[0]


def _is_upper(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    return len(letters) >= 4 and sum(map(str.isupper, letters)) >= 0.9 * len(letters)


def _style_of(line: Line) -> Style:
    """Return a line's style: that of most of its letters after a number; small capitals by size are the large ones."""
    styles = line.styles
    longest = max(line.segments, key=lambda segment: len(segment.text))
    main = max(longest.styles, key=lambda style: longest.styles[style])
    if _is_upper(line.text):
        same = [style for style in styles if style.font == main.font and style.size <= 1.5 * main.size]
        return max(same, key=lambda style: style.size)
    return main


def _unspaced(text: str) -> str:
    """Return ``a b s t r a c t`` as a word."""
    return text.replace(" ", "") if SPACED.fullmatch(text) else text


# Headings by their fonts: lines that look like headings, grouped by look, as far as their numbers run in sequence


def headings_by_fonts(lines: Lines) -> list[FoundHeading]:
    candidates = find_candidates(lines)
    by_look: dict[Look, list[Candidate]] = {}
    for candidate in candidates:
        by_look.setdefault(candidate.look, []).append(candidate)
    in_look = Counter(look for number, look in enumerate(lines.looks) if not begins_text(lines, number))
    accepted = {
        look: _evenly_spaced(found)
        for look, found in by_look.items()
        if _is_heading_look(look, found, sum(c.last - c.first + 1 for c in found) / max(1, in_look[look]), lines.body)
    }
    headings = [candidate for found in accepted.values() for candidate in found]
    headings += [
        candidate
        for look, found in by_look.items()
        if look not in accepted
        for candidate in found
        if ALWAYS.fullmatch(candidate.title) or (candidate.known and candidate.numbered)
    ]
    headings.sort(key=lambda candidate: candidate.first)
    if median(map(len, lines.texts)) > SHORT_LABEL:  # slides have labels alone
        headings = [one for one in headings if one.known or one.numbered or _is_above_text(lines, one, headings)]
    headings = _after_front(_in_sequence(headings), lines)
    if not headings:
        return []
    _set_levels(headings)
    return [FoundHeading(c.first, c.last, c.title, c.level) for c in headings]


def _is_above_text(lines: Lines, candidate: Candidate, headings: Sequence[Candidate]) -> bool:
    """Say whether running text, a list or a table follows a heading: labels of a figure stand above one another."""
    number = candidate.last + 1
    after = {other.first: other.last for other in headings}
    for _ in range(MOST_IN_A_ROW):
        if number not in after:
            break
        number = after[number] + 1
    if number >= len(lines.lines):
        return False
    near = range(number, min(number + LINES_BELOW, len(lines.lines)))
    return any(
        abs(lines.styles[one].size - lines.body.size) < 0.6 and len(lines.texts[one]) > SHORT_LABEL for one in near
    )


def _evenly_spaced(found: list[Candidate]) -> list[Candidate]:
    """Leave out unnumbered, unknown headings with less space below than others of their typeface.

    They are first words of a paragraph that happen to fill a line.
    """
    gaps = [candidate.gap_after for candidate in found if candidate.gap_after < 10]
    usual = median(gaps) if len(gaps) > 2 else 0.0
    return [c for c in found if c.gap_after > usual - 0.2 or c.numbered or c.known]


def _is_heading_look(look: Look, found: list[Candidate], purity: float, body: Style) -> bool:
    style, upper = look
    n_known = sum(candidate.known for candidate in found)
    n_numbered = sum(candidate.numbered is not None for candidate in found)
    if purity < 0.5:
        return False
    if n_known and (len(found) > 1 or n_numbered):
        return True
    if n_numbered >= 2 or (n_numbered and (style.bold or style.size >= body.size + 0.9)):
        return True
    if style.size >= body.size + 0.9 or style.bold or upper:
        return len(found) >= 2 or n_known > 0
    return len(found) >= 3 and purity >= 0.8


def _in_sequence(headings: list[Candidate]) -> list[Candidate]:
    """Leave out numbered lines that do not continue the count: items of a list, cells of a table."""
    kept = []
    last = 0
    for heading in headings:
        number = heading.numbered["number"] if heading.numbered and heading.numbered.re is NUMBER else ""
        if number.isdigit():
            if not (last < int(number) <= last + 2 or (last == 0 and int(number) <= 2)):
                continue
            last = int(number)
        kept.append(heading)
    return kept


def _after_front(headings: list[Candidate], lines: Lines) -> list[Candidate]:
    """Leave out what stands before the abstract or the first known or numbered heading of the first pages."""
    for position, heading in enumerate(headings):
        if lines.lines[heading.first].page > 1:
            break
        if heading.known or (heading.numbered and heading.numbered["number"] in ("1", "I", "0")):
            return headings[position:]
    return headings


def _set_levels(headings: list[Candidate]) -> None:
    """Give each heading its level: by its number, else as its look's numbered ones, else by the rank of its look."""
    depths: dict[Look, Counter[int]] = {}
    for heading in headings:
        if heading.numbered:
            depths.setdefault(heading.look, Counter())[_depth(heading, headings)] += 1
    strengths = {_strength(heading.look) for heading in headings}
    for heading in headings:
        if heading.numbered:
            heading.level = _depth(heading, headings)
        elif heading.look in depths:
            heading.level = depths[heading.look].most_common(1)[0][0]
        elif ALWAYS.fullmatch(heading.title):
            heading.level = 1
        else:
            heading.level = 1 + sum(strength > _strength(heading.look) for strength in strengths)


def _depth(heading: Candidate, headings: list[Candidate]) -> int:
    number = heading.numbered["number"] if heading.numbered else ""
    roman = any(h.numbered and h.numbered["number"] in ("II", "III", "IV") for h in headings)
    if roman and len(number) == 1 and number.isalpha() and number not in "IVX":
        return 2
    return number.count(".") + 1


def _strength(look: Look) -> tuple[float, int, int, int]:
    style, upper = look
    return round(style.size), int(style.bold), int(upper or style.small_caps), -int(style.italic)


# Headings of a PDF, from its outline, else from its fonts, else from common names of sections.
#
# An abstract or reference list that is missing from the outline is added by its name. Fonts: a style that is not the
# running text's, whose lines are short and stand alone, and some of which are numbered or have a known name.


INTRODUCTION = re.compile(
    r"introduction|background and introduction|einleitung|introdu[çc][ãa]o|introducción", re.IGNORECASE
)
MOST_ABSTRACT_PAGES = 2
"""Pages that the subsections of an abstract may stand on."""

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
            return _beside_abstract(lines, _with_abstract(lines, found)), source
    found = _with_abstract(lines, [])
    return found, HeadingSource.KEYWORDS if found else HeadingSource.NONE


def _beside_abstract(lines: Lines, found: list[FoundHeading]) -> list[FoundHeading]:
    """Return the headings with an abstract on the level of the sections that it seems to hold."""
    for number, heading in enumerate(found):
        if not ABSTRACT.fullmatch(heading.title):
            continue
        after = next((at for at in range(number + 1, len(found)) if found[at].level <= heading.level), len(found))
        below = found[number + 1 : after]
        pages = {lines.lines[other.first].page for other in below}
        if any(INTRODUCTION.fullmatch(other.title) for other in below) or len(pages) > MOST_ABSTRACT_PAGES:
            level = min(other.level for other in below)
            return [*found[:number], replace(heading, level=level), *found[number + 1 :]]
        break
    return found


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
    """Return the first and last line whose text is the entry's title, rather with its number than without."""
    wanted = fold_text(entry.title)
    number = numbered_part(entry.title, letters=letters)
    bare = fold_text(entry.title[number.end() :]) if number else wanted
    if not bare:
        return None
    alone = None
    for first in range(start, len(lines.lines)):
        page = lines.lines[first].page
        if page > entry.page:
            break
        if page < entry.page:
            continue
        text = ""
        for last in range(first, min(first + MOST_LINES, len(lines.lines))):
            text += folded[last]
            if text == wanted or (text.endswith(bare) and _is_number(text[: -len(bare)])):
                return first, last
            if text == bare and alone is None:
                alone = first, last
            if len(text) > len(wanted) + 12:
                break
    return alone


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
