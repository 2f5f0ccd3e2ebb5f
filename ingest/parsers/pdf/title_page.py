"""Title page of a PDF: title, authors, date and identifiers."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from papergraph.ingest.parsers.document import LONGEST_TITLE
from papergraph.ingest.parsers.pdf.glyphs import HYPHENS, Segment
from papergraph.ingest.parsers.pdf.headings import KNOWN, NUMBER, Lines
from papergraph.ingest.parsers.pdf.layout import STAMP, Line
from papergraph.ingest.sources.names import names_of
from papergraph.schema.ids import arxiv_key, doi_key

# The year of a paper, as its first page says it: never one of a citation or of the text.
#
# In order: arXiv's stamp, "published", a date, the line of a venue, "copyright", "accepted", "received".


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
SAYS_WHEN = re.compile(
    r"published(?: online)?:|publication date|available online|copyright (?:©|\(c\))|© ?(?:19|20)", re.I
)
"""Beginning of a line that tells a date whatever stands around it."""

ACCEPTED = re.compile(r"\baccepted\b", re.IGNORECASE)
RECEIVED = re.compile(r"\breceived\b|\bsubmitted\b", re.IGNORECASE)
RECORD = re.compile(
    r"\b(?:vol(?:ume)?\b\.?|proceedings|proc\.|conference|symposium|workshop|journal|trans(?:actions)?\b|"
    r"letters|review|annals|"
    r"bulletin|lecture notes|news|magazine|preprint|issn|isbn|article (?:id|no|number)|pp?\.\s?\d|pages)\b|"
    r"\d\s?[:(]\s?\d|\b\d{1,4}\s?,\s?\d{1,6}\s?[-–]\s?\d{1,6}",
    re.IGNORECASE,
)
"""Words beside the year in a line that names a venue."""

DATE_LABEL = re.compile(r"(?:published|received|accepted|revised|submitted)(?: online)?\s?:?", re.IGNORECASE)
"""Label in a line of its own above a date, as in a margin."""

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
        _dated(lines, number)
        for number in range(min(before, 80, len(lines.lines)))
        if lines.lines[number].page == first_page
        and (SAYS_WHEN.match(lines.texts[number]) or not _within_prose(lines, number))
    ]
    notes = [
        _dated(lines, number)
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


def _dated(lines: Lines, number: int) -> str:
    """Return the text of a line, with the next one if it is a label such as "Published"; empty for that next one."""
    if number > 0 and DATE_LABEL.fullmatch(lines.texts[number - 1]):
        return ""
    alone = DATE_LABEL.fullmatch(lines.texts[number]) and number + 1 < len(lines.texts)
    return f"{lines.texts[number]} {lines.texts[number + 1]}" if alone else lines.texts[number]


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


def _of_date(texts: Sequence[str]) -> int | None:
    for text in texts:
        if len(text) > LONGEST_DATE_LINE or any(word.search(text) for word in (CITED, RECEIVED, ACCEPTED)):
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


# The title on the first page: the largest lines that are no masthead, or the first that stand out


FEWEST_LETTERS = 8
TOP = 0.6
"""Share of the first page's lines among which the title is looked for."""

TITLE_MARK = re.compile(r"(?:[∗*†‡§¶#⋆★☆¹²³]{1,3}|[a-z]\)|\d{1,2}|[a-z])(?:,(?:[∗*†‡§¶#]|\d|[a-z]))?")
"""A raised mark of a footnote."""

