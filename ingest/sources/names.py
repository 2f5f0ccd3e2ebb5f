"""Names of people and groups as bibliographies, lists of references and title pages print them.

A list is split at semicolons, conjunctions and commas. A comma stands within a name if a surname alone precedes it, and
initials or a given name follow.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

PARTICLES = frozenset(
    {
        "van", "von", "der", "den", "de", "di", "da", "del", "della", "dela", "do", "dos", "das", "du", "des", "la",
        "le", "lo", "ten", "ter", "te", "zu", "zum", "zur", "zuzu", "af", "av", "al", "el", "bin", "ben", "ibn", "abu",
        "st", "st.", "v.", "y", "e", "vom", "vander", "vande", "het", "’t", "'t", "ul", "und", "mac",
    }
)  # fmt: skip
CONJUNCTIONS = ("and", "und", "et", "och", "og", "en", "ed", "e", "y", "i", "и", "&", "sowie", "ve", "ja")
"""Words between the last two names of a list."""

SHORT_CONJUNCTIONS = frozenset({"e", "y", "i", "en", "ed", "ve", "ja", "og", "и"})
"""Conjunctions that are also parts of surnames, as in Ramón y Cajal. In small letters they separate whole names."""

JOINS = frozenset({*CONJUNCTIONS, "al", "al.", "others"})
SUFFIX = re.compile(r"(?:[Jj]r|[Ss]r|II|III|IV|2nd|3rd)\.?")
COUNTED = re.compile(r"\b(2nd|3rd|4th)(?:\s([^\W\d_a-z]{1,3}))?(?=[\s,;.]|\Z)")
"""Suffix before or after initials, as in ``Kohl 3rd HW``."""

NUMERALS = {"2nd": "II", "3rd": "III", "4th": "IV"}
NO_NAMES = re.compile(
    r"\bet\.? al(?:ii|\b\.?),?|\b(?:and|&) (?:others|coworkers|collaborators)\b|\bu\. ?a\.|…|\.\.\.|"
    r"\((?:for )?(?:the )?[^()]{1,40}\)|\[[^\[\]]{1,40}\]|\b(?:for|on behalf of) the (?=[^,;]{1,40} collaboration)|"
    r"\(eds?\.?\)|\s[Ee]ds?\.(?=,|\s|$)|\(?\beditors?\b\)?|\(hrsg\.?\)",
    re.IGNORECASE,
)
"""Words in a list of names that are not names."""

NOT_IN_NAMES = re.compile(r"[“”„«»\"/=<>{}|@?!:\[\]()_#%+]|(?<![^\W\d_]{3})(?<![^\W\d_]{3}\d)\d")
INITIALS_BEFORE_COMMA = re.compile(r"[^\W\d_]{2}\s[^\W\d_a-z]{1,3},")
BEGINS_WITH_INITIAL = re.compile(r"[^\W\d_]\.")
LETTERS = re.compile(r"[^\W\d_][\w\u0300-\u036f'’‘`´ʼ·\u00ad‐-]*")
GLUED = re.compile(r"(?:(?<=\b[^\W\d_]\.)|(?<=\b[^\W\d_]{2}\.))(?=[^\W\d_]{2,})")
"""Between initials and a surname written to them, as in ``Yu.A.Pusep``."""

LAST_STOP = re.compile(r"(?<=[^\W\d_a-z]{2})\.\Z")
"""Stop after the last initials of a list, as in ``Kudsk KA.``."""

SPACES = r"(?<!\s)\s+"
"""Spaces from the first one on: a pattern that begins at each of many would take time by the square of their number."""

AND = re.compile(
    rf"(?:(?:{SPACES})?[,，])?{SPACES}(?:(?P<long>(?i:and|und|et|och|sowie))|(?P<short>e|y|i|en|ed|ve|ja|og|и))\s+"
    rf"|(?:(?:{SPACES})?,)?(?:{SPACES})?&\s*"
)
COMMA = re.compile(rf"(?:{SPACES})?[,，、]\s*")
SEMICOLON = re.compile(rf"(?:{SPACES})?[;；]\s*(?:(?:and|&)\s)?")
GROUP = re.compile(
    r"\b(?:team|group|collaborations?|consortium|foundation|inc|corporation|organi[sz]ation|society|institutes?|"
    r"committee|agency|association|council|university|network|project|developers?|community|cent(?:er|re)s?|"
    r"investigators|ministry|department|board|bureau|office|commission|administration|bank|union|authority|"
    r"(?:fund|initiative)\Z)\b",
    re.IGNORECASE,
)
"""Words of corporate authors."""

GROUP_IN_LIST = re.compile(
    r"\b(?:team|group|collaborations?|consortium|investigators|network|developers|initiative)\Z", re.IGNORECASE
)
SENTENCE = re.compile(r"[^\W\d_]{4}\.\s")
"""End of a sentence within a text, which then is no name."""

DOMAIN = re.compile(r"[\w-]+\.(?:com|org|net|gov|edu|io)", re.IGNORECASE)
OF_SENTENCES = frozenset(
    "the of for in on with from by an using to is are at as into via towards toward how what why its their our".split()  # noqa: SIM905
)
"""Words of titles that are never part of a name."""

LONGEST = 4000
"""Characters of a list that are read."""

LONGEST_NAME, MOST_WORDS, MOST_GROUP_WORDS, MOST_NAMES = 60, 7, 10, 300
NO_GIVEN_NAMES = frozenset({"The", "On", "How", "What", "Why", "Towards", "Toward", "Using", "From", "For"})
"""Words that titles begin with."""

MOST_ODD = 0.5
"""Share of a list's names that may be of an unusual form."""


