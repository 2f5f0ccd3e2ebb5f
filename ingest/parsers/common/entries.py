"""Entries of lists of references: names of authors, fields and identifiers."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from papergraph.ingest.parsers.document import Reference
from papergraph.schema.ids import arxiv_key, doi_key

# Identifiers, years and unique labels of entries of a reference list


DOI_IN_TEXT = re.compile(r"(?:doi:?\s*|doi\.org/)(10\.[0-9]{4,9}/[^\s\"<>]+)", re.IGNORECASE)
DOI_OF_ARXIV = re.compile(r"10\.48550/arxiv\.(\S+)", re.IGNORECASE)
ARXIV_IN_TEXT = re.compile(
    r"(?:arxiv:\s*|arxiv\.org/(?:abs|pdf)/|arxiv preprint\s+(?:arxiv:)?)"
    r"([0-9]{4}\.[0-9]{4,5}|[a-z][a-z-]*(?:\.[A-Z]{2})?/[0-9]{7})",
    re.IGNORECASE,
)
YEAR_IN_TEXT = re.compile(r"(?<![0-9])(?:1[5-9]|20)[0-9]{2}(?![0-9])")
LONGEST_LABEL = 100
LONGEST_ENTRY = 4000


def doi_of(text: str | None) -> str | None:
    """Return ``text`` as a DOI in lower case; None if it is not a DOI."""
    try:
        return doi_key(text).partition(":")[2].rstrip(".,;") if text and text.strip() else None
    except ValueError:
        return None


def arxiv_of(text: str | None) -> str | None:
    """Return ``text`` as an arXiv id without version; None if it is not an arXiv id."""
    try:
        return arxiv_key(text).partition(":")[2] if text and text.strip() else None
    except ValueError:
        return None


def year_of(text: str | None) -> int | None:
    """Return the first year from 1500 to 2099 that ``text`` has."""
    found = YEAR_IN_TEXT.search(text or "")
    return int(found[0]) if found else None


def reference(
    *,
    label: str,
    text: str,
    title: str | None = None,
    authors: Sequence[str] = (),
    year: int | None = None,
    doi: str | None = None,
    arxiv_id: str | None = None,
) -> Reference:
    """Return an entry. A missing DOI or arXiv id is looked for in the text, and a DOI of arXiv becomes an arXiv id."""
    text = " ".join(text.split())[:LONGEST_ENTRY]
    if doi is None and (in_text := DOI_IN_TEXT.search(text)):
        doi = doi_of(in_text[1].rstrip(").,;]"))
    if arxiv_id is None and (of_arxiv := DOI_OF_ARXIV.fullmatch(doi or "")):
        arxiv_id = arxiv_of(of_arxiv[1])
    if arxiv_id is None and (in_text := ARXIV_IN_TEXT.search(text)):
        arxiv_id = arxiv_of(in_text[1])
    title = " ".join((title or "").split()).rstrip(".")[:LONGEST_ENTRY] or None
    names = tuple(dict.fromkeys(filter(None, (" ".join(name.split()) for name in authors))))
    return Reference(label[:LONGEST_LABEL], text, title, names, year, doi, arxiv_id)


def with_own_labels(references: Sequence[Reference]) -> tuple[Reference, ...]:
    """Return the entries, each with a label that no other has: one that has none, or another's, gets its number."""
    taken = {entry.label for entry in references}
    seen: set[str] = set()
    labelled = []
    for number, entry in enumerate(references, start=1):
        label = entry.label
        if not label or label in seen:
            label = next(name for name in _names(number, entry.label) if name not in taken | seen)
        seen.add(label)
        labelled.append(replace(entry, label=label))
    return tuple(labelled)


def _names(number: int, label: str) -> Iterator[str]:
    yield f"#{number}"
    for further in itertools.count(number):
        yield f"{label}#{further}"


# Names of authors as entries of lists of references print them: given names first, last, or as initials


PARTICLES = frozenset(
    {
        "van", "von", "der", "den", "de", "di", "da", "del", "della", "dela", "dos", "das", "du", "la", "le", "ten",
        "ter", "zu", "zur", "af", "al", "el", "bin", "ibn", "st", "st.", "y", "e", "vom", "’t", "'t",
    }
)  # fmt: skip
JOINS = frozenset({"and", "&", "et", "al", "al.", "und", "y", "e", "with", "others"})
NAME_WORD = re.compile(r"[^\W\d_][\w'’‘`´.\u00ad-]*[.,;:]*")
INITIAL_WORD = re.compile(r"(?:[^\W\d_a-zß-ÿ]\.-?)+|[A-ZÀ-ÞŠŽČ]{1,3}|[A-ZÀ-Þ](?:-[A-ZÀ-Þ])?\.?")
CAPITAL = re.compile(r"[^\W\d_a-zß-ÿ]")
LAST_INITIAL = re.compile(r"(?:\A|[\s.-])[^\W\d_a-zß-ÿ]\.\Z")
TWO_LETTERS = re.compile(r"[^\W\d_]{2}")
VANCOUVER = re.compile(r"[^\W\d_]{2}\s[^\W\d_a-z]{1,3}\Z")
"""A surname with initials after it ends here, as in ``Geerts WH``."""

