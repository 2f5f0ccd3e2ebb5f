"""Lines of a PDF that may be headings: their look, their numbers, and what sets them apart from running text."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ingest.parsers.pdf.glyphs import Style
from ingest.parsers.pdf.layout import Line

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
ALWAYS = re.compile(
    r"abstract|acknowledge?ments?|references|references cited|bibliography|literature cited|works cited", re.IGNORECASE
)
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
    if "@" in text or "http" in text or _is_run_in(lines, first, last):
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