class Form(Enum):
    """Form of a piece of a list of names."""

    INITIALS = "initials"
    SURNAME = "surname"
    """One word, particles aside."""

    GIVEN_FIRST = "given name first, with initials"
    SURNAME_FIRST = "surname, then initials"
    WORDS = "words"
    GROUP = "group"
    SUFFIX = "suffix"
    ODD = "odd"
    NONE = "none"


@dataclass(frozen=True)
class Piece:
    """Text between two commas, with its form; ``is_last`` if the last conjunction stands directly before it."""

    text: str
    form: Form
    is_last: bool = False


WHOLE = (Form.GIVEN_FIRST, Form.SURNAME_FIRST, Form.WORDS)


def names_of(part: str) -> list[str]:
    """Return the names that a text is a list of, given names first; empty if it is something else.

    One name of an unusual form, as ``greg Sanders``, stays as it is printed where most others are of a usual form.
    """
    part = unicodedata.normalize("NFC", part[:LONGEST])
    part = " ".join(NO_NAMES.sub(", ", part).split()).strip(" ,;:([").lstrip(".")
    part = COUNTED.sub(lambda match: f"{match[2] or ''} {NUMERALS[match[1]]}".strip(), GLUED.sub(" ", part))
    if not part or NOT_IN_NAMES.search(part):
        return []
    capitals = _is_in_capitals(part)
    if part.endswith(".") and "." not in part[:-1] and INITIALS_BEFORE_COMMA.search(part):
        part = part[:-1]  # the end of a sentence, in a list whose initials have no stops
    if _is_group(part, capitals=capitals):
        return _several_groups(part) or [part.rstrip(" .,;:")]
    if SEMICOLON.search(part):
        texts = [one for one in SEMICOLON.split(part) if one.strip(" .,")]
        names = [_between_semicolons(one, capitals=capitals) for one in texts]
        return _checked(names) if all(names) else _people_and_groups(texts)
    if (part.isupper() and part.isalpha() and len(part) > 1) or DOMAIN.fullmatch(part):
        return [part]
    pieces = list(_pieces(part, capitals=capitals))
    return _checked(_joined(pieces)) if _are_names(pieces) else []


def names_of_fields(values: Iterable[str]) -> list[str]:
    """Return the names that fields of authors hold: each is a name or a list; one of another form stays as printed."""
    return [name for value in values for name in names_of(value) or [value]]


def _between_semicolons(text: str, *, capitals: bool) -> str:
    """Return the name between two semicolons, where a comma always follows a surname; empty if the text is no name."""
    forms = [form_of(part, capitals=capitals) for part in COMMA.split(text)]
    if len(forms) == 1:
        return in_order(text) if forms[0] in (*WHOLE, Form.SURNAME, Form.GROUP) else ""
    parts = (*WHOLE, Form.SURNAME, Form.INITIALS, Form.SUFFIX)
    return inverted(text) if len(forms) <= 3 and all(form in parts for form in forms) else ""


def _people_and_groups(texts: Sequence[str]) -> list[str]:
    """Return a list with commas and the groups after semicolons: ``Hughes LL, Gray RJ; Oncology Group``."""
    people = names_of(texts[0]) if texts else []
    groups = [text.strip(" .,") for text in texts[1:]]
    return [*people, *groups] if people and groups and all(map(_is_one_group, groups)) else []


def _is_one_group(text: str) -> bool:
    return ". " not in text and _is_group(text, capitals=False)


