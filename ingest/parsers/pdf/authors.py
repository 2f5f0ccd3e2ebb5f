"""Authors on the title page of a PDF, their affiliations and ORCIDs."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from papergraph.ingest.parsers.document import LONGEST_NAME
from papergraph.ingest.parsers.pdf.glyphs import Segment, Style
from papergraph.ingest.parsers.pdf.headings import Lines
from papergraph.ingest.parsers.pdf.layout import Line
from papergraph.ingest.parsers.pdf.title_page import ANY_YEAR, DATE, fold
from papergraph.ingest.sources.names import BEGINS_WITH_INITIAL, GLUED, PARTICLES, SUFFIX, Form, form_of, names_of

# Names of people as papers print them; words of places and institutions are excluded


DEGREE = re.compile(
    r"\b(?:ph\.?\s?d|m\.?d|mmed|mbbs|mph|m\.?sc|b\.?sc|d\.?phil|dipl\.?-?\s?ing|prof|dr|mr|mrs|ms|frs|msc|phd)\b\.?|"
    r"\b(?:senior |student |associate )?(?:member|fellow),?\s+(?:ieee|asme|acm|aiaa|spie|osa|siam)\b|\bIEEE\b",
    re.IGNORECASE,
)
SEPARATOR = re.compile(r"[,;·•|&\x1f†‡§¶∗*★⋆□⋄◇◦♠♣♡♢、，]|\b(?i:and|und|et|och|with)\b|\s(?:y|e|en|ed|og|i)\s|\s{3,}")
LEAD = re.compile(
    r"(?i:by|authors?|written by|edited by|autor(?:es)?|autora|par|por|von|vorgelegt von|eingereicht von|presented by|"
    r"submitted by|pr[ée]sent[ée]e? par|presentada por|di|door)\b:?\s+(?=[^\W\d_a-z])"
)
GLUED_MARK = re.compile(r"(?<=[^\W\d_])\s?\d{1,2}(?:\s?,\s?\d{1,2}){0,6}(?=[\s,;&]|$)")
"""The number of an affiliation right after a name, not raised."""

AFFILIATION_MARKS = re.compile(r"[†‡§¶∗*★⋆]")
MARKS = re.compile(r"[\x1f†‡§¶∗*★⋆]")
INVERTED = re.compile(r"[^\W\d_]{2},\s(?:[^\W\d_a-z]\.[\s-]?){1,4}(?=[,;&\x1f†‡§¶∗*\d]|(?<=\s)and\s|\Z)")
"""Surname with initials after a comma."""

NUMBER_AT_NAME = re.compile(r"\b\d{1,2}\s(?=[^\W\d_a-z])|(?<=[^\W\d_]{2})\s?\d{1,2}(?=[,;\s]|\Z)")
"""The number of an affiliation before or after a name in a heading."""

COLLABORATION = re.compile(r"(?:the )?[\w\s,&-]{2,80}\bcollaborations?\W{0,3}", re.IGNORECASE)
WHEN_WRITTEN = re.compile(rf",?\s(?:(?:on|am|le|el)\s)?{DATE.pattern}.*\Z", re.IGNORECASE)
"""Date after the authors of an essay."""

STOP_BEFORE_INITIAL = re.compile(r"(?<=[^\W\d_]{3})\.(?=\s[^\W\d_]\.)")
ONE_INITIAL = re.compile(r"\s[^\W\d_a-z]\Z")
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
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b[\s,.]*\d|"
    r"\bstreet\b|\bavenue\b|\broad\b|\bbox\b|\bstra(?:ß|ss)e|\brue\b|\bunited\b|\bchina\b|\busa\b|"
    r"\bu\.s\.a|\bgermany\b|\bfrance\b|"
    r"\bcanada\b|\bitaly\b|\bkingdom\b|\bamerica\b|\bjapan\b|\bindia\b|\bspain\b|\baustria\b|"
    r"\baustralia\b|\bswitzerland\b|\bbrazil\b|"
    r"\bnetherlands\b|\bsweden\b|\bdenmark\b|\bnorway\b|\bbelgium\b|\bpoland\b|\bkorea\b|\biceland\b|"
    r"\btaiwan\b|\bnew york\b|"
    r"университет|\bинститут|академи[ия]|факультет|кафедр|лаборатор|студент|аспирант|научн|uniwersyte|politechnik|"
    r"\bopen access|\breviewed|\bassociates|\bthis\b|\busing\b|\bfor\b|\bpackage\b|\bvignette|\bmanual\b|"
    r"\bguide\b|\bintroduction\b",
    re.IGNORECASE,
)
"""Words of affiliations, addresses, dates and mastheads, in no name of a person."""

ORCID = re.compile(r"\b(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\b")
LONG_NUMBER = re.compile(r"\d{3}|\b[A-Z]{1,2}\d|\d[A-Z]")
MOST_WORDS = 6


def names_in(text: str) -> Iterator[str]:
    """Yield the names at the beginning of a line of authors, up to what is no name.

    Args:
        text: The line; raised marks are replaced by U+001F, wide gaps by three blanks.
    """
    yield from _read_names(text)[0]


def is_list_of_people(title: str) -> bool:
    """Say whether a heading is two names or more with marks of affiliations, or three with numbers of them."""
    fewest = 2 if AFFILIATION_MARKS.search(title) else 3
    numbered = len(NUMBER_AT_NAME.findall(title)) >= fewest
    return (numbered or fewest == 2) and len(_read_names(NUMBER_AT_NAME.sub(" ", title))[0]) >= fewest


def is_of_authors(lines: Lines, number: int, title: range) -> bool:
    """Say whether a line below the title is two names or more, or an affiliation above an e-mail address."""
    if not title or number < title.stop or lines.lines[number].page != lines.lines[title.start].page:
        return False
    if number == title.stop:
        return len(_read_names(NUMBER_AT_NAME.sub(" ", lines.texts[number]))[0]) > 1
    return _says_place(lines.lines[number]) and any("@" in text for text in lines.texts[number + 1 : number + 3])


def _read_names(text: str) -> tuple[list[str], str]:
    """Return the names at the beginning of a line, and the given name that it ends with, if its surname is missing."""
    bare = ORCID.sub(" ", OPTIONS.sub(" ", DEGREE.sub(" ", MAIL.sub(",", WHEN_WRITTEN.sub(" ", text))))).strip()
    if COLLABORATION.fullmatch(bare):
        return [bare], ""
    if (inverted := INVERTED.findall(bare)) and len(people := names_of(MARKS.sub(" ", bare))) == len(inverted):
        return people, ""
    lead = LEAD.match(bare)
    bare = GLUED.sub(" ", GLUED_MARK.sub(",", bare[lead.end() :] if lead else bare))
    capitals: bool | None = None
    names: list[str] = []
    for part in SEPARATOR.split(bare):
        words = part.strip(" .,:;()\ufffd'’\"").split()
        if not words or not any(character.isalpha() for character in part):
            continue
        piece = " ".join(words)
        if names and SUFFIX.fullmatch(piece):
            names[-1] = f"{names[-1]} {piece}"
            continue
        if not is_name(part.strip(" ,:;()\ufffd'’\"").split()) or (capitals and not piece.isupper()):
            ends = names and bare.rstrip(". ").endswith(piece)
            is_open = ends and (
                form_of(part.strip()) is Form.INITIALS or (len(words) == 1 and form_of(piece) is Form.SURNAME)
            )
            if len(words) == 1 and len(piece) < 4 and not is_open:
                continue
            return [in_mixed_case(name) for name in names], part.strip() if is_open else ""
        capitals = piece.isupper() if capitals is None else capitals
        names.append(piece)
    given = names.pop() + "." * bare.endswith(".") if _lacks_surname(names, bare) else ""
    return [in_mixed_case(name) for name in names], given


def _lacks_surname(names: Sequence[str], text: str) -> bool:
    """Say whether a line ends with given names, as in ``Fariha Khalid, James M.``, other than the names before."""
    if len(names) < 2 or not text.rstrip(". ").endswith(names[-1]) or not ONE_INITIAL.search(names[-1]):
        return False
    return form_of(names[-1]) is Form.SURNAME_FIRST and all(
        form_of(name) in (Form.GIVEN_FIRST, Form.WORDS) for name in names[:-1]
    )


def is_name(words: list[str]) -> bool:
    """Say whether words are the name of a person: two to six, each an initial, a capitalised word or a particle."""
    text = STOP_BEFORE_INITIAL.sub("", " ".join(words))
    words = text.split()
    if not 2 <= len(words) <= MOST_WORDS or len(text) > LONGEST_NAME or PLACE_OR_INSTITUTION.search(text):
        return False
    if form_of(unicodedata.normalize("NFC", text)) not in (Form.GIVEN_FIRST, Form.SURNAME_FIRST, Form.WORDS):
        return False
    if any(len(word) > 3 and word[-1] == "." and "." not in word[:-1] for word in words):
        return False
    return words[-1] not in PARTICLES and not words[-1].endswith((":", "?", "!"))


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
MOST_ABOVE = 4
NAME_AND_MAIL = re.compile(r"([^()@]{4,80}) ?\([^\s()@]{1,80}@[^\s()@]{1,80}\)")
MARK = "\x1f"
MARK_ONLY = re.compile(r"[\W\d_]{0,6}|[\W\d_]{0,3}[a-z](?:[\W\d_]{1,3}[a-z]){0,4}[\W\d_]{0,3}")
STARTS_WITH_MARK = re.compile(r"(?:\d{1,2}|[∗*†‡§¶#]|\([a-z\d]\))\s*(?=[^\W\d_])")
END_OF_FRONT = re.compile(
    r"(?:abstract|summary|key ?words|index terms|contents|introduction|resumo|r[ée]sum[ée]|zusammenfassung)\b",
    re.IGNORECASE,
)
AND_ALONE = re.compile(r"\W{0,2}(?:and|und|et|&|e|y)\W{0,2}", re.IGNORECASE)
FEWEST_BLANKS, WIDE_GAP = 3, 1.8
"""Blanks of a line of names from which their usual width is known, and how much wider one between names is."""

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
    rows, affiliations, region = _printed(lines, title, before)
    rows = _with_addresses(region) or rows or _above(lines, title)
    printed = tuple(dict.fromkeys(name for row in rows for name in row))
    text = " ".join(line.text for line in lines.lines if line.page <= 1)
    folded = fold(text)
    of_file = tuple(dict.fromkeys(name for name in map(_bare, named) if name and fold(name) in folded))
    complete = len(of_file) == len({_bare(name) for name in named if _bare(name)})
    names = printed
    if of_file and complete and _folds(printed) <= _folds(of_file) and _is_order_of(rows, of_file):
        names = of_file
    orcids = tuple(dict.fromkeys(match for line in region for match in ORCID.findall(line.text)))
    return Authors(names[:MOST_AUTHORS], affiliations, orcids)


def _with_addresses(region: Sequence[Line]) -> list[list[str]]:
    """Return the names of lines that are each a name with an e-mail address in parentheses; empty if it is one line."""
    rows = [_read_names(match[1])[0] for line in region if (match := NAME_AND_MAIL.fullmatch(line.text))]
    return rows if len(rows) > 1 and all(map(len, rows)) else []


def _above(lines: Lines, title: range) -> list[list[str]]:
    """Return the names of lines directly above the title, where some journals print the authors."""
    rows: list[list[str]] = []
    for number in range(title.start - 1, max(-1, title.start - 1 - MOST_ABOVE), -1):
        line = lines.lines[number]
        found, _ = _of_segments(line, None, "")
        if line.page != lines.lines[title.start].page or _says_place(line) or not found:
            break
        rows.insert(0, found)
    return rows if sum(map(len, rows)) > 1 else []


def _is_order_of(rows: Sequence[Sequence[str]], names: Sequence[str]) -> bool:
    """Return whether each line has its names in this order; a grid of names is read by rows or by columns."""
    places = {fold(name): place for place, name in enumerate(names)}
    return all(places[fold(before)] < places[fold(after)] for row in rows for before, after in pairwise(row))


def _folds(names: Sequence[str]) -> set[str]:
    return {fold(name) for name in names}


def _bare(name: str) -> str:
    """Return a name of the metadata without e-mail and degrees; empty if it is no name."""
    bare = " ".join(DEGREE.sub(" ", MAIL.sub(" ", name)).split()).strip(" ,;")
    return in_mixed_case(bare) if len(bare) <= LONGEST_NAME and is_name(bare.split()) else ""


def _printed(lines: Lines, title: range, before: int) -> tuple[list[list[str]], tuple[str, ...], list[Line]]:
    """Return the names of each line, the affiliations, and the lines that hold them."""
    if not title:
        return [], (), []
    start = title.stop
    names: list[list[str]] = []
    affiliations: list[str] = []
    region: list[Line] = []
    look: Style | None = None
    in_affiliation = with_place = False
    given = ""
    for number in range(start, min(before, start + MOST_LINES, len(lines.lines))):
        line, text = lines.lines[number], lines.texts[number]
        if line.page != lines.lines[start].page or END_OF_FRONT.match(text):
            break
        if names and _is_prose(lines, number) and not _names_first(line):
            break
        region.append(line)
        if (number > start and lines.gap_before(number) > NEW_ROW_GAP) or AND_ALONE.fullmatch(text):
            in_affiliation = False
        found, given = _of_segments(line, look, given)
        says_place = _says_place(line)
        again = with_place and names and _names_first(line)  # one line for each author, with the affiliation
        if joined := _over_line_end(lines, number, names, look):
            found, given = joined
        if (
            found
            and (not in_affiliation or again)
            and (not _begins_with_mark(line) or (not names and len(found) > 1 and not says_place))
            and not (says_place and not _names_first(line))
        ):
            with_place = with_place or (not names and says_place and "," in text)
            names.append(found)
            look = look or _look_of(line)
            in_affiliation = _ends_in_place(line)
            continue
        given = ""
        in_affiliation = in_affiliation or says_place or _begins_with_mark(line)
        if "@" in text:
            in_affiliation = False
        elif in_affiliation and names and len(affiliations) < MOST_AFFILIATIONS:
            _add_affiliation(affiliations, line, lines, number)
    return names, tuple(affiliation[:LONGEST_AFFILIATION] for affiliation in affiliations), region


def _over_line_end(
    lines: Lines, number: int, names: list[list[str]], look: Style | None
) -> tuple[list[str], str] | None:
    """Return the names of a line that begins with the surname of the last name of the line before.

    The line has a mark or another name after the surname, so that it is no place.
    """
    if not names or not names[-1] or not lines.texts[number - 1].endswith(last := names[-1][-1]):
        return None
    line = lines.lines[number]
    first = SEPARATOR.split(_with_marks(line.segments[0]).strip(), maxsplit=1)
    if len(first) < 2 or form_of(first[0].strip()) is not Form.SURNAME or len(last.split()) > 2:
        return None
    found, given = _of_segments(line, look, last)
    if found and found[0].startswith(last):
        names[-1].pop()
        return found, given
    return None


def _of_segments(line: Line, look: Style | None, given: str) -> tuple[list[str], str]:
    """Return the names of a line, the first with the given name that the line before ends with, and the next such."""
    found: list[str] = []
    for number, segment in enumerate(line.segments):
        names, last = _names_of(segment, look, given)
        opens = found or any(BEGINS_WITH_INITIAL.match(other.text) for other in line.segments[number + 1 : number + 2])
        if not names and opens and form_of(bare := segment.text.strip(" ,")) is Form.SURNAME and len(bare) > 1:
            last = bare
        found += names
        given = last
    return found, given


def _names_of(segment: Segment, look: Style | None, given: str = "") -> tuple[list[str], str]:
    """Return the names of a segment; empty if its typeface differs from the first line of names."""
    style = segment.style
    if look is not None and (
        abs(style.size - look.size) > 0.6 or style.italic != look.italic or style.bold != look.bold
    ):
        return [], ""
    text = f"{given} {_with_marks(segment)}".strip()
    bare = WHEN_WRITTEN.sub("", MAIL.sub("", ORCID.sub("", text)))
    return _read_names(text) if not LONG_NUMBER.search(bare) else ([], "")


def _look_of(line: Line) -> Style:
    return max((segment for segment in line.segments if len(segment.text) > 3), key=lambda s: len(s.text)).style


def _with_marks(segment: Segment) -> str:
    """Return a segment's text with each raised run replaced by a mark, and each wide gap by three blanks."""
    parts = []
    wide = _wide_gaps(segment)
    for position, run in enumerate(segment.runs):
        end = segment.runs[position + 1].start if position + 1 < len(segment.runs) else len(segment.text)
        text = "".join("   " if at in wide else segment.text[at] for at in range(run.start, end))
        in_word = (
            text.isalpha()
            and segment.text[run.start - 1 : run.start].isalpha()
            and segment.text[end : end + 1].isalpha()
        )
        parts.append(MARK if run.raised and not in_word else text)
    return "".join(parts) if parts else segment.text


