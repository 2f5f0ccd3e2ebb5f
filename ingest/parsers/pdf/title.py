"""The title on the first page: the largest lines that are no masthead, or the first that stand out."""

import re
from collections import Counter
from collections.abc import Sequence

from ingest.parsers.document import LONGEST_TITLE
from ingest.parsers.pdf.dates import DATE
from ingest.parsers.pdf.glyphs import Segment
from ingest.parsers.pdf.heading_lines import KNOWN, Lines
from ingest.parsers.pdf.layout import Line

FEWEST_LETTERS = 8
TOP = 0.6
"""Share of the first page's lines among which the title is looked for."""

MARK = re.compile(r"(?:[∗*†‡§¶#⋆★☆¹²³]{1,3}|[a-z]\)|\d{1,2}|[a-z])(?:,(?:[∗*†‡§¶#]|\d|[a-z]))?")
"""A raised mark of a footnote."""

MARK_SIGNS = "∗*†‡§¶⋆★☆ \ufffd"
MASTHEAD = re.compile(
    r"(?:(?:research|original|review|regular|short|full|invited|technical|methodology|software)\s+"
    r"(?:article|paper|communication|report|note|letter)s?|article|letter|editorial|report|preprint|"
    r"(?:(?:first|final|rough|preliminary)\s+)?(?:draft|version)|manuscript|"
    r"open access|contents|table of contents|articles?)\W*"
    r"|(?:proceedings of|typeset using|arxiv|https?:|www\.|doi\b|copyright|©|issn|isbn|"
    r"published (?:in|by|as|online)|submitted (?:to|for)|accepted (?:for|in|to|by)|to appear (?:in|at)|presented at|"
    r"(?:under|in) (?:review|press|preparation|submission)(?:\W*$|\W+(?:as|at|by|for|in|with)\b)|"
    r"(?:draft|preprint|manuscript)\s*(?:[^\w\s]|\d|version|date|no\b|not\b|do not|only|please|typeset|"
    r"(?:under|in) (?:review|press|preparation|submission)|submitted|accepted|prepared)|"
    r"prepared (?:for submission|using|with) |compiled (?:on|at|with|by|\W*\d)|(?:package )?version \d|"
    r"contents lists|available online|(?:technical report|(?:working|discussion) paper)s? (?:no|series|\d)|"
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d).*"
    r"|.*\b(?:vol(?:ume|\.)\s*\d|issn\b|pp\.\s*\d|publishing corporation).*",
    re.IGNORECASE | re.DOTALL,
)
"""What stands above titles."""

WHEN = re.compile(
    r"\b(?:this|first|last|current|latest|final|original|version|draft|revision|revised|updated?|modified|compiled|"
    r"printed|generated|created|dated?|submitted|received|accepted|preprint|manuscript|working|discussion|technical|paper|report|note|on|at|of|from|the|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|st|nd|rd|th|[ap]m|utc|gmt)\b",
    re.IGNORECASE,
)
"""Words beside a date that says when a paper was written, sent or printed."""

MOST_BESIDE_DATE = 3
"""Letters that such a line holds at most beside the date and those words."""

ISSUE = re.compile(r"\W{0,3}(?:vol|no\b|\(?(?:19|20)\d\d|\d{1,4}\b)", re.IGNORECASE)


def find_title(lines: Lines, named: str, running: Sequence[Segment] = ()) -> range:
    """Return the lines of the title on the first page; none if there is no such line.

    Args:
        lines: All lines.
        named: The title in the file's metadata, believed where the page shows it; may be empty.
        running: What repeats at the edges of pages, to tell the name of a journal.
    """
    if not lines.lines:
        return range(0)
    on_first = [number for number, line in enumerate(lines.lines) if line.page == lines.lines[0].page]
    top = on_first[: max(6, int(TOP * len(on_first)))]
    folded = fold(named)
    if len(folded) >= FEWEST_LETTERS and (found := _spelled(lines, top, folded)):
        return found
    texts = [segment.text for segment in running] + [lines.texts[number] for number in on_first]
    groups = [group for group in _groups(lines, top) if _may_be_title(lines, group, texts)]
    later = Counter(
        lines.styles[number] for number in range(len(lines.lines)) if lines.lines[number].page > lines.lines[0].page
    )
    body = lines.body.size
    larger = [
        group
        for group in groups
        if (size := lines.styles[group[0]].size) >= body + 0.9
        and (later[lines.styles[group[0]]] <= 2 or size >= body + 3)
    ]
    if larger:
        return max(larger, key=lambda group: (lines.styles[group[0]].size, -group[0]))
    return next((group for group in groups if _stands_out(lines, group, top)), range(0))