def _is_in_capitals(part: str) -> bool:
    """Say whether the words of a list are in capitals, conjunctions and particles aside."""
    words = [word.strip(".,;") for word in part.split()]
    words = [word for word in words if len(word) > 1 and word not in PARTICLES and word not in CONJUNCTIONS]
    return all(word.isupper() for word in words) and any(len(word) > 3 or "," in part for word in words)


def _is_group(part: str, *, capitals: bool) -> bool:
    """Say whether a whole text is the name of a group, conjunctions included."""
    words = part.split()
    if not GROUP.search(part) or "," in part or len(words) > MOST_GROUP_WORDS or not part[0].isupper():
        return False
    if SENTENCE.search(part):
        return False
    first, *others = groups_of(part)
    return not others or form_of(first, capitals=capitals) not in (Form.GIVEN_FIRST, Form.SURNAME_FIRST)


def _several_groups(part: str) -> list[str]:
    """Return two groups of which each has a word of corporate authors; empty if the text is something else."""
    groups = [one.strip(" .,;:") for one in groups_of(part)]
    is_each = all(GROUP.search(one) and len(one.split()) > 1 and one[0].isupper() for one in groups)
    return groups if len(groups) == 2 and is_each else []


def groups_of(part: str) -> list[str]:
    """Split a list at its conjunctions; a short one parts whole names alone."""
    groups: list[str] = []
    start = 0
    for match in AND.finditer(part):
        before, after = part[start : match.start()], AND.split(part[match.end() :], maxsplit=1)[0]
        if match["short"] and (len(before.split()) < 2 or _is_within_surname(before, COMMA.split(after)[0])):
            continue
        groups.append(before)
        start = match.end()
    groups.append(part[start:])
    return [group for group in groups if group.strip(" ,.")]


def _is_within_surname(before: str, after: str) -> bool:
    """Say whether a short conjunction stands within a surname, as in ``Llosa M, Ortega y Gasset J``."""
    if len(after.split()) < 2:
        return True
    return form_of(COMMA.split(before)[-1]) is Form.SURNAME and form_of(after) is Form.SURNAME_FIRST


def _pieces(part: str, *, capitals: bool) -> Iterator[Piece]:
    groups = groups_of(part)
    for number, group in enumerate(groups):
        texts = [text.strip() for text in COMMA.split(group) if text.strip(" ,.")]
        for place, text in enumerate(texts):
            form = form_of(text, capitals=capitals)
            yield Piece(text, form, is_last=place == 0 and number > 0 and number == len(groups) - 1)


def form_of(text: str, *, capitals: bool = False) -> Form:
    """Return the form of a piece; in a text in ``capitals`` only single letters are initials."""
    words = LAST_STOP.sub("", text.rstrip(",;")).split()
    if not words or len(text) > LONGEST_NAME:
        return Form.NONE
    if GROUP_IN_LIST.search(text) and len(words) > 1 and len(words) <= MOST_WORDS:
        return Form.GROUP
    if SUFFIX.fullmatch(text) and len(words) == 1 and text[0].isupper():
        return Form.SUFFIX
    if (
        len(words) > MOST_WORDS
        or words[0] in NO_GIVEN_NAMES
        or any((word.casefold() if capitals else word) in OF_SENTENCES for word in words[1:])
    ):
        return Form.NONE
    if SUFFIX.fullmatch(words[-1]) and len(words) > 1:
        words = words[:-1]
    if _is_east_asian(text):
        return Form.WORDS
    marks = [_mark(words, number, capitals=capitals) for number in range(len(words))]
    if "?" in marks:
        return Form.NONE
    solid = [mark for mark in marks if mark != "p"]
    if not solid:
        return Form.NONE
    if "o" in solid:
        return Form.ODD if len(solid) > 1 and ("W" in solid or "I" in solid) else Form.NONE
    if "W" not in solid:
        return Form.INITIALS
    if len(solid) == 1:
        return Form.SURNAME
    if solid[0] == "I":
        return Form.GIVEN_FIRST if solid[-1] == "W" else Form.ODD
    if solid[-1] == "I":
        return Form.SURNAME_FIRST
    return Form.GIVEN_FIRST if "I" in solid else Form.WORDS


def _is_east_asian(text: str) -> bool:
    return 2 <= len(text) <= 4 and all("\u4e00" <= sign <= "\u9fff" or "\uac00" <= sign <= "\ud7a3" for sign in text)