MARK_SIGNS = "∗*†‡§¶⋆★☆ \ufffd"
MASTHEAD = re.compile(
    r"(?:(?:research|original|review|regular|short|full|invited|technical|methodology|software)\s+"
    r"(?:article|paper|communication|report|note|letter)s?|original (?:research|investigation|study)|"
    r"systematic reviews?(?:\s+(?:and|&)\s+meta-analys[ei]s)?|case reports?|article|letter|editorial|report|preprint|"
    r"(?:(?:first|final|rough|preliminary)\s+)?(?:draft|version)|manuscript|"
    r"open access|contents|table of contents|articles?)\W*"
    r"|(?:proceedings of|typeset using|arxiv(?:\s*:|\s*\d|\s*preprint\b|\W*$)|https?:|www\.|doi(?:\.org\b|\W*(?:\d|$))|"
    r"copyright(?:\W*$|\W*\d|\s*[(©]|\s*:|\s+(?:by|held|is|belongs|of (?:this|the (?:author|publisher)))\b)|©|"
    r"is[sb]n\W*(?:[\dx]|$|\()|"
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
"""Lines above titles."""

WHEN = re.compile(
    r"\b(?:this|first|last|current|latest|final|original|version|draft|revision|revised|updated?|modified|compiled|"
    r"printed|generated|created|dated?|submitted|received|accepted|preprint|manuscript|working|discussion|technical|paper|report|note|on|at|of|from|the|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|st|nd|rd|th|[ap]m|utc|gmt)\b",
    re.IGNORECASE,
)
"""Words beside a date that says when a paper was written, sent or printed."""

MOST_BESIDE_DATE = 3
"""Letters that such a line holds at most beside the date and those words."""

MAIL_SIGN = re.compile(r"\w\}?\s?@\s?\w")
GLUED_SIGNS = re.compile(r"[\d'’*∗†‡§¶\"]+(?=\W|$)")
LABELLED = re.compile(r"\Atitle\s?:\s", re.IGNORECASE)
OTHER_LABEL = re.compile(r"(?:authors?|running|affiliations?|key ?words|abstract|corresponding)\b", re.IGNORECASE)
NEW_PARAGRAPH = 1.3
"""Leadings of a step between paragraphs."""

JOURNAL = re.compile(
    r"(?:[^\W\d_][\w.&-]{0,30} ){0,4}(?:journal|annals|archives|bulletin|transactions|letters|revista|zeitschrift) "
    r"(?:of|in|on|de|für) [\w&,.-]{1,30}(?: [\w&,.-]{1,30}){0,7}",
    re.IGNORECASE,
)
"""Name of a journal above a title."""

MOST_JOURNAL_WORDS = 12
"""Words of the name of a journal; a longer text before a number is a title at the edge of a page."""

WIDER = 1.2
SEAL = 0.6
"""Share of a title's size below which text beside it belongs to a seal or a stamp."""

MOST_LINES = 4
TITLE_GOES_ON = re.compile(r"(?:[,:‐–—-]|\b(?:and|of|the|in|for|with|on|to|a|an|und|et|de))\Z")
"""End of a line of a title that continues on the next line."""

NUMBERED = re.compile(r"(?:\d{1,2}|[IVX]{1,4})\.\s[A-Z]{4}")
"""Heading of the first section, in capitals."""

ISSUE = re.compile(r"\W{0,3}(?:vol|no\b|\(?(?:19|20)\d\d|\d{1,4}\b)", re.IGNORECASE)


def find_title(lines: Lines, named: str, running: Sequence[Segment] = ()) -> range:
    """Return the lines of the title on the first page; an empty range if no title is found.

    Args:
        lines: All lines.
        named: Title in the file's metadata, used if the page shows it; may be empty.
        running: Page headers and footers, to recognise the name of a journal.
    """
    if not lines.lines:
        return range(0)
    on_first = [number for number, line in enumerate(lines.lines) if line.page == lines.lines[0].page]
    top = on_first[: max(6, int(TOP * len(on_first)))]
    labelled = [number for number in top if LABELLED.match(lines.texts[number])]
    if labelled:
        return _paragraph(lines, labelled[0])
    folded = fold(named)
    if len(folded) >= FEWEST_LETTERS and (found := _spelled(lines, top, folded)):
        return found
    texts = [segment.text for segment in running] + [lines.texts[number] for number in on_first]
    groups = [group for group in _groups(lines, top) if _may_be_title(lines, group, texts)]
    groups = _above_addresses(lines, groups)
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
        larger = [group for group in larger if not JOURNAL.fullmatch(_text_of(lines, group))] or larger
        return _without_authors(lines, max(larger, key=lambda group: (lines.styles[group[0]].size, -group[0])))
    named_below = (group for group in groups if len(group) <= MOST_LINES and _is_above_names(lines, group))
    outstanding = (group for group in groups if _stands_out(lines, group, top))
    return _without_authors(lines, next(itertools.chain(named_below, outstanding), range(0)))


def _paragraph(lines: Lines, first: int) -> range:
    """Return a line and those below it up to a wider gap or a line of names."""
    last = first
    while (
        last + 1 < len(lines.lines)
        and last - first < MOST_LINES
        and lines.follows(last + 1)
        and lines.gap_before(last + 1) < NEW_PARAGRAPH
        and not OTHER_LABEL.match(lines.texts[last + 1])
        and len(names_of(GLUED_SIGNS.sub("", lines.texts[last + 1]))) < 2
    ):
        last += 1
    return range(first, last + 1)


def _text_of(lines: Lines, group: range) -> str:
    return " ".join(lines.texts[number] for number in group)


def _is_above_names(lines: Lines, group: range) -> bool:
    """Say whether the line below holds two or more names with marks."""
    below = lines.texts[group.stop] if group.stop < len(lines.texts) else ""
    return GLUED_SIGNS.search(below) is not None and len(names_of(GLUED_SIGNS.sub("", below))) > 1


def _above_addresses(lines: Lines, groups: list[range]) -> list[range]:
    """Return the groups above the first e-mail address, if one of these is larger than the text."""
    address = next((number for number, text in enumerate(lines.texts) if MAIL_SIGN.search(text)), len(lines.lines))
    above = [group for group in groups if group.stop <= address]
    return above if any(lines.styles[group[0]].size >= lines.body.size + 0.9 for group in above) else groups


def _without_authors(lines: Lines, group: range) -> range:
    """Return the lines of a title without authors of its typeface that stand below it after a wider gap."""
    for number in group[1:]:
        if TITLE_GOES_ON.search(lines.texts[number - 1]):
            continue
        names = names_of(GLUED_SIGNS.sub("", lines.texts[number]))
        step = lines.gap_before(number)
        usual = min((lines.gap_before(other) for other in group[1:] if other != number), default=step)
        if len(names) > 1 and (step > WIDER * usual or len(group) == 2):
            return range(group.start, number)
    return group


def title_text(lines: Sequence[Line]) -> str:
    """Return the title that lines show, without the marks of footnotes; a hyphen at a line's end stays in its word."""
    found = ""
    for line in lines:
        text = _unmarked(line)
        found = f"{found[:-1]}-{text}" if found[-1:] in HYPHENS else f"{found} {text}"
    return LABELLED.sub("", " ".join(found.split()).rstrip(MARK_SIGNS), count=1)


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
    size = max(segment.size for segment in line.segments)
    for segment in line.segments:
        if segment.size < SEAL * size:
            continue
        text = segment.text
        for position, run in reversed(list(enumerate(segment.runs))):
            end = segment.runs[position + 1].start if position + 1 < len(segment.runs) else len(segment.text)
            raised = segment.text[run.start : end].strip()
            ends_word = run.start > 0 and re.search(r"[a-z)]{2}\s?$", segment.text[: run.start])
            if run.raised and ((TITLE_MARK.fullmatch(raised) and ends_word) or not raised.strip(MARK_SIGNS + ",")):
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
        and not KNOWN.fullmatch(text[number.end() if (number := NUMBER.match(text)) else 0 :])
        and not NUMBERED.match(text)
        and letters > 0.6 * len(text.replace(" ", ""))
        and not is_masthead(text)
        and not _is_journal(text, texts)
    )


