"""What an entry of a list of references says: authors, year, title and venue, by the order of the common styles.

Authors come first, then the year, the title, and where the work appeared; or the year comes last. A title in quotation
marks is found by these. A field that cannot be told apart is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

YEAR = re.compile(r"(?<![\w./-])(?P<year>1[5-9]\d\d|20\d\d)(?P<letter>[a-z]?)(?![\w])")
PAGES = re.compile(r"(?:pp?\.|pages?|no\.|vol\.)\s*\d+(?:\s*[-–—]\s*\d+)?|\d+\s*[-–—]\s*\d+|:\s?\d+(?:\(\d+\))?", re.IGNORECASE)
LINK = re.compile(r"(?:https?://|www\.|doi:?\s*10\.|arxiv:)\S*", re.IGNORECASE)
YEAR_AFTER_AUTHORS = re.compile(
    r"[\s.,:(\[]*\(?(?:[^\W\d_]{3,9}\.?(?: \d{1,2},)? )?(?P<year>1[5-9]\d\d|20\d\d)(?P<letter>[a-z]?)[–-]?"
    r"(?:, [^()\d]{0,20}\d{0,2})?[)\]]?[\s.,:;]+"
)
QUOTED = re.compile(r"(?:“|``|„|«|\"|‘)\s*(?P<title>[^“”\"„«»]{6,500}?)\s*(?:”|''|“|»|\"|’(?!\w))(?=[\s.,;:(]|$)")
PARTICLES = frozenset(
    "van von der den de di da del della dos das du la le ten ter zu zur af al el bin ibn st st. y e vom ’t 't dela".split()
)
JOINS = frozenset({"and", "&", "et", "al", "al.", "und", "y", "e", "with", "others"})
NAME_WORD = re.compile(r"[^\W\d_][^\W\d_'’‘`´\u00ad-]*(?:[-'’‘`´.][^\W\d_]*)*[.,;:]*")
INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?[- ]?){1,4}")
INITIAL_WORD = re.compile(r"(?:[^\W\d_]{1,2}\.-?)+|[A-ZÀ-ÞŠŽČ]{1,3}|[A-ZÀ-Þ](?:-[A-ZÀ-Þ])?\.?")
SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV)\.?")
EDITOR = re.compile(r"\s*[(\[]?(?:eds?|editors?|hrsg|coords?|orgs?)\b\.?[)\]]?[.,:]?\s*", re.IGNORECASE)
SENTENCE_END = re.compile(r"(?P<stop>[.?!]”?)\s+(?=[^\W_a-z]|[“\"(\[]|https?:|doi|in:? |arxiv|url|chapter|ph\.?d|vol|pages|\d)", re.IGNORECASE)
ABBREVIATION = re.compile(r"(?:^|[\s(.-])(?:[^\W\d_]|vs|no|vol|st|dr|cf|etc|ed|eds|al|ver|fig|approx|e\.g|i\.e|dept|int|proc)$", re.IGNORECASE)
VENUE_BEGINS = re.compile(r",\s+(?=(?:in:?|arxiv|journal|proc|ph\.?d|technical report|tech|preprint|vol)\b|[A-Z])", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]{3,}")
COLLECTIVE = re.compile(
    r"team|group|collaboration|consortium|foundation|inc|corporation|organi[sz]ation|society|institute|committee|agency|"
    r"association|council|university|network|project|developers?|community|center|centre", re.IGNORECASE
)
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
    authors_end, names = _authors(text)
    dated = YEAR_AFTER_AUTHORS.match(text, authors_end) if names else None
    start = dated.end() if dated else authors_end
    quoted = QUOTED.search(text, max(0, authors_end - 1))
    if quoted and (len(WORD.findall(quoted["title"])) < 1 or quoted.start() > authors_end + 120):
        quoted = None
    if quoted is None and not names:
        quoted = QUOTED.search(text)
    if quoted and not names:
        names = names_of(text[: quoted.start()])
    if quoted:
        title, rest = quoted["title"], text[quoted.end() :]
    elif names or dated:
        title, rest = _title(text, start)
    else:
        title, rest = _title(text, 0)
    year, letter = (int(dated["year"]), dated["letter"]) if dated else year_of_entry(text)
    title = title.strip(" .,;:“”\"")
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


def _authors(text: str) -> tuple[int, list[str]]:
    """Return where the authors end, and their names; 0 and none where the entry begins with none."""
    cut = text[:LONGEST_AUTHORS]
    ends = _ends_of_authors(cut)
    for end in ends:
        part = EDITOR.sub("", cut[:end]) if EDITOR.search(cut[:end][-14:]) else cut[:end]
        names = names_of(part)
        if names:
            return end, names
    return _by_commas(cut)


def _ends_of_authors(text: str) -> Iterator[int]:
    """Yield where authors may end: before a year, at a colon, or at a full stop that ends no initial."""
    year = re.search(r"[\s.,(\[]+(?:[^\W\d_]{3,9}\.?(?: \d{1,2},)? )?(?:1[5-9]\d\d|20\d\d)[a-z]?[–-]?(?=[).,:;\]\s])", text)
    places: list[int] = []
    if year:
        places.append(year.start())
    if (quote := re.search(r"[“\"]|``", text)) is not None:
        places.append(quote.start())
    if colon := re.search(r":\s", text):
        places.append(colon.start())
    for stop in re.finditer(r"\.\s+|[?!]\s", text):
        before = text[: stop.start()]
        word = before.rpartition(" ")[2].strip("(,")
        if len(word) > 1 and not INITIAL_WORD.fullmatch(word + ".") or len(word) > 3:
            places.append(stop.start() if word != "al" else stop.start() + 1)
            if len(places) > 6:
                break
        elif re.fullmatch(r"[A-Z]{1,3}|[A-Z]", word) and len(places) <= 6:
            places.append(stop.start() + 1)
    yield from sorted(set(places))


def names_of(part: str) -> list[str]:
    """Return the names that a text is a list of, given name first; none where it is something else."""
    part = re.sub(r"\bet\.? al\.?,?|\b(?:and|&) others\b|…|\.\.\.|,?\s*\(?\beds?\b\.?\)?|\(?\beditors?\b\)?|\(hrsg\.?\)", " ", part, flags=re.IGNORECASE)
    part = part.strip(" .,;:([")
    if not part or len(part) > LONGEST_AUTHORS:
        return []
    if COLLECTIVE.search(part) and "," not in part and len(part.split()) <= 10 and part[:1].isupper():
        return [part]
    words = part.split()
    lower = [word for word in words if word[:1].islower() and word.strip(",;") not in PARTICLES | JOINS and not word.startswith(("d’", "d'"))]
    if lower or any(character.isdigit() for character in part) or len(words) > 4 * MOST_NAMES or re.search(r"[“”\"/=<>{}|@?!]", part):
        return []
    if not all(NAME_WORD.fullmatch(word) or word in ("&", "and") for word in words):
        return []
    if ";" in part:
        pieces = re.split(r"\s*;\s*(?:(?:and|&)\s+)?", part)
        return _checked([_turned(piece) for piece in pieces if piece])
    pieces = [piece.strip() for piece in re.split(r",?\s+(?:and|und|y|e)\s+|,?\s*&\s*|,\s+", part) if piece.strip(" ,.")]
    return _checked(_paired(pieces))


def _paired(pieces: list[str]) -> list[str]:
    """Put surnames and the initials after them together."""
    names: list[str] = []
    number = 0
    initials = [_are_initials(piece) for piece in pieces]
    by_surname = len(pieces) > 1 and any(initials)
    inverted = not by_surname and len(pieces) >= 2 and False
    while number < len(pieces):
        piece = pieces[number]
        following = pieces[number + 1] if number + 1 < len(pieces) else ""
        if by_surname and following and not initials[number] and initials[number + 1]:
            names.append(f"{following} {piece}")
            number += 2
            if number < len(pieces) and SUFFIX.fullmatch(pieces[number]):
                number += 1
            continue
        if number == 0 and following and not inverted and len(piece.split()) <= 2 and _given_after(piece, following, pieces):
            names.append(f"{following} {piece}")
            number += 2
            continue
        if not SUFFIX.fullmatch(piece):
            names.append(_turned(piece))
        number += 1
    return names


def _given_after(piece: str, following: str, pieces: list[str]) -> bool:
    """Say whether the first name of a list is turned, as in ``Ning, Xiang and Tom Gibson``."""
    return len(piece.split()) == 1 and not re.search(r"\.", piece) and len(pieces) <= 3 and len(following.split()) <= 2 and all(
        len(other.split()) > 1 for other in pieces[2:]
    ) and len(following.split()) == 1


def _are_initials(piece: str) -> bool:
    return all(INITIAL_WORD.fullmatch(word) or word in PARTICLES for word in piece.split()) and bool(re.search(r"[^\W\d_a-z]", piece))


def _turned(piece: str) -> str:
    """Return a name with its given name first: ``Geerts WH`` and ``Knuth, Donald E.`` have it last."""
    last, comma, first = piece.partition(",")
    if comma and first.strip():
        return f"{first.strip()} {last.strip()}"
    words = piece.split()
    initials = words[-1]
    if len(words) > 1 and re.fullmatch(r"[A-ZÀ-ÞŠŽČ]{1,3}|(?:[A-Z]\.-?){1,4}|[A-Z](?:-[A-Z])?", initials) and not SUFFIX.fullmatch(initials) and not INITIAL_WORD.fullmatch(words[0]):
        return f"{initials} {' '.join(words[:-1])}"
    return piece.rstrip(",;")


def _checked(names: list[str]) -> list[str]:
    names = [name.strip(" ,;") for name in names]
    if any(len(name) > 60 or len(name.split()) > 6 or not re.search(r"[^\W\d_]{2}", name) for name in names if name):
        return []
    return [name for name in names if name][:MOST_NAMES]


def _by_commas(text: str) -> tuple[int, list[str]]:
    """Read names between commas until something else comes, as ``A. Prosperetti, G. Tryggvason, Title`` has it."""
    end, names = 0, []
    while True:
        match = re.match(r"\s*(?:(?:and|&)\s+)?(?P<name>(?:[^\W\d_]\.[-\s]?)+\s*(?:[a-z]{1,4}\.?\s+){0,2}[^\W\d_a-z][\w'’`´-]+(?:[ -][^\W\d_a-z][\w'’-]+)?)(?:,\s*(?:Jr|Sr|II|III)\.?)?\s*(?P<after>,\s+(?=\S)|\s+(?=(?:and|&)\s)|\s+et al\.?,?)", text[end : end + 120])
        if match is None or len(names) >= MOST_NAMES:
            break
        names.append(match["name"])
        end += match.end()
        if "et al" in match["after"]:
            break
    while match := re.match(r"(?:and\s+)?(?:collaborators|others|et al\.?|coworkers),?\s*", text[end:]):
        end += match.end()
    return end, names


def _title(text: str, start: int) -> tuple[str, str]:
    """Return the title that begins at ``start``, and what comes after it."""
    body = text[start:].lstrip(" .,:;)")
    for match in SENTENCE_END.finditer(body):
        before = body[: match.start()]
        if match["stop"][0] == "." and ABBREVIATION.search(before):
            continue
        if not WORD.search(before):
            continue
        end = match.start() + (match["stop"][0] != ".")
        title, rest = body[:end], body[match.end() :]
        return title, rest
    return body.rstrip("."), ""


def _venue(rest: str) -> str | None:
    """Return where a work appeared, as far as it is printed before numbers."""
    bare = LINK.split(rest.strip(" .,;:”“\""))[0]
    match = re.match(r"(?:in:?\s+)?(?P<venue>[^\W\d_][^\d(]{2,200})", bare, re.IGNORECASE)
    venue = re.sub(r"[\s.,;:]+(?:vol|no|pp|pages?)?[\s.,;:]*$", "", match["venue"], flags=re.IGNORECASE) if match else ""
    return venue.strip() or None