SURNAME_FIRST = re.compile(
    r"(?P<last>[^\W\d_][\w'’‘`´-]+(?: [^\W\d_][\w'’‘`´-]+){0,4}) "
    r"(?P<first>(?:[^\W\d_a-zß-ÿ]\.[ -]?){0,3}[^\W\d_a-zß-ÿ]\.?|[^\W\d_a-zß-ÿ]{1,3}|"
    r"[^\W\d_a-zß-ÿ](?:[ -][^\W\d_a-zß-ÿ]){1,3})"
)
SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV)\.?")
NO_NAMES = re.compile(
    r"\bet\.? al\.?,?|\b(?:and|&) others\b|…|\.\.\.|\(eds?\.?\)|\s[Ee]ds?\.(?=,|\s|$)|\(?\beditors?\b\)?|\(hrsg\.?\)|"
    r"\([^()]{1,20}\)",
    re.IGNORECASE,
)
"""Words in a list of names that are not names."""

NOT_IN_NAMES = re.compile(r"[“”\"/=<>{}|@?!\d]")
AND = re.compile(r",?\s(?:and|und|y|e)\s|,?\s?&\s?")
COMMA = re.compile(r",\s")
SEMICOLON = re.compile(r";\s?(?:(?:and|&)\s)?")
COLLECTIVE = re.compile(
    r"team|group|collaboration|consortium|foundation|inc|corporation|organi[sz]ation|society|institute|committee|agency|"
    r"association|council|university|network|project|developers?|community|center|centre",
    re.IGNORECASE,
)
LONGEST = 4000
"""Characters of an entry that are looked at."""

LONGEST_NAME, MOST_WORDS, MOST_NAMES = 60, 6, 300


def names_of(part: str) -> list[str]:
    """Return the names that a text is a list of, given name first; none where it is something else."""
    part = " ".join(NO_NAMES.sub(" ", part[:LONGEST]).split()).strip(" ,;:([").lstrip(".")
    part = part if LAST_INITIAL.search(part) else part.rstrip(" .,;:")
    words = part.split()
    if not words or NOT_IN_NAMES.search(part):
        return []
    if COLLECTIVE.search(part) and "," not in part and len(words) <= 10 and part[0].isupper():
        return [part]
    if not all(NAME_WORD.fullmatch(word) or word == "&" for word in words) or any(map(_is_no_name, words)):
        return []
    if any(len(word) > 4 and word[-1] == "." and not INITIAL_WORD.fullmatch(word) for word in words[:-1]):
        return []  # a sentence ends here
    if ";" in part:
        return _checked([turned(piece) for piece in SEMICOLON.split(part)])
    groups = [group for group in AND.split(part) if group.strip(" ,.")]
    if all(group.count(",") == 1 and not VANCOUVER.search(group.partition(",")[0]) for group in groups):
        return _checked([turned(group) for group in groups])
    pieces = [piece.strip() for group in groups for piece in COMMA.split(group) if piece.strip(" ,.")]
    return _checked(_paired(pieces))


def _is_no_name(word: str) -> bool:
    return word[0].islower() and word.strip(",;") not in PARTICLES | JOINS and not word.startswith(("d’", "d'"))


def _paired(pieces: list[str]) -> list[str]:
    """Put surnames and the given names after them together."""
    names: list[str] = []
    number = 0
    initials = [_are_initials(piece) for piece in pieces]
    while number < len(pieces):
        piece = pieces[number]
        following = pieces[number + 1] if number + 1 < len(pieces) else ""
        if following and not initials[number] and (initials[number + 1] or (number == 0 and _is_turned(pieces))):
            names.append(f"{following} {piece}")
            number += 2
            continue
        if not SUFFIX.fullmatch(piece):
            names.append(turned(piece))
        number += 1
    return names


def _is_turned(pieces: list[str]) -> bool:
    """Say whether the first name of a list alone is turned, as in ``Gibson, Tom A., Matthew Tucker``."""
    return len(pieces[0].split()) == 1 and len(pieces) > 2 and all(len(piece.split()) > 1 for piece in pieces[2:])


def _are_initials(piece: str) -> bool:
    words = piece.split()
    return all(INITIAL_WORD.fullmatch(word) or word in PARTICLES for word in words) and bool(CAPITAL.search(piece))


def turned(piece: str) -> str:
    """Return a name with its given name first: ``Geerts WH`` and ``Knuth, Donald E.`` have it last."""
    last, comma, first = piece.partition(",")
    if comma and first.strip():
        return f"{first.strip()} {last.strip()}"
    found = SURNAME_FIRST.fullmatch(piece.rstrip(","))
    return f"{found['first']} {found['last']}" if found else piece.rstrip(",;")


def _checked(names: list[str]) -> list[str]:
    names = [name for name in (name.strip(" ,;") for name in names) if name]
    if any(
        len(name) > LONGEST_NAME or len(name.split()) > MOST_WORDS or not TWO_LETTERS.search(name) for name in names
    ):
        return []
    return names[:MOST_NAMES]


# Authors, year, title and venue of an entry of a reference list, by the order of common styles.
#
# Authors come first, then the year, the title, and where the work appeared; or the year comes last. A title in
# quotation marks is found by these. An ambiguous field stays empty.


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
"""Continuation of a title after a question mark."""

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
"""Pages and identifiers after a title, which are removed."""

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