def _wide_gaps(segment: Segment) -> set[int]:
    """Return the blanks that are far wider than the segment's others: they part names."""
    edges = segment.edges
    widths = {at: edges[2 * at + 1] - edges[2 * at] for at, sign in enumerate(segment.text) if sign == " "}
    if len(widths) < FEWEST_BLANKS or len(edges) != 2 * len(segment.text):
        return set()
    usual = median(widths.values())
    wide = {at for at, width in widths.items() if width > WIDE_GAP * max(usual, 0.2 * segment.size)}
    return {at for at in wide if segment.text[at - 1] != "."}


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


# Title page of a thesis: a page of a few lines that says what was submitted, to whom and when


THESIS = re.compile(
    r"\b(?:thesis|theses|dissertation|disserta[çc][ãa]o|tese|tesis|tesi di|th[èe]se|m[ée]moire de|habilitation\w*|"
    r"diplomarbeit|masterarbeit|bachelorarbeit|doktorarbeit|inauguraldissertation|proefschrift|avhandling|"
    r"doctor of philosophy|master of (?:science|arts)|requirements for the degree|trabalho de conclus[ãa]o|"
    r"zur erlangung)\b",
    re.IGNORECASE,
)
SUPERVISOR = re.compile(
    r"\b(?:co-?)?(?:supervis\w*|advis[eo]r\w*|orientador\w*|betreu\w+|gutachter\w*|promotor\w*|committee|examin\w+|"
    r"direct(?:eur|or|ora|rice)|rapporteur|referent\w*|jury|relatore|tutor\w*|prof)\b",
    re.IGNORECASE,
)
INSTITUTION = re.compile(
    r"\buniversi|\binstitut|\bdepart(?:e?a?ment)|\bfacult|fakult|\bschool of|\bcollege|hochschule|\b[ée]cole\b|"
    r"\bescuela\b|politec|polytech|\bsubmitted\b|\bsubject\b|университет|институт|факультет|кафедр",
    re.IGNORECASE,
)
"""Words of lines near the title of a thesis that do not belong to it."""

