"""The year of a paper, as its first page says it: never one of a citation or of the text.

In order: arXiv's stamp, "published", a date, the line of a venue, "copyright", "accepted", "received".
"""

import re
from collections.abc import Iterable, Sequence

from ingest.parsers.pdf.glyphs import Segment
from ingest.parsers.pdf.heading_lines import Lines
from ingest.parsers.pdf.layout import STAMP

YEAR = r"(?P<year>(?:19[5-9]|20[0-9])\d)"
MONTH = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|m[äa]rz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|"
    r"sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|janvier|f[ée]vrier|mars|avril|juin|"
    r"juillet|ao[ûu]t|"
    r"septembre|octobre|novembre|d[ée]cembre|janeiro|fevereiro|mar[çc]o|abril|maio|junho|julho|agosto|setembro|outubro|"
    r"novembro|dezembro)"
)
DATE = re.compile(
    rf"(?:{MONTH}\.?\s+(?:\d{{1,2}}(?:st|nd|rd|th)?(?:\s?[-–]\s?\d{{1,2}})?,?\s+)?(?:of\s+)?(?:de\s+)?{YEAR}"
    rf"|\b(?P<iso>(?:19[5-9]|20[0-9])\d)[-/](?:0?[1-9]|1[0-2])(?:[-/](?:[0-2]?\d|3[01]))?)(?![\w-])",
    re.IGNORECASE,
)
ANY_YEAR = re.compile(rf"(?<![\w.\-/–]){YEAR}(?![\w\-/–]|\.\d)")
PUBLISHED = re.compile(r"\bpublished\b|\bpublication date|available online|\bpubli[ée] le", re.IGNORECASE)
COPYRIGHT = re.compile(r"©|\bcopyright\b|\(c\)\s?(?:19|20)\d\d|\blicensee\b", re.IGNORECASE)
ACCEPTED = re.compile(r"\baccepted\b", re.IGNORECASE)
RECEIVED = re.compile(r"\breceived\b|\bsubmitted\b", re.IGNORECASE)
RECORD = re.compile(
    r"\b(?:vol(?:ume)?\b\.?|proceedings|proc\.|conference|symposium|workshop|journal|trans(?:actions)?\b|"
    r"letters|review|annals|"
    r"bulletin|lecture notes|news|magazine|preprint|issn|isbn|article (?:id|no|number)|pp?\.\s?\d|pages)\b|"
    r"\d\s?[:(]\s?\d|\b\d{1,4}\s?,\s?\d{1,6}\s?[-–]\s?\d{1,6}",
    re.IGNORECASE,
)
"""What a line of a venue holds beside the year."""

STAMPED = re.compile(rf"\[[\w.\-]+\]\s+\d{{1,2}}\s+{MONTH}\s+{YEAR}", re.IGNORECASE)
VERSION = re.compile(r"\bv(?:ersion)?[-. ]{0,2}\d[\d.]{0,12}", re.IGNORECASE)
LONGEST_DATE_LINE = 110
LONGEST_RECORD_LINE = 200
CITED = re.compile(r"\bet al\b|\bR package version\b|\bsince\b|\bin (?:19|20)\d\d\b", re.IGNORECASE)


def find_year(lines: Lines, title: range, before: int, running: Sequence[Segment]) -> int | None:
    """Return the year that the first page prints, or None.

    Args:
        lines: All lines.
        title: Lines of the title.
        before: First line that belongs to the text or its abstract.
        running: Heads, feet and stamps of the first page.
    """
    edges = [segment.text for segment in running]
    for text in edges:
        if STAMP.search(text) and (match := STAMPED.search(text)):
            return int(match["year"])
    first_page = lines.lines[0].page if lines.lines else 0
    front = [
        lines.texts[number]
        for number in range(min(before, 80, len(lines.lines)))
        if lines.lines[number].page == first_page and not _within_prose(lines, number)
    ]
    notes = [
        lines.texts[number]
        for number, line in enumerate(lines.lines)
        if line.page == first_page and number >= before and _is_note(lines, number)
    ]
    around = [*front, *edges, *notes]
    return (
        _stated(around, PUBLISHED)
        or _of_date([*front, *edges])
        or _of_record([*edges, *front, *notes])
        or _stated(around, COPYRIGHT)
        or _stated(around, ACCEPTED)
        or _stated(around, RECEIVED)
    )


def _within_prose(lines: Lines, number: int) -> bool:
    """Say whether a line is one of a paragraph of running text, whose years are those of citations."""
    first = last = number
    while first > 0 and number - first < 4 and _same_paragraph(lines, first):
        first -= 1
    while last + 1 < len(lines.lines) and last - number < 4 and _same_paragraph(lines, last + 1):
        last += 1
    words = " ".join(lines.texts[first : last + 1]).split()
    return last > first and len(words) > 16 and sum(word[:1].islower() for word in words) > 0.45 * len(words)


def _same_paragraph(lines: Lines, number: int) -> bool:
    same = abs(lines.styles[number].size - lines.styles[number - 1].size) < 0.6
    return same and lines.follows(number) and lines.gap_before(number) < 1.4


def _is_note(lines: Lines, number: int) -> bool:
    """Say whether a line is smaller than the text: a note, a masthead at the foot, a margin."""
    return lines.styles[number].size < lines.body.size - 0.4


def _stated(texts: Iterable[str], word: re.Pattern[str]) -> int | None:
    """Return the year right after a word such as "published" on its line."""
    for text in texts:
        if (match := word.search(text)) and len(text) < 2 * LONGEST_RECORD_LINE:
            rest = text[match.start() : match.end() + 80]
            if found := DATE.search(rest) or ANY_YEAR.search(rest):
                return _value(found)
    return None


def _of_record(texts: Iterable[str]) -> int | None:
    for text in texts:
        if len(text) > LONGEST_RECORD_LINE or CITED.search(text) or RECEIVED.search(text) or ACCEPTED.search(text):
            continue
        if RECORD.search(text) and not _is_sentence(text) and (found := ANY_YEAR.search(text)):
            return _value(found)
    return None


def _of_date(texts: Iterable[str]) -> int | None:
    for text in texts:
        others = (CITED, RECEIVED, ACCEPTED)
        if len(text) > LONGEST_DATE_LINE or any(other.search(text) for other in others):
            continue
        if (found := DATE.search(text)) and (len(found[0]) > 0.3 * len(text) or not _is_sentence(text)):
            return _value(found)
    for text in texts:
        bare = VERSION.sub("", text).strip(" ().,–-")
        if found := ANY_YEAR.fullmatch(bare):
            return _value(found)
    return None


def _is_sentence(text: str) -> bool:
    words = text.split()
    return len(words) > 7 and sum(word[:1].islower() for word in words) > 0.5 * len(words)


def _value(match: re.Match[str]) -> int:
    groups = match.groupdict()
    return int(groups["year"] or groups.get("iso") or 0)