def _mark(words: Sequence[str], number: int, *, capitals: bool) -> str:
    """Return I for initials, W for a word of a name, p for a particle, o for an odd word, ? for no part of a name."""
    word = words[number].rstrip(",;")
    bare = word.rstrip(".")
    if word.casefold() in PARTICLES and (word[0].islower() or capitals or bare == "St"):
        return "p"
    if is_initials(word, capitals=capitals) or (word[-1] == "." and _is_short_given(words, number, capitals=capitals)):
        return "I"
    if word[-1] == "." and number < len(words) - 1:
        return "?"  # a sentence ends here
    if not LETTERS.fullmatch(bare):
        return "?"
    if bare[0].isupper() or bare.startswith(("d’", "d'", "al-", "el-", "ʼ")) or _is_uncased(bare):
        return "W"
    return "W" if any(map(str.isupper, bare)) and "-" in bare else "o"


def _is_uncased(word: str) -> bool:
    return unicodedata.category(word[0]) == "Lo"


def _is_short_given(words: Sequence[str], number: int, *, capitals: bool) -> bool:
    """Say whether a word with a stop is a given name of two letters, as ``Yu.``, and ends no sentence."""
    bare = words[number].rstrip(".,;")
    if len(bare) != 2 or not bare[0].isupper() or not bare[1].islower():
        return False
    return number == 0 or not is_initials(words[number - 1], capitals=capitals)


def is_initials(word: str, *, capitals: bool = False) -> bool:
    """Say whether a word is initials: ``J.``, ``J.-P.``, ``J.-h.``, ``Yu.A.``, ``JP``; in ``capitals`` with stops."""
    bare = word.rstrip(",;")
    parts = [part for part in re.split(r"[.‐-]", bare) if part]
    if not parts or not all(part.isalpha() for part in parts) or not parts[0][0].isupper():
        return False
    if not all(part[0].isupper() or (len(part) == 1 and ("-" in bare or "‐" in bare)) for part in parts):
        return False
    if len(parts) > 1 and "." in bare:
        return all(len(part) == 1 or (len(part) == 2 and part[1].islower()) for part in parts)
    if all(len(part) == 1 for part in parts):
        return not _is_uncased(bare)
    return not capitals and len(bare) <= 3 and bare.isupper() and bare.isalpha()


def _are_names(pieces: Sequence[Piece]) -> bool:
    """Say whether pieces are those of a list of names."""
    if not pieces or any(piece.form is Form.NONE for piece in pieces):
        return False
    last = next((number for number, piece in enumerate(pieces) if piece.is_last), None)
    if last is not None:
        after = [piece for piece in pieces[last + 1 :] if piece.form not in (Form.INITIALS, Form.SUFFIX)]
        turned = pieces[last].form is Form.SURNAME or (pieces[last].form is Form.WORDS and _is_inverted_list(pieces))
        if len(after) > (1 if turned else 0):
            return False  # after the last conjunction stands one name
    good = sum(piece.form in (*WHOLE, Form.GROUP) for piece in pieces)
    odd = [number for number, piece in enumerate(pieces) if piece.form is Form.ODD]
    ends_oddly = odd and odd[-1] == len(pieces) - 1 and (good < 2 or not pieces[-1].is_last)
    if odd and (len(odd) > MOST_ODD * len(pieces) or not good or ends_oddly):
        return False
    if len(pieces) > 1 and last is None:
        *before, end = pieces
        if end.form is Form.WORDS and all(BEGINS_WITH_INITIAL.match(piece.text) for piece in before):
            return False  # a title after names with initials
    for left, right in pairwise(pieces):
        if left.form is Form.SURNAME_FIRST and right.form is Form.SURNAME and right.text[-1] == ".":
            return False  # an abbreviation after names
        if left.form is Form.GIVEN_FIRST and right.form is Form.SURNAME_FIRST and right.text[-1] != ".":
            return False
        words = right.text.split()
        if left.form is Form.SURNAME and right.form is Form.GIVEN_FIRST and len(words) > 2 and is_initials(words[0]):
            return False  # a surname, its initials and a title
    if pieces[0].form is Form.GIVEN_FIRST and any(piece.form is Form.SURNAME for piece in pieces):
        return False  # a list that begins with a given name has no surname before one
    given_first = [piece.form for piece in pieces].count(Form.GIVEN_FIRST)
    alone = [number for number, piece in enumerate(pieces) if _stands_alone(pieces, number)]
    return not (given_first and alone and len(pieces) > 1 and alone[-1] > 0 and not pieces[alone[-1]].is_last)


def _stands_alone(pieces: Sequence[Piece], number: int) -> bool:
    """Say whether a piece is one word that no given name before or after it completes."""
    if pieces[number].form is not Form.SURNAME:
        return False
    after = pieces[number + 1].form if number + 1 < len(pieces) else None
    before = pieces[number - 1].form if number else None
    return not (
        after in (Form.INITIALS, Form.SURNAME, Form.SURNAME_FIRST, Form.SUFFIX)
        or (after in (Form.WORDS, Form.GIVEN_FIRST) and _first_is_inverted(pieces, number))
        or before in (Form.SURNAME, Form.WORDS)
    )