MOST_TITLE_PAGE_LINES = 45
FEWEST_TITLE_LETTERS = 8


@dataclass(frozen=True)
class Thesis:
    """Title page of a thesis: lines of the title, author, year, and the first line of the next page."""

    title: range
    author: str
    year: int | None
    after: int


def find_thesis(lines: Lines) -> Thesis | None:
    """Return what the title page of a thesis says; None if the first page is no such page."""
    page = lines.lines[0].page if lines.lines else 0
    on_page = [number for number, line in enumerate(lines.lines) if line.page == page]
    texts = [lines.texts[number] for number in on_page]
    if not texts or len(on_page) == len(lines.lines) or len(on_page) > MOST_TITLE_PAGE_LINES:
        return None
    if not any(map(THESIS.search, texts)) or any(END_OF_FRONT.match(text) for text in texts):
        return None
    if any(_is_prose(lines, number) and not THESIS.search(_around(lines, number)) for number in on_page[:-2]):
        return None
    title = _title_of_thesis(lines, on_page)
    named = [number for number in on_page if not SUPERVISOR.search(lines.texts[number]) and number not in title]
    below = [number for number in named if title and number >= title.stop]
    author = next((name for number in (*below, *named) if (name := _only_name(lines, number))), "")
    years = [int(match["year"]) for text in texts for match in ANY_YEAR.finditer(text)]
    return Thesis(title, author, years[-1] if years else None, on_page[-1] + 1) if title and author else None