def _is_journal(text: str, texts: Sequence[str]) -> bool:
    """Say whether a text is followed by a volume or year elsewhere, as the name of a journal is."""
    name = text.casefold().rstrip("®™ ")
    return len(name.split()) <= MOST_JOURNAL_WORDS and any(
        len(other) > len(text)
        and (at := other.casefold().find(name)) >= 0
        and ISSUE.match(other, at + len(name)) is not None
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


# DOI and arXiv id of a paper, as its first page prints them


DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+")
LABEL = re.compile(r"(?:doi\b|https?://(?:dx\.)?doi\.org)[:\s/]*$", re.IGNORECASE)
LABELLED_ALONE = re.compile(r"doi\s?:?\s?(?:https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
BROKEN = re.compile(r"\b10\.\d{4}|doi\.org/\Z")
"""DOI that the end of a line cuts."""

CITE_AS = re.compile(r"(?:how to )?cite this (?:article|paper)(?: as)?\b|to cite this article", re.IGNORECASE)
PLACEHOLDER = re.compile(
    r"x{3,}|n{5,}|y{3,}|v0{2,}|\.0{3,}(?:\.|$)|i00\b|\.\.\.|…|insert|your|yy-t[nm]|10\.\d+/[xyz?#.\-/]*$|"
    r"/1{4,}$|/0*$|example",
    re.IGNORECASE,
)
"""Placeholders of templates for a DOI."""


def find_doi(of_file: str, lines: Lines, running: Sequence[Segment], before: int) -> str | None:
    """Return the DOI that the first page or the file's metadata says; None for the placeholder of a template.

    A DOI in the running text is another paper's. It counts where it stands above the text, at the edge of the page, in
    a line that holds little else, or in a note that says "doi".
    """
    if found := _doi(of_file):
        return found
    if found := _cited_as(lines):
        return found
    if alone := _labelled_alone(lines):
        return alone
    counted = Counter(doi for text in _places(lines, running, before) for doi in _dois(text))
    first, *others = [*counted.most_common(2), (None, 0)]
    return first[0] if not others or first[1] > others[0][1] else None


def _labelled_alone(lines: Lines) -> str | None:
    """Return the DOI of a line of the first page that is nothing but a label such as ``DOI:`` and it."""
    page = lines.lines[0].page if lines.lines else 0
    found = [
        match[1] for line in lines.lines if line.page == page for one in line.segments
        if (match := LABELLED_ALONE.fullmatch(one.text.strip()))
    ]  # fmt: skip
    dois = dict.fromkeys(doi for text in found if (doi := _doi(text)))
    return next(iter(dois)) if len(dois) == 1 else None


def _cited_as(lines: Lines) -> str | None:
    """Return the DOI beside the words "Cite this article as", wherever they stand."""
    for number, text in enumerate(lines.texts):
        if CITE_AS.match(text):
            for near in range(max(0, number - 2), min(number + 6, len(lines.texts))):
                if doi := next(_dois(_whole(lines, near, lines.texts[near])), None):
                    return doi
    return None


def find_arxiv_id(running: Sequence[Segment]) -> str | None:
    """Return the id of the stamp that arXiv prints in the margin."""
    for segment in running:
        if match := STAMP.search(segment.text):
            try:
                return arxiv_key(match[1]).partition(":")[2]
            except ValueError:
                continue
    return None


def _places(lines: Lines, running: Sequence[Segment], before: int) -> Iterator[str]:
    yield from (segment.text for segment in running)
    first_page = lines.lines[0].page if lines.lines else 0
    for number, line in enumerate(lines.lines):
        if line.page != first_page:
            break
        for segment in line.segments:
            text = _whole(lines, number, segment.text)
            match = DOI.search(text)
            if not match:
                continue
            alone = match.end() - match.start() > 0.45 * len(text)
            small = lines.styles[number].size < lines.body.size - 0.4
            if (number < before and before < 100) or alone or (small and LABEL.search(text, 0, match.start())):
                yield text


def _whole(lines: Lines, number: int, text: str) -> str:
    """Return a text at the end of a line with the rest of the DOI that the next line begins with."""
    word = (text.split() or [""])[-1]
    if not word.endswith((".", "/", "_", "-")) or not BROKEN.search(word):
        return text
    if not lines.texts[number].rstrip().endswith(text.rstrip()):
        return text
    if number + 1 >= len(lines.lines) or not lines.follows(number + 1):
        return text
    return text.rstrip() + lines.texts[number + 1].partition(" ")[0]


def _dois(text: str) -> Iterator[str]:
    for match in DOI.finditer(text):
        if doi := _doi(match[0]):
            yield doi


def _doi(text: str) -> str | None:
    if not text or PLACEHOLDER.search(text):
        return None
    try:
        return doi_key(text.rstrip(".,;)]")).partition(":")[2]
    except ValueError:
        return None