def _first_is_inverted(pieces: Sequence[Piece], number: int) -> bool:
    """Say whether a surname alone and the given names after it are one name."""
    return number == 0 or _is_inverted_list(pieces)


def _is_inverted_list(pieces: Sequence[Piece]) -> bool:
    """Say whether each second piece is a surname before its given names, as in ``Gomes, Andrigo, Vega, Ana``."""
    firsts, pairs = pieces[::2], zip(pieces[::2], pieces[1::2], strict=False)
    if not all(Form.SURNAME in (one.form, other.form) for one, other in pairs):
        return False
    return len(pieces) % 2 == 0 and all(piece.form in (Form.SURNAME, Form.WORDS) for piece in firsts) and (
        any(piece.form is Form.SURNAME for piece in firsts) or all(piece.form is Form.SURNAME for piece in pieces[1::2])
    )  # fmt: skip


def _joined(pieces: Sequence[Piece]) -> list[str]:
    """Put surnames and the given names after them together."""
    names: list[str] = []
    inverted_list = _is_inverted_list(pieces)
    number = 0
    while number < len(pieces):
        piece = pieces[number]
        after = pieces[number + 1] if number + 1 < len(pieces) else None
        number += 1
        further = pieces[number + 1] if number + 1 < len(pieces) else None
        if after is not None and after.form is Form.SUFFIX and further and piece.form is Form.SURNAME:
            names.append(f"{further.text} {piece.text} {after.text}")  # King, Jr., Martin Luther
            number += 2
            continue
        if piece.form is Form.SUFFIX:
            if names:
                names[-1] = f"{names[-1]} {piece.text}"
            continue
        if after is not None and not after.is_last and _are_one(piece, after, inverted_list, first=not names):
            names.append(f"{after.text} {piece.text}")
            number += 1
            continue
        if piece.form is Form.INITIALS:
            return []  # initials without a surname
        names.append(in_order(piece.text))
    return names


def _are_one(piece: Piece, after: Piece, inverted_list: bool, *, first: bool) -> bool:
    if piece.form not in (Form.SURNAME, Form.WORDS, Form.ODD):
        return False
    if after.form is Form.INITIALS:
        return True
    if after.form is Form.SURNAME_FIRST:  # a given name, then initials
        return piece.form is Form.SURNAME and (first or after.text.endswith("."))
    if after.form not in (Form.SURNAME, Form.WORDS, Form.GIVEN_FIRST):
        return False
    if after.form is Form.GIVEN_FIRST and len(after.text.split()) > 2 and is_initials(after.text.split()[0]):
        return False  # initials, then a title
    if inverted_list:
        return True
    return piece.form is Form.SURNAME and (first or after.form is Form.SURNAME)


def inverted(name: str) -> str:
    """Return a name that is given as ``Surname, Given, Suffix`` in the order in which it is said."""
    last, *others = (part.strip() for part in COMMA.split(name.strip(" ,;")))
    if len(others) == 2 and SUFFIX.fullmatch(others[0]):
        others.reverse()
    return " ".join(filter(None, (*others[:1], last, *others[1:])))


def as_said(name: str) -> str:
    """Return one name in the order in which it is said: ``Surname, Given`` and ``Surname GH`` are turned round."""
    return inverted(name) if COMMA.search(name) else in_order(name)


def in_order(piece: str) -> str:
    """Return a name without commas with its initials first: ``Geerts WH`` has them last."""
    words = LAST_STOP.sub("", piece.rstrip(",;")).split()
    suffix = [words.pop()] if len(words) > 2 and SUFFIX.fullmatch(words[-1]) else []
    capitals = _is_in_capitals(piece)
    if form_of(" ".join(words), capitals=capitals) is not Form.SURNAME_FIRST:
        return " ".join([*words, *suffix])
    marks = [_mark(words, number, capitals=capitals) for number in range(len(words))]
    number = max(place for place, mark in enumerate(marks) if mark == "W") + 1
    return " ".join([*words[number:], *words[:number], *suffix])


def _checked(names: Sequence[str]) -> list[str]:
    found = [name for name in (name.strip(" ,;") for name in names) if name]
    if any(len(name) > LONGEST_NAME or not re.search(r"[^\W\d_]{2}", name) for name in found):
        return []
    return [name if is_initials(name.split()[-1]) else name.rstrip(".") for name in found][:MOST_NAMES]
