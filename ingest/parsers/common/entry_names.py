"""Names of authors as entries of lists of references print them: given names first, last, or as initials."""

import re

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
"""What a list of names holds beside names."""

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