def title_text(lines: Sequence[Line]) -> str:
    """Return the title that lines show, without the marks of footnotes."""
    found = " ".join(_unmarked(line) for line in lines)
    return " ".join(found.split()).rstrip(MARK_SIGNS)


def is_masthead(text: str) -> bool:
    """Say whether a line tells where, when or as what a paper appears, or of its draft, and is never its title."""
    if MASTHEAD.fullmatch(text):
        return True
    beside, n_dates = DATE.subn("", text)
    return n_dates > 0 and sum(map(str.isalpha, WHEN.sub("", beside))) <= MOST_BESIDE_DATE


def below_masthead(text: str) -> str:
    """Return a text without the lines of a masthead that it begins with; all of it if it has no others."""
    lines = text.splitlines(keepends=True)
    first = next((number for number, line in enumerate(lines) if line.strip() and not is_masthead(line.strip())), 0)
    return "".join(lines[first:])


def _unmarked(line: Line) -> str:
    parts = []
    for segment in line.segments:
        text = segment.text
        for position, run in reversed(list(enumerate(segment.runs))):
            end = segment.runs[position + 1].start if position + 1 < len(segment.runs) else len(segment.text)
            raised = segment.text[run.start : end].strip()
            ends_word = run.start > 0 and re.search(r"[a-z)]{2}\s?$", segment.text[: run.start])
            if run.raised and ((MARK.fullmatch(raised) and ends_word) or not raised.strip(MARK_SIGNS + ",")):
                text = text[: run.start] + " " + text[end:]
        parts.append(text)
    return " ".join(part for part in parts if part.strip(MARK_SIGNS + ","))


def fold(text: str) -> str:
    """Return the letters and digits of a text alone, in lower case."""
    return "".join(character for character in text.casefold() if character.isalnum())


def _spelled(lines: Lines, top: Sequence[int], folded: str) -> range | None:
    for first in top:
        text = ""
        for last in range(first, min(first + 6, len(lines.lines))):
            text += fold(lines.texts[last])
            if text == folded or fold(title_text(lines.lines[first : last + 1])) == folded:
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
            before, line = lines.lines[number - 1], lines.lines[number]
            same = abs(lines.styles[number - 1].size - style.size) < 0.6 and lines.styles[number - 1].bold == style.bold
            centred = abs(before.x0 + before.x1 - line.x0 - line.x1) < 10
            stands_out = style.bold or style.size > lines.body.size + 0.9
            near = line.y - before.y < (2.6 if centred and stands_out else 2) * max(style.size, 1)
            if near and same and not is_masthead(lines.texts[number - 1]):
                groups[-1] = range(groups[-1].start, number + 1)
                continue
        groups.append(range(number, number + 1))
    return groups


def _may_be_title(lines: Lines, group: range, texts: Sequence[str]) -> bool:
    text = " ".join(lines.texts[number] for number in group)
    letters = sum(map(str.isalpha, text))
    return (
        letters >= FEWEST_LETTERS
        and len(text) <= LONGEST_TITLE
        and (len(text.split()) > 1 or not any(map(str.isdigit, text)))
        and not KNOWN.fullmatch(text)
        and letters > 0.6 * len(text.replace(" ", ""))
        and not is_masthead(text)
        and not _is_journal(text, texts)
    )


def _is_journal(text: str, texts: Sequence[str]) -> bool:
    """Say whether a text is followed by a volume or year elsewhere, as the name of a journal is."""
    return any(
        len(other) > len(text)
        and (at := other.casefold().find(text.casefold())) >= 0
        and ISSUE.match(other, at + len(text)) is not None
        for other in texts
    )


def _stands_out(lines: Lines, group: range, top: Sequence[int]) -> bool:
    """Say whether lines of the body's size are set apart by weight, capitals, or their place in the middle."""
    style, upper = lines.looks[group[0]]
    if style.size < lines.body.size - 0.6 or len(lines.texts[group[0]].split()) < 2:
        return False
    if style.bold or upper or style.small_caps:
        return True
    line = lines.lines[group[0]]
    page = [other for other in lines.lines if other.page == line.page]
    edges = ((line.left, line.right), (min(other.left for other in page), max(other.right for other in page)))
    centred = any(
        abs((line.x0 - left) - (right - line.x1)) < 20 and line.x0 > left + 20
        for left, right in edges  # of its own column, or of the page, where the title alone spans the columns
    )
    return centred and group[0] - top[0] <= 4 and len(group) <= 3
