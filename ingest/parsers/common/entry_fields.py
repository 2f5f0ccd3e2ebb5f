"""What an entry of a list of references says: authors, year, title and venue, by the order of the common styles.

Authors come first, then the year, the title, and where the work appeared; or the year comes last. A title in quotation
marks is found by these. A field that cannot be told apart is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.parsers.common.entry_names import INITIAL_WORD, LONGEST, MOST_NAMES, names_of, turned

YEAR = re.compile(r"(?<![\w./-])(?P<year>1[5-9]\d\d|20\d\d)(?P<letter>[a-z]?)(?![\w])")
PAGES = re.compile(
    r"(?:pp?\.|pages?|no\.|vol\.)\s\d{1,6}(?:\s?[-–—]\s?\d{1,6})?|\b\d{1,6}\s?[-–—]\s?\d{1,6}|:\s?\d{1,6}(?:\(\d{1,6}\))?",
    re.IGNORECASE,
)
LINK = re.compile(r"(?:https?://|www\.|doi:?\s?10\.|arxiv:)\S*", re.IGNORECASE)
MONTH = r"(?:(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]{0,6}\.?(?: \d{1,2},)? )?"
YEAR_AFTER_AUTHORS = re.compile(
    rf"[\s.,:(\[]{{0,6}}{MONTH}(?P<year>1[5-9]\d\d|20\d\d)(?P<letter>[a-z]?)(?:[–-](?:\d{{4}})?)?"
    r"(?:(?:, [^()\d]{0,20}\d{0,2})?[)\]])?[\s.,:;]+",
    re.IGNORECASE,
)
YEAR_BEGINS = re.compile(rf"[\s.,(\[]{MONTH}(?:1[5-9]\d\d|20\d\d)[a-z]?[–-]?(?=[).,:;\]\s])", re.IGNORECASE)
YEAR_IN_PARENTHESES = re.compile(r"\([^()]{0,40}?(?<!\d)(1[5-9]\d\d|20\d\d)([a-z]?)\)")
YEAR_AT_END = re.compile(r"[\s,]\(?(?:1[5-9]|20)\d\d\)?\Z")
GIVEN_FIRST = re.compile(r"(?:[^\W\d_a-z]\.[ -]?){1,5}\s?[^\W\d_]{2}")
LAST_INITIALS = re.compile(r"(?<!and)(?<!&)\s(?:[^\W\d_a-z]\.?[ -]?){0,3}[^\W\d_a-z]{1,3}\Z")
QUOTATION = re.compile(r"[“„«\"]|``")
QUOTED = re.compile(r"(?:“|``|„|«|\"|‘)\s?(?P<title>[^“”\"„«»]{6,500}?)\s?(?:”|''|“|»|\"|’(?!\w))(?=[\s.,;:(]|$)")
EDITOR = re.compile(
    r"[(\[](?:eds?|editors?|hrsg|coords?|orgs?)\b\.?[)\]]|(?<!\w)(?:eds?|editors?|hrsg|coords?|orgs?)\.", re.I
)
SENTENCE_END = re.compile(
    r"(?P<stop>[.?!]”?)\s(?=[^\W_a-zß-ÿ]|[“\"(\[<]|https?:|doi|in:? |ar[xX]iv|url|chapter|ph\.?d|vol|pages|\d)"
)
ABBREVIATION = re.compile(
    r"(?:\A|[\s(.-])(?:[^\W\d_]|vs|no|vol|st|dr|cf|etc|eds?|al|ver|fig|approx|e\.g|i\.e|dept|int|proc)\Z", re.IGNORECASE
)
LETTER_AS_WORD = re.compile(r"\s[a-zß-ÿ]{2,20}\s[A-Z]\Z")
"""A single letter after a word in small letters ends a title, as in "with R"."""

GOES_ON = re.compile(r"(?:An?|The|How|What|Why|On|In) [a-z]")
"""What may stand after a question mark within a title."""

EDITION = re.compile(
    r"[,\s]\s?\(?(?:\d{1,3}(?:st|nd|rd|th)|second|third|fourth|fifth|revised)\s(?:ed\b|edition|rev).*", re.I
)
TITLE_ENDS = re.compile(
    r",\s(?=[^\W\d_a-zß-ÿ]|in:? |ar[xX]iv|https?:|doi|\d)|\s\((?=[^()]{0,200}\d{4}[a-z]?\))|\.\s(?=[^\W\d_a-z])"
)
NAME_BEFORE_COMMA = re.compile(
    r"\s?(?:(?:and|&)\s)?(?P<name>(?:[^\W\d_]\.[-\s]?){1,5}\s?(?:[a-z]{1,4}\.?\s){0,2}[^\W\d_a-z][\w'’`´-]+"
    r"(?:[ -][^\W\d_a-z][\w'’-]+)?|(?:[a-z]{2,4}\s){0,2}[^\W\d_a-z][\w'’`´-]+,\s(?:[^\W\d_a-z]\.[-\s]?){1,4})"
    r"(?:,\s(?:Jr|Sr|II|III)\.?)?"
    r"(?P<after>,\s(?=\S)|\s(?=(?:and|&)\s)|\set al\.?,?)"
)
OTHERS = re.compile(r"\s?(?:and\s)?(?:collaborators|others|et al\.?|coworkers),?\s?")
VENUE = re.compile(r"(?:in:?\s)?(?P<venue>[^\W\d_][^\d(]{2,200})", re.IGNORECASE)
NO_VENUE = frozenset({"vol", "no", "pp", "page", "pages", "url", "volume", "issue"})
WORD = re.compile(r"[^\W\d_]{3,}")
STOP = re.compile(r"\.\s|[?!:]\s")
BLANKS = ' .,;:“”"'
FARTHEST_QUOTE = 12
"""Characters between authors or year and a title in quotation marks."""

NO_TITLE = re.compile(r"(?:[,;]? pp?$|[,;]? ?\barxiv:|[,;]? ?\bdoi:|[,;]? ?https?:).*", re.IGNORECASE)
"""What is read as the end of a title and is none: pages and identifiers."""

MOST_STOPS, MOST_INITIALS = 4, 40


@dataclass(frozen=True)
class EntryFields:
    """The parts of an entry; ``letter`` tells works of one year apart, as in 2001a."""

    authors: tuple[str, ...] = ()
    year: int | None = None
    letter: str = ""
    title: str | None = None
    venue: str | None = None


def fields_of(text: str) -> EntryFields:
    """Return what an entry says; its label is left out of ``text``."""
    text = " ".join(text[:LONGEST].split())
    end, names, by_commas = _authors(text)
    dated = YEAR_AFTER_AUTHORS.match(text, end) if names else None
    start = dated.end() if dated else end
    quoted = QUOTED.search(text, max(0, end - 1) if names else 0)
    if quoted and (not WORD.search(quoted["title"]) or (names and quoted.start() > start + FARTHEST_QUOTE)):
        quoted = None
    if quoted:
        names = names or names_of(text[: quoted.start()])
        title, rest = quoted["title"], text[quoted.end() :]
    else:
        title, rest = _title(text, start if names else 0, by_commas=by_commas)
    year, letter = (int(dated["year"]), dated["letter"]) if dated else year_of_entry(text)
    title = EDITION.sub("", title.strip(BLANKS))
    title = (title if dated else YEAR_AT_END.sub("", title)).rstrip(" .,")
    if NO_TITLE.search(title):
        title = NO_TITLE.sub("", title) if names else ""  # nothing tells the title from who wrote it
    return EntryFields(tuple(names), year, letter, title if WORD.search(title) else None, _venue(rest))


def year_of_entry(text: str) -> tuple[int | None, str]:
    """Return the year of an entry and its letter: the one in parentheses, else the last that is no page or link."""
    bare = LINK.sub(" ", text)
    if inside := YEAR_IN_PARENTHESES.search(bare):
        return int(inside[1]), inside[2]
    found = list(YEAR.finditer(PAGES.sub(lambda match: "x" * len(match[0]), bare))) or list(YEAR.finditer(bare))
    return (int(found[-1]["year"]), found[-1]["letter"]) if found else (None, "")


def _authors(text: str) -> tuple[int, list[str], bool]:
    """Return where the authors end, their names, and whether a comma parts them from the title."""
    for end in _ends_of_authors(text):
        part = text[:end]
        tail = max(0, end - 14)
        if names := names_of(part[:tail] + EDITOR.sub("", part[tail:])):
            return end, names, False
    end, names = _by_commas(text)
    return end, names, bool(names)


def _ends_of_authors(text: str) -> Iterator[int]:
    """Yield where authors may end, likeliest first.

    Before a year or a quotation mark, at a colon or a full stop that ends no initial, and at one that does.
    """
    if year := YEAR_BEGINS.search(text):
        yield year.start()
    if quote := QUOTATION.search(text):
        yield quote.start()
    stops: list[int] = []
    initials: list[int] = []
    for stop in STOP.finditer(text):
        word = text[max(0, stop.start() - 40) : stop.start()].rpartition(" ")[2].strip("(,")
        is_initial = stop[0][0] == "." and word != "al" and INITIAL_WORD.fullmatch(f"{word}.") is not None
        (initials if is_initial else stops).append(stop.start() + (is_initial or word == "al"))
        if len(stops) == MOST_STOPS:
            break
    yield from stops
    if not GIVEN_FIRST.match(text):
        last = reversed(initials[:MOST_INITIALS])
        yield from (end for end in last if LAST_INITIALS.search(text[max(0, end - 14) : end - 1]))


def _by_commas(text: str) -> tuple[int, list[str]]:
    """Read names between commas until something else comes, as ``A. Prosperetti, G. Tryggvason, Title`` has it."""
    end = 0
    names: list[str] = []
    while len(names) < MOST_NAMES and (match := NAME_BEFORE_COMMA.match(text, end, min(len(text), end + 120))):
        names.append(turned(match["name"]))
        end = match.end()
        if "et al" in match["after"]:
            break
    while names and (match := OTHERS.match(text, end)):
        end = match.end()
    return end, names


def _title(text: str, start: int, *, by_commas: bool) -> tuple[str, str]:
    """Return the title that begins at ``start``, and what comes after it."""
    body = text[start:].lstrip(" .,:;)")
    if by_commas and (match := TITLE_ENDS.search(body)):
        return body[: match.start()], body[match.end() :]
    for match in SENTENCE_END.finditer(body):
        before = body[max(0, match.start() - 40) : match.start()]
        if match["stop"][0] == "." and ABBREVIATION.search(before) and not LETTER_AS_WORD.search(before):
            continue
        if not WORD.search(body, 0, match.start()) or (match["stop"] == "?" and GOES_ON.match(body, match.end())):
            continue
        return body[: match.start() + (match["stop"][0] != ".")], body[match.end() :]
    return body.rstrip("."), ""


def _venue(rest: str) -> str | None:
    """Return where a work appeared, as far as it is printed before numbers."""
    match = VENUE.match(LINK.split(rest.strip(BLANKS))[0])
    words = match["venue"].rstrip(" .,;:").split() if match else []
    while words and words[-1].strip(".,;:").lower() in NO_VENUE:
        words.pop()
    return " ".join(words).rstrip(" .,;:") or None
