"""Title page of a PDF: title, authors, date and identifiers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from papergraph.ingest.parsers.document import LONGEST_NAME, LONGEST_TITLE
from papergraph.ingest.parsers.pdf.glyphs import Segment, Style
from papergraph.ingest.parsers.pdf.headings import KNOWN, Lines
from papergraph.ingest.parsers.pdf.layout import STAMP, Line
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


# Names of people as papers print them; words of places and institutions are excluded


PARTICLES = frozenset(
    "van von der den de del della di da dos du la le el al bin ibn ter ten zu zur af y e do das 't und vom".split()  # noqa: SIM905
)
SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.IGNORECASE)
DEGREE = re.compile(
    r"\b(?:ph\.?\s?d|m\.?d|m\.?sc|b\.?sc|d\.?phil|dipl\.?-?\s?ing|prof|dr|mr|mrs|ms|frs|msc|phd)\b\.?|"
    r"\b(?:senior |student |associate )?(?:member|fellow),?\s+(?:ieee|asme|acm|aiaa|spie|osa|siam)\b|\bIEEE\b",
    re.IGNORECASE,
)
SEPARATOR = re.compile(r"[,;·•|&\x1f†‡§¶∗*★⋆]|\b(?:and|und|et|with)\b|\s{3,}")
LEAD = re.compile(r"(?:by|authors?|written by|edited by|autor(?:es)?|par|por)\b:?\s+", re.IGNORECASE)
GLUED_MARK = re.compile(r"(?<=[^\W\d_])\s?\d{1,2}(?:\s?,\s?\d{1,2}){0,6}(?=[\s,;&]|$)")
"""The number of an affiliation right after a name, not raised."""

MAIL = re.compile(r"[<(\[{]?[^\s<>()]{1,80}@[^\s<>()]{1,80}[>)\]}]?|<[^<>]{0,80}>")
OPTIONS = re.compile(r"\[[^\[\]]{0,40}\]")
PLACE_OR_INSTITUTION = re.compile(
    r"universi|institut|istitut|departe?a?ment|d[ée]partement|\bdept|\blaborator|\blabs?\b|\bcollege|"
    r"\bschool|\bacadem|\bcent(?:er|re|ro)\b|"
    r"\bhospital|\bfacult|fakult|\bresearch\b|\binc\b|\bltd\b|\bllc\b|\bgmbh\b|\bcorp|\bcompany|\bgroup\b|"
    r"\bdivision\b|\bnational\b|"
    r"\bscien[ct]|technolog|technik|politec|polytech|engineering|hochschule|\b[ée]cole\b|\bescola\b|"
    r"\bescuela\b|\bministr|\bfoundation|\bagency|\bbureau|"
    r"\bobservator|\bmuseum|\blibrary\b|\bclinic\b|\bsociety|\bassociation|\bconsortium|\bteam\b|"
    r"\bcouncil|\bcommittee|\bproject\b|"
    r"\bmathemat|\bstatisti|\bphysics|\bbiolog|\bchemi|\bmedicin|\bcomput|\bsoftware|\bsystems\b|"
    r"\bsolutions\b|\bservices\b|"
    r"\babstract|\bpublished|\breceived|\baccepted|\brevised|\bcorrespond|\bauthors?\b|\be-?mail|"
    r"\bcopyright|\blicen[cs]e|\bjournal|"
    r"\bproceedings|\bconference|\bvolume|\beditor|\barticle|\bversion|\barxiv|\bdoi\b|\bkeywords?|"
    r"\bindex terms|\bcontents\b|"
    r"\bjanuary|\bfebruary|\bmarch\b|\bapril\b|\bmay \d|\bjune\b|\bjuly\b|\baugust\b|\bseptember|"
    r"\boctober|\bnovember|\bdecember|"
    r"\bstreet\b|\bavenue\b|\broad\b|\bbox\b|\bstra(?:ß|ss)e|\brue\b|\bunited\b|\bchina\b|\busa\b|"
    r"\bu\.s\.a|\bgermany\b|\bfrance\b|"
    r"\bcanada\b|\bitaly\b|\bkingdom\b|\bamerica\b|\bjapan\b|\bindia\b|\bspain\b|\baustria\b|"
    r"\baustralia\b|\bswitzerland\b|\bbrazil\b|"
    r"\bnetherlands\b|\bsweden\b|\bdenmark\b|\bnorway\b|\bbelgium\b|\bpoland\b|\bkorea\b|\biceland\b|"
    r"\btaiwan\b|\bnew york\b|"
    r"\bopen access|\breviewed|\bassociates|\bthis\b|\busing\b|\bfor\b|\bpackage\b|\bvignette|\bmanual\b|"
    r"\bguide\b|\bintroduction\b",
    re.IGNORECASE,
)
"""Words of affiliations, addresses, dates and mastheads, in no name of a person."""

LONG_NUMBER = re.compile(r"\d{3}|\b[A-Z]{1,2}\d|\d[A-Z]")
MOST_WORDS = 6


def names_in(text: str) -> Iterator[str]:
    """Yield the names at the beginning of a line of authors, up to what is no name.

    Args:
        text: The line; raised marks are replaced by U+001F.
    """
    bare = OPTIONS.sub(" ", DEGREE.sub(" ", MAIL.sub(",", text)))
    bare = bare.strip()
    lead = LEAD.match(bare)
    bare = GLUED_MARK.sub(",", bare[lead.end() :] if lead else bare)
    capitals: bool | None = None
    last = ""
    for part in SEPARATOR.split(bare):
        words = part.strip(" .,:;()\ufffd").split()
        if not words or not any(character.isalpha() for character in part):
            continue
        piece = " ".join(words)
        if last and SUFFIX.fullmatch(piece):
            last = f"{last} {piece}"
            continue
        if not is_name(part.strip(" ,:;()\ufffd").split()) or (capitals and not piece.isupper()):
            if len(words) == 1 and len(piece) < 4:
                continue
            break
        if last:
            yield in_mixed_case(last)
        capitals = piece.isupper() if capitals is None else capitals
        last = piece
    if last:
        yield in_mixed_case(last)


def is_name(words: list[str]) -> bool:
    """Say whether words are the name of a person: two to six, each an initial, a capitalised word or a particle."""
    text = " ".join(words)
    if not 2 <= len(words) <= MOST_WORDS or len(text) > LONGEST_NAME or PLACE_OR_INSTITUTION.search(text):
        return False
    n_long = 0
    for word in words:
        if word.casefold() in PARTICLES:
            continue
        letters = word.replace("-", "").replace("’", "").replace("'", "").replace(".", "").replace("‐", "")
        letters = unicodedata.normalize("NFC", letters)
        if not letters.isalpha() or not word[0].isupper():
            return False
        n_long += len(letters) > 1
    return n_long > 0 and words[-1].casefold() not in PARTICLES


def in_mixed_case(name: str) -> str:
    """Return a name that is printed in capitals as it is written elsewhere."""
    words = name.split()
    if not name.isupper() or all(len(word) < 4 for word in words):
        return name
    return " ".join(word if "." in word else _capitalised(word) for word in words)


def _capitalised(word: str) -> str:
    return re.sub(r"[^\W\d_]+", lambda match: match[0].capitalize(), word)


# Authors, affiliations and ORCIDs on the first page, between the title and the abstract.
#
# Lines of names share a typeface. An affiliation is recognised by its words, a number, or its raised mark; a raised
# mark after a name refers to it. In a grid of names the next row of names follows a wider gap or an e-mail.


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
    """Authors on the first page.

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
    """Return the names of a segment; empty if its typeface differs from the first line of names."""
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


# DOI and arXiv id of a paper, as its first page prints them


DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+")
LABEL = re.compile(r"(?:doi\b|https?://(?:dx\.)?doi\.org)[:\s/]*$", re.IGNORECASE)
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
    counted = Counter(doi for text in _places(lines, running, before) for doi in _dois(text))
    first, *others = [*counted.most_common(2), (None, 0)]
    return first[0] if not others or first[1] > others[0][1] else None


def _cited_as(lines: Lines) -> str | None:
    """Return the DOI beside the words "Cite this article as", wherever they stand."""
    for number, text in enumerate(lines.texts):
        if CITE_AS.match(text):
            for near in lines.texts[max(0, number - 2) : number + 6]:
                if doi := next(_dois(near), None):
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
            match = DOI.search(segment.text)
            if not match:
                continue
            alone = match.end() - match.start() > 0.45 * len(segment.text)
            small = lines.styles[number].size < lines.body.size - 0.4
            if (number < before and before < 100) or alone or (small and LABEL.search(segment.text, 0, match.start())):
                yield segment.text


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
