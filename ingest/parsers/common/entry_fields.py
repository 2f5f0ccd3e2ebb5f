"""What an entry of a list of references says: authors, year, title and venue, by the order of the common styles.

Authors come first, then the year, the title, and where the work appeared; or the year comes last. A title in quotation
marks is found by these. A field that cannot be told apart is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

YEAR = re.compile(r"(?<![\w./-])(?P<year>1[5-9]\d\d|20\d\d)(?P<letter>[a-z]?)(?![\w])")
PAGES = re.compile(
    r"(?:pp?\.|pages?|no\.|vol\.)\s*\d+(?:\s*[-–—]\s*\d+)?|\d+\s*[-–—]\s*\d+|:\s?\d+(?:\(\d+\))?", re.IGNORECASE
)
LINK = re.compile(r"(?:https?://|www\.|doi:?\s*10\.|arxiv:)\S*", re.IGNORECASE)
MONTH = r"(?:(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]{0,6}\.?(?: \d{1,2},)? )?"
YEAR_AFTER_AUTHORS = re.compile(
    rf"[\s.,:(\[]*\(?{MONTH}(?P<year>1[5-9]\d\d|20\d\d)(?P<letter>[a-z]?)(?:[–-](?:\d{{4}})?)?(?:(?:, [^()\d]{{0,20}}\d{{0,2}})?[)\]])?[\s.,:;]+",
    re.IGNORECASE,
)
YEAR_BEGINS = re.compile(rf"[\s.,(\[]+{MONTH}(?:1[5-9]\d\d|20\d\d)[a-z]?[–-]?(?=[).,:;\]\s])", re.IGNORECASE)
GIVEN_FIRST = re.compile(r"(?:[^\W\d_a-z]\.[ -]?)+\s*[^\W\d_]{2}")
LAST_INITIALS = re.compile(r"(?<!and)(?<!&)\s(?:[^\W\d_a-z]\.?[ -]?){0,3}[^\W\d_a-z]{1,3}$")
QUOTED = re.compile(r"(?:“|``|„|«|\"|‘)\s*(?P<title>[^“”\"„«»]{6,500}?)\s*(?:”|''|“|»|\"|’(?!\w))(?=[\s.,;:(]|$)")
PARTICLES = frozenset(
    "van von der den de di da del della dos das du la le ten ter zu zur af al el bin ibn st st. y e vom ’t 't dela".split()
)
JOINS = frozenset({"and", "&", "et", "al", "al.", "und", "y", "e", "with", "others"})
NAME_WORD = re.compile(r"[^\W\d_][^\W\d_'’‘`´\u00ad-]*(?:[-'’‘`´.][^\W\d_]*)*[.,;:]*")
INITIAL_WORD = re.compile(r"(?:[^\W\d_a-zß-ÿ]\.-?)+|[A-ZÀ-ÞŠŽČ]{1,3}|[A-ZÀ-Þ](?:-[A-ZÀ-Þ])?\.?")
VANCOUVER = re.compile(r"[^\W\d_]{2,}\s[^\W\d_a-z]{1,3}\s*$")
"""A surname with initials after it, as in ``Geerts WH``."""

SURNAME_FIRST = re.compile(
    r"(?P<last>[^\W\d_][\w'’‘`´-]+(?: [^\W\d_][\w'’‘`´-]+)*) (?P<first>(?:[^\W\d_a-zß-ÿ]\.[ -]?){0,3}[^\W\d_a-zß-ÿ]\.?|[^\W\d_a-zß-ÿ]{1,3}|[^\W\d_a-zß-ÿ](?:[ -][^\W\d_a-zß-ÿ]){1,3})"
)
SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV)\.?")
EDITOR = re.compile(r"(?<!\w)\s*[(\[]?(?:eds?|editors?|hrsg|coords?|orgs?)\b\.?[)\]]?[.,:]?\s*", re.IGNORECASE)
SENTENCE_END = re.compile(
    r"(?P<stop>[.?!]”?)\s+(?=[^\W_a-zß-ÿ]|[“\"(\[<]|https?:|doi|in:? |ar[xX]iv|url|chapter|ph\.?d|vol|pages|\d)"
)
ABBREVIATION = re.compile(
    r"(?:^|[\s(.-])(?:[^\W\d_]|vs|no|vol|st|dr|cf|etc|ed|eds|al|ver|fig|approx|e\.g|i\.e|dept|int|proc)$", re.IGNORECASE
)
WORD = re.compile(r"[^\W\d_]{3,}")
LETTER_AS_WORD = re.compile(r"(?<=\s)[a-zß-ÿ]{2,}\s[A-Z]$")
"""A single letter after a word in small letters ends a title, as in "with R"."""

GOES_ON = re.compile(r"(?:An?|The|How|What|Why|On|In) [a-z]")
EDITION = re.compile(
    r",?\s\(?(?:\d+(?:st|nd|rd|th)|second|third|fourth|fifth|revised) (?:ed\b|edition|rev).*", re.IGNORECASE
)
YEAR_AT_END = re.compile(r"[\s,(]+(?:1[5-9]|20)\d\d\)?$")
TITLE_ENDS = re.compile(
    r",\s+(?=[^\W\d_a-zß-ÿ]|in:? |ar[xX]iv|https?:|doi|\d)|\s+\((?=[^()]*\d{4}[a-z]?\))|\.\s+(?=[^\W\d_a-z])"
)
COLLECTIVE = re.compile(
    r"team|group|collaboration|consortium|foundation|inc|corporation|organi[sz]ation|society|institute|committee|agency|"
    r"association|council|university|network|project|developers?|community|center|centre",
    re.IGNORECASE,
)
STOP = re.compile(r"\.\s+|[?!:]\s")
LONGEST_AUTHORS = 6000
MOST_NAMES = 300


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
    text = text.strip()
    authors_end, names, by_commas = _authors(text)
    dated = YEAR_AFTER_AUTHORS.match(text, authors_end) if names else None
    start = dated.end() if dated else authors_end
    quoted = QUOTED.search(text, max(0, authors_end - 1))
    if quoted and (not WORD.search(quoted["title"]) or (names and quoted.start() > start + 12)):
        quoted = None
    if quoted is None and not names:
        quoted = QUOTED.search(text)
    if quoted and not names:
        names = names_of(text[: quoted.start()])
    if quoted:
        title, rest = quoted["title"], text[quoted.end() :]
    elif names or dated:
        title, rest = _title(text, start, by_commas=by_commas)
    else:
        title, rest = _title(text, 0)
    year, letter = (int(dated["year"]), dated["letter"]) if dated else year_of_entry(text)
    title = EDITION.sub("", title.strip(' .,;:“”"'))
    title = (title if dated else YEAR_AT_END.sub("", title)).rstrip(" .,")
    return EntryFields(tuple(names), year, letter, title if len(WORD.findall(title)) >= 1 else None, _venue(rest))


def year_of_entry(text: str) -> tuple[int | None, str]:
    """Return the year of an entry and its letter: the one in parentheses, else the last that is no page or link."""
    bare = LINK.sub(" ", text)
    inside = list(re.finditer(r"\([^()]{0,40}?(?<!\d)(1[5-9]\d\d|20\d\d)([a-z]?)\)", bare))
    if inside:
        return int(inside[0][1]), inside[0][2]
    spans = [(match.start(), match.end()) for match in PAGES.finditer(bare)]
    found = [
        match
        for match in YEAR.finditer(bare)
        if not any(start <= match.start() and match.end() <= end for start, end in spans)
    ] or list(YEAR.finditer(bare))
    return (int(found[-1]["year"]), found[-1]["letter"]) if found else (None, "")


def _authors(text: str) -> tuple[int, list[str], bool]:
    """Return where the authors end, their names, and whether a comma parts them from the title."""
    cut = text[:LONGEST_AUTHORS]
    ends = _ends_of_authors(cut)
    for end in ends:
        part = EDITOR.sub("", cut[:end]) if EDITOR.search(cut[:end][-14:]) else cut[:end]
        names = names_of(part)
        if names:
            return end, names, False
    end, names = _by_commas(cut)
    return end, names, bool(names)


def _ends_of_authors(text: str) -> Iterator[int]:
    """Yield where authors may end, likeliest first.

    Before a year or a quotation mark, at a colon or a full stop that ends no initial, and at one that does.
    """
    year = YEAR_BEGINS.search(text)
    if year:
        yield year.start()
    if quote := re.search(r"[“„«\"]|``", text):
        yield quote.start()
    stops: list[int] = []
    initials: list[int] = []
    for stop in STOP.finditer(text):
        word = text[: stop.start()].rpartition(" ")[2].strip("(,")
        is_initial = stop[0][0] == "." and word != "al" and INITIAL_WORD.fullmatch(f"{word}.") is not None
        (initials if is_initial else stops).append(stop.start() + (is_initial or word == "al"))
        if len(stops) > 3:
            break
    yield from stops
    if not GIVEN_FIRST.match(text):
        yield from (end for end in reversed(initials[:40]) if LAST_INITIALS.search(text, max(0, end - 14), end - 1))


def names_of(part: str) -> list[str]:
    """Return the names that a text is a list of, given name first; none where it is something else."""
    part = re.sub(
        r"\bet\.? al\.?,?|\b(?:and|&) others\b|…|\.\.\.|,?\s*\(eds?\.?\)|,?\s\beds?\.(?=,|\s|$)|\(?\beditors?\b\)?|\(hrsg\.?\)|\([^()]{1,20}\)",
        " ",
        part,
        flags=re.IGNORECASE,
    )
    part = part.strip(" .,;:([")
    if not part or len(part) > LONGEST_AUTHORS:
        return []
    if COLLECTIVE.search(part) and "," not in part and len(part.split()) <= 10 and part[:1].isupper():
        return [part]
    words = part.split()
    lower = [
        word
        for word in words
        if word[:1].islower() and word.strip(",;") not in PARTICLES | JOINS and not word.startswith(("d’", "d'"))
    ]
    if (
        lower
        or any(character.isdigit() for character in part)
        or len(words) > 4 * MOST_NAMES
        or re.search(r"[“”\"/=<>{}|@?!]", part)
    ):
        return []
    if not all(NAME_WORD.fullmatch(word) or word in ("&", "and") for word in words):
        return []
    if any(len(word) > 4 and word[-1] == "." and not INITIAL_WORD.fullmatch(word) for word in words[:-1]):
        return []  # a sentence ends here
    if ";" in part:
        pieces = re.split(r"\s*;\s*(?:(?:and|&)\s+)?", part)
        return _checked([_turned(piece) for piece in pieces if piece])
    groups = [group for group in re.split(r",?\s+(?:and|und|y|e)\s+|,?\s*&\s*", part) if group.strip(" ,.")]
    if all(group.count(",") == 1 and not VANCOUVER.search(group.partition(",")[0]) for group in groups):
        return _checked([_turned(group) for group in groups])
    return _checked(
        _paired([piece.strip() for group in groups for piece in re.split(r",\s+", group) if piece.strip(" ,.")])
    )


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
            names.append(_turned(piece))
        number += 1
    return names


def _is_turned(pieces: list[str]) -> bool:
    """Say whether the first name of a list alone is turned, as in ``Gibson, Tom A., Matthew Tucker``."""
    return len(pieces[0].split()) == 1 and len(pieces) > 2 and all(len(piece.split()) > 1 for piece in pieces[2:])


def _are_initials(piece: str) -> bool:
    return all(INITIAL_WORD.fullmatch(word) or word in PARTICLES for word in piece.split()) and bool(
        re.search(r"[^\W\d_a-z]", piece)
    )


def _turned(piece: str) -> str:
    """Return a name with its given name first: ``Geerts WH`` and ``Knuth, Donald E.`` have it last."""
    last, comma, first = piece.partition(",")
    if comma and first.strip():
        return f"{first.strip()} {last.strip()}"
    turned = SURNAME_FIRST.fullmatch(piece.rstrip(","))
    return f"{turned['first']} {turned['last']}" if turned else piece.rstrip(",;")


def _checked(names: list[str]) -> list[str]:
    names = [name.strip(" ,;") for name in names]
    if any(len(name) > 60 or len(name.split()) > 6 or not re.search(r"[^\W\d_]{2}", name) for name in names if name):
        return []
    return [name for name in names if name][:MOST_NAMES]


def _by_commas(text: str) -> tuple[int, list[str]]:
    """Read names between commas until something else comes, as ``A. Prosperetti, G. Tryggvason, Title`` has it."""
    end, names = 0, []
    while True:
        match = re.match(
            r"\s*(?:(?:and|&)\s+)?(?P<name>(?:[^\W\d_]\.[-\s]?)+\s*(?:[a-z]{1,4}\.?\s+){0,2}[^\W\d_a-z][\w'’`´-]+(?:[ -][^\W\d_a-z][\w'’-]+)?)(?:,\s*(?:Jr|Sr|II|III)\.?)?\s*(?P<after>,\s+(?=\S)|\s+(?=(?:and|&)\s)|\s+et al\.?,?)",
            text[end : end + 120],
        )
        if match is None or len(names) >= MOST_NAMES:
            break
        names.append(match["name"])
        end += match.end()
        if "et al" in match["after"]:
            break
    while match := re.match(r"(?:and\s+)?(?:collaborators|others|et al\.?|coworkers),?\s*", text[end:]):
        end += match.end()
    return end, names


def _title(text: str, start: int, *, by_commas: bool = False) -> tuple[str, str]:
    """Return the title that begins at ``start``, and what comes after it."""
    body = text[start:].lstrip(" .,:;)")
    if by_commas and (match := TITLE_ENDS.search(body)):
        return body[: match.start()], body[match.end() :]
    for match in SENTENCE_END.finditer(body):
        before = body[: match.start()]
        if match["stop"][0] == "." and ABBREVIATION.search(before) and not LETTER_AS_WORD.search(before):
            continue
        if not WORD.search(before) or (match["stop"] == "?" and GOES_ON.match(body, match.end())):
            continue
        end = match.start() + (match["stop"][0] != ".")
        title, rest = body[:end], body[match.end() :]
        return title, rest
    return body.rstrip("."), ""


def _venue(rest: str) -> str | None:
    """Return where a work appeared, as far as it is printed before numbers."""
    bare = LINK.split(rest.strip(' .,;:”“"'))[0]
    match = re.match(r"(?:in:?\s+)?(?P<venue>[^\W\d_][^\d(]{2,200})", bare, re.IGNORECASE)
    venue = (
        re.sub(r"[\s.,;:]+(?:vol|no|pp|pages?)?[\s.,;:]*$", "", match["venue"], flags=re.IGNORECASE) if match else ""
    )
    return venue.strip() or None