def _around(lines: Lines, number: int) -> str:
    return " ".join(lines.texts[max(0, number - 3) : number + 4])


def _title_of_thesis(lines: Lines, on_page: Sequence[int]) -> range:
    """Return the largest lines, leaving out institutions, degrees and names."""
    best, strength = range(0), (0.0, False)
    for number in on_page:
        text, style = lines.texts[number], lines.styles[number]
        letters = sum(map(str.isalpha, text))
        if letters < FEWEST_TITLE_LETTERS or INSTITUTION.search(text) or THESIS.search(text):
            continue
        if SUPERVISOR.search(text) or _only_name(lines, number) or LEAD.fullmatch(f"{text} A"):
            continue
        if number == best.stop and best and (style.size, style.bold) == strength:
            best = range(best.start, number + 1)
        elif (style.size, style.bold) > strength:
            best, strength = range(number, number + 1), (style.size, style.bold)
    return best


def _only_name(lines: Lines, number: int) -> str:
    """Return the name that is all of a line, a word such as "by" aside."""
    bare = DEGREE.sub(" ", lines.texts[number])
    lead = LEAD.match(bare)
    words = (bare[lead.end() :] if lead else bare).strip(" .,;:").split()
    return in_mixed_case(" ".join(words)) if is_name(words) and not THESIS.search(bare) else ""
